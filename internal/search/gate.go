package search

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// querySet holds the distinct terms of a query.
type querySet map[string]bool

func setOf(terms []string) querySet {
	q := querySet{}
	for _, t := range terms {
		q[t] = true
	}
	return q
}

// words are the terms of a page as far as a query goes: all others are one, the
// empty term, which keeps their number.
type words struct {
	terms         []string
	dense, spaced bool // holds terms of scripts without spaces, with spaces
}

// read returns the words of a page that has these terms.
func (q querySet) read(lists ...[]string) words {
	n := 0
	for _, list := range lists {
		n += len(list)
	}
	w := words{terms: make([]string, 0, n)}
	for _, list := range lists {
		for _, t := range list {
			if unspaced(t) {
				w.dense = true
			} else {
				w.spaced = true
			}
			if !q[t] {
				t = ""
			}
			w.terms = append(w.terms, t)
		}
	}
	return w
}

// and returns the words of two texts.
func (w words) and(o words) words {
	return words{slices.Concat(w.terms, o.terms), w.dense || o.dense, w.spaced || o.spaced}
}

// overlap counts the query terms that a page holds, and those that it could
// hold: a page without Han characters cannot hold a Chinese term, and need not.
func (q querySet) overlap(w words) (shared, possible int) {
	for t := range q {
		if slices.Contains(w.terms, t) {
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
			shared, possible = query.overlap(p.words.and(query.read(addressTerms(p.shown))))
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
	var names []string
	for _, h := range p.hits {
		names = append(names, h.lane.family())
	}
	return len(unique(names))
}
