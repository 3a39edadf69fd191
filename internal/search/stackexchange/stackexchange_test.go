package stackexchange

import (
	"strings"
	"testing"
	"time"

	"deepresearch/internal/search"
	"deepresearch/internal/search/searchtest"
	"deepresearch/internal/search/wire"
)

var suite = searchtest.Case{
	New: New,
	Good: `{"items": [
 {"question_id": 1, "title": "How do I compute tidal power in Go &amp; C?", "link": "https://stackoverflow.com/questions/1/tidal", "body": "<p>I have <code>tides</code>.</p><p>And now?</p>",
  "creation_date": 1767323045, "score": 3, "is_answered": true, "answer_count": 2, "content_license": "CC BY-SA 4.0"}],
 "has_more": false, "quota_max": 300, "quota_remaining": 299}`,
	Empty: `{"items": [], "has_more": false, "quota_max": 300, "quota_remaining": 298}`,
	Want: []search.Result{
		{Title: "How do I compute tidal power in Go & C?", URL: "https://stackoverflow.com/questions/1/tidal", Snippet: "I have tides. And now?", Published: "2026-01-02T03:04:05Z", Licence: "CC BY-SA 4.0"},
	},
	Asked: []string{"GET /2.3/search/advanced?", "q=tidal+power", "site=stackoverflow", "filter=withbody", "pagesize=5", "fromdate=1", "key="},
}

func TestEngine(t *testing.T) { searchtest.Run(t, suite) }
func FuzzAnswer(f *testing.F) { searchtest.Fuzz(f, suite) }

func TestThrottleIsStatus400(t *testing.T) {
	_, err := searchtest.Answer(t, New, "application/json", 400,
		`{"error_id": 502, "error_name": "throttle_violation", "error_message": "too many requests from this IP, more requests available in 82 seconds"}`)
	if f := search.AsFailure("", err); f == nil || f.Kind != search.Rate || f.RetryAfter != 82*time.Second {
		t.Errorf("got %+v", f)
	}
}

func TestBackoffOfAGoodAnswerIsObeyed(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	body := strings.Replace(suite.Good, `"has_more"`, `"backoff": 10, "has_more"`, 1)
	e := New(wire.Options{Client: searchtest.Client("application/json", 200, body), Clock: func() time.Time { return now }})
	q := search.Query{Text: "tides", N: 3}
	if _, err := e.Search(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	_, err := e.Search(t.Context(), q)
	if f := search.AsFailure("", err); f == nil || f.Kind != search.Rate || f.RetryAfter != 10*time.Second {
		t.Errorf("within the backoff: got %v", err)
	}
	now = now.Add(11 * time.Second)
	if _, err := e.Search(t.Context(), q); err != nil {
		t.Errorf("after the backoff: got %v", err)
	}
}
