// Package tavily asks the search interface of Tavily. Start with [New].
package tavily

import (
	"deepresearch/internal/search"
	"deepresearch/internal/search/wire"
)

// New returns the engine.
func New(opt wire.Options) search.Engine {
	return wire.New(wire.Spec{
		Name: "tavily", Origin: "https://api.tavily.com", KeyName: "TAVILY_API_KEY",
		Capabilities: search.Capabilities{
			Recency: true, Range: true, Sites: true, News: true, FullText: true, Operators: true,
			MaxQuery: 400, MaxResults: 20, Cost: 0.008, Verified: true,
		},
		Ask: ask, Refused: refused,
		Read: wire.List("results", wire.Fields{Title: "title", URL: "url", Snippet: "content", Published: "published_date", Raw: "raw_content"}),
	}, opt)
}

func ask(o wire.Options, q search.Query) wire.Request {
	body := wire.Body{
		"query": q.Text, "max_results": q.N, "search_depth": "basic", "topic": "general",
		"include_domains": q.Include, "exclude_domains": q.Exclude,
	}
	if q.Topic == search.News || q.Topic == search.Finance {
		body["topic"] = q.Topic
	}
	switch q.Recency {
	case "day", "week", "month", "year":
		body["time_range"] = q.Recency
	default:
		body["start_date"], body["end_date"] = wire.Dates(q, o.Now())
	}
	if q.FullText {
		body["include_raw_content"] = "markdown"
	}
	return wire.Request{Path: "/search", JSON: body.Lean(), Header: wire.Bearer(o.Key)}
}

// refused knows the two statuses of Tavily's own: a plan and a pay-as-you-go
// limit that are reached.
func refused(a wire.Reply) *search.Failure {
	if a.Status == 432 || a.Status == 433 {
		return a.Fail(search.Quota, "")
	}
	return nil
}
