package citations

import (
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func renderHTML(t *testing.T, d Draft, l *Ledger) string {
	t.Helper()
	var b strings.Builder
	if err := HTML(&b, d, l, RenderOptions{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestHTMLGolden(t *testing.T) {
	d, l, _ := bridgeDraft(t)
	golden(t, "bridge.html", renderHTML(t, d, l))
}

// TestHTMLStandsAlone: no script, no remote resource, every mark opens a note
// that exists, every tag is closed.
func TestHTMLStandsAlone(t *testing.T) {
	d, l, _ := bridgeDraft(t)
	d.Title = `<script>alert(1)</script>`
	d.Blocks = append(d.Blocks, Block{Kind: Paragraph, Sentences: []Sentence{{Text: `<img src=x onerror=alert(1)> & "quotes"`}}})
	page := renderHTML(t, d, l)

	ids := map[string]bool{}
	var anchors []string
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.Data {
		case "script", "img", "iframe", "link", "object", "embed", "form", "base":
			t.Errorf("<%s> in the page", n.Data)
		}
		for _, a := range n.Attr {
			switch {
			case a.Key == "id":
				ids[a.Val] = true
			case strings.HasPrefix(a.Key, "on") || a.Key == "src" || a.Key == "srcset":
				t.Errorf("attribute %s on <%s>", a.Key, n.Data)
			case a.Key == "href" && strings.HasPrefix(a.Val, "#"):
				anchors = append(anchors, a.Val[1:])
			case a.Key == "href" && !regexp.MustCompile(`^(https?|file)://`).MatchString(a.Val):
				t.Errorf("link to %q", a.Val)
			}
		}
	}
	for _, a := range anchors {
		if !ids[a] {
			t.Errorf("#%s leads nowhere", a)
		}
	}
	if strings.Contains(page, "url(") || strings.Contains(page, "@import") {
		t.Error("a style loads something")
	}
	if strings.Contains(page, "ZgotmplZ") {
		t.Error("a link was refused by the template")
	}
}

func TestHTMLNamesThePage(t *testing.T) {
	const page = "First page text.\fSecond page holds the number 42."
	l := NewLedger()
	id, err := l.AddSource(Source{URL: "https://a.example/x.pdf", Title: "A paper", Pages: []PageBreak{{1, 0}, {2, 17}}}, page)
	if err != nil {
		t.Fatal(err)
	}
	q := addQuote(t, l, id, page, "Second page holds the number 42.")
	var b strings.Builder
	d := Draft{Title: "T", Blocks: []Block{{Kind: Paragraph, Sentences: []Sentence{{Text: "It holds the number 42.", Quotes: []string{q.ID}}}}}}
	if err := HTML(&b, d, l, RenderOptions{}); err != nil {
		t.Fatal(err)
	}
	if q.Page != 2 || !strings.Contains(b.String(), ", p. 2") || !strings.Contains(b.String(), "x.pdf#page=2") {
		t.Errorf("page %d, link %s:\n%s", q.Page, q.Link, b.String())
	}
}
