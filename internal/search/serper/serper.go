// Package serper asks Serper, which returns Google's results. Start with [New].
package serper

import (
	"strings"

	"github.com/tidwall/gjson"

	"deepresearch/internal/search"
	"deepresearch/internal/search/wire"
)

// New returns the engine.
func New(opt wire.Options) search.Engine {
	return wire.New(wire.Spec{
		Name: "serper", Origin: "https://google.serper.dev", KeyName: "SERPER_API_KEY",
		Capabilities: search.Capabilities{
			Recency: true, Range: true, Sites: true, Language: true, News: true, Operators: true,
			MaxQuery: 2000, MaxWords: 32, MaxResults: 100, Family: "google", Cost: 0.001,
		},
		Ask: ask, Read: read, Refused: refused,
	}, opt)
}

func ask(o wire.Options, q search.Query) wire.Request {
	path := "/search"
	if q.Topic == search.News {
		path = "/news"
	}
	return wire.Request{
		Path: path, Header: map[string]string{"X-API-KEY": o.Key},
		JSON: wire.Body{
			"q": wire.WithSites(q.Text, q), "num": q.N, "gl": strings.ToLower(q.Region), "hl": wire.Primary(q), "tbs": wire.GooglePeriod(q, o.Now()),
		}.Lean(),
	}
}

// refused knows that an account without credits is status 400.
func refused(a wire.Reply) *search.Failure {
	if a.Status == 400 && strings.Contains(strings.ToLower(a.Said()), "credit") {
		return a.Fail(search.Quota, "")
	}
	return nil
}

func read(q search.Query, a wire.Reply) ([]search.Result, error) {
	path := "organic"
	if gjson.GetBytes(a.Body, "news").Exists() {
		path = "news"
	}
	return wire.OptionalList(path, "searchParameters", wire.Fields{Title: "title", URL: "link", Snippet: "snippet", Published: "date"})(q, a)
}
