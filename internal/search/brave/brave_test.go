package brave

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"deepresearch/internal/search"
	"deepresearch/internal/search/searchtest"
	"deepresearch/internal/search/wire"
)

const good = `{"type": "search", "query": {"original": "tidal power"}, "web": {"type": "search", "results": [
 {"title": "Tidal <strong>power</strong> &amp; you", "url": "https://example.org/tides", "description": "How <strong>tides</strong> turn turbines.",
  "age": "October 2, 2026", "page_age": "2026-10-02T08:00:00", "language": "en", "extra_snippets": ["More."]},
 {"title": "Barrages", "url": "https://example.net/barrage", "description": ""}]}}`

var suite = searchtest.Case{
	New: New, Good: good, Empty: `{"type": "search", "query": {"original": "x"}}`,
	Want: []search.Result{
		{Title: "Tidal power & you", URL: "https://example.org/tides", Snippet: "How tides turn turbines.", Published: "2026-10-02T08:00:00Z"},
		{Title: "Barrages", URL: "https://example.net/barrage"},
	},
	Asked: []string{"GET /res/v1/web/search?", "q=tidal+power+site%3Aexample.org+-site%3Aspam.example", "count=5", "freshness=pm", "country=GB", "search_lang=en", "X-Subscription-Token: "},
}

func TestEngine(t *testing.T) { searchtest.Run(t, suite) }
func FuzzAnswer(f *testing.F) { searchtest.Fuzz(f, suite) }

func TestNewsHaveTheirOwnList(t *testing.T) {
	results, err := searchtest.Answer(t, New, "application/json", 200, `{"type": "news", "results": [{"title": "A", "url": "https://a.example/", "description": "B"}]}`)
	if err != nil || len(results) != 1 {
		t.Errorf("got %v and %v", results, err)
	}
}

func TestTooManyRequestsOrTooFewCredits(t *testing.T) {
	body, _ := searchtest.Recorded(t, "brave/error-429.json")
	_, err := searchtest.Answer(t, New, "application/json", 429, body)
	if f := search.AsFailure("", err); f == nil || f.Kind != search.Rate || !strings.Contains(f.Message, "Request rate limit exceeded") {
		t.Errorf("recorded: got %v", err)
	}
	_, err = searchtest.Answer(t, New, "application/json", 429, `{"error": {"code": "QUOTA_LIMITED", "meta": {"quota_limit": 2000, "quota_current": 2000}}}`)
	if f := search.AsFailure("", err); f == nil || f.Kind != search.Quota {
		t.Errorf("a used up month: got %v", err)
	}
}

func TestResetIsObeyed(t *testing.T) {
	f := refused(wire.Reply{Status: 429, Header: http.Header{"X-Ratelimit-Reset": {"2, 1419704"}}})
	if f.RetryAfter != 2*time.Second {
		t.Errorf("RetryAfter is %s", f.RetryAfter)
	}
}

func TestRequest(t *testing.T) {
	at := func() time.Time { return time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC) }
	for _, c := range []struct {
		q    search.Query
		want string
	}{
		{search.Query{Text: "x", Recency: "2026-01-02..2026-02-03"}, "freshness=2026-01-02to2026-02-03"},
		{search.Query{Text: "x", Recency: "2026-01-02.."}, "freshness=2026-01-02to2026-11-30"},
		{search.Query{Text: "x", Recency: "..2026-02-03"}, "freshness=1990-01-01to2026-02-03"},
		{search.Query{Text: "x", Language: "zh", Region: "CN"}, "search_lang=zh-hans"},
		{search.Query{Text: "x", Language: "zh-Hant"}, "search_lang=zh-hant"},
	} {
		if got := ask(wire.Options{Clock: at}, c.q).Query.Encode(); !strings.Contains(got, c.want) {
			t.Errorf("%+v asks %s, want %s", c.q, got, c.want)
		}
	}
	if got := ask(wire.Options{}, search.Query{Text: "x", Topic: search.News}).Path; got != "/res/v1/news/search" {
		t.Errorf("news are asked at %s", got)
	}
}
