// Package serpapi asks SerpApi, which returns Google's results. Start with
// [New].
package serpapi

import (
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"deepresearch/internal/search"
	"deepresearch/internal/search/wire"
)

// New returns the engine.
func New(opt wire.Options) search.Engine {
	return wire.New(wire.Spec{
		Name: "serpapi", Origin: "https://serpapi.com", KeyName: "SERPAPI_API_KEY",
		Capabilities: search.Capabilities{
			Recency: true, Range: true, Sites: true, Language: true, News: true, Operators: true,
			MaxQuery: 2000, MaxWords: 32, MaxResults: 100, Family: "google", Cost: 0.015,
		},
		Ask: ask, Read: read, Refused: refused,
	}, opt)
}

func ask(o wire.Options, q search.Query) wire.Request {
	vertical := ""
	if q.Topic == search.News {
		vertical = "nws"
	}
	return wire.Request{Path: "/search.json", Query: wire.Values(
		"engine", "google", "q", wire.WithSites(q.Text, q), "api_key", o.Key, "num", strconv.Itoa(q.N), "tbm", vertical,
		"gl", strings.ToLower(q.Region), "hl", wire.Primary(q), "tbs", wire.GooglePeriod(q, o.Now()),
	)}
}

// refused knows that an empty answer is an error text with status 200 and
// success, and that a used up plan is status 429 like too many requests.
func refused(a wire.Reply) *search.Failure {
	said := strings.ToLower(a.Said())
	switch {
	case a.Status == 200 && gjson.GetBytes(a.Body, "search_metadata.status").Str == "Success" && strings.Contains(said, "any results"):
		return wire.Nothing()
	case a.Status == 200 && gjson.GetBytes(a.Body, "error").Type == gjson.String:
		return a.Fail(search.Degraded, "")
	case a.Status == 429 && strings.Contains(said, "run out of searches"):
		return a.Fail(search.Quota, "")
	}
	return nil
}

func read(q search.Query, a wire.Reply) ([]search.Result, error) {
	path := "organic_results"
	if gjson.GetBytes(a.Body, "news_results").Exists() {
		path = "news_results"
	}
	return wire.OptionalList(path, "search_metadata", wire.Fields{Title: "title", URL: "link", Snippet: "snippet", Published: "date"})(q, a)
}
