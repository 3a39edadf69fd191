package safe

import (
	"strings"
	"unicode/utf8"
)

// Markdown escapes text from outside for a place in Markdown, so that it shows
// as it is: no link, image, mark (`[3]`), tag, entity, emphasis, code, heading,
// list, table or quotation comes out of it. Only what would otherwise mean
// something is escaped, so prose stays as a reader of the source expects it. A
// line break stays a line break and an empty line stays a paragraph's end;
// white space at the start of a line is dropped, because it could make code.
//
// Rules: CommonMark 0.31 and GitHub Flavored Markdown. A bare address stays
// bare, and a renderer that links those still shows where it leads.
func Markdown(s string) string {
	var out strings.Builder
	out.Grow(len(s) + len(s)/16)
	for i, line := range strings.Split(s, "\n") {
		if i > 0 {
			out.WriteByte('\n')
		}
		escapeLine(&out, line)
	}
	return out.String()
}

// MarkdownCell escapes text for a table cell or a heading: as Markdown, with
// pipes escaped and line breaks turned into spaces.
func MarkdownCell(s string) string {
	s = Markdown(strings.Join(strings.Fields(s), " "))
	return strings.ReplaceAll(s, "|", `\|`)
}

func escapeLine(out *strings.Builder, line string) {
	line = strings.TrimSpace(line)
	if n := blockStart(line); n > 0 {
		out.WriteString(line[:n-1])
		out.WriteByte('\\')
		out.WriteByte(line[n-1])
		line = line[n:]
	}
	for i := 0; i < len(line); {
		_, n := utf8.DecodeRuneInString(line[i:])
		out.WriteString(inline(line, i, n))
		i += n
	}
}

// blockStart returns the length of a line's start up to the character whose
// escape keeps the line from being a block of its own, or 0.
func blockStart(line string) int {
	if line == "" {
		return 0
	}
	switch c := line[0]; {
	case c == '#' || c == '>' || c == '~':
		return 1
	case c == '=' || c == '-' || c == '+' || c == '*' || c == '_' || c == '|' || c == ':':
		return rule(line)
	case isDigit(c):
		n := len(line) - len(strings.TrimLeft(line, "0123456789"))
		if n <= 9 && n < len(line) && (line[n] == '.' || line[n] == ')') && (n+1 == len(line) || blank(line[n+1])) {
			return n + 1
		}
	}
	return 0
}

// rule returns 1 when line is a bullet, a thematic break, the underline of a
// heading or the delimiter row of a table.
func rule(line string) int {
	bullet := strings.IndexByte("-+*", line[0]) >= 0 && (len(line) == 1 || blank(line[1]))
	if bullet || strings.Trim(line, "=-_*:| \t") == "" {
		return 1
	}
	return 0
}

func blank(b byte) bool { return b == ' ' || b == '\t' }

// inline returns the rune at line[i:i+n], escaped where it would start
// something. What was escaped at the line's start is not seen again.
func inline(line string, i, n int) string {
	r := line[i : i+n]
	switch r {
	case "[", "]", "`":
		return `\` + r
	case `\`:
		if i+1 == len(line) || punct(line[i+1]) {
			return `\\`
		}
	case "<":
		if i+1 < len(line) && opensTag(line[i+1]) {
			return "&lt;"
		}
	case "&":
		if entity(line[i+1:]) {
			return "&amp;"
		}
	case "*":
		if !alone(line, i) {
			return `\*`
		}
	case "_":
		if !alone(line, i) && !insideWord(line, i) {
			return `\_`
		}
	case "~":
		if !alone(line, i) {
			return `\~`
		}
	}
	return r
}

func opensTag(b byte) bool {
	return b == '/' || b == '!' || b == '?' || b|0x20 >= 'a' && b|0x20 <= 'z'
}

func punct(b byte) bool {
	return b >= '!' && b <= '/' || b >= ':' && b <= '@' || b >= '[' && b <= '`' || b >= '{' && b <= '~'
}

// alone reports whether the byte at i stands between white space, where it is
// no delimiter.
func alone(line string, i int) bool {
	return (i == 0 || blank(line[i-1])) && (i+1 == len(line) || blank(line[i+1]))
}

// insideWord reports whether the underscore at i stands between letters or
// digits, where it delimits nothing.
func insideWord(line string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(line[:i])
	after, _ := utf8.DecodeRuneInString(line[i+1:])
	return wordRune(before) && wordRune(after)
}

// maxEntity is the length of HTML's longest name of a character,
// CounterClockwiseContourIntegral, and its semicolon.
const maxEntity = 32

// entity reports whether s, which follows an ampersand, makes it a character
// reference.
func entity(s string) bool {
	end := strings.IndexByte(s[:min(len(s), maxEntity)], ';') // the bound keeps a run of & linear
	if end < 1 {
		return false
	}
	name := strings.TrimPrefix(s[:end], "#")
	return name != "" && strings.IndexFunc(name, func(r rune) bool { return r >= utf8.RuneSelf || !wordRune(r) }) < 0
}
