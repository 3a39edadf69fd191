package safe

import "unicode"

// kind classes a rune by what Text does with it.
type kind uint8

const (
	plain kind = iota
	lineBreak
	zeroWidth  // never shapes text
	joiner     // U+200C, U+200D: shape some scripts and emoji
	wordBreak  // U+200B: separates words of scripts without spaces
	bidi       // reorders what is shown
	tag        // a hidden copy of ASCII
	variation  // chooses a glyph, if the base has a choice
	softHyphen // shown only at a line's end
	control
)

// suspects lists every range that is not plain, above ASCII, in order: Unicode
// 17 Default_Ignorable_Code_Point (DerivedCoreProperties.txt), C1, the line and
// paragraph separators, annotation anchors and noncharacters. Braille blank
// (U+2800) and the object replacement character (U+FFFC) take space and stay.
var suspects = [...]struct {
	lo, hi rune
	kind   kind
}{
	{0x7f, 0x84, control}, {0x85, 0x85, lineBreak}, {0x86, 0x9f, control},
	{0xad, 0xad, softHyphen},
	{0x34f, 0x34f, zeroWidth},
	{0x61c, 0x61c, bidi},
	{0x115f, 0x1160, zeroWidth}, // Hangul fillers
	{0x17b4, 0x17b5, zeroWidth}, // Khmer inherent vowels
	{0x180b, 0x180d, variation}, {0x180e, 0x180e, zeroWidth}, {0x180f, 0x180f, variation},
	{0x200b, 0x200b, wordBreak}, {0x200c, 0x200d, joiner}, {0x200e, 0x200f, bidi},
	{0x2028, 0x2029, lineBreak}, {0x202a, 0x202e, bidi},
	{0x2060, 0x2065, zeroWidth}, {0x2066, 0x2069, bidi}, {0x206a, 0x206f, control},
	{0x3164, 0x3164, zeroWidth},
	{0xfdd0, 0xfdef, control},
	{0xfe00, 0xfe0f, variation},
	{0xfeff, 0xfeff, zeroWidth},
	{0xffa0, 0xffa0, zeroWidth},
	{0xfff0, 0xfffb, control}, {0xfffe, 0xffff, control},
	{0x1bca0, 0x1bca3, control},
	{0x1d173, 0x1d17a, control},
	{0xe0000, 0xe007f, tag}, {0xe0080, 0xe00ff, tag},
	{0xe0100, 0xe01ef, variation}, {0xe01f0, 0xe0fff, tag},
}

// kindOf finds the kind of r.
func kindOf(r rune) kind {
	switch {
	case r < 0x7f:
		return asciiKind(r)
	case r >= 0x2100 && r < 0x3164 || r > 0x3164 && r < 0xfdd0: // most of the world's text
		return plain
	case r >= 0x10000 && r&0xfffe == 0xfffe:
		return control
	}
	lo, hi := 0, len(suspects)
	for lo < hi {
		mid := (lo + hi) / 2
		if s := suspects[mid]; r > s.hi {
			lo = mid + 1
		} else if r < s.lo {
			hi = mid
		} else {
			return s.kind
		}
	}
	return plain
}

func asciiKind(r rune) kind {
	switch {
	case r >= 0x20 || r == '\n' || r == '\t':
		return plain
	case r >= '\v' && r <= '\r':
		return lineBreak
	}
	return control
}

// joiningScripts are the scripts in which ZWJ and ZWNJ choose letter forms
// (Unicode Standard, sections 9.2, 12 and 23.2).
var joiningScripts = []*unicode.RangeTable{
	unicode.Arabic, unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati,
	unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala,
	unicode.Tibetan, unicode.Myanmar, unicode.Khmer, unicode.Mongolian, unicode.Syriac, unicode.Nko,
	unicode.Mandaic, unicode.Balinese, unicode.Javanese, unicode.Adlam, unicode.Hanifi_Rohingya,
}

// breakScripts write words without spaces and mark breaks with U+200B.
var breakScripts = []*unicode.RangeTable{
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Javanese, unicode.Balinese,
}

// virama reports whether r kills the inherent vowel of an Indic consonant.
func virama(r rune) bool {
	switch r {
	case 0x94d, 0x9cd, 0xa4d, 0xacd, 0xb4d, 0xbcd, 0xc4d, 0xccd, 0xd4d, 0xdca, 0x1039, 0x17d2, 0x1b44, 0xa9c0:
		return true
	}
	return false
}

// pictographic approximates Extended_Pictographic (UTS #51): the blocks that
// hold emoji, and the few symbols outside them that take part in sequences.
func pictographic(r rune) bool {
	switch {
	case r >= 0x1f000 && r <= 0x1faff && !skinTone(r):
		return true
	case r >= 0x2190 && r <= 0x21ff, r >= 0x2300 && r <= 0x23ff, r >= 0x25a0 && r <= 0x27bf,
		r >= 0x2900 && r <= 0x297f, r >= 0x2b00 && r <= 0x2bff:
		return true
	case r == '©' || r == '®' || r == '™' || r == 'ℹ' || r == 0x24c2 || r == 0x3297 || r == 0x3299:
		return true
	}
	return false
}

func skinTone(r rune) bool { return r >= 0x1f3fb && r <= 0x1f3ff }
