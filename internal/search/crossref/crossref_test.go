package crossref

import (
	"testing"

	"deepresearch/internal/search"
	"deepresearch/internal/search/searchtest"
)

var suite = searchtest.Case{
	New: New,
	Good: `{"status": "ok", "message-type": "work-list", "message": {"total-results": 2, "items": [
 {"DOI": "10.1000/tides.1", "URL": "https://doi.org/10.1000/tides.1", "title": ["Tidal <i>power</i>, explained"], "container-title": ["Journal of Tides"],
  "abstract": "<jats:title>Abstract</jats:title><jats:p>How tides turn &amp; turn.</jats:p>", "published": {"date-parts": [[2026, 1, 2]]}},
 {"DOI": "10.1000/tides.2", "container-title": ["Journal of Tides"], "published": {"date-parts": [[2025]]}}]}}`,
	Empty: `{"status": "ok", "message": {"total-results": 0, "items": []}}`,
	Want: []search.Result{
		{Title: "Tidal power, explained", URL: "https://doi.org/10.1000/tides.1", Snippet: "Abstract How tides turn & turn.", Raw: "Abstract How tides turn & turn.", Published: "2026-01-02"},
		{Title: "https://doi.org/10.1000/tides.2", URL: "https://doi.org/10.1000/tides.2", Snippet: "Journal of Tides", Published: "2025"},
	},
	Asked: []string{"GET /works?", "query.bibliographic=tidal+power", "rows=5", "filter=from-pub-date%3A20", "mailto=ops%40example.org"},
	Kinds: map[string]search.Kind{"403": search.Blocked},
}

func TestEngine(t *testing.T) { searchtest.Run(t, suite) }
func FuzzAnswer(f *testing.F) { searchtest.Fuzz(f, suite) }

func TestRecorded(t *testing.T) {
	for file, want := range map[string]int{"crossref/works-query.json": 2, "crossref/works-select.json": 20, "crossref/works-field-query.json": 20} {
		results, err := searchtest.Replay(t, New, "application/json", file)
		if err != nil || len(results) != want {
			t.Errorf("%s: got %d results and %v, want %d", file, len(results), err, want)
		}
	}
	for file, kind := range map[string]search.Kind{"crossref/error-404.json": search.LayoutChanged, "crossref/error-filter.json": search.BadQuery} {
		_, err := searchtest.Replay(t, New, "text/plain", file)
		if f := search.AsFailure("", err); f == nil || f.Kind != kind || len(f.Message) < len("HTTP 400: x") {
			t.Errorf("%s: got %v, want %s with the words of the answer", file, err, kind)
		}
	}
}
