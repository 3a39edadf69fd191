package search

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"deepresearch/internal/rank"
	"deepresearch/internal/safe"
	"deepresearch/internal/text"
)

// page is a result on its way through fusion, with what the stages need to
// know about it.
type page struct {
	Result
	address
	hits    []hit
	title   []string // terms of the title
	words   words    // of title, snippet and the start of the raw text
	print   uint64   // simhash of the snippet, 0 when it is too short to tell
	dropped string
}

// hit is one engine's return of a page.
type hit struct {
	lane   *lane
	rank   int
	unable []string // filters that the engine did not apply
}

// semantic reports whether an engine found the page by meaning.
func (p *page) semantic() bool {
	return slices.ContainsFunc(p.hits, func(h hit) bool { return h.lane.caps.Semantic })
}

// vertical reports whether an engine of one site or subject found the page.
func (p *page) vertical() bool {
	return slices.ContainsFunc(p.hits, func(h hit) bool { return !h.lane.caps.General() })
}

// ofOneSite reports whether an engine that has one site only found the page.
func (p *page) ofOneSite() bool {
	return slices.ContainsFunc(p.hits, func(h hit) bool { return h.lane.caps.Site != "" })
}

// filtered reports whether an engine applied the filter of that name to the
// page.
func (p *page) filtered(filter string) bool {
	return slices.ContainsFunc(p.hits, func(h hit) bool { return !slices.Contains(h.unable, filter) })
}

// first is the best rank of the page in any engine.
func (p *page) first() int {
	best := p.hits[0].rank
	for _, h := range p.hits {
		best = min(best, h.rank)
	}
	return best
}

// longestRaw is how much of a page's raw text speaks for its relevance, in
// bytes.
const longestRaw = 2000

// gather makes one page of all results with one address, in order of first
// appearance by rank.
func gather(replies []reply, query querySet) []*page {
	most := 0
	for _, r := range replies {
		most += len(r.results)
	}
	pages := make(map[string]*page, 2*most) // by key, and by address as an engine wrote it
	inOrder := make([]*page, 0, most)
	for place := 0; ; place++ {
		more := false
		for _, r := range replies {
			if place >= len(r.results) {
				continue
			}
			more = true
			if p, first := pageOf(pages, r.results[place]); first {
				p.addHit(hit{r.lane, place + 1, r.unable})
				inOrder = append(inOrder, p)
			} else {
				p.Result = richer(p.Result, clean(r.results[place]))
				p.addHit(hit{r.lane, place + 1, r.unable})
			}
		}
		if !more {
			break
		}
	}
	for _, p := range inOrder {
		if p.dropped == "" {
			p.read(query)
		}
	}
	return inOrder
}

// pageOf returns the page that a result leads to, by its address or another of
// the same text; first tells that it is new.
func pageOf(pages map[string]*page, r Result) (p *page, first bool) {
	if p = pages[r.URL]; p != nil {
		return p, false
	}
	a, err := readAddress(r.URL)
	if err != nil {
		a = address{shown: r.URL, key: r.URL}
		p = &page{Result: clean(r), address: a, dropped: "without an address of a page"}
	} else if p = pages[a.key]; p == nil {
		p = &page{Result: clean(r), address: a}
		p.Also = nil
	} else {
		pages[r.URL] = p
		return p, false
	}
	pages[r.URL], pages[a.key] = p, p
	for _, other := range r.Also {
		if o, err := readAddress(other); err == nil && pages[o.key] == nil {
			p.Also = append(p.Also, o.shown)
			pages[o.key] = p
		}
	}
	return p, true
}

// addHit notes a hit; of two by one engine the better rank stays.
func (p *page) addHit(h hit) {
	if p.hits == nil {
		p.hits = make([]hit, 0, 4)
	}
	if !slices.ContainsFunc(p.hits, func(o hit) bool { return o.lane == h.lane }) {
		p.hits = append(p.hits, h)
	}
}

// clean returns the result with text that hides nothing.
func clean(r Result) Result {
	r.Title, _ = safe.Text(r.Title)
	r.Snippet, _ = safe.Text(r.Snippet)
	r.Raw, _ = safe.Text(r.Raw)
	return r
}

// richer returns one result with the longer texts of both; the first one's
// title stays unless it is only an address.
func richer(a, b Result) Result {
	if a.Title == "" || strings.Contains(a.Title, "://") {
		a.Title = b.Title
	}
	if len(b.Snippet) > len(a.Snippet) {
		a.Snippet = b.Snippet
	}
	if len(b.Raw) > len(a.Raw) {
		a.Raw = b.Raw
	}
	if len(b.Published) > len(a.Published) {
		a.Published = b.Published
	}
	if a.Licence == "" {
		a.Licence = b.Licence
	}
	return a
}

// shortestPrint is the number of terms below which a snippet is too short for
// its fingerprint to mean anything.
const shortestPrint = 12

// read cuts the page's texts into terms. Words of the title count twice.
func (p *page) read(query querySet) {
	p.title = text.Terms(p.Title)
	snippet := text.Terms(p.Snippet)
	if len(snippet) >= shortestPrint {
		p.print = rank.Simhash(snippet)
	}
	p.words = query.read(query.read(words{}, p.title, 2), snippet, 1)
	if len(p.Raw) > len(p.Snippet) {
		p.words = query.read(p.words, text.Terms(strings.ToValidUTF8(p.Raw[:min(len(p.Raw), longestRaw)], "")), 1)
	}
}

// addressTerms returns the words of an address.
func addressTerms(shown string) []string {
	_, rest, _ := strings.Cut(shown, "://")
	if strings.Contains(rest, "%") {
		if plain, err := url.PathUnescape(rest); err == nil {
			rest = plain
		}
	}
	return text.Terms(punctuation.Replace(rest))
}

var punctuation = strings.NewReplacer("/", " ", "-", " ", "_", " ", ".", " ", "?", " ", "=", " ", "&", " ", "+", " ", "~", " ")

// closePrints is the largest number of differing bits between fingerprints of
// one text: Manku, Jain and Das Sarma, "Detecting near-duplicates for web
// crawling", WWW 2007.
const closePrints = 3

// mergeCopies returns the pages with those that carry one text made one: the
// same title on the same host, or nearly the same snippet under nearly the
// same title. The best ranked address stays, the others are in Also.
func mergeCopies(pages []*page) []*page {
	var kept []*page
	for _, p := range pages {
		i := slices.IndexFunc(kept, func(k *page) bool { return k.dropped == "" && p.dropped == "" && copies(k, p) })
		if i < 0 {
			kept = append(kept, p)
			continue
		}
		kept[i] = joined(kept[i], p)
	}
	return kept
}

func copies(a, b *page) bool {
	if len(a.title) >= 2 && a.host == b.host && slices.Equal(a.title, b.title) {
		return true
	}
	return a.print != 0 && b.print != 0 && rank.Distance(a.print, b.print) <= closePrints &&
		rank.Jaccard(rank.Set(a.title), rank.Set(b.title)) >= 0.5
}

// joined returns a with the hits and texts of its copy b.
func joined(a, b *page) *page {
	j := *a
	j.Result = richer(a.Result, b.Result)
	j.Also = append(append(slices.Clone(a.Also), b.shown), b.Also...)
	j.hits = slices.Clone(a.hits)
	for _, h := range b.hits {
		j.addHit(h)
	}
	return &j
}

// filter drops the pages of unwanted sites and those that a filter of the query
// does not let through.
func (s *Searcher) filter(pages []*page, q request) {
	for _, p := range pages {
		switch {
		case p.dropped != "":
		case s.weights.Of(p.shown) < 0:
			p.dropped = "on a site with negative weight"
		default:
			p.dropped = outside(p, q)
		}
	}
}

// Why pages are dropped that a filter of the query does not let through.
const (
	notIncluded = "not on a host asked for"
	excluded    = "on an excluded host"
	undated     = "without a date"
	otherDate   = "outside the dates asked for"
)

// byFilter reports whether a page was dropped by a filter of the query.
func byFilter(why string) bool {
	return why == notIncluded || why == excluded || why == undated || why == otherDate
}

func outside(p *page, q request) string {
	if len(q.Include) > 0 && !underAny(p.host, q.Include) {
		return notIncluded
	}
	if underAny(p.host, q.Exclude) {
		return excluded
	}
	if q.window.Open() {
		return ""
	}
	from, to, ok := published(p.Published)
	switch {
	case !ok && !p.filtered("recency"):
		return undated
	case ok && (!q.window.From.IsZero() && to.Before(q.window.From) || !q.window.To.IsZero() && from.After(q.window.To)):
		return otherDate
	}
	return ""
}

// published returns the span of time that a date of a result stands for; ok is
// false when there is none.
func published(date string) (from, to time.Time, ok bool) {
	for _, form := range []struct {
		layout              string
		years, months, days int
	}{{time.RFC3339, 0, 0, 0}, {time.DateOnly, 0, 0, 1}, {"2006-01", 0, 1, 0}, {"2006", 1, 0, 0}} {
		if t, err := time.Parse(form.layout, date); err == nil {
			return t, t.AddDate(form.years, form.months, form.days), true
		}
	}
	return from, to, false
}

// note writes how many pages were dropped and why, commonest reason first, as
// far as the reasons are wanted.
func note(pages []*page, wanted func(why string) bool) string {
	counts := map[string]int{}
	for _, p := range pages {
		if p.dropped != "" && wanted(p.dropped) {
			counts[p.dropped]++
		}
	}
	reasons := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	for i, reason := range reasons {
		reasons[i] = fmt.Sprintf("%d %s", counts[reason], reason)
	}
	return strings.Join(reasons, ", ")
}
