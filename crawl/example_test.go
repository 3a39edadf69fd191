package crawl_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"deepresearch/crawl"
	"deepresearch/internal/guard"
)

func ExampleReader_Read() {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/tea" {
			http.NotFound(w, r)
			return
		}
		io.WriteString(w, "<!doctype html><title>Tea</title><main><h1>Tea</h1><p>Tea is grown in Assam, in the north-east of India.</p></main>")
	}))
	defer site.Close()
	// A server of one's own must be named; other private addresses stay closed.
	g, err := guard.New(guard.Options{AllowHosts: []string{site.Listener.Addr().String()}})
	if err != nil {
		fmt.Println(err)
		return
	}
	reader := crawl.NewReader(crawl.NewFetcher(crawl.Options{Guard: g}))
	for _, path := range []string{"/tea", "/coffee"} {
		page := reader.Read(context.Background(), crawl.Request{URL: site.URL + path})
		fmt.Println(page.Outcome, page.Status, page.Title+page.Hint)
	}
	// Output:
	// ok 200 Tea
	// not_found 404 there is no page at this address; check it, or search for the title (HTTP 404 Not Found)
}

func ExampleReader_Walk() {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			io.WriteString(w, `<!doctype html><title>Drinks</title><main><p>There is a page about <a href="tea">tea</a> and one about <a href="milk">milk</a>.</p></main>`)
		case "/tea":
			io.WriteString(w, "<!doctype html><title>Tea</title><main><h1>Tea</h1><p>Tea is grown in Assam, in the north-east of India.</p></main>")
		case "/milk":
			io.WriteString(w, "<!doctype html><title>Milk</title><main><h1>Milk</h1><p>Milk comes from cows and goats.</p></main>")
		default:
			http.NotFound(w, r)
		}
	}))
	defer site.Close()
	g, err := guard.New(guard.Options{AllowHosts: []string{site.Listener.Addr().String()}})
	if err != nil {
		fmt.Println(err)
		return
	}
	walk, err := crawl.NewReader(crawl.NewFetcher(crawl.Options{Guard: g})).Walk(crawl.Site{URLs: []string{site.URL}, MaxPages: 20})
	if err != nil {
		fmt.Println(err)
		return
	}
	var pages []crawl.Page
	walk.Run(context.Background(), crawl.Turn{Visit: func(p crawl.Page) { pages = append(pages, p) }})
	for _, p := range crawl.Passages(pages, "where is tea grown?", 200)[:1] {
		fmt.Println(len(pages), "pages;", pages[p.Page].Title+":", p.Text)
	}
	// Output:
	// 3 pages; Tea: Tea is grown in Assam, in the north-east of India.
}
