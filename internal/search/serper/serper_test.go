package serper

import (
	"testing"
	"time"

	"deepresearch/internal/search"
	"deepresearch/internal/search/searchtest"
)

const good = `{"searchParameters": {"q": "tidal power", "type": "search", "num": 5}, "answerBox": {"answer": "no page"}, "organic": [
 {"title": "Tidal power, explained", "link": "https://example.org/tides", "snippet": "How tides turn turbines.", "position": 1, "date": "Oct 2, 2026"},
 {"title": "Barrages", "link": "https://example.net/barrage", "snippet": "Barrages.", "position": 2}], "credits": 1}`

var suite = searchtest.Case{
	New: New, Good: good, Empty: `{"searchParameters": {"q": "x"}, "organic": [], "credits": 1}`,
	Want: []search.Result{
		{Title: "Tidal power, explained", URL: "https://example.org/tides", Snippet: "How tides turn turbines.", Published: "2026-10-02"},
		{Title: "Barrages", URL: "https://example.net/barrage", Snippet: "Barrages."},
	},
	Asked: []string{"POST /search", `"q":"tidal power site:example.org -site:spam.example"`, `"num":5`, `"gl":"gb"`, `"hl":"en"`, `"tbs":"qdr:m"`, "X-Api-Key: "},
}

func TestEngine(t *testing.T) { searchtest.Run(t, suite) }
func FuzzAnswer(f *testing.F) { searchtest.Fuzz(f, suite) }

func TestNewsCountBackFromNow(t *testing.T) {
	results, err := searchtest.Answer(t, New, "application/json", 200, `{"searchParameters": {"type": "news"}, "news": [{"title": "A", "link": "https://a.example/", "date": "3 days ago"}]}`)
	if want := time.Now().UTC().AddDate(0, 0, -3).Format(time.DateOnly); err != nil || len(results) != 1 || results[0].Published != want {
		t.Errorf("got %+v and %v, want one of %s", results, err, want)
	}
}

func TestAnAccountWithoutCredits(t *testing.T) {
	_, err := searchtest.Answer(t, New, "application/json", 400, `{"message": "Not enough credits", "statusCode": 400}`)
	if f := search.AsFailure("", err); f == nil || f.Kind != search.Quota {
		t.Errorf("got %v", err)
	}
}
