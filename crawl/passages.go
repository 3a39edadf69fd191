package crawl

import (
	"cmp"
	"slices"
	"strings"

	"deepresearch/crawl/document"
	"deepresearch/internal/rank"
	"deepresearch/internal/text"
)

// Passage is a stretch of a page that speaks of a query.
type Passage struct {
	text.Span          // in Document.Text of the page
	Text      string   `json:"text"`
	Path      []string `json:"path"`  // the headings above it, outermost first
	Score     float64  `json:"score"` // comparable within one answer
	Page      int      `json:"-"`     // index of its page
}

// leastScore is the part of the best score below which a passage has little to
// say.
const leastScore = 0.3

// Passages returns the passages of the pages that speak of the query, best
// first, as many as fit into so many tokens (at least one, when there is any).
// The score is BM25 over passages with the headings above them, times the share
// of the query's terms that a passage holds.
func Passages(pages []Page, query string, tokens int) []Passage {
	terms := slices.Compact(slices.Sorted(slices.Values(text.Terms(query))))
	if len(terms) == 0 {
		terms = text.Words(query)
	}
	index := rank.NewIndex(rank.Options{})
	var all []Passage
	var held []float64 // share of the terms
	for i, page := range pages {
		if page.Document == nil {
			continue
		}
		for _, p := range page.Document.Passages(document.PassageOptions{}) {
			words := text.Words(strings.Join(p.Path, " ") + " " + p.In(page.Document.Text))
			index.Add(words)
			all = append(all, Passage{Span: p.Span, Text: p.In(page.Document.Text), Path: p.Path, Page: i})
			held = append(held, shareOf(terms, words))
		}
	}
	hits := index.Search(terms, len(all))
	for i := range hits {
		hits[i].Score *= 0.5 + 0.5*held[hits[i].Doc]
	}
	slices.SortStableFunc(hits, func(a, b rank.Hit) int { return cmp.Compare(b.Score, a.Score) })
	var out []Passage
	for _, h := range hits {
		p := all[h.Doc]
		p.Score = h.Score
		size := estimateTokens(p.Text) + estimateTokens(strings.Join(p.Path, " ")) + passageOverhead
		if len(out) > 0 && p.Score < leastScore*out[0].Score {
			break
		}
		if len(out) > 0 && size > tokens {
			continue
		}
		tokens -= size
		out = append(out, p)
	}
	return out
}

// passageOverhead is about what offsets and delimiters of a passage take.
const passageOverhead = 25

// shareOf is the part of the terms that stands among words.
func shareOf(terms, words []string) float64 {
	n := 0
	for _, t := range terms {
		if slices.Contains(words, t) {
			n++
		}
	}
	return float64(n) / float64(max(len(terms), 1))
}
