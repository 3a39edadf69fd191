package serpapi

import (
	"testing"

	"deepresearch/internal/search"
	"deepresearch/internal/search/searchtest"
)

const good = `{"search_metadata": {"id": "6", "status": "Success"}, "search_parameters": {"engine": "google"}, "organic_results": [
 {"position": 1, "title": "Tidal power, explained", "link": "https://example.org/tides", "snippet": "How tides turn turbines.", "date": "Oct 2, 2026"},
 {"position": 2, "title": "Barrages", "link": "https://example.net/barrage", "snippet": "Barrages."}]}`

const empty = `{"search_metadata": {"status": "Success"}, "search_information": {"organic_results_state": "Fully empty"}, "error": "Google hasn't returned any results for this query."}`

var suite = searchtest.Case{
	New: New, Good: good, Empty: empty,
	Want: []search.Result{
		{Title: "Tidal power, explained", URL: "https://example.org/tides", Snippet: "How tides turn turbines.", Published: "2026-10-02"},
		{Title: "Barrages", URL: "https://example.net/barrage", Snippet: "Barrages."},
	},
	Asked: []string{"GET /search.json?", "engine=google", "q=tidal+power+site%3Aexample.org+-site%3Aspam.example", "num=5", "gl=gb", "hl=en", "tbs=qdr%3Am", "api_key="},
}

func TestEngine(t *testing.T) { searchtest.Run(t, suite) }
func FuzzAnswer(f *testing.F) { searchtest.Fuzz(f, suite) }

func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		kind   search.Kind
	}{
		{429, `{"error": "Your account has run out of searches."}`, search.Quota},
		{429, `{"error": "You are exceeding 200 searches per hour."}`, search.Rate},
		{200, `{"search_metadata": {"status": "Error"}, "error": "We could not get a valid response."}`, search.Degraded},
	} {
		_, err := searchtest.Answer(t, New, "application/json", c.status, c.body)
		if f := search.AsFailure("", err); f == nil || f.Kind != c.kind {
			t.Errorf("%s: got %v, want %s", c.body, err, c.kind)
		}
	}
}

func TestRecordedRefusal(t *testing.T) {
	body, _ := searchtest.Recorded(t, "serpapi/error-401.json")
	_, err := searchtest.Answer(t, New, "application/json", 401, body)
	if f := search.AsFailure("", err); f == nil || f.Kind != search.Auth {
		t.Errorf("got %v", err)
	}
}
