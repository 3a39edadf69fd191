// Package bench measures package document beside other readers of pages. It is a
// module of its own, so that no program of ours links them.
//
// Run it with `make bench-pages`. One operation is one page, from bytes on; the pages
// are those of the folder DEEPRESEARCH_FIXTURES.
package bench

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"codeberg.org/readeck/go-readability/v2"
	"github.com/markusmobius/go-trafilatura"
	"golang.org/x/net/html"

	"deepresearch/crawl/document"
)

// pages reads every step-th page of the WCXB development set.
func pages(b *testing.B, step int) [][]byte {
	b.Helper()
	dir := os.Getenv("DEEPRESEARCH_FIXTURES")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared", "fixtures")
	}
	files, err := filepath.Glob(filepath.Join(dir, "extract", "wcxb-dev", "html", "*.gz"))
	if err != nil || len(files) == 0 {
		b.Skipf("no pages in %s", dir)
	}
	var out [][]byte
	for i := 0; i < len(files); i += step {
		body, err := os.ReadFile(files[i])
		if err != nil {
			b.Fatal(err)
		}
		z, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		page, err := io.ReadAll(z)
		if err != nil {
			b.Fatal(err)
		}
		out = append(out, page)
	}
	return out
}

func BenchmarkPages(b *testing.B) {
	const step = 5
	bodies := pages(b, step)
	address := &url.URL{Scheme: "https", Host: "example.com", Path: "/page"}
	for _, reader := range []struct {
		name string
		read func(body []byte)
	}{
		{"parse", func(body []byte) { _, _ = html.Parse(bytes.NewReader(body)) }},
		{"document", func(body []byte) {
			doc, err := document.Parse(context.Background(), document.Input{URL: address.String(), ContentType: "text/html", Body: body})
			if err == nil {
				_ = doc.Markdown()
			}
		}},
		{"readability", func(body []byte) {
			article, err := readability.FromReader(bytes.NewReader(body), address)
			if err == nil {
				_ = article.RenderText(io.Discard)
			}
		}},
		{"trafilatura", func(body []byte) {
			_, _ = trafilatura.Extract(bytes.NewReader(body), trafilatura.Options{OriginalURL: address, EnableFallback: true, HtmlDateMode: trafilatura.Disabled})
		}},
	} {
		b.Run(reader.name, func(b *testing.B) { measure(b, bodies, reader.read) })
	}
}

// measure reads one page an operation and reports the processor time, which other
// programs on the machine disturb less than the clock.
func measure(b *testing.B, bodies [][]byte, read func([]byte)) {
	size := 0
	for _, body := range bodies {
		size += len(body)
	}
	b.SetBytes(int64(size / len(bodies)))
	b.ReportAllocs()
	read(bodies[0]) // what is set up at first use is no page's time
	var spent []time.Duration
	for n := 0; b.Loop(); n++ {
		before := processorTime(b)
		read(bodies[n%len(bodies)])
		spent = append(spent, processorTime(b)-before)
	}
	total := time.Duration(0)
	for _, d := range spent {
		total += d
	}
	slices.Sort(spent)
	ms := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
	b.ReportMetric(ms(total)/float64(len(spent)), "cpu-ms/page")
	b.ReportMetric(ms(spent[len(spent)/2]), "p50-ms")
	b.ReportMetric(ms(spent[len(spent)*99/100]), "p99-ms")
}

// processorTime is what this process has used.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		b.Fatal(err)
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}
