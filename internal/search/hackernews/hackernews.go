// Package hackernews asks the search of Hacker News for stories. Start with
// [New].
package hackernews

import (
	"fmt"
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
		Name: "hackernews", Origin: "https://hn.algolia.com",
		Capabilities: search.Capabilities{
			Recency: true, Range: true, MaxQuery: 500, MaxResults: 50, Topics: []string{search.Code, search.News},
			Pace: search.Pace{Every: 400 * time.Millisecond, Burst: 2, Parallel: 2},
		},
		Ask: ask, Read: read,
	}, opt)
}

func ask(o wire.Options, q search.Query) wire.Request {
	var numeric []string
	if w, err := search.ParseRecency(q.Recency, o.Now()); err == nil {
		if !w.From.IsZero() {
			numeric = append(numeric, fmt.Sprintf("created_at_i>%d", w.From.Unix()))
		}
		if !w.To.IsZero() {
			numeric = append(numeric, fmt.Sprintf("created_at_i<%d", w.To.Unix()))
		}
	}
	return wire.Request{Path: "/api/v1/search", Query: wire.Values(
		"query", q.Text, "tags", "story", "hitsPerPage", strconv.Itoa(q.N), "numericFilters", strings.Join(numeric, ","),
	)}
}

func read(q search.Query, a wire.Reply) ([]search.Result, error) {
	doc, err := a.Document()
	if err != nil {
		return nil, err
	}
	if !doc.Get("hits").IsArray() {
		return wire.List("hits", wire.Fields{})(q, a)
	}
	return wire.Results(doc.Get("hits"), story)
}

// story reads a hit. A story without an address is a question or a text of its
// own and lives on its page of comments.
func story(h gjson.Result) search.Result {
	r := wire.Fields{Title: "title", URL: "url", Snippet: "story_text", Published: "created_at", HTML: true}.Result(h)
	id := h.Get("objectID").String()
	if id == "" {
		return r
	}
	comments := "https://news.ycombinator.com/item?id=" + id
	if r.URL == "" {
		r.URL = comments
	}
	if r.Snippet == "" && h.Get("points").Int() > 0 {
		r.Snippet = fmt.Sprintf("%s (%d points, %d comments on Hacker News)", r.Title, h.Get("points").Int(), h.Get("num_comments").Int())
	}
	return r
}
