// Package perplexity asks the search interface of Perplexity, which returns
// passages of pages, and, as an engine of its own, the Sonar model, of whose
// answer only the addresses it cites are taken. Start with [New] or [Sonar].
package perplexity

import (
	"time"

	"github.com/tidwall/gjson"

	"deepresearch/internal/search"
	"deepresearch/internal/search/wire"
)

const (
	origin  = "https://api.perplexity.ai"
	keyName = "PERPLEXITY_API_KEY"
)

// New returns the search engine.
func New(opt wire.Options) search.Engine {
	return wire.New(wire.Spec{
		Name: "perplexity", Origin: origin, KeyName: keyName,
		Capabilities: search.Capabilities{
			Recency: true, Range: true, Sites: true, Language: true, Semantic: true, MaxQuery: 1000, MaxResults: 20,
			Family: "perplexity", Cost: 0.005,
		},
		Ask: func(o wire.Options, q search.Query) wire.Request {
			body := filters(o, q)
			body["query"], body["max_results"], body["country"] = q.Text, q.N, q.Region
			return wire.Request{Path: "/search", JSON: body.Lean(), Header: wire.Bearer(o.Key)}
		},
		Read: wire.List("results", wire.Fields{Title: "title", URL: "url", Snippet: "snippet", Published: "date,last_updated"}),
	}, opt)
}

// Sonar returns the answering model as an engine. It costs more than a search
// and is asked by name only.
func Sonar(opt wire.Options) search.Engine {
	return wire.New(wire.Spec{
		Name: "sonar", Origin: origin, KeyName: keyName, NamedOnly: true,
		Capabilities: search.Capabilities{
			Recency: true, Range: true, Sites: true, Language: true, Semantic: true, MaxQuery: 1000,
			Family: "perplexity", Cost: 0.006, Verified: true,
		},
		Ask: func(o wire.Options, q search.Query) wire.Request {
			body := filters(o, q)
			body["model"], body["messages"] = "sonar", []wire.Body{{"role": "user", "content": q.Text}}
			return wire.Request{Path: "/chat/completions", JSON: body.Lean(), Header: wire.Bearer(o.Key)}
		},
		Read: readSonar,
	}, opt)
}

// mostSites is how many hosts a filter takes.
const mostSites = 20

// filters are the parts of a request that both interfaces share.
func filters(o wire.Options, q search.Query) wire.Body {
	body := wire.Body{}
	sites := q.Include // hosts to search and hosts to leave out do not mix
	if len(sites) == 0 {
		for _, host := range q.Exclude {
			sites = append(sites, "-"+host)
		}
	}
	body["search_domain_filter"] = sites[:min(len(sites), mostSites)]
	if language := wire.Primary(q); language != "" {
		body["search_language_filter"] = []string{language}
	}
	switch q.Recency {
	case "day", "week", "month", "year":
		body["search_recency_filter"] = q.Recency
	default:
		from, to := wire.Dates(q, o.Now())
		body["search_after_date_filter"], body["search_before_date_filter"] = american(from), american(to)
	}
	return body
}

// american writes a date as 01/31/2026, empty for none.
func american(date string) string {
	t, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return ""
	}
	return t.Format("01/02/2006")
}

// readSonar takes the pages that the answer rests on. The answer itself is
// text of a model, not of a page: it is left aside.
func readSonar(q search.Query, a wire.Reply) ([]search.Result, error) {
	doc, err := a.Document()
	if err != nil {
		return nil, err
	}
	if pages := doc.Get("search_results"); pages.IsArray() && len(pages.Array()) > 0 {
		return wire.Results(pages, wire.Fields{Title: "title", URL: "url", Snippet: "snippet", Published: "date"}.Result)
	}
	cited := doc.Get("citations")
	if !cited.IsArray() && doc.Get("choices").IsArray() {
		return nil, wire.Nothing()
	}
	if !cited.IsArray() {
		return wire.List("citations", wire.Fields{})(q, a)
	}
	return wire.Results(cited, func(v gjson.Result) search.Result { return search.Result{URL: v.Str} })
}
