package citations

import (
	"net/url"
	"slices"
	"strings"
)

// Metrics grade a report by its own verdicts. Shares lie between 0 and 1 and are
// 0 when there is nothing to count.
type Metrics struct {
	Claims             int           `json:"claims"`              // sentences that claim something
	CitedClaims        int           `json:"cited_claims"`        // of them with a mark
	ClaimsCited        float64       `json:"claims_cited"`        // CitedClaims / Claims
	CitationAccuracy   float64       `json:"citation_accuracy"`   // quoted or supported / cited claims that were decided
	Decided            int           `json:"decided"`             // cited claims with a label other than unchecked
	EffectiveCitations int           `json:"effective_citations"` // pairs of a quoted or supported claim and a source it cites
	Sources            int           `json:"sources"`             // listed
	UniqueSources      int           `json:"unique_sources"`      // cited, by address
	UncitedSources     int           `json:"uncited_sources"`     // listed, never cited
	OneSourceClaims    int           `json:"one_source_claims"`   // cited claims that rest on one source
	Hosts              int           `json:"hosts"`               // host:port of cited sources
	QuoteExactness     float64       `json:"quote_exactness"`     // quotes that equal the archive at their offsets / quotes looked up
	Labels             map[Label]int `json:"labels"`
}

// Measure counts the claims and sources of a report. texts gives the archived
// text of a source and may be nil: quote exactness is then not looked up.
func Measure(claims []Claim, sources []Source, texts func(Source) (string, bool)) Metrics {
	m := Metrics{Claims: len(claims), Sources: len(sources), Labels: map[Label]int{}}
	used := map[int]bool{}
	good := 0
	for _, c := range claims {
		m.Labels[c.Label]++
		for _, n := range c.Marks {
			used[n] = true
		}
		if len(c.Marks) == 0 {
			continue
		}
		m.CitedClaims++
		if len(c.Marks) == 1 {
			m.OneSourceClaims++
		}
		if c.Label != Unchecked {
			m.Decided++
		}
		if c.Label == Quoted || c.Label == Supported {
			good++
			m.EffectiveCitations += len(c.Marks)
		}
	}
	m.ClaimsCited = share(m.CitedClaims, m.Claims)
	m.CitationAccuracy = share(good, m.Decided)
	m.countSources(sources, used)
	m.QuoteExactness = exactness(sources, texts)
	return m
}

func (m *Metrics) countSources(sources []Source, used map[int]bool) {
	var hosts, addresses []string
	for _, s := range sources {
		if !used[s.N] {
			m.UncitedSources++
			continue
		}
		if id := s.identity(); !slices.Contains(addresses, id) {
			addresses = append(addresses, id)
		}
		if host := s.host(); host != "" && !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	m.UniqueSources, m.Hosts = len(addresses), len(hosts)
}

// host is host:port of the source's address as it is written, "" for files.
func (s Source) host() string {
	u, err := url.Parse(s.URL)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Host)
}

func exactness(sources []Source, texts func(Source) (string, bool)) float64 {
	if texts == nil {
		return 0
	}
	exact, looked := 0, 0
	for _, s := range sources {
		page, ok := texts(s)
		if !ok {
			continue
		}
		for _, q := range s.Quotes {
			looked++
			if q.Start >= 0 && q.Start <= q.End && q.End <= len(page) && page[q.Start:q.End] == q.Text {
				exact++
			}
		}
	}
	return share(exact, looked)
}

func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
