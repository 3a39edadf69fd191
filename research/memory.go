package research

import (
	"context"
	"fmt"
	"slices"

	"deepresearch/internal/text"
)

// Known is a line of the running summary: what it says, and the passages that
// say it.
type Known struct {
	Says     string
	Passages []Passage
}

// Passage is a span of an archived text.
type Passage struct {
	SHA256 string
	text.Span
}

// roll merges what the round found into the running summary. A round that found
// nothing leaves it as it is, without a call.
func (n nodes) roll(ctx context.Context, s State) (Update, error) {
	fresh := s.unrolled()
	roller, ok := n.Method.(Roller)
	if !ok || len(fresh) == 0 {
		return Update{}, nil
	}
	tell(ctx, "reading", "summing up %d new findings", len(fresh))
	rolled, notes, err := roller.Roll(ctx, s, fresh)
	if err != nil {
		return Update{}, fmt.Errorf("summing up: %w", err)
	}
	return Update{Memory: remembered(rolled, slices.Concat(s.Memory, fresh)), Notes: notes}, nil
}

// unrolled are the findings that are not in the summary yet.
func (s State) unrolled() []Known {
	have := map[Passage]bool{}
	for _, k := range s.Memory {
		for _, p := range k.Passages {
			have[p] = true
		}
	}
	var out []Known
	for _, page := range s.Pages {
		for _, f := range page.Findings {
			k := Known{Says: f.Says}
			for _, span := range f.Spans {
				if p := (Passage{page.Source.SHA256, span}); !have[p] {
					have[p] = true
					k.Passages = append(k.Passages, p)
				}
			}
			if len(k.Passages) > 0 {
				out = append(out, k)
			}
		}
	}
	return out
}

// remembered is a new summary with all that was known: what it left out stands
// behind it as it was, and a passage that nobody knew is none.
func remembered(rolled, all []Known) []Known {
	open := map[Passage]bool{}
	for _, k := range all {
		for _, p := range k.Passages {
			open[p] = true
		}
	}
	var out []Known
	take := func(k Known) {
		var kept []Passage
		for _, p := range k.Passages {
			if open[p] {
				delete(open, p)
				kept = append(kept, p)
			}
		}
		if len(kept) > 0 {
			out = append(out, Known{Says: k.Says, Passages: kept})
		}
	}
	for _, k := range slices.Concat(rolled, all) {
		take(k)
	}
	return out
}

// rolling reports whether the run keeps a running summary.
func (s State) rolling() bool { return s.Question.Memory == Rolling }
