package pdf

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"deepresearch/crawl/document/internal/pdfium"
	"deepresearch/internal/text"
)

// composer makes blocks of lines.
type composer struct {
	body     float32            // height of running text
	levels   map[int]int        // heading level by height in tenths of the body's
	outline  map[int][]outlined // by page
	words    map[string]int     // of the file: they decide about hyphens
	blocks   []Block
	open     []placed // lines of the paragraph that is being put together
	tables   int
	outlines int // entries that lead to a page
}

// outlined is a heading that the outline promises on a page.
type outlined struct {
	key   string
	level int
}

// placed is a line and its page.
type placed struct {
	line
	page int
}

func compose(pages []page, outline []pdfium.Entry) []Block {
	c := &composer{outline: map[int][]outlined{}, words: map[string]int{}}
	for _, e := range outline {
		if key := headingKey(e.Title); key != "" && e.Page > 0 {
			c.outline[e.Page] = append(c.outline[e.Page], outlined{key, min(e.Level, 6)})
			c.outlines++
		}
	}
	c.measure(pages)
	for _, p := range pages {
		c.page(p)
	}
	c.close()
	return c.blocks
}

// measure finds the height of running text and those of headings above it.
func (c *composer) measure(pages []page) {
	chars := map[int]int{} // by height in half points
	for _, p := range pages {
		for _, l := range p.lines {
			chars[half(l.size)] += len(l.text)
			for w := range strings.FieldsSeq(l.text) {
				if strings.Contains(w, "-") {
					c.words[trimWord(w)]++
				}
			}
		}
	}
	most := 0
	for size, n := range chars {
		if n > most || n == most && float32(size)/2 < c.body {
			most, c.body = n, float32(size)/2
		}
	}
	var large []int
	for size := range chars {
		if float32(size)/2 >= 1.15*c.body {
			large = append(large, size)
		}
	}
	slices.Sort(large)
	slices.Reverse(large)
	c.levels = map[int]int{}
	for i, size := range large {
		c.levels[size] = min(i+1, 6)
	}
}

func half(f float32) int { return int(f*2 + 0.5) }

// page adds the lines of a page.
func (c *composer) page(p page) {
	for i := 0; i < len(p.lines); {
		if n := tableAt(p.lines[i:]); n > 0 {
			c.table(p.lines[i:i+n], p.number)
			i += n
			continue
		}
		l := placed{p.lines[i], p.number}
		if level, n := c.heading(p.lines[i:], p.number); level > 0 {
			c.close()
			lines := make([]placed, n)
			for k := range lines {
				lines[k] = placed{p.lines[i+k], p.number}
			}
			text, _ := c.run(lines)
			c.blocks = append(c.blocks, Block{Kind: Heading, Level: level, Text: text, Page: p.number})
			i += n
			continue
		}
		if len(c.open) > 0 && c.parts(c.open[len(c.open)-1], l) {
			c.close()
		}
		c.open = append(c.open, l)
		i++
	}
}

// longestHeading is in characters, and the most lines that one takes.
const (
	longestHeading = 160
	headingLines   = 3
)

// heading returns the level of the heading that begins with the first line and how
// many lines it has; level 0 for none.
func (c *composer) heading(lines []line, page int) (level, n int) {
	if level, n = c.promised(lines, page); level > 0 {
		return level, n
	}
	l := lines[0]
	level = c.levels[half(l.size)]
	if c.outlines > 3 || level == 0 || utf8.RuneCountInString(l.text) > longestHeading || !worded(l.text) || l.mono {
		return 0, 0
	}
	n = 1
	for n < min(len(lines), headingLines) && half(lines[n].size) == half(l.size) && l.bottom-lines[n].bottom < 2*l.size*float32(n) && lines[n].bold == l.bold {
		n++
	}
	if n == headingLines && len(lines) > n && half(lines[n].size) == half(l.size) {
		return 0, 0 // running text that is set large
	}
	return level, n
}

// promised finds a heading of the outline that one to three lines spell out.
func (c *composer) promised(lines []line, page int) (level, n int) {
	var spelled strings.Builder
	for n < min(len(lines), headingLines) {
		spelled.WriteString(headingKey(lines[n].text))
		key := spelled.String()
		n++
		for i, o := range c.outline[page] {
			if key == o.key || strings.TrimLeft(key, "0123456789") == strings.TrimLeft(o.key, "0123456789") && o.key != "" && worded(o.key) {
				c.outline[page] = slices.Delete(c.outline[page], i, i+1)
				return o.level, n
			}
		}
	}
	return 0, 0
}

// headingKey is the form in which a heading and its entry in the outline meet:
// letters and digits, without "Chapter".
func headingKey(s string) string {
	s = strings.ToLower(s)
	for _, word := range []string{"chapter ", "appendix "} {
		s = strings.TrimPrefix(s, word)
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

// worded reports text with two letters in a row.
func worded(s string) bool {
	run := 0
	for _, r := range s {
		if !unicode.IsLetter(r) {
			run = 0
		} else if run++; run == 2 || r > 0x2e80 {
			return true
		}
	}
	return false
}

// parts reports whether line b begins another block than a.
func (c *composer) parts(a, b placed) bool {
	switch {
	case a.parted:
		return false
	case a.mono != b.mono && len(strings.Fields(b.text)) > 1, bullet(b.text) != "":
		return true
	case abs(a.size-b.size) > 0.12*max(a.size, b.size):
		return true
	case a.page != b.page || b.bottom > a.bottom+a.size: // the next column or page
		return ended(a.text) || !continues(b.text)
	}
	gap := a.bottom - b.bottom
	wide := max(c.leading(), 1.6*a.size)
	indented := b.left > c.open[0].left+0.8*b.size && b.left > a.left+0.8*b.size && len(c.open) > 1
	return gap > wide || indented && ended(a.text)
}

// leading is 1.5 times the distance of the first two lines of the paragraph, 0
// before there are two.
func (c *composer) leading() float32 {
	if len(c.open) < 2 || c.open[0].page != c.open[1].page {
		return 0
	}
	return 1.35 * abs(c.open[0].bottom-c.open[1].bottom)
}

// ended reports the end of a sentence.
func ended(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(s, `"'”’»)]』」`))
	return strings.ContainsRune(".!?:;。！？：；", r)
}

// continues reports text that can go on in the middle of a sentence.
func continues(s string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(s, `"'“‘«([「『`))
	return unicode.IsLower(r) || r > 0x2e80 || unicode.IsDigit(r)
}

var entryMark = text.NewPattern(`^(?:[•‣▪◦●○■□–∙·*]|\(?(\d{1,3}|[a-z])[.)])\s+\S`)

// bullet is the mark of an entry of a list at the start of s, with the blanks
// behind it.
func bullet(s string) string {
	m := entryMark.FindString(s)
	if m == "" {
		return ""
	}
	_, n := utf8.DecodeLastRuneInString(m)
	return m[:len(m)-n]
}

// close ends the paragraph that is open.
func (c *composer) close() {
	if len(c.open) == 0 {
		return
	}
	lines := c.open
	c.open = nil
	if code(lines) {
		c.blocks = append(c.blocks, codeBlock(lines))
		return
	}
	b := Block{Kind: Paragraph, Page: lines[0].page}
	if mark := bullet(lines[0].text); mark != "" {
		b.Kind = Entry
		b.Number, _ = strconv.Atoi(strings.Trim(mark, "(). "))
		if b.Number > 0 || strings.Trim(mark, "abcdefghijklmnopqrstuvwxyz(). ") != "" {
			lines[0].text = lines[0].text[len(mark):]
		}
	}
	b.Text, b.Turns = c.run(lines)
	c.blocks = append(c.blocks, b)
}

// run is lines as running text, and where in it pages turn.
func (c *composer) run(lines []placed) (string, []Turn) {
	var s strings.Builder
	var turns []Turn
	for i, l := range lines {
		if i > 0 && !c.hyphenated(&s, lines[i-1], l.text) && !glued(s.String(), l.text) {
			s.WriteByte(' ')
		}
		if i > 0 && l.page != lines[i-1].page {
			turns = append(turns, Turn{l.page, s.Len()})
		}
		s.WriteString(l.text)
	}
	return s.String(), turns
}

// hyphenated joins a word that the line before parts, and reports whether it did.
// A hyphen stays where the file has the word with it elsewhere.
func (c *composer) hyphenated(s *strings.Builder, before placed, after string) bool {
	text := s.String()
	r, _ := utf8.DecodeRuneInString(after)
	switch {
	case before.parted && !strings.HasSuffix(text, "-"):
		first := lastWord(text) + "-" + firstWord(after)
		if c.words[trimWord(first)] > 0 {
			s.WriteByte('-')
		}
		return true
	case strings.HasSuffix(text, "-") && len(text) > 1 && unicode.IsLower(r):
		if c.words[trimWord(lastWord(text)+firstWord(after))] == 0 {
			s.Reset()
			s.WriteString(strings.TrimSuffix(text, "-"))
		}
		return true
	case strings.HasSuffix(text, "\u00ad"):
		s.Reset()
		s.WriteString(strings.TrimSuffix(text, "\u00ad"))
		return true
	}
	return false
}

func lastWord(s string) string  { return s[strings.LastIndexByte(s, ' ')+1:] }
func firstWord(s string) string { w, _, _ := strings.Cut(s, " "); return w }

func trimWord(s string) string {
	return strings.ToLower(strings.TrimFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }))
}

// glued reports lines of scripts that part no words by blanks.
func glued(a, b string) bool {
	last, _ := utf8.DecodeLastRuneInString(a)
	first, _ := utf8.DecodeRuneInString(b)
	wide := func(r rune) bool {
		return r >= 0x2e80 && r < 0xac00 || r >= 0xf900 && r < 0xfb00 || r >= 0xff00 && r < 0xffa0
	}
	return wide(last) && wide(first)
}

// code reports lines in a font of one width: a listing, when there are two, or a
// line by itself that is no sentence.
func code(lines []placed) bool {
	n := 0
	for _, l := range lines {
		if l.mono {
			n++
		}
	}
	return n == len(lines)
}

// codeBlock keeps lines as they are, indented by what they are set in.
func codeBlock(lines []placed) Block {
	b := Block{Kind: Code, Page: lines[0].page}
	left := lines[0].left
	for _, l := range lines {
		left = min(left, l.left)
	}
	var s strings.Builder
	for i, l := range lines {
		if i > 0 {
			s.WriteByte('\n')
			if l.page != lines[i-1].page {
				b.Turns = append(b.Turns, Turn{l.page, s.Len()})
			}
		}
		width := 0.5 * l.size
		s.WriteString(strings.Repeat(" ", min(max(int((l.left-left)/width+0.5), 0), 40)))
		s.WriteString(l.text)
		if l.parted {
			s.WriteByte('-')
		}
	}
	b.Text = s.String()
	return b
}
