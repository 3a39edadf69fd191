package extract

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"deepresearch/citations"
	"deepresearch/crawl/document"
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

// aspect is what a table row is about: two neighbouring words, as terms and as
// first written.
type aspect struct {
	key, shown string
	subjects   int
	weight     float64
}

// aspects finds the word pairs that sentences about several subjects share,
// most shared and rarest first. The words of the question itself are what the
// whole table is about and give no row.
func (w *writer) aspects(f research.Facet, about [][]int) []aspect {
	skip, own := map[string]bool{}, map[string]bool{}
	for _, t := range f.Terms {
		skip[t] = true
	}
	for _, s := range w.state.Analysis.Subjects {
		for _, t := range text.Terms(s) {
			own[t] = true
		}
	}
	found := map[string]*aspect{}
	seen := map[string]int{} // key -> last subject it was counted for, plus 1
	for j, list := range about {
		for _, i := range list {
			for _, p := range pairs(w.text(i)) {
				if skip[p.terms[0]] && skip[p.terms[1]] || own[p.terms[0]] || own[p.terms[1]] {
					continue
				}
				a := found[p.key]
				if a == nil {
					a = &aspect{key: p.key, shown: p.shown, weight: w.index.IDF(p.terms[0]) + w.index.IDF(p.terms[1])}
					found[p.key] = a
				}
				if seen[p.key] != j+1 {
					seen[p.key] = j + 1
					a.subjects++
				}
			}
		}
	}
	var out []aspect
	for _, a := range found {
		if a.subjects > 1 {
			out = append(out, *a)
		}
	}
	slices.SortFunc(out, func(a, b aspect) int {
		return cmp.Or(cmp.Compare(b.subjects, a.subjects), cmp.Compare(a.weight, b.weight), strings.Compare(a.key, b.key))
	})
	return out
}

// pair is two neighbouring terms of a text that no stop word or punctuation
// parts.
type pair struct {
	terms      [2]string
	key, shown string
}

func pairs(s string) []pair {
	var out []pair
	tokens := text.Tokens(s)
	for i := 0; i+1 < len(tokens); i++ {
		a, b := tokens[i], tokens[i+1]
		if text.IsStop(a.Term) || text.IsStop(b.Term) || !letters(a.Term) || !letters(b.Term) || a.End > b.Start || a.Start > 0 && s[a.Start-1] == '_' {
			continue
		}
		if strings.TrimSpace(s[a.End:b.Start]) == "" {
			out = append(out, pair{[2]string{a.Term, b.Term}, a.Term + " " + b.Term, s[a.Start:b.End]})
		}
	}
	return out
}

func letters(s string) bool {
	return len(s) > 2 && strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }) < 0
}

// table writes up to maxAspects rows with at least two filled cells, no
// quotation twice.
func (w *writer) table(relevance []float64, subjects []string, about [][]int, aspects []aspect) {
	block := citations.Block{Kind: citations.Table, Header: append([]string{w.phrases.subject}, subjects...)}
	for _, a := range aspects {
		if len(block.Rows) == maxAspects {
			break
		}
		cells, filled := w.cells(relevance, about, a)
		if filled < 2 {
			continue
		}
		row := []citations.Sentence{{Text: a.shown}}
		for _, i := range cells {
			row = append(row, w.cell(i))
		}
		block.Rows = append(block.Rows, row)
	}
	if len(block.Rows) > 0 {
		w.draft.Blocks = append(w.draft.Blocks, block)
	}
}

// cells picks the best unused sentence about each subject that has the aspect,
// -1 where there is none.
func (w *writer) cells(relevance []float64, about [][]int, a aspect) (cells []int, filled int) {
	taken := map[int]bool{}
	for j, list := range about {
		best, bestFit := -1, 0.0
		for _, i := range list {
			if w.used[i] || taken[i] || w.sentences[i].Kind == document.KindRow || w.sentences[i].words > cellWords || !hasPair(w.text(i), a.key) {
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

// How well a sentence stands for one of the things compared.
const (
	firstBonus   = 4.0 // it names that one first
	ownPageBonus = 4.0 // its page is about that one alone
	crowdPenalty = 1.5 // for each proper name in it beyond the second
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
	return relevance - crowdPenalty*float64(max(0, len(text.Names(s))-2))
}

func hasPair(s, key string) bool {
	return slices.ContainsFunc(pairs(s), func(p pair) bool { return p.key == key })
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
