package research_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"deepresearch/citations"
	"deepresearch/crawl"
	"deepresearch/crawl/document"
	"deepresearch/internal/graph"
	"deepresearch/internal/graph/mem"
	"deepresearch/internal/library"
	"deepresearch/internal/rank"
	"deepresearch/internal/search"
	"deepresearch/internal/text"
	"deepresearch/research"
	"deepresearch/research/extract"
)

// web is a small web of its own: pages, and an engine with an index over them.
// It counts what is asked of it.
type web struct {
	mu      sync.Mutex
	urls    []string
	pages   map[string]string // URL -> HTML
	index   *rank.Index
	down    bool // the engine fails
	queries []string
	reads   []string
	suggest *search.Suggestion // what the engine wants shown
}

func newWeb(pages map[string]string) *web {
	w := &web{pages: pages, index: rank.NewIndex(rank.Options{})}
	for i := range 100 { // in a fixed order
		if url := fmt.Sprintf("https://site%d.example/page", i); pages[url] != "" {
			w.urls = append(w.urls, url)
			w.index.Add(text.Words(pages[url]))
		}
	}
	return w
}

func (w *web) Search(_ context.Context, q search.Query, _ []string) (search.Answer, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.queries = append(w.queries, q.Text)
	call := search.Call{Engine: "own", Text: q.Text, Requests: 1}
	if w.down {
		call.Failure = &search.Failure{Engine: "own", Kind: search.Network, Message: "connection refused"}
		return search.Answer{Query: q.Text, Calls: []search.Call{call}, Failures: []search.Failure{*call.Failure}}, nil
	}
	a := search.Answer{Query: q.Text}
	if w.suggest != nil {
		a.Suggestions = []search.Suggestion{*w.suggest}
	}
	for _, h := range w.index.Search(text.Terms(q.Text), 5) {
		a.Results = append(a.Results, search.Result{URL: w.urls[h.Doc], Title: w.urls[h.Doc], Engines: []string{"own"}})
	}
	call.Results = len(a.Results)
	a.Calls = []search.Call{call}
	return a, nil
}

func (w *web) Read(ctx context.Context, r crawl.Request) crawl.Page {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reads = append(w.reads, r.URL)
	body, ok := w.pages[r.URL]
	if !ok {
		return crawl.Page{URL: r.URL, Outcome: crawl.NotFound, Hint: "the page is gone"}
	}
	d, err := document.Parse(ctx, document.Input{URL: r.URL, ContentType: "text/html", Body: []byte(body)})
	if err != nil {
		return crawl.Page{URL: r.URL, Outcome: crawl.Unsupported, Hint: err.Error()}
	}
	return crawl.Page{URL: r.URL, FinalURL: r.URL, Outcome: crawl.OK, Document: d}
}

// page is a small HTML page.
func page(title string, paragraphs ...string) string {
	return "<html lang=en><title>" + title + "</title><main><h1>" + title + "</h1><p>" + strings.Join(paragraphs, "</p><p>") + "</p></main></html>"
}

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

// rig is an engine over a web, in memory.
type rig struct {
	*research.Engine
	web     *web
	archive *archive
	store   graph.Store
}

func newRig(t *testing.T, w *web) rig {
	t.Helper()
	return newRigWith(t, w, func(r rig, libraries *library.Cache) research.Method { return extract.New(r.archive, libraries) })
}

func newRigWith(t *testing.T, w *web, method func(rig, *library.Cache) research.Method) rig {
	t.Helper()
	r := rig{web: w, archive: &archive{texts: map[string]string{}}, store: mem.New()}
	libraries := &library.Cache{}
	e, err := research.New(research.Ports{
		Method: method(r, libraries), Searcher: w, Reader: w, Archive: r.archive, Libraries: libraries, Files: research.Files{Dir: t.TempDir()},
		Now: func() time.Time { return time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC) },
	}, r.store)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close(context.Background()) })
	r.Engine = e
	return r
}

// ask researches a question to its end.
func (r rig) ask(t *testing.T, q research.Question) research.Result {
	t.Helper()
	id, err := r.Start(t.Context(), "test", q, true)
	if err != nil {
		t.Fatal(err)
	}
	result, err := r.Follow(t.Context(), "test", id, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	return result
}
