package crawl_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"deepresearch/crawl"
	"deepresearch/internal/guard"
)

// generated is a site of many pages of about 90 kB, each with a text of its own
// and links to others.
func generated(n int) http.Handler {
	words := strings.Fields("river stone market winter bridge garden letter engine window harbour silver copper meadow lantern orchard thunder compass village captain mountain")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var i int
		if _, err := fmt.Sscanf(r.URL.Path, "/p/%d", &i); err != nil && r.URL.Path != "/" || i >= n {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		rnd := rand.New(rand.NewPCG(uint64(i), 1))
		fmt.Fprintf(w, "<!doctype html><html lang=en><head><title>Page %d</title></head><body><nav>", i)
		for k := range 20 {
			fmt.Fprintf(w, `<a href="/p/%d">page %d</a> `, (i*20+k+1)%n, k)
		}
		fmt.Fprintf(w, "</nav><main><h1>Page %d</h1>", i)
		for range 200 {
			w.Write([]byte("<p>"))
			for range 60 {
				w.Write([]byte(words[rnd.IntN(len(words))] + " "))
			}
			w.Write([]byte("end.</p>"))
		}
		w.Write([]byte("</main></body></html>"))
	})
}

// BenchmarkWalk reads a site of 500 pages, and says how large the process, with
// the server in it, has become.
func BenchmarkWalk(b *testing.B) {
	server := httptest.NewServer(generated(500))
	defer server.Close()
	g, err := guard.New(guard.Options{AllowHosts: []string{server.Listener.Addr().String()}})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		w, err := crawl.NewReader(crawl.NewFetcher(crawl.Options{Guard: g, PerHost: 8})).Walk(crawl.Site{URLs: []string{server.URL}, MaxPages: 500, Depth: 10})
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		w.Run(b.Context(), crawl.Turn{Visit: func(p crawl.Page) {
			if p.Outcome == crawl.OK {
				n++
			}
		}})
		if n != 500 {
			b.Fatalf("%d pages: %+v", n, w.Survey())
		}
	}
	b.ReportMetric(500*float64(b.N)/b.Elapsed().Seconds(), "pages/s")
	if status, err := os.ReadFile("/proc/self/status"); err == nil {
		var kb float64
		_, rest, _ := strings.Cut(string(status), "VmHWM:")
		fmt.Sscanf(rest, "%f", &kb)
		b.ReportMetric(kb/1024, "MB-RSS")
	}
}
