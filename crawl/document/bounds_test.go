package document

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
)

// Pages made to exhaust a reader are read in bounded time. The bounds are far
// from what is measured (each well below a second), so that a slow machine
// passes and a quadratic step does not.
func TestHostilePagesAreBounded(t *testing.T) {
	var rules, elements strings.Builder
	for i := range 65_000 {
		switch i % 4 {
		case 0:
			fmt.Fprintf(&rules, "div.x.c%d{display:none}", i)
		case 1:
			fmt.Fprintf(&rules, "p.c%d{color:#fff}", i)
		case 2:
			fmt.Fprintf(&rules, ".x#i%d{opacity:0}", i)
		default:
			fmt.Fprintf(&rules, "div.x{left:%dpx}", i)
		}
	}
	for i := range 87_000 {
		fmt.Fprintf(&elements, "<div class='x y%d' id=j%d>a</div>", i, i)
	}
	var list strings.Builder
	for i := range 1000 {
		list.WriteString(strings.Repeat("  ", i) + "- entry\n")
	}
	var quotes strings.Builder
	for i := range 500 {
		quotes.WriteString(strings.Repeat("> ", i) + "q\n")
	}
	cases := map[string]Input{
		"rules of style":        {Body: []byte("<!doctype html><html><head><style>" + rules.String() + "</style></head><body><p>words of the page</p>" + elements.String() + "</body></html>")},
		"list by indentation":   {Name: "a.md", Body: []byte(list.String())},
		"quotations":            {Name: "a.md", Body: []byte(quotes.String())},
		"brackets":              {Name: "a.md", Body: []byte(strings.Repeat("[", 100_000) + "a" + strings.Repeat("](b)", 50_000))},
		"emphasis":              {Name: "a.md", Body: []byte(strings.Repeat("*a **b _c ", 50_000))},
		"backticks":             {Name: "a.md", Body: []byte(strings.Repeat("`a``b```c", 30_000))},
		"links to nothing":      {Name: "a.md", Body: []byte(strings.Repeat("[a][b]", 50_000))},
		"unclosed comments":     {Name: "a.md", Body: []byte("words\n\n" + strings.Repeat("<!-- a <b ", 50_000))},
		"nested lists of stars": {Name: "a.md", Body: []byte(strings.Repeat("* ", 20_000) + "a")},
	}
	for name, in := range cases {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			begun := time.Now()
			doc, err := Parse(ctx, in)
			if err != nil {
				t.Fatal(err)
			}
			if doc.Text == "" {
				t.Error("no text")
			}
			t.Logf("%v", time.Since(begun))
		})
	}
}
