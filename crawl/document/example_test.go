package document_test

import (
	"context"
	"fmt"

	"deepresearch/crawl/document"
)

func ExampleParse() {
	page := `<html lang="en"><title>Tea - Example</title>
<nav><a href="/">Home</a></nav>
<h1 id="tea">Tea</h1>
<p>Tea is a <a href="/drinks">drink</a>. It is brewed from leaves.</p>`

	doc, err := document.Parse(context.Background(), document.Input{
		URL: "https://example.com/tea", ContentType: "text/html", Body: []byte(page),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s (%s)\n", doc.Title, doc.Provenance["title"])
	for _, p := range doc.Passages(document.PassageOptions{Sentences: 1}) {
		fmt.Printf("%d-%d %s %s\n", p.Start, p.End, p.Path, p.In(doc.Text))
	}
	fmt.Print(doc.Markdown())
	// Output:
	// Tea (h1)
	// 5-20 [Tea] Tea is a drink.
	// 21-46 [Tea] It is brewed from leaves.
	// # Tea
	//
	// Tea is a [drink](https://example.com/drinks). It is brewed from leaves.
}
