package extract

import (
	"cmp"
	"slices"

	"deepresearch/citations"
	"deepresearch/crawl/document"
	"deepresearch/internal/text"
	"deepresearch/research"
)

// minDated is the number of dated sentences that make a timeline.
const minDated = 3

// event is a sentence with its date and where that stands.
type event struct {
	date text.Date
	at   text.Span
}

// timeline writes dated sentences in the order of their dates. With too few of
// them it writes paragraphs.
func (w *writer) timeline(relevance []float64, f research.Facet, lim limit) {
	w.logged(relevance, f)
	events := make(map[int]event)
	dated := make([]float64, len(relevance))
	for i, r := range relevance {
		e, ok := w.eventOf(i)
		if ok && r > 0 && !w.sentences[i].apart() && e.date.Year >= f.Since && (f.About == "" || names(w.text(i), f.About)) {
			events[i], dated[i] = e, r
		}
	}
	if len(events) < minDated {
		picked := w.take(relevance, lim)
		w.paragraphs(picked)
		w.summary = cmp.Or(w.summary, w.join(picked, 2))
		return
	}
	picked := w.take(dated, lim)
	w.summary = cmp.Or(w.summary, w.join(picked, 2))
	slices.SortStableFunc(picked, func(a, b int) int { return events[a].date.Compare(events[b].date) })
	table := citations.Block{Kind: citations.Table, Header: []string{w.phrases.date, w.phrases.says}}
	for _, i := range picked {
		q, ok := w.quote(i)
		if !ok {
			continue
		}
		if of, ok := w.quoteSpan(w.sentences[i].page, events[i].at); ok {
			date := citations.Sentence{Text: events[i].date.Text, Quotes: []string{of.ID}}
			table.Rows = append(table.Rows, []citations.Sentence{date, w.quoted(q)})
		}
	}
	if len(table.Rows) > 0 {
		w.draft.Blocks = append(w.draft.Blocks, table)
	}
}

// eventOf dates sentence i: by the first date that it names, else by the dated
// heading or field above it. A year in a table row may be any number.
func (w *writer) eventOf(i int) (event, bool) {
	s := w.sentences[i]
	if dates := text.Dates(w.text(i)); len(dates) > 0 && (full(dates[0]) || s.Kind != document.KindRow) {
		return event{dates[0], s.Span}, true
	}
	if s.stamp != nil && s.stated() {
		return event{s.stamp.date, s.stamp.Span}, true
	}
	return event{}, false
}

// logged gives relevance to entries of logs, pages of several dates such as
// changelogs, that share no word with the question: their page speaks of it once,
// at its head.
func (w *writer) logged(relevance []float64, f research.Facet) {
	cover := w.cover(w.want(f))
	page := make([]float64, len(w.pages))
	for i, c := range cover {
		if c.answered() {
			p := w.sentences[i].page
			page[p] = max(page[p], nearAnswer*relevance[i])
		}
	}
	first := make([]*stamp, len(w.pages))
	log := make([]bool, len(w.pages))
	for _, s := range w.sentences {
		if first[s.page] == nil {
			first[s.page] = s.stamp
		}
		log[s.page] = log[s.page] || s.stamp != first[s.page]
	}
	for i, s := range w.sentences {
		if log[s.page] && s.stamp != nil && s.stated() {
			relevance[i] = max(relevance[i], page[s.page])
		}
	}
}
