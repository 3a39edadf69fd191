package citations

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Shown is what a reader sees of archived text, which may be Markdown: words
// without link targets, emphasis and line prefixes, in one line. Drafts quote in
// this form.
func Shown(archived string) string { return oneLine(visible(archived)) }

// visible is the text that a browser shows for a stretch of archived Markdown
// or plain text: no link targets, images, emphasis or line prefixes. Blanks
// collapse; a line break stands where an exact match may not cross: between
// blocks, lines and table cells.
func visible(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for line := range strings.SplitSeq(s, "\n") {
		if shown := visibleLine(line); shown != "" {
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(shown)
		}
	}
	return b.String()
}

// visibleLine is what is shown of one line; the cells of a table row come one
// below the other.
func visibleLine(line string) string {
	if strings.Contains(line, softHyphen) {
		line = strings.ReplaceAll(line, softHyphen, "")
	}
	line = stripLinePrefix(line)
	if !strings.HasPrefix(line, "|") {
		return oneLine(inline(line))
	}
	var shown []string
	for cell := range cells(line) {
		if t := oneLine(inline(cell)); t != "" {
			shown = append(shown, t)
		}
	}
	return strings.Join(shown, "\n")
}

const (
	softHyphen = "\u00ad"
	maxTarget  = 2000 // bytes of a link's target

	maxLinkText = 500 // bytes of its text
)

// stripLinePrefix removes heading signs, bullets, numbers and quotation bars at
// the start of a Markdown line. They are not text on the page.
func stripLinePrefix(line string) string {
	for {
		line = strings.TrimLeft(line, " \t")
		rest := strings.TrimLeft(line, "#>")
		if len(rest) == len(line) && len(line) > 1 && strings.ContainsRune("-*+", rune(line[0])) {
			rest = line[1:]
		}
		if digits := strings.TrimLeft(line, "0123456789"); len(digits) < len(line) && len(line)-len(digits) <= 3 && strings.HasPrefix(digits, ". ") {
			rest = digits[1:]
		}
		if len(rest) == len(line) || rest != "" && rest[0] != ' ' && line[0] != '>' {
			return line
		}
		line = rest
	}
}

// cells splits a table row at its bars; a line that is no row comes whole. The
// row under a table's head is empty.
func cells(line string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		trimmed := strings.TrimRight(line, " \t\r")
		if !strings.HasPrefix(trimmed, "|") {
			yield(line)
			return
		}
		if strings.Trim(trimmed, "|:- ") == "" {
			return
		}
		start := 0
		for i := range len(trimmed) {
			if trimmed[i] != '|' || i > 0 && trimmed[i-1] == '\\' {
				continue
			}
			if !yield(trimmed[start:i]) {
				return
			}
			start = i + 1
		}
		yield(trimmed[start:])
	}
}

// inline removes the inline Markdown of one line.
func inline(s string) string {
	if !strings.ContainsAny(s, "\\[]*_`<&~") {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '\\' && (i+1 == len(s) || punctuation(s[i+1])):
			if i+1 < len(s) {
				b.WriteByte(s[i+1])
			}
			i += 2
			continue
		case c == '!' && strings.HasPrefix(s[i:], "!["):
			if _, end := linkAt(s, i+1); end > 0 {
				i = end
				continue
			}
		case c == '[':
			if shut, end := linkAt(s, i); end > 0 {
				b.WriteString(inline(s[i+1 : shut]))
				i = end
				continue
			}
		case c == ']' && strings.HasPrefix(s[i:], "]("): // the end of a link that began before the passage
			if end := targetEnd(s, i+1); end > 0 {
				i = end
				continue
			}
		case c == '`' || (c == '*' || c == '_' || c == '~') && emphasis(s, i):
			i++
			continue
		case c == '<':
			if end := strings.IndexByte(s[i:min(len(s), i+maxTarget)], '>'); end > 0 && strings.Contains(s[i:i+end], "://") && !strings.ContainsAny(s[i:i+end], " \t") {
				b.WriteString(s[i+1 : i+end])
				i += end + 1
				continue
			}
		}
		b.WriteByte(c)
		i++
	}
	if strings.Contains(s, "&") {
		return html.UnescapeString(b.String())
	}
	return b.String()
}

func punctuation(c byte) bool { return c > ' ' && c < 0x7f && !isWordByte(c) }

func isWordByte(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// linkAt finds, for a bracket at i, the closing bracket and the end of the
// target that follows it. end is 0 when s[i:] is no inline link.
func linkAt(s string, i int) (shut, end int) {
	depth := 0
	for j := i; j < len(s) && j-i < maxLinkText; j++ {
		switch s[j] {
		case '\\':
			j++
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				if j+1 < len(s) && s[j+1] == '(' {
					return j, targetEnd(s, j+1)
				}
				return j, 0
			}
		}
	}
	return 0, 0
}

// targetEnd is the end of a link target whose parenthesis opens at i, 0 when it
// does not close.
func targetEnd(s string, i int) int {
	depth := 0
	for j := i; j < len(s) && j-i < maxTarget; j++ {
		switch s[j] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return j + 1
			}
		}
	}
	return 0
}

// emphasis reports whether the sign at i opens or closes emphasis: at most three
// in a row that touch a word on one side; an underscore or tilde inside a word
// does not count.
func emphasis(s string, i int) bool {
	const most = 3
	before, after := i, i+1
	for before > 0 && s[before-1] == s[i] && i-before <= most {
		before--
	}
	for after < len(s) && s[after] == s[i] && after-i <= most {
		after++
	}
	left, _ := utf8.DecodeLastRuneInString(s[:before])
	right, _ := utf8.DecodeRuneInString(s[after:])
	openLeft := before == 0 || unicode.IsSpace(left)
	openRight := after == len(s) || unicode.IsSpace(right)
	if openLeft && openRight || after-before > most {
		return false
	}
	if s[i] == '*' {
		return true
	}
	insideWord := before > 0 && after < len(s) && wordRune(left) && wordRune(right)
	return (s[i] == '_' || after-before == 2) && !insideWord
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// folded brings text into the form in which two spellings of the same words are
// equal to a browser's search: case, accents, curly quotation marks and special
// blanks do not count. It works rune by rune, so the folded form of a text is
// that of its parts joined.
func folded(s string) string {
	b := make([]byte, 0, len(s))
	for i, size := 0, 0; i < len(s); i += size {
		if c := s[i]; c < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			b, size = append(b, c), 1
			continue
		}
		var r rune
		r, size = utf8.DecodeRuneInString(s[i:])
		switch {
		case r >= 0x2e80 && r < 0xe000: // most of East Asia has neither case nor accents
			if r == '\u3000' {
				r = ' '
			}
			b = utf8.AppendRune(b, r)
		case r == '\u00ad' || r >= 0x300 && unicode.Is(unicode.Mn, r):
		case r == '\u00a0' || r == '\u202f' || r == '\u2009':
			b = append(b, ' ')
		case r == '‘' || r == '’':
			b = append(b, '\'')
		case r == '“' || r == '”':
			b = append(b, '"')
		default:
			b = appendBare(b, unicode.ToLower(r))
		}
	}
	return string(b)
}

// appendBare appends a letter without its accents.
func appendBare(b []byte, r rune) []byte {
	var in, out [32]byte
	for rest := norm.NFD.Append(out[:0], utf8.AppendRune(in[:0], r)...); len(rest) > 0; {
		d, size := utf8.DecodeRune(rest)
		rest = rest[size:]
		if !unicode.Is(unicode.Mn, d) {
			b = utf8.AppendRune(b, d)
		}
	}
	return b
}

// wide reports whether r belongs to a script that is written without blanks
// between words.
func wide(r rune) bool {
	return r >= 0x0e00 && (r >= 0x4e00 && r <= 0x9fff || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar))
}
