package exa

import (
	"testing"

	"deepresearch/internal/search"
	"deepresearch/internal/search/searchtest"
)

const good = `{"requestId": "b5", "resolvedSearchType": "neural", "results": [
 {"id": "https://example.org/tides", "title": "Tidal power, explained", "url": "https://example.org/tides", "publishedDate": "2026-10-02T00:00:00.000Z", "author": "A", "score": 0.36,
  "highlights": ["How tides turn turbines.", "Twice a day."], "highlightScores": [0.4, 0.3]},
 {"id": "2", "title": "", "url": "https://example.net/barrage", "publishedDate": null, "text": "A page on barrages."}],
 "costDollars": {"total": 0.006}}`

var suite = searchtest.Case{
	New: New, Good: good, Empty: `{"requestId": "b6", "results": []}`,
	Want: []search.Result{
		{Title: "Tidal power, explained", URL: "https://example.org/tides", Snippet: "How tides turn turbines. … Twice a day.", Published: "2026-10-02T00:00:00Z"},
		{Title: "https://example.net/barrage", URL: "https://example.net/barrage", Snippet: "A page on barrages.", Raw: "A page on barrages."},
	},
	Asked: []string{"POST /search", `"query":"tidal power"`, `"numResults":5`, `"includeDomains":["example.org"]`, `"excludeDomains":["spam.example"]`, `"startPublishedDate":"20`, "X-Api-Key: "},
}

func TestEngine(t *testing.T) { searchtest.Run(t, suite) }
func FuzzAnswer(f *testing.F) { searchtest.Fuzz(f, suite) }
