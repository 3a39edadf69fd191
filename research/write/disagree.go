package write

import (
	"slices"

	"deepresearch/citations"
	"deepresearch/internal/rank"
	"deepresearch/internal/text"
)

// Bounds of what is shown as a disagreement. Two sentences that begin with
// different names or share few words speak of different things.
const (
	maxDisagreements = 4
	sameMatter       = 0.3
)

// disagreements are what the best quotes say differently of the same thing,
// whichever side the model wrote down.
func (w *writer) disagreements() []citations.Disagreement {
	best := map[string]bool{}
	for _, i := range w.within(w.all(), sectionTokens) {
		best[w.quotes[i].ID] = true
	}
	sources := w.ledger.Sources()
	for i := range sources {
		sources[i].Quotes = slices.DeleteFunc(slices.Clone(sources[i].Quotes), func(q citations.Quote) bool { return !best[q.ID] })
	}
	var found []citations.Disagreement
	for _, d := range citations.Disagreements(sources) {
		if len(found) < maxDisagreements && oneMatter(d.Sides[0].Quote, d.Sides[1].Quote) {
			found = append(found, d)
		}
	}
	return found
}

func oneMatter(a, b string) bool {
	return rank.Jaccard(rank.Set(text.Terms(a)), rank.Set(text.Terms(b))) >= sameMatter && leadName(a) == leadName(b)
}

// leadName is the first proper name of a sentence as names are compared.
func leadName(s string) string {
	names := text.Names(s)
	if len(names) == 0 {
		return ""
	}
	return text.Normalize(names[0].In(s))
}

// disagreeBlocks set the sides one below the other, each in its own words.
func (w *writer) disagreeBlocks(found []citations.Disagreement) []citations.Block {
	if len(found) == 0 {
		return nil
	}
	out := []citations.Block{headingBlock(w.phrases.disagree)}
	for _, d := range found {
		list := citations.Block{Kind: citations.List}
		for _, s := range d.Sentences(w.state.Analysis.Language) {
			list.Rows = append(list.Rows, []citations.Sentence{s})
		}
		out = append(out, note(w.phrases.about+d.About), list)
	}
	return out
}
