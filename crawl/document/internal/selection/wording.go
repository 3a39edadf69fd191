package selection

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// wording is what the text of a block looks like. Shares are of its words, or of its
// characters where a comment says so.
type wording struct {
	start, words int // hashes: Sheet.words[start:start+words]
	key          uint64
	topics       uint32

	stop, title    float64
	length         float64 // characters a word
	digits         float64 // of the characters
	capitals       float64 // of the letters
	commas, stops  float64 // a word
	questions      float64 // and exclamations
	ends, sentence bool
	capital        bool // begins with one
}

// How much of a long block is looked at, in bytes or words.
const (
	readBytes     = 4000
	topicWords    = 50
	sentenceLeast = 9
)

// read looks at the text of a block and appends the hashes of its words.
func (s *Sheet) read(b Block, title map[uint64]bool) wording {
	t := wording{start: len(s.words)}
	s.words = hashWords(s.words, b.Text)
	words := s.words[t.start:]
	t.words = len(words)
	v := vocab()
	stop, titled := 0, 0
	t.key = hashStart
	for i, h := range words {
		t.key = pair(t.key, h)
		if title[h] {
			titled++
		}
		w, ok := v.words[h]
		if !ok {
			continue
		}
		if w.stop {
			stop++
		}
		if i < topicWords {
			t.topics |= w.topics
			if w.begins && i+1 < len(words) {
				t.topics |= v.pairs[pair(h, words[i+1])]
			}
		}
	}
	n := float64(max(t.words, 1))
	t.stop, t.title = float64(stop)/n, float64(titled)/n
	t.readSigns(b.Text[:min(len(b.Text), readBytes)], n)
	t.ends = endsSentence(b.Text)
	t.sentence = t.ends && b.Words >= sentenceLeast && b.LinkWords*3 < b.Words
	return t
}

// readSigns counts the kinds of character.
func (t *wording) readSigns(text []byte, words float64) {
	var digits, capitals, letters, commas, stops, questions int
	for i := 0; i < len(text); {
		r, n := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRune(text[i:])
		}
		switch {
		case 'a' <= r && r <= 'z':
			letters++
		case 'A' <= r && r <= 'Z':
			letters++
			capitals++
		case '0' <= r && r <= '9':
			digits++
		case r == ',' || r == '、' || r == '，':
			commas++
		case r == '.' || r == '。':
			stops++
		case r == '?' || r == '!':
			questions++
		case r == '$' || r == '€' || r == '£' || r == '¥':
			t.topics |= 1 << topicMoney
		case r == '©':
			t.topics |= 1 << topicLegal
		case r >= utf8.RuneSelf && unicode.IsLetter(r):
			letters++
			if unicode.IsUpper(r) {
				capitals++
			}
		}
		i += n
	}
	t.digits = float64(digits) / float64(max(len(text), 1))
	t.capitals = float64(capitals) / float64(letters+1)
	t.length = float64(letters+digits) / words
	t.commas, t.stops, t.questions = float64(commas)/words, float64(stops)/words, float64(questions)
	first, _ := utf8.DecodeRune(text)
	t.capital = unicode.IsUpper(first)
}

// endsSentence looks past closing quotes and brackets for the end of a sentence.
func endsSentence(text []byte) bool {
	for len(text) > 0 {
		r, n := utf8.DecodeLastRune(text)
		switch r {
		case '.', '!', '?', ':', ';', '…', '。', '！', '？':
			return true
		case '"', '”', '\'', '’', ')', ']', ' ', '»':
			text = text[:len(text)-n]
		default:
			return false
		}
	}
	return false
}

func class(n *html.Node) string {
	for i := range n.Attr {
		if n.Attr[i].Key == "class" {
			return n.Attr[i].Val
		}
	}
	return ""
}
