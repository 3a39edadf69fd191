package wayback

import (
	"testing"

	"deepresearch/internal/safe"
	"deepresearch/internal/search"
	"deepresearch/internal/search/searchtest"
	"deepresearch/internal/search/wire"
)

var suite = searchtest.Case{
	New:  New,
	Text: "https://example.org/tides",
	Good: "org,example)/tides 20250102030405 http://example.org/tides text/html 200 AAAA 1234\n" +
		"org,example)/tides 20260102030405 https://example.org/tides text/html 200 BBBB 1250\n\norg%2Cexample\n",
	Empty: "\n", ContentType: "text/plain",
	Want: []search.Result{
		{Title: "https://example.org/tides", URL: "https://web.archive.org/web/20260102030405/https://example.org/tides", Published: "2026-01-02T03:04:05Z",
			Snippet: "Copy of https://example.org/tides kept by the Wayback Machine on 2 January 2026"},
		{Title: "http://example.org/tides", URL: "https://web.archive.org/web/20250102030405/http://example.org/tides", Published: "2025-01-02T03:04:05Z",
			Snippet: "Copy of http://example.org/tides kept by the Wayback Machine on 2 January 2025"},
	},
	Asked: []string{"GET /cdx/search/cdx?", "url=https%3A%2F%2Fexample.org%2Ftides", "filter=statuscode%3A200", "limit=-5", "from=20"},
	Kinds: map[string]search.Kind{"403": search.Blocked, "nothing at all": search.Empty},
}

func TestEngine(t *testing.T) { searchtest.Run(t, suite) }
func FuzzAnswer(f *testing.F) { searchtest.Fuzz(f, suite) }

func TestRecorded(t *testing.T) {
	for _, c := range []struct {
		file string
		kind search.Kind
	}{
		{"wayback/cdx-search.json", ""}, {"wayback/cdx-multipage.json", ""}, {"wayback/cdx-filter.json", ""}, {"wayback/zero_length_cdx.txt", ""},
		{"wayback/malformed_cdx.txt", ""}, {"wayback/bad_timestamp_cdx.txt", ""}, {"wayback/cdx-blocked.json", search.Empty},
	} {
		body, status := searchtest.Recorded(t, c.file)
		e := New(wire.Options{Client: searchtest.Client("text/plain", status, body)})
		results, err := e.Search(t.Context(), search.Query{Text: "https://example.org/", N: 10})
		f := search.AsFailure("", err)
		if c.kind == "" && (f != nil || len(results) == 0) || c.kind != "" && (f == nil || f.Kind != c.kind) {
			t.Errorf("%s: got %d results and %v", c.file, len(results), err)
		}
		for _, r := range results {
			if _, err := safe.URL(r.URL); err != nil {
				t.Errorf("%s: %v", c.file, err)
			}
		}
	}
}

func TestOnlyAddressesAreLookedUp(t *testing.T) {
	_, err := searchtest.Answer(t, New, "text/plain", 200, suite.Good) // asks for words
	if f := search.AsFailure("", err); f == nil || f.Kind != search.BadQuery {
		t.Errorf("got %v", err)
	}
}
