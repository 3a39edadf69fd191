package extract

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"deepresearch/citations"
	"deepresearch/internal/text"
	"deepresearch/research"
)

// Bounds of a comparison table.
const (
	maxAspects = 4
	cellWords  = 40
	perSubject = 2 // sentences below the table for each thing compared
)

// comparison writes a table of the things compared: a row for each aspect that
// sentences about at least two of them share, each cell a quotation. Below it
// stand the best sentences about each.
func (w *writer) comparison(relevance []float64, f research.Facet, lim limit) {
	subjects := w.state.Analysis.Subjects
	about := make([][]int, len(subjects))
	for j, s := range subjects {
		about[j] = w.about(relevance, s, subjects)
	}
	w.table(relevance, subjects, about, w.aspects(f, about))
	for j, s := range subjects {
		own := make([]float64, len(relevance))
		for _, i := range about[j] {
			own[i] = max(0, w.fit(relevance[i], i, j))
		}
		if picked := w.take(own, limit{perSubject, lim.words / len(subjects)}); len(picked) > 0 {
			w.heading(3, s)
			w.paragraphs(picked)
		}
	}
}

// about are the relevant sentences that speak of a subject: they name it, or
// stand on a page whose title names it and no other subject.
func (w *writer) about(relevance []float64, subject string, all []string) []int {
	var out []int
	titled := make([]bool, len(w.pages))
	for p := range w.pages {
		titled[p] = only(w.pages[p].Source.Title, subject, all)
	}
	for i, r := range relevance {
		if r > 0 && (titled[w.sentences[i].page] || names(w.text(i), subject)) {
			out = append(out, i)
		}
	}
	return out
}

// only reports whether s names the subject and none of the others.
func only(s, subject string, all []string) bool {
	for _, o := range all {
		if names(s, o) != (o == subject) {
			return false
		}
	}
	return true
}

// names reports whether the name stands in s as a word, in the same case: Go is
// a language, go is a verb.
func names(s, name string) bool { return position(s, name) >= 0 }

// position is where the name stands in s first, -1 when it does not.
func position(s, name string) int {
	for at := 0; ; {
		i := strings.Index(s[at:], name)
		if i < 0 {
			return -1
		}
		i += at
		before, _ := utf8.DecodeLastRuneInString(s[:i])
		after, _ := utf8.DecodeRuneInString(s[i+len(name):])
		if boundary(before, name) && boundary(after, name) {
			return i
		}
		at = i + len(name)
	}
}

// boundary reports whether r cannot continue the word name. Chinese has no
// boundaries to look for.
func boundary(r rune, name string) bool {
	if first, _ := utf8.DecodeRuneInString(name); unicode.Is(unicode.Han, first) || unicode.Is(unicode.Han, r) {
		return true
	}
	return !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// table writes up to maxAspects rows with at least two filled cells, no
// quotation twice; rows without an empty cell go before the others, and no two
// rows speak of mostly the same words.
func (w *writer) table(relevance []float64, subjects []string, about [][]int, aspects []*aspect) {
	block := citations.Block{Kind: citations.Table, Header: append([]string{w.phrases.subject}, subjects...)}
	var shown []*aspect
	for least := len(subjects); least > 1; least-- {
		for _, a := range aspects {
			if len(shown) == maxAspects || slices.ContainsFunc(shown, a.like) {
				continue
			}
			cells, filled := w.cells(relevance, about, a)
			if filled < least {
				continue
			}
			row := []citations.Sentence{{Text: a.name()}}
			for _, i := range cells {
				row = append(row, w.cell(i))
			}
			shown = append(shown, a)
			block.Rows = append(block.Rows, row)
		}
	}
	if len(block.Rows) > 0 {
		w.draft.Blocks = append(w.draft.Blocks, block)
	}
}

// like reports whether two aspects share half of the words of one.
func (a *aspect) like(b *aspect) bool {
	n := 0
	for _, t := range a.terms {
		if slices.Contains(b.terms, t) {
			n++
		}
	}
	return 2*n >= min(len(a.terms), len(b.terms))
}

// cells picks the best unused sentence about each subject that has the aspect,
// -1 where there is none.
func (w *writer) cells(relevance []float64, about [][]int, a *aspect) (cells []int, filled int) {
	taken := map[int]bool{}
	for j, list := range about {
		best, bestFit := -1, 0.0
		for _, i := range list {
			if w.used[i] || taken[i] || !w.sentences[i].stated() || w.sentences[i].words > cellWords || !a.in(w.text(i)) {
				continue
			}
			if fit := w.fit(relevance[i], i, j); best < 0 || fit > bestFit {
				best, bestFit = i, fit
			}
		}
		if best >= 0 {
			taken[best] = true
			filled++
		}
		cells = append(cells, best)
	}
	return cells, filled
}

// in reports whether a sentence has the phrase.
func (a *aspect) in(s string) bool {
	return slices.ContainsFunc(phrasesIn(s), func(p phrase) bool { return p.key == a.key })
}

// How well a sentence stands for one of the things compared.
const (
	firstBonus   = 4.0 // it names that one first
	ownPageBonus = 4.0 // its page is about that one alone
	crowdPenalty = 1.5 // for each other proper name in it
)

// fit rates sentence i as a cell about subject j: best is one that speaks of it
// first and of few others.
func (w *writer) fit(relevance float64, i, j int) float64 {
	s := w.text(i)
	first, at := -1, len(s)
	for k, name := range w.state.Analysis.Subjects {
		if p := position(s, name); p >= 0 && p < at {
			first, at = k, p
		}
	}
	if first == j || first < 0 {
		relevance += firstBonus
	}
	if only(w.pages[w.sentences[i].page].Source.Title, w.state.Analysis.Subjects[j], w.state.Analysis.Subjects) {
		relevance += ownPageBonus
	}
	others := 0
	for _, n := range text.Names(s) {
		if !strings.Contains(n.In(s), w.state.Analysis.Subjects[j]) {
			others++
		}
	}
	return relevance - crowdPenalty*float64(others)
}

// cell is a sentence as a table cell.
func (w *writer) cell(i int) citations.Sentence {
	if i >= 0 {
		if q, ok := w.quote(i); ok {
			w.used[i] = true
			return w.quoted(q)
		}
	}
	return citations.Sentence{Text: w.phrases.unknown}
}
