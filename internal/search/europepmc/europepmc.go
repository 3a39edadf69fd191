// Package europepmc asks Europe PMC for papers of the life sciences with their
// abstracts. Start with [New].
package europepmc

import (
	"cmp"
	"strconv"
	"time"

	"github.com/tidwall/gjson"

	"deepresearch/internal/search"
	"deepresearch/internal/search/wire"
)

// New returns the engine.
func New(opt wire.Options) search.Engine {
	return wire.New(wire.Spec{
		Name: "europepmc", Origin: "https://www.ebi.ac.uk",
		Capabilities: search.Capabilities{
			Recency: true, Range: true, MaxQuery: 500, MaxWords: 16, MaxResults: 100, Topics: []string{search.Medical, search.Academic},
			Pace: search.Pace{Every: 200 * time.Millisecond, Burst: 2, Parallel: 2},
		},
		Ask: ask, Read: read, Refused: refused,
	}, opt)
}

func ask(o wire.Options, q search.Query) wire.Request {
	query := q.Text
	if from, to := wire.Dates(q, o.Now()); from+to != "" {
		query = "(" + query + ") AND (FIRST_PDATE:[" + cmp.Or(from, "1700-01-01") + " TO " + cmp.Or(to, "2999-12-31") + "])"
	}
	return wire.Request{Path: "/europepmc/webservices/rest/search", Query: wire.Values(
		"query", query, "format", "json", "resultType", "core", "pageSize", strconv.Itoa(q.N),
	)}
}

// refused reads the error that comes with status 200.
func refused(a wire.Reply) *search.Failure {
	if said := gjson.GetBytes(a.Body, "errMsg"); said.Type == gjson.String {
		return &search.Failure{Kind: search.BadQuery, Message: said.Str}
	}
	return nil
}

func read(q search.Query, a wire.Reply) ([]search.Result, error) {
	doc, err := a.Document()
	if err != nil {
		return nil, err
	}
	if !doc.Get("resultList.result").IsArray() {
		return wire.List("resultList.result", wire.Fields{})(q, a)
	}
	return wire.Results(doc.Get("resultList.result"), paper)
}

func paper(p gjson.Result) search.Result {
	r := wire.Fields{Title: "title", Snippet: "abstractText", Published: "firstPublicationDate,pubYear", HTML: true}.Result(p)
	r.Raw = wire.Plain(p.Get("abstractText").String())
	doi, pmc, source, id := p.Get("doi").String(), p.Get("pmcid").String(), p.Get("source").String(), p.Get("id").String()
	var at []string
	if doi != "" {
		at = append(at, "https://doi.org/"+doi)
	}
	if pmc != "" && p.Get("isOpenAccess").String() == "Y" { // the full text, without a wall
		at = append(at, "https://pmc.ncbi.nlm.nih.gov/articles/"+pmc+"/")
		r.Licence = p.Get("license").String()
	}
	if source != "" && id != "" {
		at = append(at, "https://europepmc.org/article/"+source+"/"+id)
	}
	for i, address := range at {
		if i == 0 {
			r.URL = address
			continue
		}
		r.Also = append(r.Also, address)
	}
	return r
}
