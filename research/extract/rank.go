package extract

import (
	"context"
	"fmt"
	"math"
	"strings"
	"unicode"

	"deepresearch/crawl/document"
	"deepresearch/internal/rank"
	"deepresearch/internal/text"
	"deepresearch/research"
)

// Weights of a sentence's score beside its BM25 over all offered sentences.
// Measured on HotpotQA (50 questions, reports of at most 15 sentences and 340
// quoted words): the answer is in .90 of the reports and .92 of the gold
// sentences are quoted with these; values between half and double move that by
// at most .03, so nothing is tuned to the set.
const (
	rankBonus = 6.0 // divided by the square root of the page's place
	leadBonus = 2.0 // of a page's first sentence

	coverBonus = 6.0 // of a sentence that speaks of all that is asked, with its heading and title

	longShare = 0.4 // of both in a long question

	foreignShare  = 0.5 // what a sentence keeps of its score in another language than the question's
	fragmentShare = 0.5 // and a table row or a fragment, which lose their meaning outside their place
)

// lambda of maximal marginal relevance: a lookup wants every sentence near the
// answer, a longer report wants them to differ.
var lambda = map[research.Shape]float64{research.Lookup: 0.9, research.Comparison: 0.7, research.Timeline: 0.7, research.Survey: 0.7}

// sentence is an excerpt with its text and what ranking needs to know.
type sentence struct {
	research.Excerpt
	page  int // index into the state's pages
	words int
	set   []string // sorted distinct terms
	above []string // the same of its heading and of the date that holds for it
	field bool     // it tells of the document, as "Date: 2025-03-04" does
	stamp *stamp   // the date that holds for it, nil when there is none
}

// evidence is all that the pages of a state offer.
type evidence struct {
	pages      []research.PageText
	texts      []string   // archived text of each page
	titles     [][]string // sorted distinct terms of the title of each page
	sentences  []sentence
	first      []int           // the sentence that leads each page, -1 when it has none
	index      *rank.Index     // over sentences
	vocabulary map[string]bool // the terms of all sentences, headings and titles
	lambda     float64
	gathers    bool   // the report gathers what many sentences tell a little of
	language   string // of the question
}

// evidence loads the texts of all pages and indexes their excerpts.
func (m *Method) evidence(ctx context.Context, s research.State) (*evidence, error) {
	e := &evidence{
		pages: s.Pages, index: rank.NewIndex(rank.Options{}), vocabulary: map[string]bool{},
		lambda: lambda[s.Analysis.Shape], gathers: s.Analysis.Shape != research.Lookup, language: s.Analysis.Language,
	}
	for i, p := range s.Pages {
		t, err := m.archive.Text(ctx, p.Source.SHA256)
		if err != nil {
			return nil, fmt.Errorf("reading the archived text of %s: %w", p.Source.Name(), err)
		}
		e.add(i, p, t)
	}
	return e, nil
}

// add takes in the excerpts of one page.
func (e *evidence) add(page int, p research.PageText, t string) {
	e.texts = append(e.texts, t)
	e.titles = append(e.titles, e.known(p.Source.Name()))
	e.first = append(e.first, -1)
	dates := stamps(t)
	for _, x := range p.Excerpts {
		own := x.In(t)
		e.index.Add(text.Words(own))
		s := sentence{Excerpt: x, page: page, words: words(own), set: e.known(own), field: fields(own) != nil}
		above := x.Heading.In(t)
		if at := stampBefore(dates, x.Start); at >= 0 {
			s.stamp = &dates[at]
			above += " " + s.stamp.In(t)
		}
		if s.Kind == document.KindRow {
			above += " " + columns(t, s.Start)
		}
		s.above = e.known(above)
		if s.stated() && e.first[page] < 0 {
			e.first[page] = len(e.sentences)
		}
		e.sentences = append(e.sentences, s)
	}
}

// known are the sorted distinct terms of a text, which enter the vocabulary.
func (e *evidence) known(s string) []string {
	set := rank.Set(text.Terms(s))
	for _, t := range set {
		e.vocabulary[t] = true
	}
	return set
}

// text is the sentence as it stands in the archive.
func (e *evidence) text(i int) string {
	s := e.sentences[i]
	return s.In(e.texts[s.page])
}

// scores rates every sentence for the terms; 0 for those that share none.
func (e *evidence) scores(terms []string) []float64 {
	out := make([]float64, len(e.sentences))
	for _, h := range e.index.Search(terms, len(e.sentences)) {
		out[h.Doc] = h.Score
	}
	return out
}

// relevance adds what does not depend on the words of a sentence: where its
// page was found and whether it leads the page.
func (e *evidence) relevance(terms []string) []float64 {
	out := e.scores(terms)
	for i, s := range e.sentences {
		out[i] += rankBonus / math.Sqrt(1+e.pages[s.page].Rank)
		if i == e.first[s.page] {
			out[i] += leadBonus
		}
		if s.Kind == document.KindRow || s.stated() && !complete(e.text(i)) {
			out[i] *= fragmentShare
		}
		if e.foreign(s.page) {
			out[i] *= foreignShare
		}
	}
	return out
}

// base is a language without its script and region.
func base(language string) string {
	b, _, _ := strings.Cut(language, "-")
	return b
}

// answering adds to the relevance of sentences by how far they cover what a
// part of the question asks and have what its question word asks for; less where
// the question describes something at length, which no sentence covers. It takes
// out what tells nothing: questions, and fields and dated headings that are not
// asked for.
func (e *evidence) answering(relevance []float64, f research.Facet, w wanted) []coverage {
	cover := e.cover(w)
	share := longShare
	if w.simple() {
		share = 1
	}
	for i, c := range cover {
		t := e.text(i)
		fit := fitting(t, f)
		switch apart := e.sentences[i].apart(); {
		case question(t), e.repeats(i, w), apart && (fit == 0 || !c.answered()):
			relevance[i], cover[i] = 0, coverage{}
		case relevance[i] > 0 && c.all > 0:
			cover[i].fit = fit
			relevance[i] += share * (coverBonus*c.all + formBonus*fit*min(1, 2*c.all))
		}
	}
	return cover
}

// limit is how much a selection may hold. Words are those of the report: the
// sentence, its mark, and the heading and list entry of a page that is new.
type limit struct{ sentences, words int }

// pick selects sentences by maximal marginal relevance within the limit, best
// first. Sentences for which skip is true are left out; cost is the words that a
// sentence adds, given whether its page is new to the report.
func (e *evidence) pick(relevance []float64, lim limit, skip func(i int) bool, cost func(i int, newPage bool) int) []int {
	best := 0.0
	var open []int
	for i, r := range relevance {
		if r > 0 && !skip(i) {
			open = append(open, i)
			best = max(best, r)
		}
	}
	if best == 0 {
		return nil
	}
	order := rank.MMR(len(open),
		func(i int) float64 { return relevance[open[i]] / best },
		func(i, j int) float64 { return rank.Jaccard(e.sentences[open[i]].set, e.sentences[open[j]].set) },
		e.lambda, lim.sentences+lim.sentences/2)
	var picked []int
	pages := map[int]bool{}
	for _, o := range order {
		i := open[o]
		page := e.sentences[i].page
		if n := cost(i, !pages[page]); len(picked) < lim.sentences && n <= lim.words {
			lim.words -= n
			pages[page] = true
			picked = append(picked, i)
		}
	}
	return picked
}

// words counts the words of a text as a reader would; two Han characters count
// as one word.
func words(s string) int {
	han := 0
	for _, r := range s {
		if unicode.Is(unicode.Han, r) {
			han++
		}
	}
	n := len(strings.Fields(s))
	return n + han/2
}
