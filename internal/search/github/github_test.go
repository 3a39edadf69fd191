package github

import (
	"net/http"
	"testing"
	"time"

	"deepresearch/internal/search"
	"deepresearch/internal/search/searchtest"
	"deepresearch/internal/search/wire"
)

var suite = searchtest.Case{
	New: New,
	Good: `{"total_count": 2, "incomplete_results": false, "items": [
 {"full_name": "tides/power", "html_url": "https://github.com/tides/power", "description": "Models of tidal power", "pushed_at": "2026-01-02T03:04:05Z", "stargazers_count": 7},
 {"full_name": "tides/empty", "html_url": "https://github.com/tides/empty", "description": null, "pushed_at": null, "created_at": "2025-05-05T00:00:00Z"}]}`,
	Empty: `{"total_count": 0, "incomplete_results": false, "items": []}`,
	Want: []search.Result{
		{Title: "tides/power", URL: "https://github.com/tides/power", Snippet: "Models of tidal power", Published: "2026-01-02T03:04:05Z"},
		{Title: "tides/empty", URL: "https://github.com/tides/empty", Published: "2025-05-05T00:00:00Z"},
	},
	Asked: []string{"GET /search/repositories?", "q=tidal+power+pushed%3A20", "per_page=5", "Authorization: Bearer "},
	Kinds: map[string]search.Kind{},
}

func TestEngine(t *testing.T) { searchtest.Run(t, suite) }
func FuzzAnswer(f *testing.F) { searchtest.Fuzz(f, suite) }

func TestTroubleIsLookedUpInIssues(t *testing.T) {
	for text, path := range map[string]string{"go http client": "/search/repositories", "go http client panic nil map": "/search/issues", "编译 报错": "/search/issues"} {
		if got := ask(wire.Options{}, search.Query{Text: text}).Path; got != path {
			t.Errorf("%q asks %s, want %s", text, got, path)
		}
	}
	if got := ask(wire.Options{}, search.Query{Text: "x"}).Header["Authorization"]; got != "" {
		t.Errorf("without a token %q is sent", got)
	}
}

func TestUsedUpMinute(t *testing.T) {
	at := time.Unix(1767323045, 0)
	f := refused(wire.Reply{Status: 403, At: at, Header: http.Header{"X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"1767323075"}}})
	if f == nil || f.Kind != search.Rate || f.RetryAfter != 30*time.Second {
		t.Errorf("got %+v", f)
	}
	f = refused(wire.Reply{Status: 403, At: at, Header: http.Header{"Retry-After": {"60"}}})
	if f == nil || f.Kind != search.Rate || f.RetryAfter != time.Minute {
		t.Errorf("secondary limit: got %+v", f)
	}
}
