package search

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// querySet holds the distinct terms of a query.
type querySet []string

func setOf(terms []string) querySet { return unique(slices.Clone(terms)) }

// words are the terms of a page as far as a query goes: how often it holds each
// term of the query, and how many terms it has.
type words struct {
	counts        []int32 // in the order of the query set
	length        int
	dense, spaced bool // holds terms of scripts without spaces, with spaces
}

// read adds terms of a page, each weight times.
func (q querySet) read(w words, terms []string, weight int) words {
	if w.counts == nil {
		w.counts = make([]int32, len(q))
	}
	w.length += weight * len(terms)
	for _, t := range terms {
		if unspaced(t) {
			w.dense = true
		} else {
			w.spaced = true
		}
		if i := slices.Index(q, t); i >= 0 { // queries are short: quicker than a map
			w.counts[i] += int32(weight)
		}
	}
	return w
}

// and returns the words of two texts.
func (w words) and(o words) words {
	sum := words{make([]int32, len(w.counts)), w.length + o.length, w.dense || o.dense, w.spaced || o.spaced}
	for i := range sum.counts {
		sum.counts[i] = w.counts[i] + o.counts[i]
	}
	return sum
}

// appendTo writes the words out for an index: all terms that are not the
// query's are one, the empty term.
func (w words) appendTo(terms []string, q querySet) []string {
	rest := w.length
	for i, n := range w.counts {
		rest -= int(n)
		for range n {
			terms = append(terms, q[i])
		}
	}
	for range rest {
		terms = append(terms, "")
	}
	return terms
}

// overlap counts the query terms that a page holds, and those that it could
// hold: a page without Han characters cannot hold a Chinese term, and need not.
func (q querySet) overlap(w words) (shared, possible int) {
	for i, t := range q {
		if w.counts[i] > 0 {
			shared++
		}
		if unspaced(t) && w.dense || !unspaced(t) && w.spaced {
			possible++
		}
	}
	return shared, possible
}

// unrelated is why the gate drops a page.
const unrelated = "unrelated to the query"

// gate measures how much of the query each page holds, and drops pages that
// hold too little to be about it. Indexes that never admit to having found
// nothing send such pages. Found by meaning, or by engines over two indexes, a
// page passes without a word in common.
func gate(pages []*page, query querySet) []float64 {
	overlaps := make([]float64, len(pages))
	for i, p := range pages {
		if p.dropped != "" || len(query) == 0 {
			continue
		}
		shared, possible := query.overlap(p.words)
		if shared < needed(possible, p) { // the address may tell what the texts do not
			shared, possible = query.overlap(p.words.and(query.read(words{}, addressTerms(p.shown), 1)))
		}
		overlaps[i] = float64(shared) / float64(len(query))
		if shared < needed(possible, p) && !p.semantic() && families(p) < 2 {
			p.dropped = unrelated
		}
	}
	return overlaps
}

// needed is the number of query terms that a page must hold, of so many that
// it could hold.
func needed(possible int, p *page) int {
	if possible >= 5 && !p.vertical() {
		return 2
	}
	return 1
}

// unspaced reports whether a term comes from a script without spaces.
func unspaced(term string) bool {
	r, _ := utf8.DecodeRuneInString(term)
	return r >= utf8.RuneSelf && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai)
}

// families counts the indexes that returned the page.
func families(p *page) int {
	n := 0
	for i, h := range p.hits {
		if !slices.ContainsFunc(p.hits[:i], func(o hit) bool { return o.lane.family() == h.lane.family() }) {
			n++
		}
	}
	return n
}
