// Package exa asks Exa, which finds pages by meaning. Start with [New].
package exa

import (
	"deepresearch/internal/search"
	"deepresearch/internal/search/wire"
)

// New returns the engine.
func New(opt wire.Options) search.Engine {
	return wire.New(wire.Spec{
		Name: "exa", Origin: "https://api.exa.ai", KeyName: "EXA_API_KEY",
		Capabilities: search.Capabilities{
			Recency: true, Range: true, Sites: true, News: true, FullText: true, Semantic: true,
			MaxQuery: 1000, MaxResults: 100, Cost: 0.006,
		},
		Ask:  ask,
		Read: wire.List("results", wire.Fields{Title: "title", URL: "url", Snippet: "highlights,summary,text", Published: "publishedDate", Raw: "text"}),
	}, opt)
}

// categories of Exa by topic.
var categories = map[string]string{search.News: "news", search.Academic: "research paper"}

func ask(o wire.Options, q search.Query) wire.Request {
	contents := wire.Body{"highlights": true}
	if q.FullText {
		contents["text"] = true
	}
	from, to := wire.Dates(q, o.Now())
	return wire.Request{
		Path: "/search", Header: map[string]string{"x-api-key": o.Key},
		JSON: wire.Body{
			"query": q.Text, "type": "auto", "numResults": q.N, "category": categories[q.Topic], "userLocation": q.Region,
			"includeDomains": q.Include, "excludeDomains": q.Exclude,
			"startPublishedDate": from, "endPublishedDate": to, "contents": contents,
		}.Lean(),
	}
}
