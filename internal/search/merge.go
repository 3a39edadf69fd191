package search

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"deepresearch/internal/rank"
	"deepresearch/internal/text"
)

// rrfK dampens the difference between neighbouring ranks: Cormack, Clarke and
// Büttcher, "Reciprocal rank fusion outperforms Condorcet", SIGIR 2009.
const rrfK = 60

// The most pages of one host in an answer.
const (
	perHost         = 2
	perOfficialHost = 4
)

// Why pages are dropped that there were better ones than.
const (
	overHost   = "better pages of its host"
	overNumber = "beyond the number asked for"
)

// otherLanguage is the factor for a page in another language than the one
// asked for: the distance of about ten ranks.
const otherLanguage = 0.85

// merge makes one answer of the replies: one page an address, copies joined,
// filters applied, unrelated pages dropped, the rest ordered by votes of the
// indexes and of the words, weighed by site and age, few a host.
func (s *Searcher) merge(q request, replies []reply) Answer {
	query := text.Terms(q.Text)
	set := setOf(query)
	pages := gather(replies, set)
	s.filter(pages, q)
	pages = mergeCopies(pages)
	traces := s.score(pages, q, query, set)
	order := ordered(pages, traces)
	capHosts(pages, order, q)
	cut(pages, order, q.N)
	a := Answer{Query: q.Text, Results: []Result{}, Failures: []Failure{}, Warnings: []string{}}
	for _, i := range order {
		p, t := pages[i], traces[i]
		t.Dropped = p.dropped
		a.Trace = append(a.Trace, t)
		if p.dropped == "" {
			a.Results = append(a.Results, p.result(len(a.Results)+1, t.Score))
		}
	}
	if len(q.private) > 0 {
		a.Warnings = append(a.Warnings, "the query was sent without what is private in it: "+strings.Join(q.private, ", "))
	}
	account(&a, replies, pages)
	return a
}

// score weighs every page; the stages' scores are in the traces.
func (s *Searcher) score(pages []*page, q request, query []string, set querySet) []Trace {
	traces := make([]Trace, len(pages))
	overlaps := gate(pages, set)
	fit := byWords(pages, query, set)
	half := halfLife(q, s.now())
	for i, p := range pages {
		t := Trace{
			URL: p.shown, Ranks: make([]EngineRank, len(p.hits)), Votes: votes(p, q.topics), Overlap: overlaps[i],
			BM25: fit[i].score, Site: s.weights.Of(p.shown), Freshness: freshness(p.Published, half, s.now()),
		}
		for n, h := range p.hits {
			t.Ranks[n] = EngineRank{h.lane.engine.Name(), h.rank}
		}
		t.Score = (t.Votes + fit[i].vote) * (1 + t.Site) * t.Freshness * inLanguage(p, q.Language)
		traces[i] = t
	}
	return traces
}

// votes is the sum of reciprocal ranks; each index family has one vote, that
// of its engine which speaks highest for the page.
func votes(p *page, topics []string) float64 {
	sum := 0.0
	for i, h := range p.hits {
		family := h.lane.family()
		vote := h.vote(topics)
		if slices.ContainsFunc(p.hits[:i], func(o hit) bool { return o.lane.family() == family }) {
			continue
		}
		for _, o := range p.hits[i+1:] {
			if o.lane.family() == family {
				vote = max(vote, o.vote(topics))
			}
		}
		sum += vote
	}
	return sum
}

// vote is the reciprocal rank of a hit, by the weight of its engine.
func (h hit) vote(topics []string) float64 { return h.lane.weight(topics) / float64(rrfK+h.rank) }

// worded is how well the words of a page fit the query.
type worded struct{ score, vote float64 }

// byWords ranks the pages by BM25 of their terms. The words have one vote, as
// an index has: scores of engines and of words do not compare, ranks do.
func byWords(pages []*page, query []string, set querySet) []worded {
	index := rank.NewIndex(rank.Options{})
	var terms []string
	for _, p := range pages {
		terms = terms[:0]
		if p.dropped == "" {
			terms = p.words.appendTo(terms, set)
		}
		index.Add(terms)
	}
	votes := make([]worded, len(pages))
	for place, h := range index.Search(query, len(pages)) {
		votes[h.Doc] = worded{h.Score, 1 / float64(rrfK+place+1)}
	}
	return votes
}

// inLanguage returns the factor for a page that may be in another language than
// the one asked for. Engines apply the language loosely, and short texts
// deceive: pages are moved, not dropped.
func inLanguage(p *page, language string) float64 {
	if language == "" {
		return 1
	}
	want, _, _ := strings.Cut(strings.ToLower(language), "-")
	if got := text.Language(p.Title + ". " + p.Snippet); got == "und" || got == want {
		return 1
	}
	return otherLanguage
}

// ordered returns the places of pages by score, dropped ones last.
func ordered(pages []*page, traces []Trace) []int {
	order := make([]int, len(pages))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := pages[i], pages[j]
		if (a.dropped == "") != (b.dropped == "") {
			if a.dropped == "" {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(traces[j].Score, traces[i].Score), cmp.Compare(a.first(), b.first()), cmp.Compare(a.key, b.key))
	})
	return order
}

// capHosts drops all but the best pages of a host. Hosts that were asked for
// and engines of one site are not capped.
func capHosts(pages []*page, order []int, q request) {
	seen := map[string]int{}
	for _, i := range order {
		p := pages[i]
		if p.dropped != "" || len(q.Include) > 0 || p.ofOneSite() {
			continue
		}
		most := perHost
		if official(p.shown) {
			most = perOfficialHost
		}
		if seen[p.host] >= most {
			p.dropped = overHost
			continue
		}
		seen[p.host]++
	}
}

// cut drops what is beyond the number of results asked for.
func cut(pages []*page, order []int, n int) {
	for _, i := range order {
		switch {
		case pages[i].dropped != "":
		case n > 0:
			n--
		default:
			pages[i].dropped = overNumber
		}
	}
}

// result returns the page as it is answered.
func (p *page) result(place int, score float64) Result {
	r := p.Result
	r.Rank, r.Score, r.URL = place, score, p.shown
	hits := slices.Clone(p.hits)
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(a.rank, b.rank) })
	r.Engines = nil
	for _, h := range hits {
		r.Engines = append(r.Engines, h.lane.engine.Name())
	}
	return r
}

// account adds calls, failures and warnings to the answer. An engine of which
// nothing was of use has a failure, too.
func account(a *Answer, replies []reply, pages []*page) {
	for _, r := range replies {
		if r.call.Failure == nil {
			r.call.Failure = r.useless(pages)
		}
		a.Calls = append(a.Calls, r.call)
		if r.extra != nil {
			a.Suggestions = append(a.Suggestions, Suggestion{r.call.Engine, r.extra.Queries, r.extra.HTML})
		}
		a.Warnings = append(a.Warnings, r.notes...)
		if r.call.Failure != nil {
			a.Failures = append(a.Failures, *r.call.Failure)
		}
	}
	a.Warnings = append(a.Warnings, unableWarnings(replies)...)
	if names := enginesThat(replies, func(r reply) bool { return r.call.Shortened && (r.call.Requests > 0 || len(r.results) > 0) }); names != "" {
		a.Warnings = append(a.Warnings, "the query is too long for "+names+": only its beginning was asked there")
	}
	if said := note(pages, byFilter); said != "" {
		a.Warnings = append(a.Warnings, "results left out: "+said)
	}
}

// useless returns the failure of an engine all of whose results were dropped by
// gate or filters, nil when one was of use.
func (r reply) useless(pages []*page) *Failure {
	var mine []*page
	kind := Degraded
	for _, p := range pages {
		if !slices.ContainsFunc(p.hits, func(h hit) bool { return h.lane == r.lane }) {
			continue
		}
		if p.dropped == "" || p.dropped == overHost || p.dropped == overNumber {
			return nil
		}
		if p.dropped != unrelated {
			kind = Empty
		}
		mine = append(mine, p)
	}
	if len(mine) == 0 {
		return nil
	}
	why := note(mine, func(string) bool { return true })
	return &Failure{Engine: r.call.Engine, Kind: kind, Message: fmt.Sprintf("%d results, none of use: %s", len(mine), why)}
}

// unableWarnings names, filter by filter, the engines that cannot honour it.
func unableWarnings(replies []reply) []string {
	var warnings []string
	for _, filter := range []string{"recency", "sites", "language"} {
		if names := enginesThat(replies, func(r reply) bool { return slices.Contains(r.unable, filter) }); names != "" {
			warnings = append(warnings, fmt.Sprintf("the filter %s is applied here, not by %s", filter, names))
		}
	}
	return warnings
}

// enginesThat names the engines whose replies are so, separated by commas.
func enginesThat(replies []reply, are func(reply) bool) string {
	var names []string
	for _, r := range replies {
		if are(r) {
			names = append(names, r.call.Engine)
		}
	}
	return strings.Join(names, ", ")
}
