package write

import (
	"context"
	"math"
	"strings"

	"deepresearch/internal/graph"
	"deepresearch/internal/llm"
	"deepresearch/prompts"
	"deepresearch/research"
)

// lookupCalls is the most that a question for one fact may cost, in model calls.
const lookupCalls = 4

// Calls of one writing by effort.
var (
	maxSections = map[research.Effort]int{research.Quick: 1, research.Standard: 4, research.Deep: 6}
	maxJudging  = map[research.Effort]int{research.Quick: 1, research.Standard: 3, research.Deep: 6}
)

// lookup reports whether a question asks for one fact and is to cost no more than
// that: one that is worked on by a plan may cost more.
func lookup(s research.State) bool {
	return s.Analysis.Shape == research.Lookup && !s.Question.Planned()
}

// left is how many calls the run may still make, by its state: the same whenever
// a node runs again.
func left(s research.State) int {
	most := s.Question.Limits.Calls
	if lookup(s) {
		most = min(most, lookupCalls)
	}
	return max(0, most-s.Calls)
}

// landing is how many calls writing and checking take at most.
func landing(s research.State) int {
	e := s.Question.Effort
	switch {
	case s.Question.Memory == research.Rolling && single(s): // the summary is the draft
		return 1
	case s.Question.Memory == research.Rolling:
		return maxJudging[e]
	case single(s):
		return 2
	}
	return 2 + maxSections[e] + maxJudging[e] // with outline and summary
}

// single reports whether the report is one section, without outline and summary.
func single(s research.State) bool {
	return s.Question.Effort == research.Quick || s.Question.Style == "brief" || lookup(s)
}

// ahead is how many calls the rounds to come take at most beside reading: for the
// plan and its tasks, for looking for gaps and for the running summary. tasks is
// how many a plan has that is not made yet.
func ahead(s research.State, tasks int) int {
	rounds := max(0, s.Question.MaxLoops-s.Round)
	n := 0
	if s.Question.Memory == research.Rolling && !lookup(s) {
		n = rounds
	}
	switch {
	case s.Question.Planned():
		return n + planCalls(s) + taskCalls(s, tasks, rounds)
	case s.Question.Effort == research.Quick || lookup(s):
		return n
	}
	return n + rounds
}

// planCalls is what plans take that are still to be drafted: each is mended once.
func planCalls(s research.State) int {
	switch {
	case s.Plan != nil || s.Question.Plan != nil && !s.Question.ApprovePlan:
		return 0
	case s.Question.ApprovePlan:
		return 2 * (research.MaxDrafts - len(s.Rejected))
	}
	return 2
}

// taskCalls is what the tasks of the plan still take: a review in each of their
// rounds, or a program that is mended once.
func taskCalls(s research.State, tasks, rounds int) int {
	reviews := min(research.MaxTries, rounds)
	if s.Question.Effort == research.Quick {
		reviews = 0
	}
	plan := s.Plan
	if plan == nil {
		plan = s.Question.Plan
	}
	if plan == nil {
		return tasks * max(2, reviews)
	}
	n := 0
	for i, t := range plan.Tasks {
		switch {
		case t.Kind == research.ComputeTask:
			n += 2
		case s.Plan == nil || !s.Tasks[i].Done:
			n += reviews
		}
	}
	return n
}

// Readings shares the calls that writing, plans and reflecting leave among the
// rounds to come. What tasks might take at most is more than they do, so reading
// gets half in any case.
func (m *Method) Readings(ctx context.Context, s research.State) int {
	other := ahead(s, maxWanted)
	n := left(s) - landing(s)
	if s.Question.Planned() {
		other = min(other, n/2)
	}
	budget, one := graph.Remaining(ctx), m.most(reading, s)
	n = min(n-other, share(budget.Calls, one.Calls)-other, share(budget.TokensIn, one.TokensIn+one.TokensOut), share(budget.CostMicros, one.CostMicros))
	rounds := max(1, s.Question.MaxLoops-s.Round)
	return max(0, (n+rounds-1)/rounds)
}

// share is how many calls of one amount fit into what is left of it.
func share(left, one int64) int {
	if one <= 0 || left == math.MaxInt64 {
		return math.MaxInt32
	}
	return int(min(left/one, math.MaxInt32))
}

// inputs are the input tokens of a step at most, for estimates made before its
// prompt is.
var inputs = map[llm.Role]int{llm.Plan: 1200, llm.Search: 1800, llm.Reflect: 4000, llm.Write: 4800, llm.Judge: 4800}

// most is what one call of a step may spend.
func (m *Method) most(st step, s research.State) graph.Usage {
	n := inputs[st.role]
	if st.role == llm.Search {
		n += max(0, s.Question.Limits.SourceTokens-1000)
	}
	r := st.request(prompts.Prompt{User: strings.Repeat("word", n)}, research.Quick)
	return research.Ceiling(m.opt.Models, r)
}

// reserveShare bounds the part of a budget that is kept for writing.
const reserveShare = 0.5

// Reserve is what writing and checking take at most, but no more than half of
// what the run may spend.
func (m *Method) Reserve(s research.State) graph.Usage {
	calls := landing(s)
	one := m.most(drafting, s)
	n := int64(calls)
	limits := s.Question.Limits
	return graph.Usage{
		Calls:      min(n*max(1, one.Calls), half(float64(limits.Calls))),
		TokensIn:   min(n*one.TokensIn, half(float64(limits.Tokens)/2)),
		TokensOut:  min(n*one.TokensOut, half(float64(limits.Tokens)/2)),
		CostMicros: min(n*one.CostMicros, half(limits.Cost*1e6)),
	}
}

// half of a limit; without one there is nothing to keep.
func half(limit float64) int64 { return int64(limit * reserveShare) }

// pagesARound is how many pages a round reads closely at most, for estimates.
const (
	pagesARound     = 10
	deepPagesARound = 24
)

// Estimate counts a run whose every call is made.
func (m *Method) Estimate(q research.Question, a research.Analysis) (calls int, cost *float64) {
	s := research.State{Question: q, Analysis: a}
	rest := landing(s)
	pages := max(1, q.MaxLoops) * pagesARound
	if q.Effort == research.Deep {
		pages = max(1, q.MaxLoops) * deepPagesARound
	}
	judged := ahead(s, research.MaxTasks)
	closely := max(0, min(pages, q.Limits.Calls-1-rest-judged))
	if q.Planned() { // what its tasks do not take is read with
		closely = max(0, min(pages, q.Limits.Calls-1-rest))
	}
	if lookup(s) {
		closely = max(0, min(closely, lookupCalls-1-rest))
	}
	total := 0.0
	for _, part := range []struct {
		st step
		n  int
	}{{planning, 1}, {reading, closely}, {reflecting, judged}, {drafting, rest}} {
		calls += part.n
		price := research.CostOf(m.opt.Models, part.st.request(prompts.Prompt{User: strings.Repeat("word", inputs[part.st.role])}, research.Quick))
		if price == nil {
			cost, total = nil, math.NaN()
			continue
		}
		total += *price * float64(part.n)
	}
	if !math.IsNaN(total) {
		cost = &total
	}
	return calls, cost
}
