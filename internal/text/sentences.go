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
			i = max(i+1, urlAt(s, i))
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

// stop is a run of sentence-ending signs and where scanning goes on after it.
type stop struct {
	end  int
	ends bool // a sentence ends here
}

// signs describes a run of sentence-ending signs.
type signs struct {
	end   int
	first rune
	wide  bool // holds one that ends a sentence whatever follows
	dots  int  // full stops and ellipses
	other bool // holds something else, as ? or !
}

func signsAt(s string, i int) signs {
	run := signs{end: i, first: runeAt(s, i)}
	for run.end < len(s) {
		r, size := utf8.DecodeRuneInString(s[run.end:])
		if !endsSentence(r) {
			break
		}
		run.wide = run.wide || isWideStop(r)
		if r == '.' || r == '…' {
			run.dots++
		} else {
			run.other = true
		}
		run.end += size
	}
	return run
}

// stopAt judges the run of stops at i, with the closing quotes and citation marks
// after it.
func (sp *splitter) stopAt(start, i int) stop {
	s := sp.s
	run := signsAt(s, i)
	closed := closers(s, run.end)
	end := citations(s, closed)
	next := skipSpace(s, end)
	quoted := closed > run.end
	after := runeAt(s, next)
	switch {
	case next == len(s):
		return stop{end, true}
	case sp.encloses(i, end):
		return stop{run.end, false}
	case run.wide: // but not in 他说：“好。”然后走了
		return stop{end, !(quoted && run.first != '.' && isWide(runeAt(s, end)))}
	case hasNewBlock(s[end:next]):
		return stop{end, true}
	case run.first == '…' && run.dots > 1:
		return stop{end, isWide(after) || next > end && !startsLower(s, next)}
	case isCJK(after):
		return stop{end, run.other || (next > end || cjkAfterDot(s, i)) && !sp.abbreviated(start, i, next)}
	case next == end && !strings.ContainsAny(s[run.end:end], "]】"), startsLower(s, next):
		return stop{end, false}
	case quoted && run.other && after == '(': // "Cheer Up!" (2015)
		return stop{end, false}
	case run.other || run.dots > 1 || quoted && !initialLetters(lastWord(s, start, i)):
		return stop{end, true}
	}
	return stop{end, !sp.abbreviated(start, i, next)}
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
// quotation, table row, code fence, reference.
func opensBlock(s string, i int) bool {
	switch r, size := utf8.DecodeRuneInString(s[i:]); r {
	case '#', '|', '>', '•', '·', '●', '▪', '◦', '‣':
		return true
	case '-', '*', '+', '–', '—':
		return at(s, i+size) == ' '
	case '`':
		return strings.HasPrefix(s[i:], "```")
	case '[': // an entry of a list of references
		end := citation(s, i)
		return end > i && at(s, end) == ' '
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
