package openalex

import (
	"testing"

	"deepresearch/internal/search"
	"deepresearch/internal/search/searchtest"
)

var suite = searchtest.Case{
	New: New,
	Good: `{"meta": {"count": 2, "cost_usd": 0.001}, "results": [
 {"id": "https://openalex.org/W1", "doi": "https://doi.org/10.1000/tides.1", "title": "Tidal power, explained", "publication_date": "2026-01-02",
  "abstract_inverted_index": {"tides": [1, 4], "How": [0], "turn": [2, 3], "again.": [5]},
  "primary_location": {"landing_page_url": "https://doi.org/10.1000/tides.1", "source": {"display_name": "Journal of Tides"}},
  "best_oa_location": {"landing_page_url": "https://open.example/tides", "pdf_url": null}},
 {"id": "https://openalex.org/W2", "doi": null, "title": "Barrages", "publication_date": "2025-05-05", "abstract_inverted_index": null,
  "primary_location": {"landing_page_url": null, "source": {"display_name": "Journal of Dams"}}, "best_oa_location": null}]}`,
	Empty: `{"meta": {"count": 0}, "results": []}`,
	Want: []search.Result{
		{Title: "Tidal power, explained", URL: "https://doi.org/10.1000/tides.1", Snippet: "How tides turn turn tides again.", Raw: "How tides turn turn tides again.",
			Published: "2026-01-02", Also: []string{"https://open.example/tides"}},
		{Title: "Barrages", URL: "https://openalex.org/W2", Snippet: "Journal of Dams", Published: "2025-05-05"},
	},
	Asked: []string{"GET /works?", "search=tidal+power", "per-page=5", "filter=from_publication_date%3A20", "api_key="},
}

func TestEngine(t *testing.T) { searchtest.Run(t, suite) }
func FuzzAnswer(f *testing.F) { searchtest.Fuzz(f, suite) }

func TestRecorded(t *testing.T) {
	results, err := searchtest.Replay(t, New, "application/json", "openalex/works-search-trimmed.json")
	if err != nil || len(results) != 1 || results[0].URL != "https://doi.org/10.1016/j.neucom.2021.03.091" || results[0].Snippet != "Neurocomputing" {
		t.Errorf("got %+v and %v", results, err)
	}
}
