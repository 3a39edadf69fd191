package search

import (
	"unicode"
	"unicode/utf8"
)

// unrelated is why the gate drops a page.
const unrelated = "unrelated to the query"

// gate measures how much of the query each page holds, and drops pages that
// hold too little to be about it. Indexes that never admit to having found
// nothing send such pages. Found by meaning, or by engines over two indexes, a
// page passes without a word in common.
func gate(pages []*page, query []string) []float64 {
	terms := map[string]int{}
	for _, t := range query {
		if _, twice := terms[t]; !twice {
			terms[t] = len(terms)
		}
	}
	overlaps := make([]float64, len(pages))
	for i, p := range pages {
		if p.dropped != "" || len(terms) == 0 {
			continue
		}
		shared, possible := overlap(terms, p.terms)
		overlaps[i] = float64(shared) / float64(len(terms))
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

// overlap counts the query terms that a page holds, and those that it could
// hold: a page without Han characters cannot hold a Chinese term, and need not.
func overlap(query map[string]int, terms []string) (shared, possible int) {
	seen := make([]bool, len(query))
	var dense, spaced bool
	for _, t := range terms {
		if unspaced(t) {
			dense = true
		} else {
			spaced = true
		}
		if i, ok := query[t]; ok && !seen[i] {
			seen[i] = true
			shared++
		}
	}
	for t := range query {
		if unspaced(t) && dense || !unspaced(t) && spaced {
			possible++
		}
	}
	return shared, possible
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
