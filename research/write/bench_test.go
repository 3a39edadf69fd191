package write_test

import (
	"fmt"
	"strings"
	"testing"

	"deepresearch/research"
)

// longPages are pages as long as articles, about 40 KB each.
func longPages(n int) map[string]string {
	var facts []string
	for i := range 400 {
		facts = append(facts, fmt.Sprintf("The Varn Bridge has a part number %d which engineers describe at length in report %d of the office at Oldby, page %d.", i, i*3, i*7))
	}
	pages := map[string]string{}
	for i := range n {
		pages[fmt.Sprintf("https://long%02d.example/p", i)] = page("en", fmt.Sprintf("Parts of the Varn Bridge, volume %d", i), facts[i*10:]...)
	}
	return pages
}

// BenchmarkStandard is a whole standard run without the time of models and
// network: short pages, and ten articles.
func BenchmarkStandard(b *testing.B) {
	for name, pages := range map[string]map[string]string{"short": bridges().pages, "articles": longPages(10)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r := newRig(b, setup{web: newWeb(pages), answer: good})
				if got := r.run(b, research.Question{Text: survey}); got.Mode != research.ByModel {
					b.Fatal(strings.Join(got.Warnings, "\n"))
				}
			}
		})
	}
}
