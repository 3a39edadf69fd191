package document

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

// labelled is a page of a benchmark with the text an annotator marked as its main
// content.
type labelled struct {
	ID       string `json:"id"`
	URL      string `json:"url"`
	PageType string `json:"page_type"`
	Title    string `json:"title"`
	Date     string `json:"publish_date"`
	Content  string `json:"main_content"`
	html     []byte
}

// labelledPages reads every step-th page of the WCXB development set.
func labelledPages(t testing.TB, step int) []labelled {
	t.Helper()
	dir := filepath.Join(fixtures(), "extract", "wcxb-dev")
	f, err := os.Open(filepath.Join(dir, "pages.jsonl"))
	if err != nil {
		t.Skipf("labelled pages are not here: %v", err)
	}
	defer f.Close()
	lines := bufio.NewReaderSize(f, 1<<20)
	var out []labelled
	for n := 0; ; n++ {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		if n%step != 0 {
			continue
		}
		var p labelled
		if err := json.Unmarshal(line, &p); err != nil {
			t.Fatal(err)
		}
		p.html = gunzip(t, filepath.Join(dir, "html", p.ID+".html.gz"))
		out = append(out, p)
	}
}

func gunzip(t testing.TB, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// fixtures is the folder of data sets that are not part of the repository.
func fixtures() string {
	if dir := os.Getenv("DEEPRESEARCH_FIXTURES"); dir != "" {
		return dir
	}
	return filepath.Join("..", "..", "..", "shared", "fixtures")
}

func bag(s string) (map[string]int, int) {
	m, n := map[string]int{}, 0
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !(unicode.IsLetter(r) || unicode.IsNumber(r) || r == '_')
	}) {
		m[w]++
		n++
	}
	return m, n
}

// wordF1 compares two texts as bags of words.
func wordF1(got, want string) (p, r, f float64) {
	g, ng := bag(got)
	w, nw := bag(want)
	if ng == 0 && nw == 0 {
		return 1, 1, 1
	}
	hit := 0
	for word, n := range g {
		hit += min(n, w[word])
	}
	if hit == 0 {
		return 0, 0, 0
	}
	p, r = float64(hit)/float64(ng), float64(hit)/float64(nw)
	return p, r, 2 * p * r / (p + r)
}

// TestSelectionScoreInSample scores the shipped model on every tenth page that it
// was trained on. The figure says that the model is the one meant and is read right,
// not how well it does on other pages: that is TestOutOfFold of package train.
func TestSelectionScoreInSample(t *testing.T) {
	type sum struct{ n, p, r, f float64 }
	all, types := sum{}, map[string]*sum{}
	for _, page := range labelledPages(t, 10) {
		doc, err := Parse(context.Background(), Input{URL: page.URL, ContentType: "text/html", Body: page.html})
		got := ""
		if err == nil {
			got = doc.Text
		}
		p, r, f := wordF1(got, page.Content)
		if types[page.PageType] == nil {
			types[page.PageType] = &sum{}
		}
		for _, s := range []*sum{&all, types[page.PageType]} {
			s.n, s.p, s.r, s.f = s.n+1, s.p+p, s.r+r, s.f+f
		}
	}
	for name, s := range types {
		t.Logf("%-13s %4.0f pages  P %.3f  R %.3f  F1 %.3f", name, s.n, s.p/s.n, s.r/s.n, s.f/s.n)
	}
	t.Logf("%-13s %4.0f pages  P %.3f  R %.3f  F1 %.3f", "all", all.n, all.p/all.n, all.r/all.n, all.f/all.n)
	const least = .88
	if all.f/all.n < least {
		t.Errorf("mean word F1 in sample %.3f, want at least %.2f", all.f/all.n, least)
	}
}
