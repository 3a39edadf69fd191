package write

import (
	"fmt"
	"slices"
	"strings"

	"deepresearch/citations"
	"deepresearch/internal/text"
	"deepresearch/research"
)

// noteGaps adds the tasks that were not done, what the last reflection missed and the parts of the question
// that no cited passage speaks of. Without a model a reflection names parts that
// lack a second witness, which is not the same.
func (w *writer) noteGaps(blocks []citations.Block) {
	for _, g := range w.state.Undone() {
		w.gaps = appendNew(w.gaps, g)
	}
	if v := w.state.Verdict; !v.Sufficient {
		for _, g := range v.Gaps {
			if !slices.ContainsFunc(w.state.Analysis.Facets, func(f research.Facet) bool { return f.Title == g }) {
				w.gaps = appendNew(w.gaps, g)
			}
		}
	}
	spoken := map[string]bool{}
	for s := range sentences(blocks) {
		for _, id := range cited(s) {
			_, q, _ := w.ledger.Lookup(id)
			for _, t := range text.Terms(q.Text) {
				spoken[t] = true
			}
		}
	}
	for _, f := range w.state.Analysis.Facets {
		if !slices.ContainsFunc(f.Terms, func(t string) bool { return spoken[t] }) {
			w.gaps = appendNew(w.gaps, f.Title)
		}
	}
}

// closing says what was not found and what the report cannot claim.
func (w *writer) closing(blocks []citations.Block, checked []citations.Claim) []citations.Block {
	var out []citations.Block
	if len(w.gaps) > 0 {
		out = append(out, headingBlock(w.phrases.notFound))
		for _, g := range w.gaps {
			out = append(out, note(g))
		}
	}
	var limits []string
	if budget, ok := strings.CutPrefix(w.state.Stop, "budget_"); ok {
		limits = append(limits, fmt.Sprintf(w.phrases.early, budget))
	}
	if w.byRule > 0 {
		limits = append(limits, w.phrases.mixed)
	}
	if sourcesIn(blocks) == 1 {
		limits = append(limits, w.phrases.oneSource)
	}
	if !w.judged && slices.ContainsFunc(checked, func(c citations.Claim) bool { return c.Label != citations.Quoted }) {
		limits = append(limits, w.phrases.unjudged)
	}
	if len(limits) > 0 {
		out = append(out, headingBlock(w.phrases.limits))
		for _, l := range limits {
			out = append(out, note(l))
		}
	}
	return out
}

// sourcesIn counts the sources that the blocks cite.
func sourcesIn(blocks []citations.Block) int {
	seen := map[string]bool{}
	for s := range sentences(blocks) {
		for _, id := range cited(s) {
			source, _, _ := strings.Cut(id, ".")
			seen[source] = true
		}
	}
	return len(seen)
}
