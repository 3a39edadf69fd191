package text

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Normalize returns s in the form in which quotes are looked for: NFKC, case
// folded, quotation marks and dashes made plain, soft hyphens and zero-width
// characters gone, each run of white space one blank, none at the ends. It is for
// finding, never for storing.
func Normalize(s string) string {
	var f folder
	f.all(s)
	return string(bytes.TrimRight(f.out, " "))
}

// Find returns a place in haystack that reads the same as needle once both are
// normalised, as a span of the haystack as it is: the first exact occurrence, else
// the first normalised one. It reports false when
// there is none, or when the needle holds nothing but white space. A match that
// begins or ends inside a character that normalises to several ("ﬁ") takes in the
// whole character. Time is linear in both lengths, hostile or not.
func Find(haystack, needle string) (Span, bool) {
	want := Normalize(needle)
	if want == "" {
		return Span{}, false
	}
	if i := strings.Index(haystack, needle); i >= 0 && utf8.ValidString(needle) && edge(haystack, i) && edge(haystack, i+len(needle)) {
		return Span{i, i + len(needle)}.trim(haystack), true
	}
	var f folder
	f.all(haystack)
	i := search(f.out, want)
	if i < 0 {
		return Span{}, false
	}
	return locate(haystack, i, i+len(want)), true
}

// edge reports whether i does not lie before a mark of the character before it.
func edge(s string, i int) bool {
	r := runeAt(s, i)
	return r < utf8.RuneSelf || !unicode.IsMark(r)
}

// locate maps a range of the normalised text back to s by folding once more up
// to there, which needs no table of offsets.
func locate(s string, start, end int) Span {
	f := folder{}
	span := Span{0, len(s)}
	found := false
	for i := 0; i < len(s); {
		before := len(f.out)
		n := f.step(s, i)
		if after := len(f.out); after > before {
			if !found && after > start {
				span.Start, found = i, true
			}
			if after >= end {
				span.End = i + n
				break
			}
		}
		i += n
	}
	return span
}

// search returns the first index of want in text by the method of Knuth, Morris &
// Pratt (1977), which stays linear on repetitive text.
func search(text []byte, want string) int {
	fail := make([]int32, len(want))
	for i, k := 1, int32(0); i < len(want); i++ {
		for k > 0 && want[i] != want[k] {
			k = fail[k-1]
		}
		if want[i] == want[k] {
			k++
		}
		fail[i] = k
	}
	k := 0
	for i := 0; i < len(text); i++ {
		if k == 0 {
			skip := bytes.IndexByte(text[i:], want[0])
			if skip < 0 {
				return -1
			}
			i += skip
		}
		for k > 0 && text[i] != want[k] {
			k = int(fail[k-1])
		}
		if text[i] == want[k] {
			k++
		}
		if k == len(want) {
			return i - k + 1
		}
	}
	return -1
}

// folder builds normalised text.
type folder struct {
	out []byte
}

func (f *folder) all(s string) {
	f.out = make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		i += f.step(s, i)
	}
}

// step folds the smallest piece of s at i that can be folded on its own and
// returns its length.
func (f *folder) step(s string, i int) int {
	c := s[i]
	if c < utf8.RuneSelf && at(s, i+1) < utf8.RuneSelf {
		switch {
		case isUpper(c):
			f.out = append(f.out, c|0x20)
		case c == ' ' || c >= '\t' && c <= '\r':
			f.space()
		case c == '`':
			f.out = append(f.out, '\'')
		default:
			f.out = append(f.out, c)
		}
		return 1
	}
	r, size := utf8.DecodeRuneInString(s[i:])
	if alone(s, i+size) {
		switch {
		case settled(r):
			f.out = append(f.out, s[i:i+size]...)
			return size
		case isFullWidth(r):
			f.fold(string(r - 0xFEE0))
			return size
		}
	}
	n := max(norm.NFKC.NextBoundaryInString(s[i:], true), 1)
	f.fold(s[i : i+n])
	return n
}

// alone reports whether what starts at i cannot combine with what is before it.
func alone(s string, i int) bool {
	r := runeAt(s, i)
	return r < utf8.RuneSelf || settled(r) || isFullWidth(r) || r >= 0x3001 && r <= 0x3020
}

// isFullWidth reports whether r is the full-width form of an ASCII character.
func isFullWidth(r rune) bool { return r >= 0xFF01 && r <= 0xFF5E }

// fold appends a piece in normal form.
func (f *folder) fold(piece string) {
	var buf [32]byte
	for b := norm.NFKC.AppendString(buf[:0], piece); len(b) > 0; {
		r, size := utf8.DecodeRune(b)
		b = b[size:]
		switch to, ok := punctuation[r]; {
		case ok && to != 0:
			f.out = append(f.out, to)
		case ok || r == utf8.RuneError:
		case unicode.IsSpace(r):
			f.space()
		case r == 'ß' || r == 'ẞ':
			f.out = append(f.out, "ss"...)
		default:
			f.out = utf8.AppendRune(f.out, unicode.ToLower(unicode.ToUpper(r)))
		}
	}
}

// space appends one blank unless the text ends with one or is empty.
func (f *folder) space() {
	if n := len(f.out); n > 0 && f.out[n-1] != ' ' {
		f.out = append(f.out, ' ')
	}
}

// punctuation maps typographic signs to the plain one, invisible ones to 0.
var punctuation = map[rune]byte{
	'‘': '\'', '’': '\'', '‚': '\'', '‛': '\'', '′': '\'', '´': '\'', '`': '\'', '‹': '\'', '›': '\'',
	'“': '"', '”': '"', '„': '"', '‟': '"', '″': '"', '«': '"', '»': '"',
	'‐': '-', '‑': '-', '‒': '-', '–': '-', '—': '-', '―': '-', '−': '-',
	'\u00ad': 0, '\u200b': 0, '\u200c': 0, '\u200d': 0, '\u200e': 0, '\u200f': 0, '\u2060': 0, '\ufeff': 0,
}
