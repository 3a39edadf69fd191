package pdf

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"deepresearch/crawl/document/internal/pdfium"
)

// Bars of the agreement with pdftotext: the F1 of words over a whole file, and the
// share of pages whose own words agree, which they only do when each is on its
// page.
const (
	leastF1    = 0.99
	leastPages = 0.98
	pageAgrees = 0.9
	leastFiles = 10
)

// TestAgreement compares what is read of the PDF files in a folder with what
// pdftotext reads. scripts/pdf.sh fetches the files.
func TestAgreement(t *testing.T) {
	folder := os.Getenv("DEEPRESEARCH_PDF")
	if folder == "" {
		t.Skip("DEEPRESEARCH_PDF names no folder of PDF files: make pdf-check")
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.pdf"))
	if err != nil || len(files) < leastFiles {
		t.Fatalf("%d files in %s, want %d", len(files), folder, leastFiles)
	}
	cache := filepath.Join(folder, "compiled")
	total, pages := 0.0, 0
	for _, file := range files {
		f1, n := agree(t, cache, file)
		total, pages = total+f1, pages+n
	}
	mean := total / float64(len(files))
	t.Logf("mean F1 %.4f over %d files, %d pages", mean, len(files), pages)
	if mean < leastF1 {
		t.Errorf("mean F1 %.4f, want %.2f", mean, leastF1)
	}
}

// agree reads one file both ways.
func agree(t *testing.T, cache, file string) (f1 float64, pages int) {
	t.Helper()
	body, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	engine, err := pdfium.Load(t.Context(), cache)
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	doc, err := Read(t.Context(), engine, body, Options{Margins: true})
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	took := time.Since(began)
	var out bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "pdftotext", "-enc", "UTF-8", file, "-")
	cmd.Stdout = &out
	if err := cmd.Run(); err != nil {
		t.Skipf("pdftotext: %v", err)
	}
	want := strings.Split(strings.TrimSuffix(out.String(), "\f"), "\f")
	got := pageTexts(doc, len(want))
	agreed := 0
	for i := range want {
		if f := overlap(bag(got[i]), bag(want[i])); f >= pageAgrees || len(bag(want[i])) < 30 {
			agreed++
		} else {
			t.Logf("%s page %d: F1 %.2f", filepath.Base(file), i+1, f)
		}
	}
	all := strings.Join(got, " ") + " " + strings.Join(doc.Margins, " ")
	f1 = overlap(bag(all), bag(strings.Join(want, " ")))
	t.Logf("%-28s %5d pages  F1 %.4f  pages that agree %.3f  %v", filepath.Base(file), len(want), f1, float64(agreed)/float64(len(want)), took.Round(10*time.Millisecond))
	if float64(agreed) < leastPages*float64(len(want)) {
		t.Errorf("%s: of %d pages %d agree", file, len(want), agreed)
	}
	return f1, len(want)
}

// pageTexts is the text of each page.
func pageTexts(d *Document, n int) []string {
	texts := make([]strings.Builder, max(n, d.Pages))
	put := func(page int, s string) {
		texts[page-1].WriteString(s)
		texts[page-1].WriteByte(' ')
	}
	for _, b := range d.Blocks {
		if b.Kind == Row {
			put(b.Page, strings.Join(b.Cells, " "))
			continue
		}
		page, at := b.Page, 0
		for _, turn := range b.Turns {
			put(page, b.Text[at:turn.At])
			page, at = turn.Page, turn.At
		}
		put(page, b.Text[at:])
	}
	out := make([]string, len(texts))
	for i := range texts {
		out[i] = texts[i].String()
	}
	return out
}

func bag(s string) map[string]int {
	words := map[string]int{}
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		words[spelled.Replace(w)]++
	}
	return words
}

// spelled writes ligatures, which pdftotext keeps, as letters.
var spelled = strings.NewReplacer("ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl")

// overlap is the F1 of two bags of words.
func overlap(got, want map[string]int) float64 {
	common, g, w := 0, 0, 0
	for word, n := range want {
		w += n
		common += min(n, got[word])
	}
	for _, n := range got {
		g += n
	}
	if g+w == 0 {
		return 1
	}
	return 2 * float64(common) / float64(g+w)
}

func TestOverlap(t *testing.T) {
	if got := overlap(bag("a b b"), bag("b c")); got != 0.4 {
		t.Errorf("%v, want 0.4", got)
	}
	if words := slices.Sorted(func(yield func(string) bool) {
		for w := range bag("Ab, ﬁne-3") {
			if !yield(w) {
				return
			}
		}
	}); strings.Join(words, " ") != "3 ab fine" {
		t.Errorf("%q", words)
	}
}
