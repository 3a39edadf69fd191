package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// wideScripts are written without spaces between words, or (Hangul) with
// endings glued to them: their runs become character bigrams.
var wideScripts = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
	unicode.Bopomofo, unicode.Yi, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

// isWide reports whether r belongs to a script that is cut into bigrams.
func isWide(r rune) bool {
	switch {
	case r < 0x0E00:
		return false
	case settled(r):
		return true
	case r >= 0x2000 && r < 0x2E80, r >= 0x3008 && r < 0x3041, r >= 0xFF00 && r < 0xFF66:
		return false
	}
	return r != 0x30FB && (unicode.In(r, wideScripts...) || r == 0xFF70)
}

// settled reports whether r is one of the common Han characters, kana or Hangul
// syllables, which every normal form leaves as they are.
func settled(r rune) bool {
	return r >= 0x4E00 && r <= 0x9FFF || r >= 0x3041 && r <= 0x3096 || r >= 0x30A1 && r <= 0x30FA || r == 0x30FC ||
		r >= 0xAC00 && r <= 0xD7A3
}

// isCJK reports whether r is a Han character or kana.
func isCJK(r rune) bool {
	if r < 0x2E80 || r >= 0xFF00 && r < 0xFF66 {
		return false
	}
	return settled(r) && r < 0xAC00 || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// isWord reports whether r can stand in a word.
func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return isAlnum(byte(r))
	}
	return settled(r) || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
func isAlpha(c byte) bool { return isLower(c | 0x20) }
func isAlnum(c byte) bool { return isAlpha(c) || isDigit(c) }

// isSpace is unicode.IsSpace plus the characters that show nothing: zero-width
// space, byte order mark, word joiner.
func isSpace(r rune) bool {
	return unicode.IsSpace(r) || r == '\u200B' || r == '\uFEFF' || r == '\u2060'
}

// at is the byte at i, or 0 outside s.
func at(s string, i int) byte {
	if i < 0 || i >= len(s) {
		return 0
	}
	return s[i]
}

// runeAt is the rune that starts at i, or 0 outside s.
func runeAt(s string, i int) rune {
	if i < 0 || i >= len(s) {
		return 0
	}
	if s[i] < utf8.RuneSelf {
		return rune(s[i])
	}
	r, _ := utf8.DecodeRuneInString(s[i:])
	return r
}

// runeBefore is the rune that ends at i, or 0 at the start of s.
func runeBefore(s string, i int) rune {
	if i <= 0 || i > len(s) {
		return 0
	}
	r, _ := utf8.DecodeLastRuneInString(s[:i])
	return r
}

// digitsAt is how many ASCII digits start at i, counting at most limit.
func digitsAt(s string, i, limit int) int {
	n := 0
	for n < limit && isDigit(at(s, i+n)) {
		n++
	}
	return n
}

// skipSpace returns the first position from i on that holds no white space.
func skipSpace(s string, i int) int {
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !isSpace(r) {
			break
		}
		i += size
	}
	return i
}

// trim returns the span without white space at its ends.
func (s Span) trim(t string) Span {
	s.Start = min(skipSpace(t[:s.End], s.Start), s.End)
	for s.End > s.Start {
		r, size := utf8.DecodeLastRuneInString(t[s.Start:s.End])
		if !isSpace(r) {
			break
		}
		s.End -= size
	}
	return s
}

// wordAt returns the end of the run of letters, digits and marks that starts at
// i and belongs to scripts with spaces between words; i when there is none.
func wordAt(s string, i int) int {
	for i < len(s) {
		if c := s[i]; c < utf8.RuneSelf {
			if !isAlnum(c) {
				return i
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if !isWord(r) || isWide(r) {
			return i
		}
		i += size
	}
	return i
}

// set makes a lookup table of the words in the lists.
func set(lists ...[]string) map[string]bool {
	m := make(map[string]bool)
	for _, list := range lists {
		for _, w := range list {
			m[w] = true
		}
	}
	return m
}

// urlAt returns the end of the web address that starts at i, without stops and
// brackets that close it; i when there is none.
func urlAt(s string, i int) int {
	if c := at(s, i); c != 'h' && c != 'w' {
		return i
	}
	rest := s[i:]
	if !strings.HasPrefix(rest, "http://") && !strings.HasPrefix(rest, "https://") && !strings.HasPrefix(rest, "www.") {
		return i
	}
	end := strings.IndexFunc(rest, func(r rune) bool {
		return isSpace(r) || strings.ContainsRune("<>\"“”「」（）【】《》，。；！？、", r)
	})
	if end < 0 {
		end = len(rest)
	}
	return i + len(strings.TrimRight(rest[:end], ".,;:!?)]}'*_"))
}
