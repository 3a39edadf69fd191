package text

import (
	"strings"
	"unicode/utf8"
)

// longestEnclosure is how many bytes a quote or bracket may hold and still keep
// its sentences together.
const longestEnclosure = 600

// enclosing maps opening signs to closing ones. Straight quotes are left out:
// they do not say which they are.
var enclosing = map[rune]rune{
	'“': '”', '「': '」', '『': '』', '（': '）', '(': ')', '《': '》', '【': '】', '„': '“', '«': '»', '[': ']',
}

// enclosures returns the outermost pairs of quotes and brackets in s that are
// short enough, in order. A blank line closes everything.
func enclosures(s string) []Span {
	type opening struct {
		close rune
		at    int
	}
	var stack []opening
	var spans []Span
	for i, r := range s {
		if r < utf8.RuneSelf && r != '(' && r != ')' && r != '[' && r != ']' && r != '\n' {
			continue
		}
		if r == '\n' && (at(s, i+1) == '\n' || strings.HasPrefix(s[i+1:], "\r\n")) {
			stack = stack[:0]
			continue
		}
		if n := len(stack); n > 0 && r == stack[n-1].close {
			spans = addOuter(spans, Span{stack[n-1].at, i + utf8.RuneLen(r)})
			stack = stack[:n-1]
			continue
		}
		if closing, ok := enclosing[r]; ok {
			if len(stack) == 64 {
				stack = stack[:0]
			}
			stack = append(stack, opening{closing, i})
		}
	}
	return spans
}

// addOuter appends a span that is short enough, in place of those within it.
func addOuter(spans []Span, span Span) []Span {
	if span.Len() > longestEnclosure {
		return spans
	}
	for len(spans) > 0 && span.Contains(spans[len(spans)-1]) {
		spans = spans[:len(spans)-1]
	}
	return append(spans, span)
}

// encloses reports whether the stop at i, whose closing signs reach to end, lies
// in a pair that goes on after end. Curly quotes hold together only Chinese and
// Japanese text: elsewhere a quotation is split like any other text.
func (sp *splitter) encloses(i, end int) bool {
	for len(sp.closed) > 0 && sp.closed[0].End <= i {
		sp.closed = sp.closed[1:]
	}
	if len(sp.closed) == 0 {
		return false
	}
	pair := sp.closed[0]
	if i < pair.Start || end >= pair.End {
		return false
	}
	switch runeAt(sp.s, pair.Start) {
	case '“', '„', '«':
		return isWideStop(runeAt(sp.s, i)) || isCJK(runeBefore(sp.s, i))
	}
	return true
}
