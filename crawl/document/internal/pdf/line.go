package pdf

import (
	"slices"
	"strings"
	"unicode"

	"deepresearch/crawl/document/internal/pdfium"
)

// page is the lines of a page.
type page struct {
	number int
	lines  []line
}

// line is text on one baseline, as far as the page's program writes it in one go.
type line struct {
	text   string
	cells  []cell // parts with wide gaps between; one for running text
	left   float32
	right  float32
	bottom float32
	size   float32 // height of its characters
	bold   bool
	mono   bool
	parted bool // it ends with a hyphen that parts a word
}

// cell is a part of a line.
type cell struct {
	text        string
	left, right float32
}

// linesOf cuts the characters of a page into lines.
func linesOf(p pdfium.Page) []line {
	var lines []line
	for start := 0; start < len(p.Chars); {
		end := start
		for end < len(p.Chars) && p.Chars[end].Rune != '\r' && p.Chars[end].Rune != '\n' && p.Chars[end].Rune != pdfium.Hyphen {
			end++
		}
		if l, ok := lineOf(p.Chars[start:end], p.Fonts[start]); ok {
			l.parted = end < len(p.Chars) && p.Chars[end].Rune == pdfium.Hyphen
			lines = append(lines, l)
		}
		for end < len(p.Chars) && (p.Chars[end].Rune == '\r' || p.Chars[end].Rune == '\n' || p.Chars[end].Rune == pdfium.Hyphen) {
			end++
		}
		start = end
	}
	return joinRows(lines)
}

// wideGap is the space, in heights of the characters, that parts cells. Justified
// lines stretch theirs to less.
const wideGap = 1.4

func lineOf(chars []pdfium.Char, font string) (line, bool) {
	var l line
	var word strings.Builder
	var left, right float32
	end := func() {
		if word.Len() == 0 {
			return
		}
		if n := len(l.cells); n > 0 && left-l.cells[n-1].right < wideGap*l.size {
			l.cells[n-1].text += " " + word.String()
			l.cells[n-1].right = right
		} else {
			l.cells = append(l.cells, cell{word.String(), left, right})
		}
		word.Reset()
	}
	for _, c := range chars {
		if c.Rune == ' ' || unicode.IsSpace(c.Rune) {
			end()
			continue
		}
		if c.Top > c.Bottom {
			if l.size == 0 {
				l.size, l.bottom = c.Top-c.Bottom, c.Bottom
			}
			if word.Len() == 0 {
				left = c.Left
			}
			right = c.Right
		}
		if c.Rune >= ' ' && c.Rune != unicode.ReplacementChar && c.Rune <= unicode.MaxRune {
			word.WriteString(letters(c.Rune))
		}
	}
	end()
	if len(l.cells) == 0 {
		return l, false
	}
	l.left, l.right = l.cells[0].left, l.cells[len(l.cells)-1].right
	l.text = joinCells(l.cells)
	name := strings.ToLower(font)
	l.bold = strings.Contains(name, "bold") || strings.Contains(name, "black") || strings.Contains(name, "heavy") || strings.Contains(name, "cmb")
	l.mono = strings.Contains(name, "mono") || strings.Contains(name, "courier") || strings.Contains(name, "cmtt") || strings.Contains(name, "cmsltt") || strings.Contains(name, "code")
	return l, true
}

// ligatures are single characters in fonts and several in words.
var ligatures = map[rune]string{'ﬀ': "ff", 'ﬁ': "fi", 'ﬂ': "fl", 'ﬃ': "ffi", 'ﬄ': "ffl", 'ﬅ': "st", 'ﬆ': "st"}

func letters(r rune) string {
	if s := ligatures[r]; s != "" {
		return s
	}
	return string(r)
}

func joinCells(cells []cell) string {
	parts := make([]string, len(cells))
	for i, c := range cells {
		parts[i] = c.text
	}
	return strings.Join(parts, " ")
}

// joinRows puts together what stands on one baseline, from left to right, and was
// written piece by piece: the cells of a table, a number and its heading.
func joinRows(lines []line) []line {
	var out []line
	for _, l := range lines {
		if n := len(out); n > 0 && sameRow(out[n-1], l) {
			p := &out[n-1]
			if l.left-p.right < wideGap*p.size {
				last := &p.cells[len(p.cells)-1]
				last.text += " " + l.cells[0].text
				last.right = l.cells[0].right
				l.cells = l.cells[1:]
			}
			p.cells = append(p.cells, l.cells...)
			p.text, p.right, p.parted = joinCells(p.cells), max(p.right, l.right), l.parted
			p.size = max(p.size, l.size)
			continue
		}
		out = append(out, l)
	}
	return out
}

func sameRow(a, b line) bool {
	const slack = 0.3
	return !a.parted && abs(a.bottom-b.bottom) < slack*min(a.size, b.size) && b.left >= a.right
}

func abs(f float32) float32 {
	if f < 0 {
		return -f
	}
	return f
}

// Running heads and feet: lines among the outermost of their page that stand, but
// for digits, at the same height of so many pages.
const (
	outermost = 2
	repeats   = 3
)

// dropMargins takes out lines that repeat at the top or the bottom of pages, and
// returns them.
func dropMargins(pages []page) []string {
	type place struct {
		text   string
		height int
	}
	key := func(l line) place { return place{withoutDigits(l.text), int(l.bottom/4 + 0.5)} }
	count := map[place]int{}
	for _, p := range pages {
		for _, i := range edges(p.lines) {
			k := key(p.lines[i])
			for _, near := range []int{-1, 0, 1} { // heights that rounding parts
				count[place{k.text, k.height + near}]++
			}
		}
	}
	var dropped []string
	for n := range pages {
		drop := map[int]bool{}
		for _, i := range edges(pages[n].lines) {
			if l := pages[n].lines[i]; count[key(l)] >= repeats && len(l.text) < 200 {
				drop[i] = true
				dropped = append(dropped, l.text)
			}
		}
		i := -1
		pages[n].lines = slices.DeleteFunc(pages[n].lines, func(line) bool { i++; return drop[i] })
	}
	return dropped
}

// edges are the indexes of the lines at the top and the bottom.
func edges(lines []line) []int {
	order := make([]int, len(lines))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch d := lines[b].bottom - lines[a].bottom; {
		case d > 0:
			return 1
		case d < 0:
			return -1
		}
		return 0
	})
	if len(order) <= 2*outermost {
		return order
	}
	return append(slices.Clone(order[:outermost]), order[len(order)-outermost:]...)
}

// withoutDigits makes lines alike that differ in a page number, also a Roman one.
func withoutDigits(s string) string {
	words := strings.Fields(s)
	for i, w := range words {
		if strings.Trim(strings.ToLower(w), "ivxlc.") == "" {
			w = "0"
		}
		words[i] = strings.Map(func(r rune) rune {
			if unicode.IsDigit(r) {
				return '0'
			}
			return r
		}, w)
		if strings.Trim(words[i], "0") == "" {
			words[i] = "0"
		}
	}
	return strings.Join(words, " ")
}
