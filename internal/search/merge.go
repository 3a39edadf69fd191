package search

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// rrfK dampens the difference between neighbouring ranks: Cormack, Clarke and
// Büttcher, "Reciprocal rank fusion outperforms Condorcet", SIGIR 2009.
const rrfK = 60

// merge makes one answer of the replies.
func (s *Searcher) merge(q Query, window Window, replies []reply) Answer {
	a := Answer{Query: q.Text}
	pages := map[string]*Result{}
	votes := map[string]map[string]float64{}
	for _, r := range replies {
		a.Calls = append(a.Calls, r.call)
		a.Warnings = append(a.Warnings, r.notes...)
		if r.call.Failure != nil {
			a.Failures = append(a.Failures, *r.call.Failure)
		}
		for i, hit := range r.results {
			p := pages[hit.URL]
			if p == nil {
				p = &hit
				p.Engines = nil
				pages[hit.URL], votes[hit.URL] = p, map[string]float64{}
			}
			p.Engines = append(p.Engines, r.call.Engine)
			family := cmp.Or(r.lane.caps.Family, r.call.Engine)
			votes[hit.URL][family] = max(votes[hit.URL][family], 1.0/float64(rrfK+i+1))
		}
	}
	a.Warnings = append(a.Warnings, unableWarnings(replies)...)
	for url, p := range pages {
		for _, v := range votes[url] {
			p.Score += v
		}
		a.Results = append(a.Results, *p)
	}
	slices.SortFunc(a.Results, func(x, y Result) int {
		return cmp.Or(cmp.Compare(y.Score, x.Score), cmp.Compare(x.URL, y.URL))
	})
	a.Results = a.Results[:min(len(a.Results), q.N)]
	for i := range a.Results {
		a.Results[i].Rank = i + 1
	}
	return a
}

// unableWarnings names, filter by filter, the engines that cannot honour it.
func unableWarnings(replies []reply) []string {
	var warnings []string
	for _, filter := range []string{"recency", "sites", "language"} {
		var names []string
		for _, r := range replies {
			if slices.Contains(r.unable, filter) {
				names = append(names, r.call.Engine)
			}
		}
		if len(names) > 0 {
			warnings = append(warnings, fmt.Sprintf("the filter %s is applied here, not by %s", filter, strings.Join(names, ", ")))
		}
	}
	return warnings
}
