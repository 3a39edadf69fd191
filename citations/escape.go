package citations

import (
	"net/url"
	"regexp"
	"strings"
)

// escape makes text show as the letters it consists of: no Markdown, HTML or
// address in it comes to life, and "[3]" is no mark.
func escape(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 8)
	for i := range len(s) {
		c := s[i]
		switch {
		case c == '\n' || c == '\r' || c == '\t':
			b.WriteByte(' ')
			continue
		case strings.IndexByte("\\`*[]<>", c) >= 0,
			c == '_' && !betweenWords(s, i),
			c == '&' && entity.MatchString(s[i:]),
			c == '~' && i+1 < len(s) && s[i+1] == '~',
			c == ':' && strings.HasPrefix(s[i:], "://"):
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}

var entity = regexp.MustCompile(`^&(#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});`)

func betweenWords(s string, i int) bool {
	return i > 0 && i+1 < len(s) && isWordByte(s[i-1]) && isWordByte(s[i+1])
}

// span of bold text or code in a sentence: the only styling that passes.
var style = regexp.MustCompile("\\*\\*[^*`\\s](?:[^*`]*[^*`\\s])?\\*\\*|`[^`\\n]+`")

// styled escapes a sentence but lets **bold** and `code` through.
func styled(s string) string {
	var b strings.Builder
	at := 0
	for _, m := range style.FindAllStringIndex(s, -1) {
		b.WriteString(escape(s[at:m[0]]))
		if s[m[0]] == '`' {
			b.WriteString(code(s[m[0]:m[1]]))
		} else {
			b.WriteString("**" + escape(s[m[0]+2:m[1]-2]) + "**")
		}
		at = m[1]
	}
	b.WriteString(escape(s[at:]))
	return b.String()
}

var indexed = regexp.MustCompile(`\[([0-9]+)\]`)

// code keeps an index in code from being read as a mark. Blanks inside the
// brackets change the meaning of no language we know.
func code(s string) string { return indexed.ReplaceAllString(s, "[ $1 ]") }

// unstyled removes the signs of styling.
func unstyled(s string) string {
	return style.ReplaceAllStringFunc(s, func(m string) string { return strings.Trim(m, "*`") })
}

var blockStart = regexp.MustCompile(`^(#{1,6}( |$)|[-+](\s|$)|[-=]{3,}|[0-9]{1,9}[.)](\s|$)|~~~)`)

// guardStart keeps a paragraph from beginning as a heading, list or rule.
func guardStart(s string) string {
	m := blockStart.FindString(s)
	if m == "" {
		return s
	}
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	return s[:digits] + `\` + s[digits:]
}

// inTarget and inAutolink are what an address may not hold raw in the target of
// a Markdown link and between angle brackets.
const (
	inTarget   = "()<>\"\\[]`|{}^*"
	inAutolink = "<>\"\\`"
)

// destination is an address that may stand in a link, with the bytes of unsafe
// percent-encoded so that it ends where it should; "" when its scheme is not one
// of http, https and file.
func destination(address, unsafe string) string {
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "file") {
		return ""
	}
	var b strings.Builder
	for i := range len(address) {
		switch c := address[i]; {
		case c <= ' ' || c == 0x7f || strings.IndexByte(unsafe, c) >= 0:
			b.WriteByte('%')
			b.WriteByte(hexDigits[c>>4])
			b.WriteByte(hexDigits[c&15])
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
