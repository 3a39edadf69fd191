package searchtest

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/tidwall/gjson"

	"deepresearch/internal/search"
	"deepresearch/internal/search/wire"
)

// Recorded returns the body of a recorded answer, named like
// tavily/search-basic.json, and its status. It skips the test when the
// recordings are not there: they are kept outside the repository, in
// DEEPRESEARCH_FIXTURES or next to it.
func Recorded(tb testing.TB, name string) (body string, status int) {
	tb.Helper()
	folder := os.Getenv("DEEPRESEARCH_FIXTURES")
	if folder == "" {
		folder = filepath.Join(root(tb), "..", "shared", "fixtures")
	}
	b, err := os.ReadFile(filepath.Join(folder, "search", filepath.FromSlash(name)))
	if err != nil {
		tb.Skipf("no recorded answers: set DEEPRESEARCH_FIXTURES to their folder (%v)", err)
	}
	if !gjson.ValidBytes(b) || !gjson.GetBytes(b, "request").Exists() {
		return string(b), http.StatusOK
	}
	answer := gjson.GetBytes(b, "body")
	if !answer.Exists() {
		answer = gjson.GetBytes(b, "response")
	}
	if answer.Type == gjson.String {
		return answer.Str, int(gjson.GetBytes(b, "status").Int())
	}
	return answer.Raw, int(gjson.GetBytes(b, "status").Int())
}

// root returns the folder of go.mod above the test.
func root(tb testing.TB) string {
	tb.Helper()
	dir, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for range 10 {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		dir = filepath.Dir(dir)
	}
	tb.Fatal("no go.mod above the test")
	return ""
}

// Replay asks an engine whose server sends the recorded answer of that name.
func Replay(tb testing.TB, newEngine func(wire.Options) search.Engine, contentType, name string) ([]search.Result, error) {
	tb.Helper()
	body, status := Recorded(tb, name)
	return Answer(tb, newEngine, contentType, status, body)
}

// Answer asks an engine whose server sends this answer.
func Answer(tb testing.TB, newEngine func(wire.Options) search.Engine, contentType string, status int, body string) ([]search.Result, error) {
	tb.Helper()
	e := newEngine(wire.Options{Client: Client(contentType, status, body), Key: secret})
	return e.Search(tb.Context(), search.Query{Text: usual, N: 10})
}

// Client returns a client that gets this answer to every request.
func Client(contentType string, status int, body string) *http.Client {
	return &http.Client{Transport: fixed{contentType, body, status, nil}}
}
