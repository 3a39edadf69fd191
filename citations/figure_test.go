package citations_test

import (
	"bytes"
	"strings"
	"testing"

	"deepresearch/citations"
)

// TestFigure: HTML shows the drawing, Markdown its caption, and the caption is a
// claim like any other.
func TestFigure(t *testing.T) {
	const page = "The bridge cost 3.2 million crowns."
	l := citations.NewLedger()
	id, err := l.AddSource(citations.Source{URL: "https://cost.example/"}, page)
	if err != nil {
		t.Fatal(err)
	}
	q, err := l.QuoteText(id, page, page)
	if err != nil {
		t.Fatal(err)
	}
	d := citations.Draft{Title: "Cost", Blocks: []citations.Block{{
		Kind: citations.Figure, Text: `<svg viewBox="0 0 1 1"><title>a</title></svg>`,
		Sentences: []citations.Sentence{{Text: "Cost in crowns.", Quotes: []string{q.ID}}},
	}}}
	r := citations.Render(d, l, citations.RenderOptions{})
	if strings.Contains(r.Markdown, "svg") || !strings.Contains(r.Markdown, "Cost in crowns [[1]]") || len(r.Claims) != 1 {
		t.Errorf("claims %+v:\n%s", r.Claims, r.Markdown)
	}
	var html bytes.Buffer
	if err := citations.HTML(&html, d, l, citations.RenderOptions{}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(html.String(), `<figure><svg viewBox="0 0 1 1">`) || !strings.Contains(html.String(), "<figcaption>Cost in crowns") {
		t.Errorf("no figure:\n%s", html.String())
	}
}
