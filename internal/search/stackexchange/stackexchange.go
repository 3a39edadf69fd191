// Package stackexchange asks Stack Overflow for questions. Start with [New].
package stackexchange

import (
	"regexp"
	"strconv"
	"sync"
	"time"

	"github.com/tidwall/gjson"

	"deepresearch/internal/search"
	"deepresearch/internal/search/wire"
)

// New returns the engine.
func New(opt wire.Options) search.Engine {
	return wire.New(wire.Spec{
		Name: "stackexchange", Origin: "https://api.stackexchange.com", KeyName: "STACKEXCHANGE_API_KEY", KeyOptional: true,
		Capabilities: search.Capabilities{
			Recency: true, Range: true, MaxQuery: 240, MaxWords: 8, MaxResults: 50, Site: "stackoverflow.com", Topics: []string{search.Code},
			Pace: search.Pace{Every: 500 * time.Millisecond, Burst: 2, Parallel: 1},
		},
		Ask: ask, Read: read, Refused: refused, Wait: backoff,
	}, opt)
}

func ask(o wire.Options, q search.Query) wire.Request {
	var from, to string
	if w, err := search.ParseRecency(q.Recency, o.Now()); err == nil {
		from, to = unix(w.From), unix(w.To)
	}
	return wire.Request{Path: "/2.3/search/advanced", Query: wire.Values(
		"q", q.Text, "site", "stackoverflow", "sort", "relevance", "order", "desc", "filter", "withbody",
		"pagesize", strconv.Itoa(q.N), "fromdate", from, "todate", to, "key", o.Key,
	)}
}

func unix(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return strconv.FormatInt(t.Unix(), 10)
}

// seconds finds the wait in the text of a throttle.
var seconds = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`in ([0-9]{1,6}) seconds`) })

// refused knows that too many requests are status 400.
func refused(a wire.Reply) *search.Failure {
	if gjson.GetBytes(a.Body, "error_name").Str != "throttle_violation" {
		return nil
	}
	f := a.Fail(search.Rate, "")
	if m := seconds().FindStringSubmatch(f.Message); m != nil && f.RetryAfter == 0 {
		n, _ := strconv.Atoi(m[1]) // digits
		f.RetryAfter = time.Duration(n) * time.Second
	}
	return f
}

// backoff is the wait that a good answer may ask for, in seconds.
func backoff(a wire.Reply) time.Duration {
	return time.Duration(min(gjson.GetBytes(a.Body, "backoff").Int(), 3600)) * time.Second
}

func read(q search.Query, a wire.Reply) ([]search.Result, error) {
	doc, err := a.Document()
	if err != nil {
		return nil, err
	}
	if !doc.Get("items").IsArray() {
		return wire.List("items", wire.Fields{})(q, a)
	}
	return wire.Results(doc.Get("items"), func(item gjson.Result) search.Result {
		r := wire.Fields{Title: "title", URL: "link", Snippet: "body", Published: "creation_date", HTML: true}.Result(item)
		r.Licence = item.Get("content_license").String()
		return r
	})
}
