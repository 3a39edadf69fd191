package jina

import (
	"testing"

	"deepresearch/internal/search"
	"deepresearch/internal/search/searchtest"
)

const good = `{"code": 200, "status": 20000, "data": [
 {"title": "Tidal power, explained", "url": "https://example.org/tides", "description": "How tides turn turbines.", "date": "Oct 2, 2026", "usage": {"tokens": 1000}},
 {"title": "Barrages", "url": "https://example.net/barrage", "description": "", "content": "A page on barrages."}]}`

var suite = searchtest.Case{
	New: New, Good: good, Empty: `{"code": 200, "status": 20000, "data": []}`,
	Want: []search.Result{
		{Title: "Tidal power, explained", URL: "https://example.org/tides", Snippet: "How tides turn turbines.", Published: "2026-10-02"},
		{Title: "Barrages", URL: "https://example.net/barrage", Snippet: "A page on barrages.", Raw: "A page on barrages."},
	},
	Asked: []string{"GET /?", "q=tidal+power+site%3Aexample.org", "num=5", "gl=gb", "hl=en", "X-Respond-With: no-content", "Authorization: Bearer "},
}

func TestEngine(t *testing.T) { searchtest.Run(t, suite) }
func FuzzAnswer(f *testing.F) { searchtest.Fuzz(f, suite) }

func TestNothingFoundIsStatus422(t *testing.T) {
	_, err := searchtest.Answer(t, New, "application/json", 422, `{"data": null, "code": 422, "name": "AssertionFailureError", "message": "No search results available for query xyz"}`)
	if f := search.AsFailure("", err); f == nil || f.Kind != search.Empty {
		t.Errorf("got %v", err)
	}
}
