package europepmc

import (
	"testing"

	"deepresearch/internal/search"
	"deepresearch/internal/search/searchtest"
)

var suite = searchtest.Case{
	New: New,
	Good: `{"version": "6.9", "hitCount": 2, "resultList": {"result": [
 {"id": "123", "source": "MED", "pmid": "123", "pmcid": "PMC9", "doi": "10.1000/tides.1", "title": "Tidal <i>power</i> &amp; health.", "isOpenAccess": "Y", "license": "cc by",
  "abstractText": "<h4>Background</h4>Tides turn.", "firstPublicationDate": "2026-01-02", "pubYear": "2026"},
 {"id": "PPR7", "source": "PPR", "title": "Barrages.", "isOpenAccess": "N", "pubYear": "2025"}]}}`,
	Empty: `{"version": "6.9", "hitCount": 0, "resultList": {"result": []}}`,
	Want: []search.Result{
		{Title: "Tidal power & health.", URL: "https://doi.org/10.1000/tides.1", Snippet: "Background Tides turn.", Raw: "Background Tides turn.", Published: "2026-01-02",
			Licence: "cc by", Also: []string{"https://pmc.ncbi.nlm.nih.gov/articles/PMC9/", "https://europepmc.org/article/MED/123"}},
		{Title: "Barrages.", URL: "https://europepmc.org/article/PPR/PPR7", Published: "2025"},
	},
	Asked: []string{"GET /europepmc/webservices/rest/search?", "resultType=core", "pageSize=5", "query=%28tidal+power%29+AND+%28FIRST_PDATE%3A%5B20"},
	Kinds: map[string]search.Kind{"403": search.Blocked},
}

func TestEngine(t *testing.T) { searchtest.Run(t, suite) }
func FuzzAnswer(f *testing.F) { searchtest.Fuzz(f, suite) }

func TestErrorWithStatus200(t *testing.T) {
	_, err := searchtest.Answer(t, New, "application/json", 200, `{"version": "6.9", "errCode": 404, "errMsg": "No query given"}`)
	if f := search.AsFailure("", err); f == nil || f.Kind != search.BadQuery || f.Message != "No query given" {
		t.Errorf("got %v", err)
	}
}
