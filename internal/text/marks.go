package text

import (
	"strings"
	"unicode/utf8"
)

// longestMark is how far a citation mark may reach, in bytes.
const longestMark = 120

// citations skips citation marks at i, each after at most one blank.
func citations(s string, i int) int {
	for {
		j := i
		if at(s, j) == ' ' {
			j++
		}
		end := citation(s, j)
		if end == j {
			return i
		}
		i = end
	}
}

// citation returns the end of the mark at i: [1], [1, 2], [^1], [[s3:q7]],
// 【1†source】, ¹², each with a Markdown link target.
func citation(s string, i int) int {
	r, size := utf8.DecodeRuneInString(s[i:])
	limit := s[:min(len(s), i+longestMark)]
	switch {
	case r == '【':
		if n := strings.Index(limit[i:], "】"); n > 0 && strings.ContainsAny(limit[i:i+n], "0123456789") {
			return i + n + len("】")
		}
	case r == '[':
		n := strings.IndexByte(limit[i:], ']')
		if n < 0 || !isMark(limit[i+1:i+n]) {
			return i
		}
		end := i + n + 1
		if at(s, end) == ']' && at(s, i+1) == '[' {
			end++
		}
		if at(s, end) == '(' {
			if n := strings.IndexAny(s[end:min(len(s), end+2000)], ") \n"); n > 0 && s[end+n] == ')' {
				end += n + 1
			}
		}
		return end
	case r >= 0x2070 && r <= 0x2079 || r == '¹' || r == '²' || r == '³':
		return i + size
	}
	return i
}

// isMark reports whether the inside of square brackets is a citation: numbers, a
// footnote, or a source id such as s3:q7 or smith2020.
func isMark(s string) bool {
	s = strings.TrimLeft(s, "^[")
	digits := false
	id := strings.ContainsAny(s, ":.†") || len(s) <= 12 && !strings.ContainsAny(s, " ,")
	for _, r := range s {
		switch {
		case r >= '0' && r <= '9':
			digits = true
		case strings.ContainsRune(" ,-–:.;†", r):
		case id && r < utf8.RuneSelf && isAlpha(byte(r)):
		default:
			return false
		}
	}
	return digits
}
