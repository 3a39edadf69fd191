package searxng

import (
	"errors"
	"strings"
	"testing"

	"deepresearch/internal/search"
	"deepresearch/internal/search/searchtest"
)

func suite(tb testing.TB) searchtest.Case {
	return searchtest.Case{
		New: New, Good: searchtest.Read(tb, "good.json"), Empty: searchtest.Read(tb, "empty.json"),
		Want: []search.Result{
			{Title: "Tidal power, explained", URL: "https://example.org/tides", Snippet: "How tides turn turbines.", Published: "2026-10-02T08:00:00Z"},
			{Title: "https://example.org/barrage", URL: "https://example.org/barrage"},
		},
		Asked: []string{"GET /search?", "format=json", "time_range=month", "language=en", "q=tidal+power+site%3Aexample.org+-site%3Aspam.example"},
		Kinds: map[string]search.Kind{"403": search.Blocked},
	}
}

func TestEngine(t *testing.T) { searchtest.Run(t, suite(t)) }
func FuzzAnswer(f *testing.F) { searchtest.Fuzz(f, suite(f)) }

func TestRecorded(t *testing.T) {
	for _, c := range []struct {
		file    string
		first   string
		kind    search.Kind
		message string
	}{
		{"searx/search-degraded.json", "http://www.rfc.test:18080/rfc/rfc2914.html", search.Degraded, "corpus-slow (timeout)"},
		{"searx/search-page2.json", "", "", ""},
		{"searx/search-no-url-results.json", "http://sqlite.test:18080/c3ref/wal_checkpoint_v2.html", "", ""},
		{"searx/search-empty.json", "", search.Empty, "no results"},
		{"searx/error-no-query.json", "", search.LayoutChanged, "results"},
	} {
		t.Run(c.file, func(t *testing.T) {
			results, err := searchtest.Replay(t, New, "application/json", c.file)
			f := search.AsFailure("searxng", err)
			if c.kind == "" && f != nil || c.kind != "" && (f == nil || f.Kind != c.kind || !strings.Contains(f.Message, c.message)) {
				t.Fatalf("failure %v, want kind %q with %q", f, c.kind, c.message)
			}
			if c.first != "" && (len(results) == 0 || results[0].URL != c.first) {
				t.Errorf("%d results, want the first to be %s", len(results), c.first)
			}
		})
	}
}

func TestNothingFoundByHalfAnInstanceIsDegraded(t *testing.T) {
	body := strings.Replace(searchtest.Read(t, "empty.json"), `"unresponsive_engines": []`, `"unresponsive_engines": [["one", "CAPTCHA"]]`, 1)
	results, err := searchtest.Answer(t, New, "application/json", 200, body)
	var f *search.Failure
	if !errors.As(err, &f) || f.Kind != search.Degraded || len(results) > 0 || !strings.Contains(f.Message, "one (CAPTCHA)") {
		t.Errorf("got %d results and %v, want none and a failure that names the engine", len(results), err)
	}
}

func TestRefusalsSayWhatToChange(t *testing.T) {
	for status, hint := range map[int]string{403: "search.formats", 429: "limiter"} {
		_, err := searchtest.Answer(t, New, "text/html", status, "no")
		if f := search.AsFailure("", err); f == nil || !strings.Contains(f.Hint, hint) {
			t.Errorf("status %d: %+v, want a hint about %s", status, f, hint)
		}
	}
}

func TestOrdersToTheInstanceAreTakenOut(t *testing.T) {
	if got := plain("!g :fr what is ?x a:b"); got != "g fr what is x a:b" {
		t.Errorf("got %q", got)
	}
}
