// Package searxng asks a SearXNG instance of the user's own over its JSON
// interface. Public instances allow a handful of such requests an hour and are
// of no use. Start with [New].
package searxng

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/tidwall/gjson"

	"deepresearch/internal/search"
	"deepresearch/internal/search/wire"
)

// New returns the engine. Options.BaseURL is the address of the instance.
func New(opt wire.Options) search.Engine {
	return wire.New(wire.Spec{
		Name:   "searxng",
		ByName: true,
		Origin: "http://127.0.0.1:8888",
		Capabilities: search.Capabilities{
			Recency: true, Sites: true, Language: true, News: true, Operators: true, MaxQuery: 500,
			Verified: true,
		},
		Ask: ask, Read: read, Refused: refused,
	}, opt)
}

func ask(_ wire.Options, q search.Query) wire.Request {
	v := url.Values{"q": {wire.WithSites(plain(q.Text), q)}, "format": {"json"}, "safesearch": {"0"}}
	if q.Language != "" {
		v.Set("language", q.Language)
	}
	if q.Recency != "" {
		v.Set("time_range", q.Recency)
	}
	switch q.Topic {
	case search.News:
		v.Set("categories", "news")
	case search.Academic, search.Medical:
		v.Set("categories", "general,science")
	case search.Code:
		v.Set("categories", "general,it")
	}
	return wire.Request{Path: "/search", Query: v}
}

// plain takes out what SearXNG reads as orders to itself: !engine, :language
// and ?external at the start of a word.
func plain(text string) string {
	words := strings.Fields(text)
	for i, w := range words {
		words[i] = strings.TrimLeft(w, "!:?")
	}
	return strings.Join(words, " ")
}

// refused explains the two refusals that nearly every new instance meets.
func refused(a wire.Reply) *search.Failure {
	switch a.Status {
	case 403:
		return a.Fail(search.Blocked, "Add json to search.formats in the settings.yml of the SearXNG instance.")
	case 429:
		return a.Fail(search.Rate, "The limiter of the SearXNG instance counts API requests: switch it off for this address.")
	}
	return nil
}

var fields = wire.Fields{Title: "title", URL: "url", Snippet: "content", Published: "publishedDate"}

func read(q search.Query, a wire.Reply) ([]search.Result, error) {
	doc, err := a.Document()
	if err != nil {
		return nil, err
	}
	hits := doc.Get("results")
	if !hits.IsArray() {
		return wire.List("results", fields)(q, a)
	}
	silent := unresponsive(doc.Get("unresponsive_engines"))
	results, err := wire.Results(hits, fields.Result)
	if silent == "" {
		return results, err
	}
	return results, &search.Failure{
		Kind: search.Degraded, Message: fmt.Sprintf("engines of the instance did not answer: %s", silent),
		Hint: "Look at the engine statistics of the SearXNG instance.",
	}
}

// unresponsive lists the engines behind the instance that failed, with their
// reasons.
func unresponsive(list gjson.Result) string {
	var silent []string
	for _, pair := range list.Array() {
		silent = append(silent, fmt.Sprintf("%s (%s)", pair.Get("0").String(), pair.Get("1").String()))
	}
	return strings.Join(silent, ", ")
}
