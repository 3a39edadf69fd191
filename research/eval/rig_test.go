// Package eval measures the product on public question sets. It holds tests
// only; `make eval` runs them and prints what they measured.
package eval

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"deepresearch/citations"
	"deepresearch/crawl"
	"deepresearch/internal/graph/mem"
	"deepresearch/internal/library"
	"deepresearch/internal/search"
	"deepresearch/research"
	"deepresearch/research/extract"
)

// rows reads a fixture of JSON lines; the test is skipped where it is absent.
func rows[T any](t *testing.T, name string) []T {
	t.Helper()
	root := os.Getenv("DEEPRESEARCH_FIXTURES")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared", "fixtures")
	}
	f, err := os.Open(filepath.Join(root, filepath.FromSlash(name)))
	if errors.Is(err, os.ErrNotExist) {
		t.Skipf("the fixture %s is not here: set DEEPRESEARCH_FIXTURES to its folder", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []T
	scan := bufio.NewScanner(f)
	scan.Buffer(nil, 16<<20)
	for scan.Scan() {
		var row T
		if err := json.Unmarshal(scan.Bytes(), &row); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out = append(out, row)
	}
	if err := scan.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// rig is a whole engine without network: in-memory runs and archive.
type rig struct {
	engine  *research.Engine
	archive *archive
}

func newRig(t *testing.T) rig {
	t.Helper()
	a := &archive{texts: map[string]string{}}
	libraries := &library.Cache{}
	e, err := research.New(research.Ports{
		Method: extract.New(a, libraries), Searcher: offline{}, Reader: offline{}, Archive: a, Libraries: libraries,
	}, mem.New())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close(context.Background()) })
	return rig{e, a}
}

// research asks a question that has an answer.
func (r rig) research(t *testing.T, q research.Question) research.Result {
	t.Helper()
	result := r.ask(t, q)
	if result.Status != research.Done {
		t.Errorf("%q: status %s, warnings %q", q.Text, result.Status, result.Warnings)
	}
	return result
}

// ask runs a question to its end, whatever that is.
func (r rig) ask(t *testing.T, q research.Question) research.Result {
	t.Helper()
	ctx := t.Context()
	id, err := r.engine.Start(ctx, "eval", q, true)
	if err != nil {
		t.Fatalf("%q: %v", q.Text, err)
	}
	result, err := r.engine.Follow(ctx, "eval", id, 0, nil)
	if err != nil {
		t.Fatalf("%q: %v", q.Text, err)
	}
	return result
}

// check verifies that every quote is what stands in the archive.
func (r rig) check(t *testing.T, result research.Result) {
	t.Helper()
	for _, s := range result.Sources {
		page, err := r.archive.Text(t.Context(), s.SHA256)
		if err != nil {
			t.Errorf("source %d: %v", s.N, err)
		}
		for _, q := range s.Quotes {
			if q.In(page) != q.Text {
				t.Errorf("source %d: the quote %q is %q in the archive", s.N, q.Text, q.In(page))
			}
		}
	}
}

// quotesOf are the texts of all quotes of a result.
func quotesOf(r research.Result) []string {
	var out []string
	for _, s := range r.Sources {
		for _, q := range s.Quotes {
			out = append(out, q.Text)
		}
	}
	return out
}

func share(n, of int) float64 { return float64(n) / float64(max(of, 1)) }

// archive keeps texts in memory.
type archive struct {
	mu    sync.Mutex
	texts map[string]string
}

func (a *archive) Put(_ context.Context, _, text string) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	sha := citations.Hash(text)
	a.texts[sha] = text
	return sha, nil
}

func (a *archive) Text(_ context.Context, sha string) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if t, ok := a.texts[sha]; ok {
		return t, nil
	}
	return "", fmt.Errorf("no text %s", sha)
}

// offline is a network that is not there.
type offline struct{}

func (offline) Search(context.Context, search.Query, []string) (search.Answer, error) {
	return search.Answer{}, errors.New("offline")
}

func (offline) Read(_ context.Context, r crawl.Request) crawl.Page {
	return crawl.Page{URL: r.URL, Outcome: crawl.Refused, Hint: "offline"}
}
