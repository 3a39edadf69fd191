package wikipedia

import (
	"net/http"
	"testing"

	"deepresearch/internal/search"
	"deepresearch/internal/search/searchtest"
	"deepresearch/internal/search/wire"
)

func suite(tb testing.TB) searchtest.Case {
	return searchtest.Case{
		New: New, Good: searchtest.Read(tb, "good.json"), Empty: `{"batchcomplete": true}`,
		Want: []search.Result{
			{Title: "Tidal power", URL: "https://en.wikipedia.org/wiki/Tidal_power", Snippet: "Tidal power turns the energy of tides into electricity.", Licence: "CC-BY-SA-4.0"},
			{Title: "Barrage (dam)", URL: "https://en.wikipedia.org/wiki/Barrage_(dam)", Snippet: "A barrage is a low dam with gates.", Licence: "CC-BY-SA-4.0"},
		},
		Asked: []string{"GET /w/api.php?", "gsrsearch=tidal+power", "gsrlimit=5", "ops@example.org"},
		Kinds: map[string]search.Kind{"403": search.Blocked},
	}
}

func TestEngine(t *testing.T) { searchtest.Run(t, suite(t)) }
func FuzzAnswer(f *testing.F) { searchtest.Fuzz(f, suite(f)) }

func TestRecorded(t *testing.T) {
	results, err := searchtest.Replay(t, New, "application/json", "mediawiki/generator-search-extracts.json")
	if err != nil || len(results) != 3 || results[0].Title != "20.6. Replication" {
		t.Errorf("got %d results and %v, want 3 in the order of index", len(results), err)
	}
	for file, kind := range map[string]search.Kind{
		"mediawiki/error.json": search.BadQuery, "mediawiki/error-warning.json": search.LayoutChanged, "mediawiki/list-search.json": search.Empty,
	} {
		_, err := searchtest.Replay(t, New, "application/json", file)
		if f := search.AsFailure("", err); f == nil || f.Kind != kind {
			t.Errorf("%s: got %v, want kind %s", file, err, kind)
		}
	}
}

func TestHostFollowsTheLanguage(t *testing.T) {
	for language, host := range map[string]string{
		"": "en.wikipedia.org", "zh-Hans": "zh.wikipedia.org", "DE": "de.wikipedia.org", "evil.example/": "en.wikipedia.org",
	} {
		var asked string
		e := New(wire.Options{Client: &http.Client{Transport: roundTrip(func(r *http.Request) { asked = r.URL.Host })}})
		e.Search(t.Context(), search.Query{Text: "tides", Language: language, N: 3})
		if asked != host {
			t.Errorf("language %q asks %s, want %s", language, asked, host)
		}
	}
}

type roundTrip func(*http.Request)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) {
	f(r)
	return nil, http.ErrHandlerTimeout
}
