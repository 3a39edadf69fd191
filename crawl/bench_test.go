package crawl_test

import (
	"net/http"
	"strings"
	"testing"

	"deepresearch/crawl"
	"deepresearch/internal/guard"
)

// BenchmarkRead reads a page of 90 kB from a server on this machine: the
// whole way from the address to Markdown, and the bytes alone.
func BenchmarkRead(b *testing.B) {
	page := strings.Replace(article(""), "</main>", strings.Repeat("<section><h2>More news</h2>"+prose+"</section>", 130)+"</main>", 1)
	zipped := packed(b, "gzip", []byte(page))
	s := newSite(b, map[string]http.HandlerFunc{"/": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(zipped)
	}})
	g, err := guard.New(guard.Options{AllowHosts: []string{s.host()}})
	if err != nil {
		b.Fatal(err)
	}
	f := crawl.NewFetcher(crawl.Options{Guard: g})
	r := crawl.NewReader(f)
	b.Run("fetch", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(page)))
		for b.Loop() {
			if _, err := f.Fetch(b.Context(), crawl.Request{URL: s.URL}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("read", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(page)))
		for b.Loop() {
			if p := r.Read(b.Context(), crawl.Request{URL: s.URL}); p.Outcome != crawl.OK {
				b.Fatal(p.Outcome, p.Hint)
			}
		}
	})
}
