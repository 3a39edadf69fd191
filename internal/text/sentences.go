package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentences splits s into sentences by rule: English, German, French and Spanish
// abbreviations, Chinese and Japanese stops and quotes, list items, headings and
// blank lines. Citation marks ("[1][2]", "【1†source】", "[^1]") stay with the
// sentence before them. The spans are in order, do not overlap, and have no white
// space at their ends; what lies between them is white space.
//
// Libraries for Unicode Standard Annex 29 and Punkt get 6 or 7 of our 20
// reference texts right: they split after "Dr." and tear marks off.
func Sentences(s string) []Span {
	var spans []Span
	sp := splitter{s: s, closed: enclosures(s)}
	for start := skipSpace(s, 0); start < len(s); {
		end := sp.end(start)
		spans = append(spans, Span{start, end}.trim(s))
		start = skipSpace(s, end)
	}
	return spans
}

// splitter finds sentence ends in s.
type splitter struct {
	s      string
	closed []Span // outermost short quotes and brackets, in order
}

// end returns where the sentence that starts at start ends.
func (sp *splitter) end(start int) int {
	s := sp.s
	for i := start; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf && c != '.' && c != '!' && c != '?' && c != '\n' && c != '\r' {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029' || r == '\u0085':
			next := skipSpace(s, i)
			if breaksLine(s, start, i, next) {
				return next
			}
			i = next
		case endsSentence(r):
			stop := sp.stopAt(start, i)
			if stop.ends {
				return stop.end
			}
			i = stop.end
		default:
			i += size
		}
	}
	return len(s)
}

func endsSentence(r rune) bool {
	return strings.ContainsRune(".!?。！？…．｡؟।۔‼⁇⁈⁉", r)
}

// isWideStop reports whether r ends a sentence whatever follows.
func isWideStop(r rune) bool { return strings.ContainsRune("。！？．｡؟।۔", r) }

// stop is a run of sentence-ending signs with the closing quotes and citation
// marks after it.
type stop struct {
	end  int
	ends bool // a sentence ends here
}

// stopAt judges the run of stops at i.
func (sp *splitter) stopAt(start, i int) stop {
	s := sp.s
	first, end := runeAt(s, i), i
	wide, dots, other := false, 0, false
	for end < len(s) {
		r, size := utf8.DecodeRuneInString(s[end:])
		if !endsSentence(r) {
			break
		}
		wide = wide || isWideStop(r)
		if r == '.' || r == '…' {
			dots++
		} else {
			other = true
		}
		end += size
	}
	signs := end
	end = closers(s, end)
	quoted := end > signs
	end = citations(s, end)
	next := skipSpace(s, end)
	enclosed := sp.encloses(i, end)
	switch {
	case next == len(s):
		return stop{end, true}
	case enclosed:
		return stop{signs, false}
	case wide && quoted && first != '.' && isWide(runeAt(s, end)):
		return stop{end, false} // 他说：“好。”然后走了
	case wide:
		return stop{end, true}
	case hasNewBlock(s[end:next]):
		return stop{end, true}
	case first == '…' && dots > 1:
		return stop{end, isWide(runeAt(s, next)) || next > end && !startsLower(s, next)}
	case isCJK(runeAt(s, next)):
		return stop{end, other || (next > end || cjkAfterDot(s, i)) && !sp.abbreviated(start, i, next)}
	case next == end && !marked(s, signs, end):
		return stop{end, false}
	case startsLower(s, next):
		return stop{end, false}
	case quoted && other && at(s, next) == '(': // "Cheer Up!" (2015)
		return stop{end, false}
	case other || dots > 1 || quoted && !initialLetters(lastWord(s, start, i)):
		return stop{end, true}
	}
	return stop{end, !sp.abbreviated(start, i, next)}
}

// marked reports whether a citation mark stands between the stop and end, so that
// a sentence may follow without a blank.
func marked(s string, signs, end int) bool {
	return end > signs && strings.ContainsAny(s[signs:end], "]】")
}

// cjkAfterDot reports whether an ASCII full stop right before a Chinese character
// ends a sentence: not after a digit, which would be a list number.
func cjkAfterDot(s string, i int) bool { return isAlpha(at(s, i-1)) && isAlpha(at(s, i-2)) }

// closers skips quotes and brackets that close after a stop, and the blank that
// French sets before ».
func closers(s string, i int) int {
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		if (r == ' ' || r == '\u00a0' || r == '\u202f') && strings.HasPrefix(s[i+size:], "»") {
			i += size
			continue
		}
		if !strings.ContainsRune("\"'”’)]}»›」』）】》〉〕*_“", r) || r == '“' && isWord(runeAt(s, i+size)) {
			break
		}
		i += size
	}
	return i
}

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
// footnote, or a source id.
func isMark(s string) bool {
	s = strings.TrimLeft(s, "^[")
	digits := false
	for _, r := range s {
		switch {
		case r >= '0' && r <= '9':
			digits = true
		case strings.ContainsRune(" ,-–:.;†", r), !digits && isAlpha(byte(r)) && r < utf8.RuneSelf && len(s) <= 12, r < utf8.RuneSelf && isAlpha(byte(r)) && strings.ContainsAny(s, ":.†"):
		default:
			return false
		}
	}
	return digits
}

// hasNewBlock reports whether white space holds a blank line.
func hasNewBlock(space string) bool {
	first := strings.IndexAny(space, "\n\u2029")
	return first >= 0 && strings.ContainsAny(space[first+1:], "\n\u2029")
}

// breaksLine reports whether the line end at i (white space up to next) ends the
// sentence that began at start: a blank line, a heading, a list item, a table row.
func breaksLine(s string, start, i, next int) bool {
	if next == len(s) || hasNewBlock(s[i:next]) {
		return true
	}
	if c := at(s, start); c == '#' || c == '|' {
		return true
	}
	return opensBlock(s, next)
}

// opensBlock reports whether the line at i starts a block: heading, list item,
// quotation, table row, code fence.
func opensBlock(s string, i int) bool {
	switch r, size := utf8.DecodeRuneInString(s[i:]); r {
	case '#', '|', '>', '•', '·', '●', '▪', '◦', '‣':
		return true
	case '-', '*', '+', '–', '—':
		return at(s, i+size) == ' '
	case '`':
		return strings.HasPrefix(s[i:], "```")
	}
	return listNumber(s, i) > i
}

// listNumber returns the end of a list number at i: "1.", "2)", "(3)", "a)", 一、
func listNumber(s string, i int) int {
	j := i
	open := at(s, j) == '(' || strings.HasPrefix(s[j:], "（")
	if open {
		_, size := utf8.DecodeRuneInString(s[j:])
		j += size
	}
	k := j + digitsAt(s, j, 3)
	if k == j && isAlpha(at(s, j)) {
		k++
	}
	for k == j || k > j && !isAlnum(at(s, k-1)) {
		r, size := utf8.DecodeRuneInString(s[k:])
		if size == 0 || !strings.ContainsRune("一二三四五六七八九十百第", r) {
			break
		}
		k += size
	}
	if k == j {
		return i
	}
	r, size := utf8.DecodeRuneInString(s[k:])
	switch {
	case r == ')' || r == '）':
		return k + size
	case open:
		return i
	case r == '、' || r == '．':
		return k + size
	case r == '.' && (at(s, k+1) == ' ' || isCJK(runeAt(s, k+1))) && isDigit(at(s, k-1)):
		return k + size
	}
	return i
}

// startsLower reports whether the word at i begins with a small letter and is
// not a name like iPhone.
func startsLower(s string, i int) bool {
	r := runeAt(s, i)
	if !unicode.IsLower(r) {
		return r == ',' || r == ';' || r == ':' || r == ')' || r == '%' || r == '/' || r == '='
	}
	return !isUpper(at(s, i+1))
}

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
			span := Span{stack[n-1].at, i + utf8.RuneLen(r)}
			stack = stack[:n-1]
			if span.Len() > longestEnclosure {
				continue
			}
			for len(spans) > 0 && span.Contains(spans[len(spans)-1]) {
				spans = spans[:len(spans)-1]
			}
			spans = append(spans, span)
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
