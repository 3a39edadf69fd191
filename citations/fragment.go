package citations

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"deepresearch/internal/safe"
	"deepresearch/internal/text"
)

// Limits of a text fragment, in runes. A longer passage is named by its first
// and last words: the link stays short and what a page inserts in the middle (a
// note's number, a hidden word) does not break it. A shorter one gets context.
const (
	exactLimit   = 100
	contextBelow = 20
	leastWords   = 3 // of a start or end
	mostWords    = 8
	contextWords = 6

	longestGrowth    = 120  // bytes that may be added to end at a word
	longestDirective = 2000 // bytes; a longer one helps nobody
)

// link is the address that leads to a passage: with #page= for documents that
// have pages, with a text fragment for web pages, as it is for the user's own
// files.
func link(s Source, page *shownPage, quote text.Span) string {
	address, anchor, _ := strings.Cut(s.URL, "#")
	if n := s.page(quote.Start); n > 0 && address != "" {
		return address + "#page=" + strconv.Itoa(n)
	}
	if s.Private || !webAddress(address) {
		return s.URL
	}
	fragment := page.textFragment(quote)
	if fragment == "" {
		return s.URL
	}
	anchor, _, _ = strings.Cut(anchor, ":~:")
	return address + "#" + anchor + fragment
}

func webAddress(s string) bool {
	_, err := safe.URL(s)
	return err == nil
}

// TextFragment builds the directive ":~:text=..." that makes a browser scroll to
// the passage quote of page, which is archived Markdown or plain text, and
// highlight it. It returns "" when the passage shows no words.
//
// The rules are those that Chromium 156 was observed to follow, see
// [the text fragment specification]: all but unreserved characters are encoded,
// the hyphen too; a match lies within one block and one line or is named by
// start and end; it begins and ends at words. A passage that occurs more than
// once gets a prefix or a suffix from its own line.
//
// [the text fragment specification]: https://wicg.github.io/scroll-to-text-fragment/
func TextFragment(page string, quote text.Span) string {
	return showPage(page).textFragment(quote)
}

// shownPage is a page as a browser's search sees it.
type shownPage struct {
	text  string
	plain bool   // no Markdown
	flat  string // shown and folded
	lines []lineAt
}

// lineAt says where a line begins in the text and where its shown form begins
// in flat.
type lineAt struct{ text, flat int }

func showPage(page string) *shownPage {
	flat := make([]byte, 0, len(page))
	p := &shownPage{text: page, plain: !strings.Contains(page, "](") || !inLink.MatchString(page), lines: make([]lineAt, 0, 1+strings.Count(page, "\n"))}
	at := 0
	for line := range strings.SplitAfterSeq(page, "\n") {
		shown := folded(p.shownLine(strings.TrimSuffix(line, "\n")))
		if shown != "" && len(flat) > 0 {
			flat = append(flat, '\n')
		}
		p.lines = append(p.lines, lineAt{at, len(flat)})
		flat = append(flat, shown...)
		at += len(line)
	}
	p.flat = string(flat)
	return p
}

// shownLine is visibleLine for a browser's search, which crosses no cell of a
// table, no blanks that a block of code keeps and no sign that only a pointer
// brings out: a line break stands for each. A page without a Markdown link is
// plain text, where an asterisk is a pointer and no emphasis.
func (p *shownPage) shownLine(line string) string {
	var b strings.Builder
	for from := 0; from <= len(line); {
		end, next := gapAt(line, from)
		shown := ""
		if p.plain && !strings.HasPrefix(line, "|") {
			shown = oneLine(strings.ReplaceAll(line[from:end], softHyphen, ""))
		} else {
			shown = visibleLine(line[from:end])
		}
		if shown != "" {
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(shown)
		}
		from = next
	}
	return b.String()
}

// gapAt finds the first place from from on that a match may not cross: where it
// begins and ends, beyond the line when there is none.
func gapAt(line string, from int) (start, end int) {
	if strings.HasPrefix(line, "|") { // visibleLine knows its cells
		return len(line), len(line) + 1
	}
	for i := from; i < len(line); i++ {
		if strings.HasPrefix(line[i:], pilcrow) {
			return i, i + len(pilcrow)
		}
		if c := line[i]; c != ' ' && c != '\t' {
			continue
		}
		rest := strings.TrimLeft(line[i:], " \t")
		end := len(line) - len(rest)
		if strings.HasPrefix(rest, "| ") {
			return i, end + len("|")
		}
		if before, _ := utf8.DecodeLastRuneInString(line[:i]); end > i+1 || line[i] == '\t' || wide(before) || wide(firstRune(rest)) {
			return i, end // where words need no blanks, readers differ about them
		}
	}
	return len(line), len(line) + 1
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// pilcrow is what documentation generators link a heading to itself with.
const pilcrow = "¶"

// shownLines is shownLine for several lines.
func (p *shownPage) shownLines(s string) string {
	var shown []string
	for line := range strings.SplitSeq(s, "\n") {
		if line = p.shownLine(line); line != "" {
			shown = append(shown, line)
		}
	}
	return strings.Join(shown, "\n")
}

// textFragment is the directive for a passage, "" when none would be of use.
func (p *shownPage) textFragment(quote text.Span) string {
	f := p.locate(quote)
	if f == nil {
		return ""
	}
	if d := f.directive(); len(d) <= longestDirective {
		return ":~:text=" + d
	}
	return ""
}

// fragment holds what is needed to name one passage.
type fragment struct {
	flat          string // the whole page
	at            int    // where the passage begins in flat
	passage       string // as shown, may hold line breaks
	before, after string // what the same line shows around it
}

// Noncharacters, which no archived text holds, mark the passage while its lines
// are brought into their shown form.
const opening, closing = "\ufdd0", "\ufdd1"

// locate finds a passage in the shown page; nil when it shows no words.
func (p *shownPage) locate(quote text.Span) *fragment {
	first, _ := slices.BinarySearchFunc(p.lines, quote.Start+1, func(l lineAt, at int) int { return cmp.Compare(l.text, at) })
	line := p.lines[first-1]
	end := len(p.text)
	if i := strings.IndexByte(p.text[quote.End:], '\n'); i >= 0 {
		end = quote.End + i
	}
	start := afterLinePrefix(p.text, quote)
	shown := p.shownLines(p.text[line.text:start] + opening + p.text[start:quote.End] + closing + p.text[quote.End:end])
	before, rest, opened := strings.Cut(shown, opening)
	passage, after, closed := strings.Cut(rest, closing)
	if !opened || !closed || !strings.ContainsFunc(passage, wordRune) {
		return nil
	}
	inner := strings.TrimLeft(passage, "\n ")
	head, tail := cutWord(lastLine(before), firstLine(after), inner)
	return &fragment{
		flat:    p.flat,
		at:      line.flat + len(folded(before)) + len(passage) - len(inner) - len(folded(head)),
		passage: head + strings.TrimRight(inner, "\n ") + tail,
		before:  strings.TrimSpace(strings.TrimSuffix(lastLine(before), head)),
		after:   strings.TrimSpace(strings.TrimPrefix(firstLine(after), tail)),
	}
}

// afterLinePrefix is where the passage begins once a bullet or the bar of a
// table at its start, which the page does not show, is left out.
func afterLinePrefix(page string, quote text.Span) int {
	head := firstLine(quote.In(page))
	if strings.TrimSpace(page[strings.LastIndexByte(page[:quote.Start], '\n')+1:quote.Start]) != "" {
		return quote.Start
	}
	return quote.Start + len(head) - len(strings.TrimLeft(stripLinePrefix(head), "| "))
}

func lastLine(s string) string { return s[strings.LastIndexByte(s, '\n')+1:] }

func firstLine(s string) string {
	first, _, _ := strings.Cut(s, "\n")
	return first
}

// cutWord returns the letters before and after a passage that belong to its
// first and last word, or to its clause where words are not told apart.
func cutWord(before, after, passage string) (head, tail string) {
	first, _ := utf8.DecodeRuneInString(passage)
	last, _ := utf8.DecodeLastRuneInString(passage)
	if wordRune(first) {
		head = before[len(strings.TrimRightFunc(before, sameWord(first))):]
	}
	if wordRune(last) {
		tail = after[:len(after)-len(strings.TrimLeftFunc(after, sameWord(last)))]
	}
	if len(head) > longestGrowth {
		head = ""
	}
	if len(tail) > longestGrowth {
		tail = ""
	}
	return head, tail
}

func sameWord(edge rune) func(rune) bool {
	return func(r rune) bool { return wordRune(r) && wide(r) == wide(edge) }
}

// directive chooses the shortest form that names this passage and no other.
func (f *fragment) directive() string {
	if utf8.RuneCountInString(f.passage) <= exactLimit && !strings.Contains(f.passage, "\n") {
		return f.exact()
	}
	return f.ranged()
}

func (f *fragment) exact() string {
	if f.first(f.passage) == f.at && utf8.RuneCountInString(f.passage) >= contextBelow {
		return encode(f.passage)
	}
	return f.withContext(f.passage, "")
}

// ranged names the passage by its first and last words, as few as needed.
func (f *fragment) ranged() string {
	f.trim()
	head, tail := firstLine(f.passage), lastLine(f.passage)
	sameLine := len(head) == len(f.passage)
	least := leastWords
	if strings.ContainsFunc(head, wide) {
		least = 1 // a clause
	}
	for n := least; n <= mostWords; n++ {
		start, end := headWords(head, n), tailWords(tail, n)
		if sameLine && len(start)+len(end) >= len(f.passage) {
			return f.exact()
		}
		if strings.ContainsFunc(end, wordRune) && f.first(start) == f.at && f.endsThere(start, end) {
			return encode(start) + "," + encode(end)
		}
	}
	start, end := headWords(head, mostWords), tailWords(tail, mostWords)
	return f.withContext(start, end) + f.beforeLine(start, end)
}

// beforeLine is a suffix from the line below, for an end that stands earlier in
// the passage too; "" where there is none.
func (f *fragment) beforeLine(start, end string) string {
	from, whole := f.at+len(folded(start)), f.at+len(folded(f.passage))
	if from > whole || whole >= len(f.flat) || f.flat[whole] != '\n' || f.endsThere(start, end) {
		return ""
	}
	line := firstLine(f.flat[whole+1:])
	for n := 1; n <= contextWords; n++ {
		suffix := headWords(line, n)
		if i := indexWords(f.flat[from:], folded(end)+"\n"+suffix); i >= 0 && from+i+len(folded(end)) == whole {
			return ",-" + encode(suffix)
		}
	}
	return ""
}

// trim drops first and last lines without a word, which a browser does not look
// for: a brace, the sign for "ditto".
func (f *fragment) trim() {
	for head := firstLine(f.passage); len(head) < len(f.passage) && !strings.ContainsFunc(head, wordRune); head = firstLine(f.passage) {
		f.passage = f.passage[len(head)+1:]
		f.at += len(folded(head)) + 1
		f.before = ""
	}
	for tail := lastLine(f.passage); len(tail) < len(f.passage) && !strings.ContainsFunc(tail, wordRune); tail = lastLine(f.passage) {
		f.passage = f.passage[:len(f.passage)-len(tail)-1]
		f.after = ""
	}
}

// first is where a browser finds the words first: whole words only.
func (f *fragment) first(words string) int {
	return indexWords(f.flat, folded(words))
}

// endsThere reports whether the first end after start is the passage's own.
func (f *fragment) endsThere(start, end string) bool {
	from := f.at + len(folded(start))
	whole := f.at + len(folded(f.passage))
	if from > len(f.flat) {
		return false
	}
	e := folded(end)
	i := indexWords(f.flat[from:], e)
	return i >= 0 && from+i+len(e) == whole
}

// withContext adds the fewest words before, or else after, that tell this
// occurrence from earlier ones.
func (f *fragment) withContext(start, end string) string {
	body := encode(start)
	if end != "" {
		body += "," + encode(end)
	}
	for n := 1; n <= contextWords && f.before != ""; n++ {
		prefix := tailWords(f.before, n)
		for _, joint := range []string{" ", ""} {
			lead := prefix + joint
			if i := f.first(lead + start); i >= 0 && i+len(folded(lead)) == f.at {
				return encode(prefix) + "-," + body
			}
		}
	}
	for n := 1; n <= contextWords && f.after != "" && end == ""; n++ {
		suffix := headWords(f.after, n)
		if f.first(start+" "+suffix) == f.at || f.first(start+suffix) == f.at {
			return body + ",-" + encode(suffix)
		}
	}
	return f.afterLine(start, body)
}

// afterLine adds the end of the line before as a prefix, which Chromium 156 was
// observed to find across cells, lines and blocks.
func (f *fragment) afterLine(start, body string) string {
	if f.at == 0 || f.flat[f.at-1] != '\n' || f.first(start) == f.at {
		return body
	}
	line := lastLine(f.flat[:f.at-1])
	for n := 1; n <= contextWords; n++ {
		prefix := tailWords(line, n)
		if i := f.first(prefix + "\n" + start); i >= 0 && i+len(folded(prefix))+1 == f.at {
			return encode(prefix) + "-," + body
		}
	}
	return body
}

// indexWords is the first place of words in flat where they neither begin nor
// end inside a word.
func indexWords(flat, words string) int {
	if words == "" {
		return -1
	}
	for from := 0; ; {
		i := strings.Index(flat[from:], words)
		if i < 0 {
			return -1
		}
		i += from
		if !splitsWord(flat, i) && !splitsWord(flat, i+len(words)) {
			return i
		}
		_, size := utf8.DecodeRuneInString(flat[i:])
		from = i + size
	}
}

func splitsWord(s string, at int) bool {
	left, _ := utf8.DecodeLastRuneInString(s[:at])
	right, _ := utf8.DecodeRuneInString(s[at:])
	return at > 0 && at < len(s) && wordRune(left) && wordRune(right) && !wide(left) && !wide(right)
}

// headWords is the beginning of a line up to the end of its nth word. Text
// without blanks is cut at its punctuation only, which is certain to lie
// between words.
func headWords(s string, n int) string {
	ends := wordEnds(s)
	if len(ends) <= n {
		return s
	}
	return strings.TrimRight(s[:ends[n-1]], " ")
}

func tailWords(s string, n int) string {
	ends := wordEnds(s)
	if len(ends) <= n {
		return s
	}
	return strings.TrimLeft(s[ends[len(ends)-n-1]:], " ")
}

// wordEnds are the byte offsets at which a word of the line is over: at blanks,
// and behind punctuation that follows a letter of a script without blanks.
func wordEnds(s string) []int {
	var ends []int
	afterWide := false
	for i, r := range s {
		switch {
		case r == ' ':
			ends = append(ends, i)
			afterWide = false
		case wide(r):
			afterWide = true
		case afterWide && unicode.IsPunct(r):
			ends = append(ends, i+utf8.RuneLen(r))
			afterWide = false
		}
	}
	if len(ends) == 0 || ends[len(ends)-1] < len(s) {
		ends = append(ends, len(s))
	}
	return ends
}

const hexDigits = "0123456789ABCDEF"

// encode percent-encodes all but unreserved characters; the hyphen is part of
// the directive's syntax and is encoded too. Line breaks become blanks.
func encode(s string) string {
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case isWordByte(c) || c == '.' || c == '_' || c == '~':
			b.WriteByte(c)
		case c == '\n':
			b.WriteString("%20")
		default:
			b.WriteByte('%')
			b.WriteByte(hexDigits[c>>4])
			b.WriteByte(hexDigits[c&15])
		}
	}
	return b.String()
}
