// Package iqs asks the unified search of Alibaba Cloud's Information Query
// Service, which knows the Chinese web well. Start with [New].
package iqs

import (
	"deepresearch/internal/search"
	"deepresearch/internal/search/wire"
)

// New returns the engine.
func New(opt wire.Options) search.Engine {
	return wire.New(wire.Spec{
		Name: "iqs", Origin: "https://cloud-iqs.aliyuncs.com", KeyName: "IQS_API_KEY",
		Capabilities: search.Capabilities{
			Recency: true, Range: true, FullText: true, MaxQuery: 500, MaxResults: 10, Languages: []string{"zh"}, Cost: 0.005,
		},
		Ask:  ask,
		Read: wire.List("pageItems", wire.Fields{Title: "title", URL: "link", Snippet: "snippet,summary,mainText", Published: "publishedTime", Raw: "markdownText,mainText"}),
	}, opt)
}

var (
	periods    = map[string]string{"day": "OneDay", "week": "OneWeek", "month": "OneMonth", "year": "OneYear"}
	categories = map[string]string{search.Finance: "finance", search.Law: "law", search.Medical: "medical"}
)

func ask(o wire.Options, q search.Query) wire.Request {
	body := wire.Body{
		"query": q.Text, "engineType": "Generic", "timeRange": periods[q.Recency], "category": categories[q.Topic],
		"contents": wire.Body{"mainText": q.FullText, "rerankScore": true},
	}
	if from, to := wire.Dates(q, o.Now()); periods[q.Recency] == "" && from+to != "" {
		body["advancedParams"] = wire.Body{"startPublishedDate": from, "endPublishedDate": to}.Lean()
	}
	return wire.Request{Path: "/search/unified", JSON: body.Lean(), Header: wire.Bearer(o.Key)}
}
