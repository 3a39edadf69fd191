package document

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func BenchmarkGoSpec(b *testing.B) {
	body, err := os.ReadFile(filepath.Join(runtime.GOROOT(), "doc", "go_spec.html"))
	if err != nil {
		b.Skipf("this Go installation has no documents: %v", err)
	}
	benchmark(b, Input{URL: "https://go.dev/ref/spec", ContentType: "text/html", Body: body})
}

func BenchmarkGoMem(b *testing.B) {
	body, err := os.ReadFile(filepath.Join(runtime.GOROOT(), "doc", "go_mem.html"))
	if err != nil {
		b.Skipf("this Go installation has no documents: %v", err)
	}
	benchmark(b, Input{URL: "https://go.dev/ref/mem", ContentType: "text/html", Body: body})
}

// BenchmarkPages reads pages of the labelled set: one operation is one page.
func BenchmarkPages(b *testing.B) {
	pages := labelledPages(b, 15)
	size := 0
	for _, p := range pages {
		size += len(p.html)
	}
	b.SetBytes(int64(size / len(pages)))
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		p := pages[n%len(pages)]
		_, _ = Parse(context.Background(), Input{URL: p.URL, ContentType: "text/html", Body: p.html})
	}
}

func benchmark(b *testing.B, in Input) {
	b.SetBytes(int64(len(in.Body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(context.Background(), in); err != nil {
			b.Fatal(err)
		}
	}
}
