// Package brave asks the web and news search of Brave, which has an index of
// its own. Start with [New].
package brave

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"deepresearch/internal/search"
	"deepresearch/internal/search/wire"
)

// New returns the engine.
func New(opt wire.Options) search.Engine {
	return wire.New(wire.Spec{
		Name: "brave", Origin: "https://api.search.brave.com", KeyName: "BRAVE_API_KEY",
		Capabilities: search.Capabilities{
			Recency: true, Range: true, Sites: true, Language: true, News: true, Operators: true,
			MaxQuery: 400, MaxWords: 50, MaxResults: 20, Family: "brave", Cost: 0.005,
			Pace: search.Pace{Every: time.Second, Parallel: 1}, // the free plan; others only wait less
		},
		Ask: ask, Read: read, Refused: refused,
	}, opt)
}

var periods = map[string]string{"day": "pd", "week": "pw", "month": "pm", "year": "py"}

func ask(o wire.Options, q search.Query) wire.Request {
	path := "/res/v1/web/search"
	if q.Topic == search.News {
		path = "/res/v1/news/search"
	}
	freshness := periods[q.Recency]
	if from, to := wire.Dates(q, o.Now()); freshness == "" && from+to != "" {
		freshness = cmp.Or(from, "1990-01-01") + "to" + cmp.Or(to, o.Now().UTC().Format(time.DateOnly))
	}
	language := wire.Primary(q)
	if language == "zh" { // Brave knows Chinese by its two scripts only
		language = "zh-hans"
		if q.Region == "TW" || q.Region == "HK" || strings.Contains(strings.ToLower(q.Language), "hant") {
			language = "zh-hant"
		}
	}
	return wire.Request{
		Path: path,
		Query: wire.Values("q", wire.WithSites(q.Text, q), "count", strconv.Itoa(q.N), "freshness", freshness,
			"country", strings.ToUpper(q.Region), "search_lang", language),
		Header: map[string]string{"X-Subscription-Token": o.Key},
	}
}

// refused tells a used up month from a second with too many requests: both are
// status 429.
func refused(a wire.Reply) *search.Failure {
	if a.Status != 429 {
		return nil
	}
	meta := gjson.GetBytes(a.Body, "error.meta")
	if limit := meta.Get("quota_limit").Int(); limit > 0 && meta.Get("quota_current").Int() >= limit {
		return a.Fail(search.Quota, "")
	}
	f := a.Fail(search.Rate, "")
	// X-RateLimit-Reset holds the seconds to the next window of each limit, the
	// shortest first.
	reset, _, _ := strings.Cut(a.Header.Get("X-RateLimit-Reset"), ",")
	if seconds, err := strconv.Atoi(strings.TrimSpace(reset)); err == nil && f.RetryAfter == 0 {
		f.RetryAfter = time.Duration(seconds) * time.Second
	}
	return f
}

var fields = wire.Fields{Title: "title", URL: "url", Snippet: "description", Published: "page_age", HTML: true}

// read takes web results, or the results of the news search. Brave leaves out
// what it did not find.
func read(q search.Query, a wire.Reply) ([]search.Result, error) {
	path := "web.results"
	if gjson.GetBytes(a.Body, "type").Str == "news" {
		path = "results"
	}
	return wire.OptionalList(path, "type", fields)(q, a)
}
