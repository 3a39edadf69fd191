package citations_test

import (
	"fmt"
	"strings"

	"deepresearch/citations"
	"deepresearch/internal/text"
)

func ExampleRender() {
	const page = "The bridge opened in 1932. It carries 160,000 vehicles a day."
	ledger := citations.NewLedger()
	source, err := ledger.AddSource(citations.Source{URL: "https://bridge.example/", Title: "Harbour Bridge", Site: "Bridge Trust"}, page)
	if err != nil {
		panic(err)
	}
	quote, err := ledger.Quote(source, page, text.Span{Start: 0, End: strings.Index(page, " It")})
	if err != nil {
		panic(err)
	}
	draft := citations.Draft{Title: "The bridge", Blocks: []citations.Block{{
		Kind:      citations.Paragraph,
		Sentences: []citations.Sentence{{Text: "The bridge opened in 1932.", Quotes: []string{quote.ID}}},
	}}}
	report := citations.Render(draft, ledger, citations.RenderOptions{})
	fmt.Println(report.Markdown)
	fmt.Println(report.Claims[0].Label)
	// Output:
	// # The bridge
	//
	// The bridge opened in 1932 [[1]](https://bridge.example/#:~:text=The%20bridge%20opened%20in%201932.).
	//
	// ## Sources
	//
	// [1] Harbour Bridge — Bridge Trust. <https://bridge.example/>
	//
	// quoted
}

func ExampleParseReport() {
	report, err := citations.ParseReport("Steel output rose 4 % in May [1-2].\n\nReferences\n[1] https://a.example/x - Page A\n[2] Page B, https://b.example/\n")
	if err != nil {
		panic(err)
	}
	for _, c := range report.Claims {
		fmt.Println(c.Text, c.Marks)
	}
	for _, s := range report.Sources {
		fmt.Println(s.N, s.Title, s.URL)
	}
	// Output:
	// Steel output rose 4 % in May. [1 2]
	// 1 Page A https://a.example/x
	// 2 Page B https://b.example/
}
