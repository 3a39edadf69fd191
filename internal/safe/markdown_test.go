package safe_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"golang.org/x/net/html"

	"deepresearch/internal/safe"
)

func TestMarkdown(t *testing.T) {
	cases := []struct{ in, want string }{
		{"Tea costs $5 (about 3 < 4 & 5 * 6), snake_case.", "Tea costs $5 (about 3 < 4 & 5 * 6), snake_case."},
		{"as shown [3] and [4, 5]", `as shown \[3\] and \[4, 5\]`},
		{"![x](https://evil.example/p.png?q=1)", `!\[x\](https://evil.example/p.png?q=1)`},
		{"[click](javascript:alert(1))", `\[click\](javascript:alert(1))`},
		{"<script>alert(1)</script>", "&lt;script>alert(1)&lt;/script>"},
		{"<https://evil.example>", "&lt;https://evil.example>"},
		{"AT&amp;T &#35; R&D", "AT&amp;amp;T &amp;#35; R&D"},
		{"# heading", `\# heading`},
		{"1986. A great year", `1986\. A great year`},
		{"1986 was great. Yes", "1986 was great. Yes"},
		{"- item\n+ item\n* item\n-5 degrees", "\\- item\n\\+ item\n\\* item\n-5 degrees"},
		{"title\n=====\ntext\n---", "title\n\\=====\ntext\n\\---"},
		{"a | b\n--|--\n1 | 2", "a | b\n\\--|--\n1 | 2"},
		{"```go\ncode\n```", "\\`\\`\\`go\ncode\n\\`\\`\\`"},
		{"~~~\ncode", "\\~\\~\\~\ncode"},
		{"    code", "code"},
		{"> quote", `\> quote`},
		{"**bold** _it_ ~~gone~~", `\*\*bold\*\* \_it\_ \~\~gone\~\~`},
		{`a\b \* c\`, `a\b \\\* c\\`},
	}
	for _, c := range cases {
		if got := safe.Markdown(c.in); got != c.want {
			t.Errorf("Markdown(%q)\n got %q\nwant %q", c.in, got, c.want)
		}
	}
}

func TestMarkdownCell(t *testing.T) {
	if got, want := safe.MarkdownCell("a | b\n# c"), `a \| b # c`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// FuzzMarkdown renders the escaped text and reads it back: nothing but
// paragraphs with line breaks, and the same words.
func FuzzMarkdown(f *testing.F) {
	for _, s := range []string{
		"[a](b) ![c](d) <b>x</b> &lt; `c` **d**", "# h\n\n- a\n\n1. b\n\n> q\n\n```\nx\n```", "a|b\n-|-\n1|2", "[^1]: note\n[^1]", "\\[x](y)\\", "a\n\n\tb\n\n    c", "- [ ] task", "~~x~~ ~y~ _a_b_ *c*",
	} {
		f.Add(s)
	}
	md := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList, extension.Footnote, extension.DefinitionList))
	f.Fuzz(func(t *testing.T, raw string) {
		in, _ := safe.Text(raw)
		in = strings.ToValidUTF8(in, "\ufffd")
		var out bytes.Buffer
		if err := md.Convert([]byte(safe.Markdown(in)), &out); err != nil {
			t.Fatal(err)
		}
		words, tags := readBack(out.String())
		if tags != "" {
			t.Errorf("Markdown(%q) = %q makes <%s>", in, safe.Markdown(in), tags)
		}
		if want := strings.Join(strings.Fields(in), " "); words != want {
			t.Errorf("Markdown(%q) reads %q", in, words)
		}
	})
}

// readBack returns the words of an HTML text and the first tag that is no
// paragraph and no line break.
func readBack(s string) (words, tag string) {
	var text strings.Builder
	for z := html.NewTokenizer(strings.NewReader(s)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return strings.Join(strings.Fields(text.String()), " "), tag
		case html.TextToken:
			text.WriteString(html.UnescapeString(string(z.Raw())))
		case html.StartTagToken, html.SelfClosingTagToken:
			if name, _ := z.TagName(); string(name) != "p" && string(name) != "br" && tag == "" {
				tag = string(name)
			}
		}
	}
}

func BenchmarkMarkdown(b *testing.B) {
	s := strings.Repeat("The quick *brown* fox jumps over [the](lazy) dog.\n", 20)
	b.ReportAllocs()
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		safe.Markdown(s)
	}
}
