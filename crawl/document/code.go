package document

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// code ends the code block that a pre element wrote.
func (r *reader) code(_ element, p place) {
	tail := cutFences(r.buf[r.open:])
	r.buf = r.buf[:r.open+len(tail)]
	r.cutBlock(p)
}

// cutFences shortens, in place, lines that open a Markdown fence with a sentence
// behind it: rendered as Markdown that sentence is seen by no reader.
func cutFences(b []byte) []byte {
	const mark = "```"
	if !bytes.Contains(b, []byte(mark)) {
		return b
	}
	out := b[:0]
	for line := range bytes.SplitAfterSeq(bytes.Clone(b), []byte("\n")) {
		t := bytes.TrimLeft(line, " \t")
		if bytes.HasPrefix(t, []byte(mark)) && len(bytes.Fields(t)) > 3 {
			nl := line[len(bytes.TrimRight(line, "\n")):]
			line = append(append(line[:len(line)-len(t):len(line)-len(t)], mark...), nl...)
		}
		out = append(out, line...)
	}
	return out
}

// gutter reports the line numbers beside a code block.
func gutter(v element) bool {
	if v.class == "" {
		return false
	}
	for c := range strings.FieldsSeq(v.class) {
		switch strings.ToLower(c) {
		case "gutter", "lineno", "linenos", "linenodiv", "line-number", "line-numbers-rows", "hljs-ln-numbers", "blob-num", "rouge-gutter", "ln-num", "react-syntax-highlighter-line-number":
			return true
		}
	}
	return false
}

// codeLanguage finds the language that a code block, the code element inside or up
// to three elements around it name: by class (language-go, lang-go, brush: go,
// highlight-source-go, sourceCode go) or attribute (data-lang).
func codeLanguage(pre *html.Node) string {
	if c := onlyChild(pre); c != nil {
		if l := namedLanguage(c); l != "" {
			return l
		}
	}
	for n, up := pre, 0; n != nil && n.Type == html.ElementNode && n.DataAtom != atom.Body && up < 4; n, up = n.Parent, up+1 {
		if l := namedLanguage(n); l != "" {
			return l
		}
	}
	return ""
}

func onlyChild(n *html.Node) *html.Node {
	for c := range n.ChildNodes() {
		if c.Type == html.ElementNode {
			return c
		}
	}
	return nil
}

func namedLanguage(n *html.Node) string {
	for i := range n.Attr {
		switch a := &n.Attr[i]; a.Key {
		case "data-lang", "data-language", "data-code-language":
			if l := languageName(a.Val); l != "" {
				return l
			}
		case "class":
			if l := classLanguage(a.Val); l != "" {
				return l
			}
		}
	}
	return ""
}

var languagePrefixes = []string{"language-", "lang-", "highlight-source-", "highlight-text-", "highlight-", "brush:", "code-"}

func classLanguage(class string) string {
	fields := strings.Fields(class)
	for i, f := range fields {
		if f == "brush:" || f == "sourceCode" || f == "hljs" || f == "prettyprint" || f == "src" {
			if i+1 < len(fields) && !strings.Contains(fields[i+1], "-") {
				if l := languageName(strings.TrimSuffix(fields[i+1], ";")); l != "" {
					return l
				}
			}
			continue
		}
		for _, prefix := range languagePrefixes {
			if rest, ok := strings.CutPrefix(f, prefix); ok {
				if l := languageName(rest); l != "" {
					return l
				}
				break
			}
		}
	}
	return ""
}

// languageName returns s in lower case when it can be the name of a language.
func languageName(s string) string {
	s = strings.ToLower(strings.TrimRight(s, ";"))
	switch s {
	case "none", "plain", "plaintext", "text", "txt", "default", "notranslate", "block", "wrapper", "toolbar", "box", "example", "highlight", "linenums", "snippet", "container":
		return ""
	}
	if len(s) == 0 || len(s) > 20 {
		return ""
	}
	for i := range len(s) {
		if c := s[i]; !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '+' || c == '#' || c == '-' || c == '_' || c == '.') {
			return ""
		}
	}
	return s
}
