package perplexity

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"deepresearch/internal/search"
	"deepresearch/internal/search/searchtest"
	"deepresearch/internal/search/wire"
)

const good = `{"id": "e38", "results": [
 {"title": "Tidal power, explained", "url": "https://example.org/tides", "snippet": "How tides\n turn turbines.", "date": "2026-10-02", "last_updated": "2026-10-20"},
 {"title": "Barrages", "url": "https://example.net/barrage", "snippet": "Barrages.", "date": null, "last_updated": "2026-09-01"}]}`

const goodSonar = `{"id": "7", "model": "sonar", "citations": ["https://example.org/tides", "https://example.net/barrage"],
 "choices": [{"index": 0, "message": {"role": "assistant", "content": "Tides turn turbines.[1][2]"}, "finish_reason": "stop"}]}`

var suite = searchtest.Case{
	New: New, Good: good, Empty: `{"id": "e39", "results": []}`,
	Want: []search.Result{
		{Title: "Tidal power, explained", URL: "https://example.org/tides", Snippet: "How tides turn turbines.", Published: "2026-10-02"},
		{Title: "Barrages", URL: "https://example.net/barrage", Snippet: "Barrages.", Published: "2026-09-01"},
	},
	Asked: []string{"POST /search", `"query":"tidal power"`, `"max_results":5`, `"search_recency_filter":"month"`,
		`"search_domain_filter":["example.org"]`, `"search_language_filter":["en"]`, `"country":"GB"`, "Authorization: Bearer "},
}

func TestEngine(t *testing.T) { searchtest.Run(t, suite) }
func FuzzAnswer(f *testing.F) { searchtest.Fuzz(f, suite) }

var sonarSuite = searchtest.Case{
	New: Sonar, Good: goodSonar, Empty: `{"choices": [{"message": {"content": "I do not know."}}]}`,
	Want: []search.Result{
		{Title: "https://example.org/tides", URL: "https://example.org/tides"},
		{Title: "https://example.net/barrage", URL: "https://example.net/barrage"},
	},
	Asked: []string{"POST /chat/completions", `"model":"sonar"`, `"content":"tidal power"`},
}

func TestSonar(t *testing.T) { searchtest.Run(t, sonarSuite) }
func FuzzSonar(f *testing.F) { searchtest.Fuzz(f, sonarSuite) }

func TestRecordedSonar(t *testing.T) {
	results, err := searchtest.Replay(t, Sonar, "application/json", "perplexity/sonar-citations.json")
	if err != nil || len(results) != 7 || results[1].URL != "https://en.wikipedia.org/wiki/San_Francisco" {
		t.Errorf("got %d results and %v", len(results), err)
	}
}

func TestSonarPrefersResultsWithTitles(t *testing.T) {
	body := strings.Replace(goodSonar, `"choices"`, `"search_results": [{"title": "Tidal power", "url": "https://example.org/tides", "date": "2026-10-02"}], "choices"`, 1)
	results, err := searchtest.Answer(t, Sonar, "application/json", 200, body)
	if err != nil || len(results) != 1 || results[0].Title != "Tidal power" {
		t.Errorf("got %+v and %v", results, err)
	}
}

func TestFilters(t *testing.T) {
	body := filters(wire.Options{}, search.Query{Exclude: []string{"a.example", "b.example"}, Recency: "2026-01-02..2026-02-03"})
	if diff := cmp.Diff(wire.Body{
		"search_domain_filter": []string{"-a.example", "-b.example"}, "search_after_date_filter": "01/02/2026", "search_before_date_filter": "02/03/2026",
	}, body); diff != "" {
		t.Error(diff)
	}
	many := make([]string, 30)
	if got := filters(wire.Options{}, search.Query{Include: many})["search_domain_filter"].([]string); len(got) != mostSites {
		t.Errorf("%d hosts are sent", len(got))
	}
}
