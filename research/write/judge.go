package write

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"deepresearch/citations"
	"deepresearch/internal/graph"
	"deepresearch/internal/llm"
	"deepresearch/internal/rank"
	"deepresearch/internal/text"
	"deepresearch/prompts"
	"deepresearch/research"
)

var verdictSchema = json.RawMessage(`{"type":"object","properties":{
"verdicts":{"type":"array","items":{"type":"object","properties":{
"claim":{"type":"integer"},
"label":{"type":"string","enum":["supported","partial","unsupported","contradicted"]},
"span":{"type":"string","description":"copied letter for letter from a passage; empty for unsupported"},
"reason":{"type":"string"}},"required":["claim","label","span"]}}},
"required":["verdicts"]}`)

// batch is how many claims one call judges.
const batch = 8

// revise verifies the draft, repairs it once and verifies what changed, with a
// model as judge as far as calls are left.
func (w *writer) revise(ctx context.Context, d citations.Draft) (citations.Revision, error) {
	opt := citations.VerifyOptions{Batch: batch}
	j := &judge{talk: &talk{m: w.m, effort: w.effort}, task: w.m.taskOf(w.state)}
	if j.calls = min(maxJudging[w.effort], left(w.state)-w.notes.Calls); j.calls > 0 && !w.m.opt.NoJudge {
		opt.Judge, opt.MaxJudged = j, j.calls*batch
	}
	graph.Emit(ctx, research.Progress{Phase: "checking", Text: "checking the sentences against their sources"})
	rev, err := citations.Revise(ctx, d, w.ledger, w.m.opt.Archive, opt)
	w.notes = w.notes.Add(j.notes)
	w.judged = j.notes.Answers > 0
	if j.fatal != nil {
		return rev, j.fatal
	}
	return rev, err
}

// Judge is a judge for a report that was written elsewhere: what it is about and
// its language. It makes at most calls calls, each for up to a batch of
// [citations.VerifyOptions]; beyond them its verdicts are empty.
func (m *Method) Judge(about, language string, calls int) citations.Judge {
	task := m.task(research.Question{Text: about}, research.Analysis{Language: language}, nil)
	return &judge{talk: &talk{m: m, effort: research.Standard}, task: task, calls: calls}
}

// judge asks a model about claims. It implements citations.Judge.
type judge struct {
	*talk
	task  prompts.Task
	calls int   // left
	fatal error // ends the node
}

// judgeTokens bounds the passages of one call.
const judgeTokens = 4000

var errNoJudge = errors.New("no model judged the claims")

// Judge returns a verdict for each case. Without a call left the verdicts are
// empty: the claims stay as the exact checks found them.
func (j *judge) Judge(ctx context.Context, cases []citations.Case) ([]citations.Verdict, error) {
	if j.calls == 0 {
		return make([]citations.Verdict, len(cases)), nil
	}
	j.calls--
	prompt, err := j.m.opt.Prompts.Verdicts(j.input(cases))
	reply, ok, err := j.ask(ctx, judging, prompt, err)
	if err != nil {
		j.fatal = err
		return nil, err
	}
	if !ok {
		return nil, errors.New(strings.TrimRight(j.notes.Warnings[len(j.notes.Warnings)-1], "."))
	}
	var said struct{ Verdicts []verdict }
	if json.Unmarshal(reply.JSON, &said) != nil {
		return nil, errNoJudge
	}
	out := make([]citations.Verdict, len(cases))
	for _, v := range said.Verdicts {
		if v.Claim >= 1 && v.Claim <= len(cases) {
			out[v.Claim-1] = v.of(cases[v.Claim-1], reply.Model)
		}
	}
	return out, nil
}

// input is what the judge reads of the cases, within judgeTokens.
func (j *judge) input(cases []citations.Case) prompts.Verdicts {
	in := prompts.Verdicts{Task: j.task}
	share := judgeTokens / len(cases)
	var all []string
	for i, c := range cases {
		claim := prompts.Claim{N: i + 1, Text: oneLine(c.Claim), Context: clip(oneLine(c.Context), 300), Doubt: oneLine(c.Doubt)}
		budget := share
		for _, p := range c.Passages {
			passage := oneLine(p.Text)
			if cost := llm.EstimateTokens(passage); cost <= budget || len(claim.Passages) == 0 {
				budget -= cost
				claim.Passages = append(claim.Passages, clip(passage, 4*share))
			}
		}
		in.Claims = append(in.Claims, claim)
		all = append(append(all, claim.Text), claim.Passages...)
	}
	in.Mark = fence(in.Question, all...)
	return in
}

// verdict is what a judge said of one claim.
type verdict struct {
	Claim               int
	Label, Span, Reason string
}

// of is the verdict on a case, empty when it cannot be used.
func (v verdict) of(c citations.Case, model string) citations.Verdict {
	label := citations.Label(strings.ToLower(strings.TrimSpace(v.Label)))
	if !slices.Contains(labels, label) || label == citations.Supported && apart(c.Claim, v.Span) {
		return citations.Verdict{}
	}
	reason, _ := statement(v.Reason, 300)
	return citations.Verdict{Label: label, Span: v.Span, Reason: reason, Judge: model}
}

// apart reports whether a claim and the passage that is to carry it share no
// word, although they are in one language: a judge that says so did not read.
func apart(claim, span string) bool {
	if text.Language(claim) != text.Language(span) {
		return false
	}
	own := rank.Set(text.Terms(claim))
	return !slices.ContainsFunc(text.Terms(span), func(t string) bool { return slices.Contains(own, t) })
}

// labels are those that a judge may give.
var labels = []citations.Label{citations.Supported, citations.Partial, citations.Unsupported, citations.Contradicted}
