package duckduckgo

import (
	"strings"
	"testing"
	"time"

	"deepresearch/internal/search"
	"deepresearch/internal/search/searchtest"
	"deepresearch/internal/search/wire"
)

func suite(tb testing.TB) searchtest.Case {
	return searchtest.Case{
		New: New, Good: searchtest.Read(tb, "good.html"), Empty: searchtest.Read(tb, "empty.html"), ContentType: "text/html",
		Want: []search.Result{
			{Title: "Tidal power & you", URL: "https://example.org/tides?a=1&b=2", Snippet: "How tides turn turbines."},
			{Title: "Direct link", URL: "http://example.net/"},
		},
		Asked: []string{"POST /html/", "q=tidal+power+site%3Aexample.org+-site%3Aspam.example", "kl=uk-en", "df=m", "b=&", "Sec-Fetch-Mode: navigate", "Cookie: "},
		Kinds: map[string]search.Kind{"403": search.Blocked},
	}
}

func TestEngine(t *testing.T) { searchtest.Run(t, suite(t)) }
func FuzzAnswer(f *testing.F) { searchtest.Fuzz(f, suite(f)) }

func TestChallengeIsBlocked(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
	}{
		"202 with the page":    {202, searchtest.Read(t, "challenge.html")},
		"200 with the page":    {200, searchtest.Read(t, "challenge.html")},
		"202 without the page": {202, "<html></html>"},
	} {
		_, err := searchtest.Answer(t, New, "text/html", c.status, c.body)
		if f := search.AsFailure("", err); f == nil || f.Kind != search.Blocked || f.Hint == "" {
			t.Errorf("%s: got %v, want a failure of kind blocked with a hint", name, err)
		}
	}
}

func TestRecorded(t *testing.T) {
	results, err := searchtest.Replay(t, New, "text/html", "duckduckgo/html-results.html")
	if err != nil || len(results) != 10 || results[0].URL != "https://rust-lang.org/" || !strings.Contains(results[9].URL, "programiz.com/rust") {
		t.Errorf("got %d results and %v", len(results), err)
	}
	for _, r := range results {
		if r.Snippet == "" || strings.Contains(r.URL, "duckduckgo.com") {
			t.Errorf("result without snippet or with a redirect: %+v", r)
		}
	}
	_, err = searchtest.Replay(t, New, "text/html", "duckduckgo/anomaly-challenge.html")
	if f := search.AsFailure("", err); f == nil || f.Kind != search.Blocked {
		t.Errorf("challenge: got %v", err)
	}
	_, err = searchtest.Replay(t, New, "text/html", "duckduckgo/lite-results.html")
	if f := search.AsFailure("", err); f == nil || f.Kind != search.LayoutChanged {
		t.Errorf("another layout: got %v", err)
	}
}

func TestRegion(t *testing.T) {
	for _, c := range []struct{ country, language, want string }{
		{"", "en", ""}, {"GB", "en", "uk-en"}, {"US", "es", "us-es"}, {"US", "", "us-en"}, {"CN", "zh", "cn-zh"},
		{"JP", "ja", "jp-jp"}, {"TW", "zh-Hant", "tw-tzh"}, {"CH", "fr-CH", "ch-fr"}, {"SI", "sl", "sl-sl"}, {"ZZ", "en", ""}, {"usa", "en", ""},
	} {
		if got := region(c.country, c.language); got != c.want {
			t.Errorf("region(%q, %q) = %q, want %q", c.country, c.language, got, c.want)
		}
	}
}

func TestPeriod(t *testing.T) {
	o := wire.Options{Clock: func() time.Time { return time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC) }}
	for recency, want := range map[string]string{
		"": "", "week": "w", "2026-01-02..2026-02-03": "2026-01-02..2026-02-03", "2026-01-02..": "2026-01-02..2026-11-30", "..2026-02-03": "1990-01-01..2026-02-03",
	} {
		if got := period(o, search.Query{Recency: recency}); got != want {
			t.Errorf("%q: %q, want %q", recency, got, want)
		}
	}
}
