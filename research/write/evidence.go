package write

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"deepresearch/citations"
	"deepresearch/internal/llm"
	"deepresearch/internal/rank"
	"deepresearch/internal/text"
	"deepresearch/prompts"
	"deepresearch/research"
)

// quote is a passage that may be cited, with what ranks it.
type quote struct {
	citations.Quote
	page  int     // place in the pages of the state
	score float64 // for the whole question
	set   []string
}

// evidence is all that a report may rest on.
type evidence struct {
	ledger *citations.Ledger
	quotes []quote // best first
	byID   map[string]int
	index  *rank.Index // over quotes
}

// Weights of a quote beside its BM25 score over all of them. The bonus of a good
// place is that of the extractive method; a sentence that a reader chose is
// worth a rare word that it shares with the question.
const (
	rankBonus   = 6.0 // divided by the square root of the page's place
	chosenBonus = 4.0
)

// Bounds of the evidence of one report.
const (
	fromPage  = 6   // quotes of a page that no model read
	maxQuotes = 120 // of a report
	alike     = 0.9 // overlap of terms at which two sentences of one page are one
)

// gather enters what the pages offer into a ledger: the sentences that readers
// chose, and of pages without a reader the excerpts nearest to the question.
// When the readers chose nothing at all, the excerpts of all pages stand in. A
// text that cannot be read is left out with a warning.
func (w *writer) gather(ctx context.Context) (*evidence, error) {
	s := w.state
	e := &evidence{ledger: citations.NewLedger(), byID: map[string]int{}}
	for _, all := range []bool{false, true} {
		for i, p := range s.Pages {
			spans := spansOf(p)
			if p.Closely && len(spans) == 0 && !all {
				continue
			}
			page, err := w.m.opt.Archive.Text(ctx, p.Source.SHA256)
			if err != nil && ctx.Err() != nil {
				return nil, fmt.Errorf("reading the archived text of %s: %w", p.Source.Name(), err)
			}
			if err != nil {
				w.warn("The archived text of %s could not be read: %v", p.Source.Name(), err)
				continue
			}
			if len(spans) == 0 {
				spans = nearest(s, p, page)
			}
			e.enter(i, p, page, spans)
		}
		if len(e.quotes) > 0 {
			break
		}
	}
	e.rank(s)
	return e, nil
}

// spansOf are the sentences of a page's findings, each once.
func spansOf(p research.PageText) []text.Span {
	var out []text.Span
	for _, f := range p.Findings {
		for _, span := range f.Spans {
			if !slices.Contains(out, span) {
				out = append(out, span)
			}
		}
	}
	return out
}

// nearest are the excerpts of a page that fit the question best.
func nearest(s research.State, p research.PageText, page string) []text.Span {
	var out []text.Span
	for _, i := range fitting(s, p, page, fromPage) {
		out = append(out, p.Excerpts[i].Span)
	}
	return out
}

// enter quotes spans of a page. One that may not be quoted is left out.
func (e *evidence) enter(page int, p research.PageText, archived string, spans []text.Span) {
	id, err := e.ledger.AddSource(p.Source, archived)
	if err != nil {
		return
	}
	for _, span := range spans {
		q, err := e.ledger.Quote(id, archived, span)
		if err != nil {
			continue
		}
		if _, known := e.byID[q.ID]; known {
			continue
		}
		e.byID[q.ID] = len(e.quotes)
		e.quotes = append(e.quotes, quote{Quote: q, page: page, set: rank.Set(text.Terms(q.Text))})
	}
}

// rank orders the quotes by what they are worth for the whole question and drops
// what a page says twice.
func (e *evidence) rank(s research.State) {
	e.index = rank.NewIndex(rank.Options{})
	for _, q := range e.quotes {
		e.index.Add(text.Words(q.Text))
	}
	for i := range e.quotes {
		p := s.Pages[e.quotes[i].page]
		e.quotes[i].score = rankBonus / math.Sqrt(1+p.Rank)
		if p.Closely {
			e.quotes[i].score += chosenBonus
		}
	}
	for _, h := range e.index.Search(facetTerms(s), len(e.quotes)) {
		e.quotes[h.Doc].score += h.Score
	}
	slices.SortStableFunc(e.quotes, func(a, b quote) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.ID, b.ID)) })
	var kept []quote
	for _, q := range e.quotes {
		if len(kept) < maxQuotes && !slices.ContainsFunc(kept, func(k quote) bool { return k.page == q.page && rank.Jaccard(k.set, q.set) > alike }) {
			kept = append(kept, q)
		}
	}
	e.quotes, e.byID, e.index = kept, map[string]int{}, rank.NewIndex(rank.Options{})
	for i, q := range kept {
		e.byID[q.ID] = i
		e.index.Add(text.Words(q.Text))
	}
}

func facetTerms(s research.State) []string {
	terms := text.Terms(s.Question.Text)
	for _, f := range s.Analysis.Facets {
		terms = append(terms, f.Terms...)
	}
	return rank.Set(terms)
}

// about are the quotes that share a word with terms, best first.
func (e *evidence) about(terms []string) []int {
	hits := e.index.Search(rank.Set(terms), len(e.quotes))
	out := make([]int, len(hits))
	for i, h := range hits {
		out[i] = h.Doc
	}
	return out
}

// all are the places of all quotes, best first.
func (e *evidence) all() []int {
	out := make([]int, len(e.quotes))
	for i := range out {
		out[i] = i
	}
	return out
}

// within cuts a choice of quotes to what fits into a prompt, in tokens.
func (e *evidence) within(chosen []int, tokens int) []int {
	var out []int
	for _, i := range chosen {
		if cost := quoteTokens(e.quotes[i].Text); cost <= tokens {
			tokens -= cost
			out = append(out, i)
		}
	}
	return out
}

// quoteTokens is what a quote costs in a prompt, with its name and source.
func quoteTokens(s string) int { return llm.EstimateTokens(s) + 30 }

// shown is a choice of quotes as a prompt shows it: names for them, the lines,
// and the mark around them.
type shown struct {
	aliases citations.Aliases
	lines   []prompts.Quote
	mark    string
	ids     []string
}

// show names quotes for a prompt. Those of one source stand together, so that
// the names of a source's quotes differ in their last number alone.
func (e *evidence) show(s research.State, chosen []int, most int) shown {
	var order []int
	for _, i := range chosen {
		for _, j := range chosen {
			if e.quotes[j].page == e.quotes[i].page && !slices.Contains(order, j) {
				order = append(order, j)
			}
		}
	}
	out := shown{}
	for _, i := range order {
		out.ids = append(out.ids, e.quotes[i].ID)
	}
	out.aliases = citations.NewAliases(out.ids)
	texts := slices.Clone(out.ids)
	for _, i := range order {
		q := e.quotes[i]
		src := s.Pages[q.page].Source
		line := prompts.Quote{ID: out.aliases.Short(q.ID), Text: clip(oneLine(q.Text), most), Source: material(src.Name())}
		if address.MatchString(line.Source) {
			line.Source = material(src.Site)
		}
		if d := date(src.Published); d != "" {
			line.Source = joined(line.Source, d)
		}
		out.lines = append(out.lines, line)
		texts = append(texts, line.Text)
	}
	out.mark = fence(s.Question.Text, texts...)
	return out
}

func joined(a, b string) string {
	if a == "" {
		return b
	}
	return a + ", " + b
}

// texts are the texts of a choice of quotes.
func (e *evidence) texts(chosen []int) []string {
	out := make([]string, len(chosen))
	for i, c := range chosen {
		out[i] = e.quotes[c].Text
	}
	return out
}
