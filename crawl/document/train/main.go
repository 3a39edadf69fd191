// Command train learns the model that package document selects main content with,
// and measures it on pages it has not seen.
//
//	go run ./crawl/document/train -pages DIR -out crawl/document/internal/selection/model.bin
//	go run ./crawl/document/train -pages DIR -score
//
// DIR holds annotated pages in the form of WCXB (Web Content eXtraction Benchmark,
// Murrough-Foley, 2026, CC BY 4.0 for the annotations): pages.jsonl with one object a
// line (id, url, page_type, main_content) and html/ID.html.gz. The same pages give
// the same file, byte for byte, on one architecture.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"log"
	"maps"
	"os"
	"slices"
	"strings"

	"deepresearch/crawl/document/internal/selection"
)

func main() {
	pages := flag.String("pages", "", "folder of annotated pages")
	out := flag.String("out", "", "file for the model")
	score := flag.Bool("score", false, "print the score out of fold")
	flag.Parse()
	if err := run(*pages, *out, *score, log.New(os.Stderr, "", 0)); err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

func run(dir, out string, score bool, report *log.Logger) error {
	if dir == "" || out == "" && !score {
		return errors.New("give -pages and -out or -score")
	}
	pages, err := readPages(dir, shippedRecipe.Folds)
	if err != nil {
		return err
	}
	c := newCourse(pages, shippedRecipe)
	report.Printf("%d pages, %d blocks", len(pages), len(c.all.Page))
	if score {
		var sum tally
		c.outOfFold(sum.add)
		report.Printf("word F1 out of fold:\n%v", &sum)
	}
	if out == "" {
		return nil
	}
	m := c.train()
	report.Printf("first forest: %s\nsecond forest: %s", mostUsed(m.First), mostUsed(m.Second))
	const readable = 0o644
	return os.WriteFile(out, m.Append(nil), readable) // #nosec G306 -- it is embedded in a program
}

// mostUsed names the columns that a forest splits on, those near the roots first.
func mostUsed(f selection.Forest) string {
	const shown = 25
	names := selection.Columns()
	use := map[string]float64{}
	for _, tree := range f.Trees {
		for i, n := range tree {
			if n.Feature >= 0 {
				use[names[n.Feature]] += 1 / float64(i+1)
			}
		}
	}
	byUse := slices.SortedFunc(maps.Keys(use), func(a, b string) int {
		return cmp.Or(cmp.Compare(use[b], use[a]), cmp.Compare(a, b))
	})
	return strings.Join(byUse[:min(shown, len(byUse))], ", ")
}

// tally is scores by page type.
type tally struct {
	scores map[string][]float64
}

const allPages = "all"

func (t *tally) add(pageType string, f1 float64) {
	if t.scores == nil {
		t.scores = map[string][]float64{}
	}
	t.scores[pageType] = append(t.scores[pageType], f1)
	t.scores[allPages] = append(t.scores[allPages], f1)
}

func (t *tally) mean(pageType string) float64 {
	sum := 0.0
	for _, f1 := range t.scores[pageType] {
		sum += f1
	}
	return sum / float64(len(t.scores[pageType]))
}

func (t *tally) String() string {
	var out strings.Builder
	for _, kind := range slices.Sorted(maps.Keys(t.scores)) {
		fmt.Fprintf(&out, "%-14s %5d pages  F1 %.4f\n", kind, len(t.scores[kind]), t.mean(kind))
	}
	return out.String()
}
