package research

import (
	"cmp"
	"context"
	"slices"

	"deepresearch/internal/text"
)

// Fact is a passage that a run has found so far, word for word.
type Fact struct {
	N     int    `json:"n"` // of its page in the order of reading; a report numbers anew
	Text  string `json:"text"`
	Title string `json:"title"`
	URL   string `json:"url"`
}

// Bounds of what a run tells before its report is there.
const (
	maxFacts = 8
	maxFact  = 400 // characters
)

// found are the best passages of the best pages, one of each: what a reader
// chose, else the sentence that shares most with the question. A text that
// cannot be read is left out: this is a glance, the report says what is missing.
func (e *Engine) found(ctx context.Context, s State) []Fact {
	places := make([]int, len(s.Pages))
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(s.Pages[a].Rank, s.Pages[b].Rank) })
	var out []Fact
	for _, i := range places {
		p := s.Pages[i]
		if len(out) == maxFacts {
			break
		}
		if !p.gave() {
			continue
		}
		archived, err := e.ports.Archive.Text(ctx, p.Source.SHA256)
		if err != nil {
			continue
		}
		if said := oneLine(p.best(s.Question.Text, archived).In(archived)); said != "" {
			out = append(out, Fact{N: i + 1, Text: cut(said, maxFact), Title: p.Source.Name(), URL: p.Source.URL})
		}
	}
	return out
}

// best is the passage of a page that says most on the question.
func (p PageText) best(question, archived string) text.Span {
	for _, f := range p.Findings {
		if len(f.Spans) > 0 {
			return f.Spans[0]
		}
	}
	asked := map[string]bool{}
	for _, t := range text.Terms(question) {
		asked[t] = true
	}
	var best text.Span
	most := 0
	for _, x := range p.Excerpts {
		shared := map[string]bool{}
		for _, t := range text.Terms(x.In(archived)) {
			if asked[t] {
				shared[t] = true
			}
		}
		if len(shared) > most {
			best, most = x.Span, len(shared)
		}
	}
	return best
}
