package citations

import (
	"strings"
	"testing"
)

// TestIdsDoNotBiteAsPrefixes: a source id is a prefix of its quotes' ids, and
// what a removed token leaves behind may read as a token. Marks are replaced in
// one pass, so neither becomes one.
func TestIdsDoNotBiteAsPrefixes(t *testing.T) {
	const source, quote = "S000000000001", "S000000000001.q000000010002"
	known := func(id string) bool { return id == quote }
	for text, want := range map[string]string{
		Token(source) + "a" + Token(quote):                          "a<" + quote + ">",
		Token(quote) + "a" + Token(source):                          "<" + quote + ">a",
		source + " " + quote:                                        source + " " + quote,
		"[[" + source + Token("S999999999999") + ".q000000010002]]": "[[" + quote + "]]",
	} {
		ps, _ := pieces(Sentence{Text: text}, known)
		var b strings.Builder
		for _, p := range ps {
			b.WriteString(p.text)
			for _, id := range p.ids {
				b.WriteString("<" + id + ">")
			}
		}
		if b.String() != want {
			t.Errorf("%q: got %q, want %q", text, b.String(), want)
		}
	}
}

// TestMarkdownIsSanitised feeds every text of a report that comes from outside.
func TestMarkdownIsSanitised(t *testing.T) {
	const page = "The bridge opened in 1932."
	for _, bite := range []string{
		"\u202e", "\U000e0041", "\u200b", "\x1b[31m", "![x](https://evil.example/a.png)", "<img src=x>",
		"[x](javascript:alert)", "\n```\n", "[9]", "[\u200b9]",
	} {
		l := NewLedger()
		id, err := l.AddSource(Source{URL: "https://a.example/", Title: bite + "T", Author: []string{bite}, Site: "S" + bite}, page)
		if err != nil {
			t.Fatal(err)
		}
		q := addQuote(t, l, id, page, page)
		said := []Sentence{{Text: "It opened " + bite + " in 1932.", Quotes: []string{q.ID}}}
		r := Render(Draft{Title: bite + "Q", Blocks: []Block{
			{Kind: Heading, Sentences: said}, {Kind: Paragraph, Sentences: said}, {Kind: Note, Sentences: said},
			{Kind: Table, Header: []string{bite}, Rows: [][]Sentence{said}}, {Kind: List, Rows: [][]Sentence{said}},
		}}, l, RenderOptions{})
		written := r.Markdown
		for _, style := range []Style{APA, IEEE} {
			list, err := Bibliography(r.Sources, style)
			if err != nil {
				t.Fatal(err)
			}
			written += list
		}
		for _, bad := range []string{"\u202e", "\U000e0041", "\u200b", "\x1b", "![", "<img", "[x]", "```", "[9]"} {
			if strings.Contains(written, bad) {
				t.Errorf("%q lets %q through:\n%s", bite, bad, written)
			}
		}
	}
}
