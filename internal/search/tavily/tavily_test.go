package tavily

import (
	"testing"

	"deepresearch/internal/search"
	"deepresearch/internal/search/searchtest"
)

const good = `{"query": "tidal power", "follow_up_questions": null, "answer": null, "images": [], "results": [
 {"title": "Tidal power, explained", "url": "https://example.org/tides", "content": "How tides turn turbines.", "score": 0.93, "raw_content": null},
 {"title": "Barrages in the news", "url": "https://news.example/barrage", "content": "A barrage opened.", "score": 0.81,
  "raw_content": "# Barrages\n\nA barrage opened on Monday.", "published_date": "Mon, 05 Oct 2026 08:00:00 GMT"}],
 "response_time": 0.7, "request_id": "7f"}`

var suite = searchtest.Case{
	New: New, Good: good, Empty: `{"query": "x", "results": [], "response_time": 0.2}`,
	Want: []search.Result{
		{Title: "Tidal power, explained", URL: "https://example.org/tides", Snippet: "How tides turn turbines."},
		{Title: "Barrages in the news", URL: "https://news.example/barrage", Snippet: "A barrage opened.",
			Published: "2026-10-05T08:00:00Z", Raw: "# Barrages\n\nA barrage opened on Monday."},
	},
	Asked: []string{"POST /search", `"query":"tidal power"`, `"max_results":5`, `"time_range":"month"`, `"include_domains":["example.org"]`,
		`"exclude_domains":["spam.example"]`, "Authorization: Bearer "},
}

func TestEngine(t *testing.T) { searchtest.Run(t, suite) }
func FuzzAnswer(f *testing.F) { searchtest.Fuzz(f, suite) }

func TestRecorded(t *testing.T) {
	for file, want := range map[string]int{"tavily/search-basic.json": 5, "tavily/search-include-domains.json": 5, "tavily/search-bound-params.json": 2} {
		results, err := searchtest.Replay(t, New, "application/json", file)
		if err != nil || len(results) != want {
			t.Errorf("%s: got %d results and %v, want %d", file, len(results), err, want)
		}
	}
	body, _ := searchtest.Recorded(t, "tavily/error-400-query-too-long.json")
	_, err := searchtest.Answer(t, New, "application/json", 400, body)
	if f := search.AsFailure("", err); f == nil || f.Kind != search.BadQuery || f.Message != "HTTP 400: Query is too long. Max query length is 400 characters." {
		t.Errorf("got %v, want the words of the engine", err)
	}
}

func TestLimitsOfThePlan(t *testing.T) {
	for _, status := range []int{432, 433} {
		_, err := searchtest.Answer(t, New, "application/json", status, `{"detail": {"error": "This request exceeds your plan's set usage limit."}}`)
		if f := search.AsFailure("", err); f == nil || f.Kind != search.Quota || f.Hint == "" {
			t.Errorf("status %d: got %v", status, err)
		}
	}
}
