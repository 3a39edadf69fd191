package document

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// countWords counts runs of letters, digits and underscores. In scripts without
// blanks, where such a run is a clause, three characters count as two words.
func countWords[T string | []byte](s T) int {
	n, in := 0, false
	ideographs := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			word := wordByte[c]
			if word && !in {
				n++
			}
			in = word
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(string(s[i:min(i+utf8.UTFMax, len(s))]))
		i += size
		if r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) {
			ideographs++
			in = false
			continue
		}
		word := unicode.IsLetter(r) || unicode.IsNumber(r)
		if word && !in {
			n++
		}
		in = word || in && unicode.IsMark(r)
	}
	return n + (2*ideographs+2)/3
}

var wordByte = func() (t [utf8.RuneSelf]bool) {
	for c := range t {
		t[c] = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
	}
	return t
}()

// textWords counts the words of the text below n.
func textWords(n *html.Node) int {
	words := 0
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type == html.TextNode:
			words += countWords(c.Data)
		case c.Type == html.ElementNode && flows[c.DataAtom] != dropped:
			words += textWords(c)
		}
	}
	return words
}
