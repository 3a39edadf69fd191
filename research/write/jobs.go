package write

import (
	"context"
	"sync"

	"deepresearch/internal/graph"
	"deepresearch/internal/llm"
	"deepresearch/prompts"
	"deepresearch/research"
)

// job is one of several calls that do not need one another.
type job struct {
	step   step
	prompt prompts.Prompt
	err    error // of the prompt

	reply llm.Reply
	ok    bool
}

// cut reports whether the answer ended at its output limit.
func (j *job) cut() bool { return j.reply.Finish == llm.Length }

// proseJob is a text that was answered already.
func proseJob(s string) *job { return &job{reply: llm.Reply{Text: s}, ok: true} }

// atOnce is how many calls of one node run side by side.
const atOnce = 4

// askAll makes the calls, side by side when the budget is sure to hold for all
// of them. Otherwise they go one after the other, so that it is always the last
// ones that are refused and the report does not hang on who came first.
func (w *writer) askAll(ctx context.Context, jobs []*job) error {
	lanes := 1
	if w.affordable(ctx, jobs) {
		lanes = atOnce
	}
	talks := make([]*talk, len(jobs))
	errs := make([]error, len(jobs))
	slots := make(chan struct{}, lanes)
	var all sync.WaitGroup
	for i, j := range jobs {
		talks[i] = &talk{m: w.m, effort: w.effort}
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			j.reply, j.ok, errs[i] = talks[i].ask(ctx, j.step, j.prompt, j.err)
		})
	}
	all.Wait()
	for i := range jobs {
		w.notes = w.notes.Add(talks[i].notes)
		if errs[i] != nil {
			return errs[i]
		}
	}
	return nil
}

// affordable reports whether the budget holds for all jobs together.
func (w *writer) affordable(ctx context.Context, jobs []*job) bool {
	var sum graph.Usage
	for _, j := range jobs {
		sum = sum.Add(research.Ceiling(w.m.opt.Models, j.step.request(j.prompt, w.effort)))
	}
	left := graph.Remaining(ctx)
	return sum.Calls <= left.Calls && sum.TokensIn+sum.TokensOut <= min(left.TokensIn, left.TokensOut) && sum.CostMicros <= left.CostMicros
}
