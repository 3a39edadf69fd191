package write

import (
	"cmp"
	"slices"

	"deepresearch/citations"
	"deepresearch/internal/rank"
	"deepresearch/internal/text"
	"deepresearch/research"
)

// Bounds of a report that is the running summary.
const (
	maxRolled   = 40 // lines
	fewRolled   = 12 // of a question for one fact
	rolledMarks = 6  // passages of a line
)

// rolled is the running summary as a draft: a section for each part of the
// question, each line with its passages. No call is made.
func (w *writer) rolled() []citations.Block {
	lines := w.summaryLines()
	facets := w.state.Analysis.Facets
	groups := make([][]citations.Sentence, max(1, len(facets)))
	for _, l := range lines {
		at := themeOf(l.says, facets)
		groups[at] = append(groups[at], l.sentences...)
	}
	var out []citations.Block
	for i, g := range groups {
		if len(g) == 0 {
			continue
		}
		if len(facets) > 1 {
			out = append(out, headingBlock(facets[i].Title))
		}
		out = append(out, citations.Block{Kind: citations.Paragraph, Sentences: g})
	}
	return tidy(out)
}

// rolledLine is a line of the summary in the report.
type rolledLine struct {
	says      string
	sentences []citations.Sentence
	score     float64
}

// summaryLines are the lines with passages that may be quoted, the best ones for
// the question first. One whose words were dropped is quoted.
func (w *writer) summaryLines() []rolledLine {
	var out []rolledLine
	for _, k := range w.state.Memory {
		l := rolledLine{says: k.Says}
		var ids []string
		for _, p := range k.Passages {
			if i, ok := w.bySpan(p); ok && len(ids) < rolledMarks {
				ids = appendNew(ids, w.quotes[i].ID)
				l.score = max(l.score, w.quotes[i].score)
			}
		}
		if len(ids) == 0 {
			continue
		}
		if k.Says == "" {
			l = w.quotedLine(w.quotes[w.byID[ids[0]]])
		}
		for _, span := range text.Sentences(k.Says) {
			l.sentences = append(l.sentences, citations.Sentence{Text: oneLine(span.In(k.Says)), Quotes: ids})
		}
		out = append(out, l)
	}
	if len(out) > 0 {
		out = append(out, w.unreadLines()...)
	}
	slices.SortStableFunc(out, func(a, b rolledLine) int { return cmp.Compare(b.score, a.score) })
	most := maxRolled
	if lookup(w.state) || w.state.Question.Style == "brief" {
		most = fewRolled
	}
	return out[:min(len(out), most)]
}

// unreadLines are the best quotes of pages that no model read, so that they are not
// lost where calls were few.
func (w *writer) unreadLines() []rolledLine {
	var out []rolledLine
	for _, q := range w.quotes {
		if !w.state.Pages[q.page].Closely && len(out) < byHand {
			out = append(out, w.quotedLine(q))
		}
	}
	if len(out) > 0 {
		w.byRule++
		w.warn("Pages that no model read are quoted, because there were too few calls to read them")
	}
	return out
}

// quotedLine is a quote as a line.
func (w *writer) quotedLine(q quote) rolledLine {
	return rolledLine{q.Text, []citations.Sentence{{Text: w.phrases.open + oneLine(q.Text) + w.phrases.close, Quotes: []string{q.ID}}}, q.score}
}

// bySpan is the quote of a passage.
func (w *writer) bySpan(p research.Passage) (int, bool) {
	for i, q := range w.quotes {
		if q.Span == p.Span && w.state.Pages[q.page].Source.SHA256 == p.SHA256 {
			return i, true
		}
	}
	return 0, false
}

// themeOf is the facet that shares most words with a line, the first one where
// none does.
func themeOf(says string, facets []research.Facet) int {
	own := rank.Set(text.Terms(says))
	best, most := 0, 0
	for i, f := range facets {
		n := 0
		for _, t := range rank.Set(f.Terms) {
			if slices.Contains(own, t) {
				n++
			}
		}
		if n > most {
			best, most = i, n
		}
	}
	return best
}
