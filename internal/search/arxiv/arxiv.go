// Package arxiv asks the search of arXiv for papers with their abstracts.
// Start with [New].
package arxiv

import (
	"encoding/xml"
	"strconv"
	"strings"
	"time"

	"deepresearch/internal/search"
	"deepresearch/internal/search/wire"
)

// New returns the engine.
func New(opt wire.Options) search.Engine {
	return wire.New(wire.Spec{
		Name: "arxiv", Origin: "https://export.arxiv.org",
		Capabilities: search.Capabilities{
			Recency: true, Range: true, MaxQuery: 300, MaxResults: 100, Site: "arxiv.org", Topics: []string{search.Academic}, Verified: true,
			Pace: search.Pace{Every: 3 * time.Second, Parallel: 1}, // its terms of use
		},
		Ask: ask, Read: read,
	}, opt)
}

// mostWords is how many words of a query arXiv is asked for: it joins them with
// and, so that a long list finds nothing.
const mostWords = 6

func ask(o wire.Options, q search.Query) wire.Request {
	var terms []string
	for _, w := range wire.Words(q.Text, mostWords) {
		terms = append(terms, "all:"+w)
	}
	if len(terms) == 0 {
		terms = []string{`all:"` + strings.ReplaceAll(q.Text, `"`, " ") + `"`}
	}
	if from, to := wire.Dates(q, o.Now()); from+to != "" {
		terms = append(terms, "submittedDate:["+minute(from, "19910101", "0000")+" TO "+minute(to, "29991231", "2359")+"]")
	}
	return wire.Request{
		Path: "/api/query", Header: map[string]string{"Accept": "application/atom+xml"},
		Query: wire.Values("search_query", strings.Join(terms, " AND "), "start", "0", "max_results", strconv.Itoa(q.N), "sortBy", "relevance"),
	}
}

// minute writes a date as 202601310000.
func minute(date, open, clock string) string {
	if date == "" {
		return open + clock
	}
	return strings.ReplaceAll(date, "-", "") + clock
}

type feed struct {
	XMLName xml.Name `xml:"http://www.w3.org/2005/Atom feed"`
	Entries []entry  `xml:"entry"`
}

type entry struct {
	ID        string `xml:"id"`
	Title     string `xml:"title"`
	Summary   string `xml:"summary"`
	Published string `xml:"published"`
}

func read(_ search.Query, a wire.Reply) ([]search.Result, error) {
	var f feed
	if err := xml.Unmarshal(a.Body, &f); err != nil {
		return nil, &search.Failure{Kind: search.LayoutChanged, Message: "the answer is no Atom feed", Cause: err}
	}
	var results []search.Result
	for _, e := range f.Entries {
		if strings.Contains(e.ID, "/api/errors") { // an error is an entry of its own
			return nil, &search.Failure{Kind: search.BadQuery, Message: strings.Join(strings.Fields(e.Summary), " ")}
		}
		if _, id, ok := strings.Cut(e.ID, "arxiv.org/abs/"); ok && strings.TrimSpace(e.Title) != "" {
			abstract := strings.Join(strings.Fields(e.Summary), " ")
			results = append(results, wire.Shortened(search.Result{
				Title: strings.Join(strings.Fields(e.Title), " "), URL: "https://arxiv.org/abs/" + strings.TrimSpace(id),
				Snippet: abstract, Raw: abstract, Published: wire.Date(e.Published),
			}))
		}
	}
	switch {
	case len(f.Entries) == 0:
		return nil, wire.Nothing()
	case len(results) == 0:
		return nil, &search.Failure{Kind: search.LayoutChanged, Message: "the entries of the feed are no papers"}
	}
	return results, nil
}
