package write

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"deepresearch/internal/llm"
	"deepresearch/prompts"
	"deepresearch/research"
)

var gapSchema = json.RawMessage(`{"type":"object","properties":{
"sufficient":{"type":"boolean","description":"enough is known to answer"},
"gaps":{"type":"array","items":{"type":"string"},"description":"what is missing, each in a few words"},
"follow_ups":{"type":"array","items":{"type":"string"},"description":"search queries"}},
"required":["sufficient","gaps","follow_ups"]}`)

// Bounds of a reflection.
const (
	knownTokens = 3000 // findings in the prompt
	maxGaps     = 5
	maxGap      = 200 // characters
)

// Reflect asks a model what is missing. It shows findings alone, never a text of
// a page, so no page can choose a query. Without findings, without a call that
// may be made or without a usable answer the extractive method decides: each
// facet needs two independent witnesses.
func (m *Method) Reflect(ctx context.Context, s research.State) (research.Reflection, error) {
	plain, err := m.opt.Extract.Reflect(ctx, s)
	if err != nil {
		return plain, err
	}
	known, private := findings(s)
	if s.Question.Effort == research.Quick || len(known) == 0 || left(s) <= landing(s) || s.Analysis.Shape == research.Lookup {
		return plain, nil
	}
	t := &talk{m: m, effort: s.Question.Effort}
	in := prompts.Gaps{
		Task: m.taskOf(s), N: s.Question.Queries, Parts: parts(s.Analysis), Findings: known,
		Round: s.Round + 1, Rounds: s.Question.MaxLoops,
	}
	in.Mark = fence(in.Question, says(known)...)
	prompt, err := m.opt.Prompts.Gaps(in)
	var said struct {
		Sufficient bool
		Gaps       []string
		FollowUps  []string `json:"follow_ups"`
	}
	ok, err := t.askFor(ctx, reflecting, prompt, err, &said)
	if err != nil {
		return plain, err
	}
	if !ok {
		plain.Notes = t.notes
		return plain, nil
	}
	r := research.Reflection{Sufficient: said.Sufficient, Gaps: gapsOf(said.Gaps, s.Question.Text), Reason: reasonOf(said.Sufficient, said.Gaps)}
	r.FollowUps = t.followUps(said.FollowUps, r.Reason, private && !s.Question.SharePrivate)
	r.FollowUps = append(r.FollowUps, leads(plain.FollowUps)...)
	r.Notes = t.notes
	return r, nil
}

// findings are what the readers found, the newest pages last, and whether some
// of it is private.
func findings(s research.State) (out []prompts.Finding, private bool) {
	tokens := 0
	for i, p := range s.Pages {
		for _, f := range p.Findings {
			if cost := llm.EstimateTokens(f.Says) + 8; f.Says != "" && tokens+cost <= knownTokens {
				tokens += cost
				private = private || p.Source.Private
				out = append(out, prompts.Finding{Says: f.Says, Source: i + 1, Date: date(p.Source.Published)})
			}
		}
	}
	return out, private
}

// date is a date of a page, or nothing when it is not one.
func date(s string) string {
	if strings.Trim(s, "0123456789-") != "" {
		return ""
	}
	return s
}

func says(known []prompts.Finding) []string {
	out := make([]string, len(known))
	for i, f := range known {
		out[i] = f.Says
	}
	return out
}

func gapsOf(said []string, question string) []string {
	var out []string
	for _, g := range said {
		clean, ok := statement(g, maxGap)
		if ok && figuresFrom(clean, question) && len(out) < maxGaps && !slices.Contains(out, clean) {
			out = append(out, clean)
		}
	}
	return out
}

func reasonOf(sufficient bool, gaps []string) string {
	if sufficient {
		return "enough is known"
	}
	if len(gaps) == 0 {
		return "something is missing"
	}
	return "missing: " + strings.Join(gaps[:min(len(gaps), maxGaps)], "; ")
}

// followUps are the queries that a model wants, as private as what it was shown:
// nobody can tell which finding led to which query.
func (t *talk) followUps(said []string, why string, private bool) []research.Query {
	var out []research.Query
	refused := 0
	for _, f := range said {
		if clean, ok := query(f); ok {
			out = appendQuery(out, research.Query{Text: clean, Why: why, Private: private})
		} else {
			refused++
		}
	}
	t.dropped(refused, "Queries of a model that were not sent, because they are too long or hold an address")
	return out
}

// leads are the follow-ups that open a document of the user.
func leads(follow []research.Query) []research.Query {
	return slices.DeleteFunc(slices.Clone(follow), func(q research.Query) bool { return q.Document == "" })
}
