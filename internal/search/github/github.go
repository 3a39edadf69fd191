// Package github asks GitHub for repositories, or for issues when the query is
// about something that does not work. Start with [New].
package github

import (
	"cmp"
	"regexp"
	"strconv"
	"sync"
	"time"

	"deepresearch/internal/search"
	"deepresearch/internal/search/wire"
)

// New returns the engine.
func New(opt wire.Options) search.Engine {
	pace := search.Pace{Every: 6 * time.Second, Burst: 4, Parallel: 1} // ten a minute; with a token thirty
	if opt.Key != "" {
		pace.Every = 2 * time.Second
	}
	return wire.New(wire.Spec{
		Name: "github", Origin: "https://api.github.com", KeyName: "GITHUB_TOKEN", KeyOptional: true,
		Capabilities: search.Capabilities{
			Recency: true, Range: true, MaxQuery: 200, MaxWords: 6, MaxResults: 50, Site: "github.com", Topics: []string{search.Code}, Pace: pace,
		},
		Ask: ask, Refused: refused,
		Read: wire.List("items", wire.Fields{Title: "full_name,title", URL: "html_url", Snippet: "description,body", Published: "pushed_at,created_at"}),
	}, opt)
}

// trouble are words of queries about something that does not work.
var trouble = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:error|exception|fails?|failed|failing|failure|bug|crash\w*|panic|segfault|issue|regression|not working|broken|cannot|can't|timeout|leak)\b|报错|异常|失败|崩溃`)
})

func ask(o wire.Options, q search.Query) wire.Request {
	path, date, query := "/search/repositories", "pushed", q.Text
	if trouble().MatchString(q.Text) {
		path, date = "/search/issues", "created"
	}
	if from, to := wire.Dates(q, o.Now()); from+to != "" {
		query += " " + date + ":" + cmp.Or(from, "*") + ".." + cmp.Or(to, "*")
	}
	header := map[string]string{"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}
	if o.Key != "" {
		header["Authorization"] = "Bearer " + o.Key
	}
	return wire.Request{Path: path, Header: header, Query: wire.Values("q", query, "per_page", strconv.Itoa(q.N))}
}

// refused knows that a used up minute is status 403 or 429 with a time of day
// at which it is over.
func refused(a wire.Reply) *search.Failure {
	if a.Status != 403 && a.Status != 429 {
		return nil
	}
	limited := a.Header.Get("X-RateLimit-Remaining") == "0"
	if a.Status == 403 && !limited && a.Header.Get("Retry-After") == "" {
		return nil
	}
	f := a.Fail(search.Rate, "")
	if reset, err := strconv.ParseInt(a.Header.Get("X-RateLimit-Reset"), 10, 64); err == nil && limited && f.RetryAfter == 0 {
		f.RetryAfter = max(time.Unix(reset, 0).Sub(a.At), time.Second)
	}
	return f
}
