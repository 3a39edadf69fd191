package extract

import (
	"slices"

	"deepresearch/citations"
	"deepresearch/crawl/document"
	"deepresearch/internal/text"
	"deepresearch/research"
)

// minDated is the number of dated sentences that make a timeline.
const minDated = 3

// timeline writes dated sentences in the order of their dates. With too few of
// them it writes paragraphs.
func (w *writer) timeline(relevance []float64, f research.Facet, lim limit) {
	dates := make(map[int]text.Date)
	dated := make([]float64, len(relevance))
	for i, r := range relevance {
		d, ok := w.dateOf(i)
		if ok && r > 0 && w.sentences[i].Kind != document.KindRow && d.Year >= f.Since && (f.About == "" || names(w.text(i), f.About)) {
			dates[i], dated[i] = d, r
		}
	}
	if len(dates) < minDated {
		w.paragraphs(w.take(relevance, lim))
		return
	}
	picked := w.take(dated, lim)
	slices.SortStableFunc(picked, func(a, b int) int { return dates[a].Compare(dates[b]) })
	table := citations.Block{Kind: citations.Table, Header: []string{w.phrases.date, w.phrases.says}}
	for _, i := range picked {
		if q, ok := w.quote(i); ok {
			date := citations.Sentence{Text: dates[i].Text, Quotes: []string{q.ID}}
			table.Rows = append(table.Rows, []citations.Sentence{date, w.quoted(q)})
		}
	}
	if len(table.Rows) > 0 {
		w.draft.Blocks = append(w.draft.Blocks, table)
	}
}

// dateOf is the first date that sentence i names.
func (w *writer) dateOf(i int) (text.Date, bool) {
	dates := text.Dates(w.text(i))
	if len(dates) == 0 {
		return text.Date{}, false
	}
	return dates[0], true
}
