package extract

import (
	"context"
	"slices"
	"strings"

	"deepresearch/citations"
	"deepresearch/internal/text"
	"deepresearch/research"
)

// limits of a report by its shape. A lookup fits on a screen; the others are
// read section by section.
var limits = map[research.Shape]limit{
	research.Lookup:     {15, 400},
	research.Comparison: {32, 1000},
	research.Timeline:   {30, 1000},
	research.Survey:     {30, 1000},
}

const leadSentences = 3 // of the opening of a report with sections

// Write lays out the best sentences: an opening, a section for each facet in
// the form that suits it, what sources disagree about and what was not found.
// The draft has no blocks when no page offers anything for the question.
func (m *Method) Write(ctx context.Context, s research.State) (research.Written, error) {
	e, err := m.evidence(ctx, s)
	if err != nil {
		return research.Written{}, err
	}
	w := &writer{evidence: e, state: s, phrases: wordsOf(s.Analysis.Language), ledger: citations.NewLedger(), used: map[int]bool{}, cited: map[int]bool{}, limit: limits[s.Analysis.Shape]}
	w.draft = citations.Draft{Title: heading(s.Question.Text), Language: w.phrases.language}
	w.report()
	if len(w.used) == 0 {
		return research.Written{Mode: w.mode(), Gaps: w.gaps}, nil
	}
	found := w.conflicts()
	w.showConflicts(found)
	w.closing()
	return research.Written{Draft: w.draft, Ledger: w.ledger, Summary: w.summary, Mode: w.mode(), Gaps: w.gaps, Disagree: found}, nil
}

// writer builds one draft.
type writer struct {
	*evidence
	state   research.State
	phrases phrases
	ledger  *citations.Ledger
	draft   citations.Draft
	limit   limit
	used    map[int]bool // sentences that stand in the draft
	cited   map[int]bool // pages that are quoted
	summary string
	gaps    []string
}

// report writes the body.
func (w *writer) report() {
	relevance := w.relevance(facetTerms(w.state.Analysis.Facets))
	w.limit.words -= 2 * words(w.state.Question.Text)
	evident := w.state.Plan != nil // titles of tasks need not stand in a sentence
	wants := make([]wanted, len(w.state.Analysis.Facets))
	covers := make([][]coverage, len(wants))
	for i, f := range w.state.Analysis.Facets {
		wants[i] = w.want(f)
		covers[i] = w.answering(relevance, f, wants[i])
		evident = evident || w.evident(wants[i], covers[i])
	}
	if !evident {
		w.noteGaps()
		return
	}
	if w.state.Analysis.Shape == research.Lookup {
		w.lookup(relevance, wants[0], covers[0])
		w.noteGaps()
		return
	}
	if w.state.Analysis.Shape != research.Timeline {
		lead := w.take(relevance, limit{leadSentences, 120})
		w.paragraphs(lead)
		w.summary = w.join(lead, 2)
	}
	share := limit{w.limit.sentences / len(w.state.Analysis.Facets), w.limit.words / len(w.state.Analysis.Facets)}
	for _, f := range w.state.Analysis.Facets {
		w.section(f, share)
	}
	w.noteGaps()
}

// lookup writes the best sentence first, then what supports it: few sentences
// near it in relevance and coverage where it answers the question alone.
func (w *writer) lookup(relevance []float64, want wanted, cover []coverage) {
	best, covered := 0.0, 0.0
	for i, r := range relevance {
		best, covered = max(best, r), max(covered, cover[i].all)
	}
	lim := w.limit
	if want.simple() || want.names < 2 && covered >= direct {
		lim.sentences = fewSentences
		for i := range relevance {
			if relevance[i] < nearAnswer*best || cover[i].all < nearAnswer*covered && cover[i].fit == 0 {
				relevance[i] = 0
			}
		}
	}
	picked := w.makeRoom(w.take(relevance, lim))
	w.bySource(picked)
	w.summary = w.join(picked, 2)
}

// section writes one facet.
func (w *writer) section(f research.Facet, lim limit) {
	before := len(w.used)
	relevance := w.matching(f)
	start := len(w.draft.Blocks)
	if len(w.state.Analysis.Facets) > 1 {
		w.heading(2, f.Title)
	}
	switch f.Kind {
	case research.Comparison:
		w.comparison(relevance, f, lim)
	case research.Timeline:
		w.timeline(relevance, f, lim)
	default:
		w.paragraphs(w.take(relevance, lim))
	}
	if len(w.used) == before {
		w.draft.Blocks = w.draft.Blocks[:start]
	}
}

// matching is the relevance of sentences that share at least one term, or stand
// below a heading that does.
func (w *writer) matching(f research.Facet) []float64 {
	own := w.scores(f.Terms)
	out := w.relevance(f.Terms)
	plain := slices.Clone(out)
	for i, c := range w.answering(out, f, w.want(f)) {
		if f.Kind == research.Comparison && out[i] > 0 { // an aspect is said in other words than the question's
			out[i] = plain[i]
		}
		if own[i] == 0 && c.all < answers {
			out[i] = 0
		}
	}
	return out
}

// take picks unused sentences and marks them used.
func (w *writer) take(relevance []float64, lim limit) []int {
	picked := w.pick(relevance, lim, func(i int) bool { return w.used[i] }, w.cost)
	for _, i := range picked {
		w.used[i] = true
	}
	return picked
}

// cost is the words that sentence i adds to the report: itself and its mark,
// for a page that was not cited before also its heading and its entry in the
// list of sources.
func (w *writer) cost(i int, newPage bool) int {
	s := w.sentences[i]
	n := s.words + 1
	if newPage && !w.cited[s.page] {
		n += 2*words(w.pages[s.page].Source.Name()) + 6
	}
	return n
}

// paragraphs writes the picked sentences, one paragraph a page: pages in the
// order of their best sentence, sentences as the page has them, so that a "he"
// or "it" stands behind what it speaks of.
func (w *writer) paragraphs(picked []int) {
	for _, p := range w.group(picked) {
		w.paragraph(p)
	}
}

// bySource is the best sentence by itself and then paragraphs, with the title of
// the page above what it says.
func (w *writer) bySource(picked []int) {
	for n, own := range w.group(picked) {
		w.heading(2, w.where(own))
		if at := slices.Index(own, picked[0]); n == 0 && at > 0 {
			w.paragraph(picked[:1])
			own = slices.Delete(own, at, at+1)
		}
		w.paragraph(own)
	}
}

// where is the title of the page of some sentences, and the heading above them
// where they share one.
func (w *writer) where(own []int) string {
	first := w.sentences[own[0]]
	name := w.pages[first.page].Source.Name()
	heading := oneLine(first.Heading.In(w.texts[first.page]))
	if heading == "" || heading == name || slices.ContainsFunc(own, func(i int) bool { return w.sentences[i].Heading != first.Heading }) {
		return name
	}
	return name + ": " + heading
}

// group sorts picked sentences by page.
func (w *writer) group(picked []int) [][]int {
	var pages []int
	byPage := map[int][]int{}
	for _, i := range picked {
		p := w.sentences[i].page
		if byPage[p] == nil {
			pages = append(pages, p)
		}
		byPage[p] = append(byPage[p], i)
	}
	groups := make([][]int, len(pages))
	for g, p := range pages {
		groups[g] = byPage[p]
		slices.SortFunc(groups[g], func(a, b int) int { return w.sentences[a].Start - w.sentences[b].Start })
	}
	return groups
}

// paragraph writes sentences one after the other.
func (w *writer) paragraph(picked []int) {
	var quoted []citations.Sentence
	for _, i := range picked {
		if q, ok := w.quote(i); ok {
			quoted = append(quoted, w.quoted(q))
		}
	}
	if len(quoted) > 0 {
		w.draft.Blocks = append(w.draft.Blocks, citations.Block{Kind: citations.Paragraph, Sentences: quoted})
	}
}

// quote enters a sentence into the ledger. What the ledger refuses, such as a
// sentence that gives orders, is left out of the report.
func (w *writer) quote(i int) (citations.Quote, bool) {
	return w.quoteSpan(w.sentences[i].page, w.sentences[i].Span)
}

func (w *writer) quoteSpan(page int, span text.Span) (citations.Quote, bool) {
	id, err := w.ledger.AddSource(w.pages[page].Source, w.texts[page])
	if err != nil {
		return citations.Quote{}, false
	}
	q, err := w.ledger.Quote(id, w.texts[page], span)
	w.cited[page] = w.cited[page] || err == nil
	return q, err == nil
}

// quoted is a quote as a sentence of the report.
func (w *writer) quoted(q citations.Quote) citations.Sentence {
	return citations.Sentence{Text: w.phrases.open + oneLine(q.Text) + w.phrases.close, Quotes: []string{q.ID}}
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func (w *writer) heading(level int, s string) {
	w.draft.Blocks = append(w.draft.Blocks, citations.Block{Kind: citations.Heading, Level: level, Sentences: []citations.Sentence{{Text: s}}})
}

func (w *writer) note(s string) {
	w.draft.Blocks = append(w.draft.Blocks, citations.Block{Kind: citations.Note, Sentences: []citations.Sentence{{Text: s}}})
}

// join gives the first n sentences that were picked.
func (w *writer) join(picked []int, n int) string {
	var out []string
	for _, i := range picked[:min(n, len(picked))] {
		out = append(out, w.phrases.open+oneLine(w.text(i))+w.phrases.close)
	}
	return strings.Join(out, " ")
}

// noteGaps finds the tasks that were not done and the facets that no used
// sentence speaks of.
func (w *writer) noteGaps() {
	w.gaps = append(w.gaps, w.state.Undone()...)
	for _, f := range w.state.Analysis.Facets {
		scores, cover := w.scores(f.Terms), w.cover(w.want(f))
		if !slices.Contains(w.gaps, f.Title) && !slices.ContainsFunc(keys(w.used), func(i int) bool { return scores[i] > 0 || cover[i].all >= answers }) {
			w.gaps = append(w.gaps, f.Title)
		}
	}
}

func keys(m map[int]bool) []int {
	out := make([]int, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	return out
}

// closing says what is missing and how the report came about.
func (w *writer) closing() {
	if len(w.gaps) > 0 {
		w.heading(2, w.phrases.notFound)
		for _, g := range w.gaps {
			w.note(w.phrases.notFoundPart + g)
		}
	}
	if w.mode() == research.Extractive {
		w.note(w.phrases.noModel + " " + w.phrases.quotesOnly)
		return
	}
	w.note(w.phrases.quotesOnly)
}

// mode says whether a model had a part in what led here.
func (w *writer) mode() research.Mode {
	if w.state.Answers > 0 {
		return research.Mixed
	}
	return research.Extractive
}
