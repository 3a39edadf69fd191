package research

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// Plan is how a question would be researched.
type Plan struct {
	ID          string   `json:"plan_id"` // of the content: equal plans have equal ids
	Question    string   `json:"question"`
	Title       string   `json:"title"`
	Enough      bool     `json:"enough"` // what is at hand answers the question already
	Tasks       []Task   `json:"tasks"`
	Assumptions []string `json:"assumptions"`
	Estimate    Estimate `json:"estimate"`
	Warnings    []string `json:"warnings"`
}

// TaskKind says what a task does.
type TaskKind string

// ResearchTask searches and reads.
const ResearchTask TaskKind = "research"

// Task is one unit of a plan.
type Task struct {
	ID        string   `json:"id"`
	Kind      TaskKind `json:"kind"`
	Title     string   `json:"title"`
	Detail    string   `json:"detail"`
	DependsOn []string `json:"depends_on"`
	Queries   []string `json:"queries"`
}

// Estimate is what a run is expected to take at most.
type Estimate struct {
	Seconds    int      `json:"seconds"`
	ModelCalls int      `json:"model_calls"`
	Searches   int      `json:"searches"`
	Cost       *float64 `json:"cost_usd"` // nil when the price is unknown
}

// Plan takes a question apart without searching: a task for each part, with the
// queries that would be sent. Mistakes in the question are an *InputError.
func (e *Engine) Plan(ctx context.Context, q Question) (Plan, error) {
	q, err := q.Normalize()
	if err != nil {
		return Plan{}, err
	}
	if _, err := e.fingerprint(ctx, q); err != nil {
		return Plan{}, err
	}
	a, err := nodes{e.ports}.analysis(ctx, q)
	if err != nil {
		return Plan{}, err
	}
	p := Plan{Question: q.Text, Title: cut(oneLine(q.Text), 100), Tasks: tasksOf(a), Assumptions: a.Assumptions, Warnings: a.Notes.Warnings}
	p.Estimate = e.estimate(q, a)
	fill(&p.Assumptions)
	fill(&p.Warnings)
	body, _ := json.Marshal(p) // strings and numbers only
	sum := sha256.Sum256(body)
	p.ID = "p_" + hex.EncodeToString(sum[:12])
	return p, nil
}

// tasksOf makes a task of each facet. The first query is the whole question and
// belongs to the first task; the others go where their words come from.
func tasksOf(a Analysis) []Task {
	tasks := make([]Task, len(a.Facets))
	for i, f := range a.Facets {
		tasks[i] = Task{
			ID: fmt.Sprintf("t%d", i+1), Kind: ResearchTask, Title: f.Title,
			Detail: detailOf[f.Kind], DependsOn: []string{}, Queries: []string{},
		}
	}
	for i, q := range a.Queries {
		t := &tasks[0]
		if i > 0 && i < len(tasks)+1 && len(tasks) > 1 {
			t = &tasks[i-1]
		}
		t.Queries = append(t.Queries, q.Text)
	}
	return tasks
}

// detailOf says what a task of a facet is after.
var detailOf = map[Shape]string{
	Lookup:     "Find the sentences that answer this, from at least two independent sources.",
	Survey:     "Find the sentences that explain this, from at least two independent sources.",
	Comparison: "Find what sources say of each thing compared and set it side by side.",
	Timeline:   "Find dated statements and put them in order.",
}

// estimate bounds what a run would take: every round with every query to the
// engines of a route, within the limits of the question. Before the question is
// taken apart as many queries as it may have are expected.
func (e *Engine) estimate(q Question, a Analysis) Estimate {
	free := 0.0
	out := Estimate{Seconds: q.Limits.Seconds, Cost: &free}
	if !q.Offline {
		queries := max(len(a.Queries), 1)
		if a.Shape == "" {
			queries = q.Queries
		}
		out.Searches = min(queries*q.MaxLoops*enginesARoute, q.Limits.Searches)
	}
	if s, ok := e.ports.Method.(Spender); ok {
		calls, cost := s.Estimate(q, a)
		out.ModelCalls, out.Cost = min(calls, q.Limits.Calls), cost
		if cost != nil && q.Limits.Cost > 0 {
			most := min(*cost, q.Limits.Cost)
			out.Cost = &most
		}
	}
	return out
}

// affordable refuses a limit on cost that could not be kept.
func (e *Engine) affordable(q Question) error {
	s, ok := e.ports.Method.(Spender)
	if !ok || q.Limits.Cost <= 0 {
		return nil
	}
	if _, cost := s.Estimate(q, Analysis{}); cost == nil {
		return &InputError{"max_cost", "the price of a model is unknown, so the limit could not be kept", "leave it out, or use a model with a known price"}
	}
	return nil
}

// enginesARoute is how many engines one query usually goes to.
const enginesARoute = 2
