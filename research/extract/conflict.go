package extract

import (
	"slices"

	"deepresearch/citations"
	"deepresearch/crawl/document"
	"deepresearch/internal/rank"
	"deepresearch/internal/text"
)

// maxConflicts bounds the disagreements that a report shows.
const maxConflicts = 4

// sameMatter is the least overlap of terms at which two sentences that differ
// are shown as a disagreement. Below it they mostly speak of different things.
const sameMatter = 0.3

// conflicts are what the quoted sources say differently of the same thing. Two
// sentences that begin with different names speak of different things, and a
// table row does not say what its numbers are about.
func (w *writer) conflicts() []citations.Disagreement {
	rows := map[string]bool{}
	for i := range w.used {
		if w.sentences[i].Kind == document.KindRow {
			rows[w.text(i)] = true
		}
	}
	sources := w.ledger.Sources()
	for i := range sources {
		sources[i].Quotes = slices.DeleteFunc(slices.Clone(sources[i].Quotes), func(q citations.Quote) bool { return rows[q.Text] })
	}
	found := slices.DeleteFunc(citations.Disagreements(sources), func(d citations.Disagreement) bool {
		a, b := d.Sides[0].Quote, d.Sides[1].Quote
		return leadName(a) != leadName(b) || rank.Jaccard(rank.Set(text.Terms(a)), rank.Set(text.Terms(b))) < sameMatter
	})
	return found[:min(len(found), maxConflicts)]
}

// leadName is the first proper name of a sentence in the form in which names
// are compared.
func leadName(s string) string {
	names := text.Names(s)
	if len(names) == 0 {
		return ""
	}
	return text.Normalize(names[0].In(s))
}

// makeRoom drops the last picked sentences of a short report for the second
// showing of those that disagree, so that its length holds.
func (w *writer) makeRoom(picked []int) []int {
	for _, i := range picked {
		w.quote(i)
	}
	need, sides := 0, map[string]bool{}
	for _, d := range w.conflicts() {
		need += words(d.About) + 6
		for _, s := range d.Sides {
			need += words(s.Quote) + 3
			sides[s.Quote] = true
		}
	}
	for i := len(picked) - 1; i >= 0 && need > 0; i-- {
		if sides[w.text(picked[i])] {
			continue
		}
		need -= w.sentences[picked[i]].words + 1
		delete(w.used, picked[i])
		picked = slices.Delete(picked, i, i+1)
	}
	return picked
}

// showConflicts sets the sides of each disagreement one below the other.
func (w *writer) showConflicts(found []citations.Disagreement) {
	if len(found) > 0 {
		w.heading(2, w.phrases.disagree)
	}
	for _, d := range found {
		list := citations.Block{Kind: citations.List}
		for _, s := range d.Sides {
			list.Rows = append(list.Rows, []citations.Sentence{w.quoted(citations.Quote{ID: s.ID, Text: s.Quote})})
		}
		w.note(w.phrases.about + d.About)
		w.draft.Blocks = append(w.draft.Blocks, list)
	}
}
