// Package jina asks the search interface of Jina. Start with [New].
package jina

import (
	"strconv"
	"strings"

	"deepresearch/internal/search"
	"deepresearch/internal/search/wire"
)

// New returns the engine.
func New(opt wire.Options) search.Engine {
	return wire.New(wire.Spec{
		Name: "jina", Origin: "https://s.jina.ai", KeyName: "JINA_API_KEY",
		Capabilities: search.Capabilities{
			Sites: true, Language: true, FullText: true, Operators: true, MaxQuery: 500, MaxResults: 20,
			Cost: 0.0005, // at least 10,000 tokens are billed
		},
		Ask: ask, Refused: refused,
		Read: wire.List("data", wire.Fields{Title: "title", URL: "url", Snippet: "description,content", Published: "date,publishedTime", Raw: "content"}),
	}, opt)
}

func ask(o wire.Options, q search.Query) wire.Request {
	header := wire.Bearer(o.Key)
	if !q.FullText {
		header["X-Respond-With"] = "no-content"
	}
	return wire.Request{
		Path: "/", Header: header,
		Query: wire.Values("q", wire.WithSites(q.Text, q), "num", strconv.Itoa(q.N), "gl", strings.ToLower(q.Region), "hl", wire.Primary(q)),
	}
}

// refused knows that an empty answer is status 422.
func refused(a wire.Reply) *search.Failure {
	if a.Status == 422 && strings.Contains(strings.ToLower(a.Said()), "no search results") {
		return wire.Nothing()
	}
	return nil
}
