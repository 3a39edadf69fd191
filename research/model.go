package research

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"time"

	"deepresearch/internal/graph"
	"deepresearch/internal/llm"
)

// callShare is the most of the remaining time that one call of a model may take:
// a model that hangs leaves enough to land.
const callShare = 0.6

var errSlowModel = errors.New("the model took more than its share of the time that is left")

// Ask makes one call of a model within the budget of the run. Its result is
// committed before it returns, so that a node that runs again neither pays for
// it again nor sees another answer. The notes are valid beside an error.
//
// Errors are a *graph.BudgetError when the budget does not allow the most that
// the call may spend, an *llm.Error, also for an answer that is not of the
// request's schema, graph.ErrPaused, or the end of ctx. The first two leave the
// caller to do without: see [Fatal].
func Ask(ctx context.Context, m Model, r llm.Request) (llm.Reply, Notes, error) {
	var failed llm.Usage
	call := graph.Call{Kind: "model", Request: r, Reserve: Ceiling(m, r), Optional: true}
	reply, err := graph.Once(ctx, call, func(ctx context.Context) (llm.Reply, graph.Usage, error) {
		if left := graph.Remaining(ctx).Seconds; !math.IsInf(left, 1) {
			var stop context.CancelFunc
			ctx, stop = context.WithTimeoutCause(ctx, time.Duration(left*callShare*float64(time.Second)), errSlowModel)
			defer stop()
		}
		reply, err := m.Generate(ctx, r)
		failed = reply.Usage
		used := modelUsage(reply.Usage)
		if err != nil && errors.Is(context.Cause(ctx), errSlowModel) {
			used = call.Reserve // nobody knows what a call that was cut off spent
		}
		return reply, used, err
	})
	if err != nil {
		notes := notesOf(failed)
		notes.Spent, _ = refused(err)
		return llm.Reply{}, notes, err
	}
	notes := notesOf(reply.Usage)
	notes.Warnings = reply.Warnings
	if len(r.Schema) > 0 && !json.Valid(reply.JSON) {
		return llm.Reply{}, notes, &llm.Error{Kind: llm.BrokenOutput, Model: reply.Model, Message: "the answer holds no JSON of the schema"}
	}
	notes.Answers = 1
	return reply, notes, nil
}

// Fatal reports whether a node that got err from Ask must end with it instead of
// doing without a model.
func Fatal(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, graph.ErrPaused)
}

func notesOf(u llm.Usage) Notes {
	return Notes{Calls: u.Calls, Unpriced: u.Calls > 0 && u.Cost == nil}
}

// Ceiling is the most that a request may spend of a run's budget.
func Ceiling(m Model, r llm.Request) graph.Usage {
	if c, ok := m.(Ceiler); ok {
		return modelUsage(c.Ceiling(r))
	}
	return graph.Usage{Calls: 1, TokensIn: int64(llm.EstimateInput(r)), TokensOut: int64(r.OutputLimit())}
}

// CostOf is the most that a request may cost in US dollars, nil when a price is
// unknown.
func CostOf(m Model, r llm.Request) *float64 {
	if c, ok := m.(Ceiler); ok {
		return c.Ceiling(r).Cost
	}
	return nil
}

// modelUsage counts a model's usage against the budget. A cost is rounded up to
// a millionth of a dollar; an unknown one counts as nothing.
func modelUsage(u llm.Usage) graph.Usage {
	out := graph.Usage{Calls: int64(u.Calls), TokensIn: int64(u.In), TokensOut: int64(u.Out)}
	if u.Cost != nil {
		out.CostMicros = int64(math.Ceil(*u.Cost * 1e6))
	}
	return out
}

// Decision is a line of a run's trace: what a node chose and why.
type Decision struct {
	Chose string `json:"chose"` // "query", "source", "stop", "section"
	What  string `json:"what"`
	Why   string `json:"why,omitempty"`
}

// Trace writes a decision into the trace of the run. Long texts are cut.
func Trace(ctx context.Context, d Decision) {
	d.What, d.Why = cut(oneLine(d.What), 300), cut(oneLine(d.Why), 300)
	graph.Emit(ctx, d)
}

func trace(ctx context.Context, chose, what, why string) { Trace(ctx, Decision{chose, what, why}) }
