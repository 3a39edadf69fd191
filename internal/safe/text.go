package safe

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Removed counts the characters that [Text] took out or replaced, by kind.
type Removed struct {
	ZeroWidth  int // zero-width spaces, fillers and joiners that join nothing
	Bidi       int // marks, embeddings, overrides and isolates
	Tag        int // Unicode tag characters outside the three regional flags
	Variation  int // variation selectors without a base that has variants
	SoftHyphen int
	Control    int // C0, C1, DEL, noncharacters, deprecated format characters
	Invalid    int // bytes that are no UTF-8, now U+FFFD
}

// Total is the number of characters removed or replaced.
func (r Removed) Total() int {
	return r.ZeroWidth + r.Bidi + r.Tag + r.Variation + r.SoftHyphen + r.Control + r.Invalid
}

// Hidden is the number of characters that can carry text no reader sees. Soft
// hyphens, stray controls and broken bytes are accidents of typesetting and
// are left out.
func (r Removed) Hidden() int { return r.ZeroWidth + r.Bidi + r.Tag + r.Variation }

// Text removes the characters that hide text from a reader or show another
// text than is stored, and counts them. What shapes real text stays: joiners
// inside Arabic, Indic and other joining scripts, emoji sequences, variation
// selectors on a base that has variants, word breaks of Thai, Lao, Khmer and
// Myanmar. CR LF, CR, VT, FF, NEL and the Unicode line and paragraph
// separators become one "\n"; no other visible character changes.
//
// Text is idempotent. A text without any such character is returned as it is,
// without an allocation.
func Text(s string) (clean string, rep Removed) {
	i := firstSuspect(s)
	if i == len(s) {
		return s, Removed{}
	}
	c := cleaner{src: s}
	c.out.Grow(len(s))
	if p := lastRuneStart(s, i); p < i {
		c.prev, _ = utf8.DecodeRuneInString(s[p:])
	}
	c.out.WriteString(s[:i])
	for i < len(s) {
		i += c.step(i)
	}
	return c.out.String(), c.rep
}

// cleaner carries the state of one Text call.
type cleaner struct {
	src  string
	out  strings.Builder
	prev rune // the last rune written, 0 at the start
	rep  Removed
}

// step handles the rune at src[i] and returns how many bytes it consumed.
func (c *cleaner) step(i int) int {
	r, n := utf8.DecodeRuneInString(c.src[i:])
	if r == utf8.RuneError && n == 1 {
		c.rep.Invalid++
		c.keep(utf8.RuneError)
		return 1
	}
	switch kind := kindOf(r); kind {
	case plain:
		c.keep(r)
	case lineBreak:
		if r == '\r' && strings.HasPrefix(c.src[i+1:], "\n") {
			return 1
		}
		c.keep('\n')
	case tag:
		if flag := flagAt(c.src[i:]); flag != "" && c.prev == blackFlag {
			c.out.WriteString(flag)
			c.prev = cancelTag
			return len(flag)
		}
		c.rep.Tag++
	case variation:
		if !takesVariation(c.prev, r) {
			c.rep.Variation++
			break
		}
		c.keep(r)
	case joiner, wordBreak:
		next, _ := utf8.DecodeRuneInString(c.src[i+n:])
		if !joins(r, c.prev, next) {
			c.rep.ZeroWidth++
			break
		}
		c.keep(r)
	case zeroWidth:
		c.rep.ZeroWidth++
	case bidi:
		c.rep.Bidi++
	case softHyphen:
		c.rep.SoftHyphen++
	case control:
		c.rep.Control++
	}
	return n
}

func (c *cleaner) keep(r rune) {
	c.out.WriteRune(r)
	c.prev = r
}

// firstSuspect returns the offset of the first byte that Text may have to
// change, or len(s).
func firstSuspect(s string) int {
	for i := 0; i < len(s); {
		b := s[i]
		if b < utf8.RuneSelf {
			if b < 0x20 && b != '\n' && b != '\t' || b == 0x7f {
				return i
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 || kindOf(r) != plain {
			return i
		}
		i += n
	}
	return len(s)
}

func lastRuneStart(s string, end int) int {
	_, n := utf8.DecodeLastRuneInString(s[:end])
	return end - n
}

// The regional flags of England, Scotland and Wales are the only sequences of
// tag characters that Unicode recommends for interchange (UTS #51, RGI). Any
// other run of tags is a text that nobody sees.
const (
	blackFlag = '\U0001F3F4'
	cancelTag = '\U000E007F'
)

var tagFlags = [...]string{
	"\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F",
	"\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F",
	"\U000E0067\U000E0062\U000E0077\U000E006C\U000E0073\U000E007F",
}

func flagAt(s string) string {
	for _, f := range tagFlags {
		if strings.HasPrefix(s, f) {
			return f
		}
	}
	return ""
}

// joins reports whether the joiner or word break r has work to do between
// prev and next.
func joins(r, prev, next rune) bool {
	switch r {
	case '\u200b':
		return unicode.In(prev, breakScripts...) && unicode.In(next, breakScripts...)
	case '\u200d':
		if pictographic(next) && (pictographic(prev) || prev == '\ufe0f' || skinTone(prev)) {
			return true
		}
	}
	if !unicode.In(prev, joiningScripts...) {
		return false
	}
	// A virama before the joiner asks for a half form even at a word's end.
	return virama(prev) || unicode.In(next, joiningScripts...)
}

// takesVariation reports whether base has variants that vs may choose.
func takesVariation(base, vs rune) bool {
	switch {
	case vs == '\ufe0e' || vs == '\ufe0f':
		return pictographic(base) || base >= '0' && base <= '9' || base == '#' || base == '*' ||
			unicode.Is(unicode.So, base) || unicode.Is(unicode.Sm, base) || base == '‼' || base == '⁉' || base == '〰' || base == '〽'
	case vs >= 0x180b && vs <= 0x180f:
		return unicode.Is(unicode.Mongolian, base)
	case vs >= 0xe0100:
		return unicode.Is(unicode.Han, base)
	}
	return unicode.In(base, unicode.Han, unicode.Sm, unicode.Myanmar, unicode.Phags_Pa, unicode.Manichaean)
}
