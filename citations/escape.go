package citations

import (
	"strings"

	"deepresearch/internal/safe"
	"deepresearch/internal/text"
)

// escape makes text show as the letters it consists of: no Markdown or HTML in
// it comes to life, "[3]" is no mark, and a bare address is no link. Blanks at
// its ends stay, for it may be a piece of a sentence. What hides text or steers
// a terminal goes.
func escape(s string) string {
	s, _ = safe.Text(s)
	inner := strings.Trim(s, " \n\t")
	if inner == "" {
		return s[:min(len(s), 1)]
	}
	lead, trail := "", ""
	if inner[0] != s[0] {
		lead = " "
	}
	if inner[len(inner)-1] != s[len(s)-1] {
		trail = " "
	}
	return lead + bareAddress.Replace(safe.Markdown(oneLine(inner))) + trail
}

// bareAddress breaks what GitHub's and other renderers make links of.
var bareAddress = strings.NewReplacer("://", `\://`, "www.", `www\.`)

// span of bold text or code in a sentence: the only styling that passes.
var style = text.NewPattern("\\*\\*[^*`\\s](?:[^*`]*[^*`\\s])?\\*\\*|`[^`\\n]+`")

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

var indexed = text.NewPattern(`\[([0-9]+)\]`)

// code keeps an index in code from being read as a mark. Blanks inside the
// brackets change the meaning of no language we know.
func code(s string) string {
	s, _ = safe.Text(s)
	return indexed.ReplaceAllString(s, "[ $1 ]")
}

// unstyled removes the signs of styling.
func unstyled(s string) string {
	return style.ReplaceAllStringFunc(s, func(m string) string { return strings.Trim(m, "*`") })
}

// inTarget and inAutolink are what an address may not hold raw in the target of
// a Markdown link and between angle brackets.
const (
	inTarget   = "()<>\"\\[]`|{}^*"
	inAutolink = "<>\"\\`"
)

// destination is an address that may stand in a link, with the bytes of unsafe
// percent-encoded so that it ends where it should; "" when it is neither a web
// address nor one of a file or document.
func destination(address, unsafe string) string {
	if !webAddress(address) && !strings.HasPrefix(address, "file:") && !strings.HasPrefix(address, "document:") {
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
