package crawl

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"
	"time"

	"deepresearch/internal/guard"
)

func TestTextAt(t *testing.T) {
	for from, want := range map[string]string{
		"https://arxiv.org/abs/1706.03762":                               "https://arxiv.org/html/1706.03762",
		"http://www.arxiv.org/abs/cs/0112017v1?context=cs":               "https://arxiv.org/html/cs/0112017v1",
		"https://arxiv.org/pdf/1706.03762":                               "",
		"https://github.com/golang/go/blob/master/README.md#L3":          "https://raw.githubusercontent.com/golang/go/master/README.md",
		"https://github.com/golang/go/blob/master/a%20b.md?plain=1":      "https://raw.githubusercontent.com/golang/go/master/a%20b.md",
		"https://github.com/golang/go":                                   "",
		"https://github.com/golang/go/tree/master/src":                   "",
		"https://gist.github.com/ann/0123456789abcdef0123456789abcdef":   "https://gist.githubusercontent.com/ann/0123456789abcdef0123456789abcdef/raw",
		"https://gitlab.com/a/b/c/-/blob/main/doc/x.md":                  "https://gitlab.com/a/b/c/-/raw/main/doc/x.md",
		"https://bitbucket.org/a/b/src/main/x.md":                        "https://bitbucket.org/a/b/raw/main/x.md",
		"https://bitbucket.org/a/b/src/main/":                            "",
		"https://docs.google.com/document/d/1AbcdefghijklmnopqrstU/edit": "https://docs.google.com/document/d/1AbcdefghijklmnopqrstU/export?format=html",
		"https://de.m.wikipedia.org/wiki/Tide":                           "https://de.wikipedia.org/wiki/Tide",
		"https://evil.example/?https://arxiv.org/abs/1706.03762":         "",
		"https://arxiv.org.evil.example/abs/1":                           "",
		"not a url":                                                      "",
	} {
		if got := textAt(rewrites(), from); got != want {
			t.Errorf("%s: %q, want %q", from, got, want)
		}
	}
}

// The text is read where there is one, and the page about it where there is none.
func TestReadFollowsRewrites(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/abs/1", "/abs/2":
			_, _ = w.Write([]byte("<!doctype html><title>Entry</title><main><p>The abstract of a paper about tides.</p></main>"))
		case "/html/1":
			_, _ = w.Write([]byte("<!doctype html><title>Paper</title><main><p>The whole text of a paper about tides.</p></main>"))
		default:
			http.NotFound(w, r)
		}
	}))
	defer s.Close()
	g, err := guard.New(guard.Options{AllowHosts: []string{s.Listener.Addr().String()}})
	if err != nil {
		t.Fatal(err)
	}
	r := NewReader(NewFetcher(Options{Guard: g}))
	r.rewrites = []rewrite{{regexp.MustCompile(`^(.+)/abs/(\d)$`), "$1/html/$2"}}
	for path, want := range map[string]string{"/abs/1": "Paper", "/abs/2": "Entry"} {
		page := r.Read(t.Context(), Request{URL: s.URL + path})
		if page.Outcome != OK || page.Title != want || page.URL != s.URL+path {
			t.Errorf("%s: %s %q %s", path, page.Outcome, page.Title, page.URL)
		}
	}
	if page := r.Read(t.Context(), Request{URL: s.URL + "/abs/3"}); page.Outcome != NotFound {
		t.Errorf("%s", page.Outcome)
	}
}

func TestWindow(t *testing.T) {
	for delay, want := range map[time.Duration]int{0: 16, 100 * time.Millisecond: 16, time.Second: 10, 10 * time.Second: 1, time.Minute: 1} {
		if got := window(8, 20*time.Second, delay); got != want {
			t.Errorf("%v: %d, want %d", delay, got, want)
		}
	}
}
