package research

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"deepresearch/internal/safe"
	"deepresearch/internal/text"
)

// Plan is how a question would be researched, or is.
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

// The kinds of a task. What a compute task computes with must have been found
// by the tasks that it depends on.
const (
	ResearchTask TaskKind = "research" // searches and reads
	ComputeTask  TaskKind = "compute"  // computes with what was found
)

// Task is one unit of a plan.
type Task struct {
	ID        string   `json:"id"`
	Kind      TaskKind `json:"kind"`
	Title     string   `json:"title"`
	Detail    string   `json:"detail"`
	DependsOn []string `json:"depends_on"`
	Queries   []string `json:"queries"`
	Private   bool     `json:"private,omitempty"` // derived from the user's own files: its queries go to no remote engine
}

// Estimate is what a run is expected to take at most.
type Estimate struct {
	Seconds    int      `json:"seconds"`
	ModelCalls int      `json:"model_calls"`
	Searches   int      `json:"searches"`
	Cost       *float64 `json:"cost_usd"` // nil when the price is unknown
}

// Bounds of a plan.
const (
	MaxTasks    = 12
	TaskQueries = 3   // of one task and round
	maxTitle    = 200 // characters, of a plan and of a task
	maxDetail   = 1000
)

// ParsePlan reads a plan as a caller gives it: the JSON object of the plan tool,
// as it was or edited. What cannot be followed is an *InputError that names the
// task.
func ParsePlan(body string) (*Plan, error) {
	var p Plan
	if err := json.Unmarshal([]byte(strings.TrimPrefix(body, "\ufeff")), &p); err != nil {
		return nil, &InputError{"plan", "it is not the JSON object of a plan (" + err.Error() + ")", "give the whole object that the plan tool returned, edited or not"}
	}
	p, problems := p.Checked()
	if len(problems) > 0 {
		return nil, &InputError{"plan", strings.Join(problems, "; "), "mend it and give the whole plan again"}
	}
	return &p, nil
}

// Checked is the plan in the form that a run follows, and what is wrong with it,
// one clause each. A plan that only leaves things out is filled up: ids and
// queries of tasks. A research task that waits for a compute task waits for what
// that one waits for instead, since computing comes after searching.
func (p Plan) Checked() (Plan, []string) {
	var problems []string
	wrong := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	p.Title = cut(oneLine(p.Title), maxTitle)
	p.Tasks = slices.Clone(p.Tasks)
	if len(p.Tasks) == 0 && !p.Enough {
		wrong("it has no tasks")
	}
	if len(p.Tasks) > MaxTasks {
		wrong("it has %d tasks, the most is %d", len(p.Tasks), MaxTasks)
	}
	for i := range p.Tasks {
		t, bad := p.Tasks[i].checked(i)
		if bad != "" {
			wrong("task %s %s", t.ID, bad)
		}
		if slices.ContainsFunc(p.Tasks[:i], func(o Task) bool { return o.ID == t.ID }) {
			wrong("two tasks have the id %s", t.ID)
		}
		p.Tasks[i] = t
	}
	for _, t := range p.Tasks {
		for _, d := range t.DependsOn {
			if p.task(d) == nil {
				wrong("task %s depends on %q, which is no task", t.ID, d)
			}
		}
	}
	if len(problems) == 0 {
		if loop := p.loop(); loop != "" {
			wrong("task %s depends on itself through others", loop)
		} else {
			p = p.researchFirst()
		}
	}
	fill(&p.Tasks)
	fill(&p.Assumptions)
	fill(&p.Warnings)
	p.ID = ""
	p.ID = p.id()
	return p, problems
}

// kinds are the names of kinds that models and people use.
var kinds = map[string]TaskKind{
	"": ResearchTask, "research": ResearchTask, "search": ResearchTask,
	"compute": ComputeTask, "processing": ComputeTask, "code": ComputeTask, "coding": ComputeTask, "calculation": ComputeTask,
}

// checked is the task in good form, and a clause on what is wrong with it.
func (t Task) checked(place int) (Task, string) {
	if t.ID = oneLine(t.ID); t.ID == "" {
		t.ID = fmt.Sprintf("t%d", place+1)
	}
	t.ID = cut(t.ID, 40)
	kind, known := kinds[strings.ToLower(strings.TrimSpace(string(t.Kind)))]
	if !known {
		return t, fmt.Sprintf("is of the kind %q, and there are research and compute", cut(string(t.Kind), 40))
	}
	t.Kind, t.Title, t.Detail = kind, cut(oneLine(t.Title), maxTitle), cut(oneLine(t.Detail), maxDetail)
	if t.Title == "" {
		return t, "has no title"
	}
	queries := []string{}
	for _, q := range t.Queries {
		if q = oneLine(q); q == "" {
			continue
		}
		if err := safe.Query(q); err != nil {
			return t, fmt.Sprintf("has a query that cannot be sent: %v", err)
		}
		queries = append(queries, q)
	}
	t.Queries = queries[:min(len(queries), TaskQueries)]
	if t.Kind == ResearchTask && len(t.Queries) == 0 {
		t.Queries = []string{cut(t.Title, safe.MaxQuery)}
	}
	if t.Kind == ComputeTask {
		t.Queries = []string{}
	}
	t.DependsOn = slices.Clone(t.DependsOn)
	fill(&t.DependsOn)
	return t, ""
}

func (p Plan) task(id string) *Task {
	for i := range p.Tasks {
		if p.Tasks[i].ID == id {
			return &p.Tasks[i]
		}
	}
	return nil
}

// loop is a task that waits for itself, or empty.
func (p Plan) loop() string {
	settled := map[string]bool{}
	for range p.Tasks {
		for _, t := range p.Tasks {
			if !slices.ContainsFunc(t.DependsOn, func(d string) bool { return !settled[d] }) {
				settled[t.ID] = true
			}
		}
	}
	for _, t := range p.Tasks {
		if !settled[t.ID] {
			return t.ID
		}
	}
	return ""
}

// researchFirst replaces compute tasks that research tasks depend on by what
// those depend on. The plan has no loop.
func (p Plan) researchFirst() Plan {
	for i, t := range p.Tasks {
		if t.Kind == ResearchTask {
			p.Tasks[i].DependsOn = p.researched(t.DependsOn)
		}
	}
	return p
}

func (p Plan) researched(ids []string) []string {
	out := []string{}
	for _, id := range ids {
		through := []string{id}
		if t := p.task(id); t.Kind == ComputeTask {
			through = p.researched(t.DependsOn)
		}
		for _, d := range through {
			if !slices.Contains(out, d) {
				out = append(out, d)
			}
		}
	}
	return out
}

func (p Plan) id() string {
	body, _ := json.Marshal(p) // strings and numbers only
	sum := sha256.Sum256(body)
	return "p_" + hex.EncodeToString(sum[:12])
}

// Plan takes a question apart without searching: a task for each part, with the
// queries that would be sent. Mistakes in the question are an *InputError. The
// plan can be followed later by its id or as it was edited: see [Question.Plan].
func (e *Engine) Plan(ctx context.Context, q Question) (Plan, error) {
	q, err := q.Normalize()
	if err != nil {
		return Plan{}, err
	}
	if _, err := e.fingerprint(ctx, q); err != nil {
		return Plan{}, err
	}
	n := nodes{Ports: e.ports}
	a, err := n.analysis(ctx, State{Question: q})
	if err != nil {
		return Plan{}, err
	}
	if a.Decline != "" {
		p, _ := Plan{Question: q.Text, Enough: true, Warnings: []string{a.Decline}}.Checked()
		return p, nil
	}
	p, notes, err := n.drafted(ctx, State{Question: q, Analysis: a})
	if err != nil {
		return Plan{}, err
	}
	p.Warnings = append(slices.Clone(a.Notes.Warnings), notes.Warnings...)
	p.Estimate = e.estimate(q, a)
	p, _ = p.Checked()
	if e.ports.Plans != nil {
		if err := e.ports.Plans.Keep(ctx, p); err != nil {
			p.Warnings = append(p.Warnings, "the plan was not kept, so give it back whole instead of its id: "+err.Error())
		}
	}
	return p, nil
}

// withPlan looks up the plan that a question names by its id.
func (e *Engine) withPlan(ctx context.Context, q Question) (Question, error) {
	if q.PlanID == "" || q.Plan != nil {
		return q, nil
	}
	missing := &InputError{"plan_id", fmt.Sprintf("there is no plan %q any more", cut(oneLine(q.PlanID), 80)), "call the plan tool again, or give the whole plan as plan"}
	if e.ports.Plans == nil {
		return q, missing
	}
	p, ok, err := e.ports.Plans.Kept(ctx, q.PlanID)
	if err != nil {
		return q, fmt.Errorf("looking up the plan: %w", err)
	}
	if !ok {
		return q, missing
	}
	q.Plan, q.PlanID = &p, ""
	return q, nil
}

// drafted asks the method for a plan. Where it gives none that can be followed,
// each part of the question is a task.
func (n nodes) drafted(ctx context.Context, s State) (Plan, Notes, error) {
	plain := Plan{Question: s.Question.Text, Title: cut(oneLine(s.Question.Text), 100), Tasks: tasksOf(s.Analysis), Assumptions: s.Analysis.Assumptions}
	planner, ok := n.Method.(Planner)
	if !ok {
		p, _ := plain.Checked()
		return p, Notes{}, nil
	}
	p, notes, err := planner.Plan(ctx, s)
	if err != nil {
		return Plan{}, notes, fmt.Errorf("planning: %w", err)
	}
	p.Question = s.Question.Text
	if checked, problems := p.Checked(); len(problems) == 0 {
		return checked, notes, nil
	}
	p, _ = plain.Checked()
	return p, notes, nil
}

// tasksOf makes a task of each facet. The first query is the whole question and
// belongs to the first task; the others go where their words come from.
func tasksOf(a Analysis) []Task {
	tasks := make([]Task, min(len(a.Facets), MaxTasks))
	for i, f := range a.Facets[:len(tasks)] {
		tasks[i] = Task{ID: fmt.Sprintf("t%d", i+1), Kind: ResearchTask, Title: f.Title, Detail: detailOf[f.Kind]}
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

// facets are the parts of the question as a plan divides it: what was asked stays,
// since a plan only paraphrases it, and each research task is a part more.
func (a Analysis) facets(p Plan) []Facet {
	out := slices.Clip(a.Facets)
	for _, t := range p.Tasks {
		if t.Kind == ResearchTask && !slices.ContainsFunc(out, func(f Facet) bool { return f.Title == t.Title }) {
			out = append(out, a.facet(t))
		}
	}
	return out
}

// facet is a task as a part of the question: what a sentence about it speaks of
// are its own words and those of the question.
func (a Analysis) facet(t Task) Facet {
	for _, f := range a.Facets {
		if f.Title == t.Title {
			return f
		}
	}
	out := Facet{Title: t.Title, Terms: text.Terms(t.Title), Kind: Survey}
	if len(a.Facets) > 0 {
		out.Since = a.Facets[0].Since
		out.Terms = append(out.Terms, a.Facets[0].Terms...)
	}
	slices.Sort(out.Terms)
	out.Terms = slices.Compact(out.Terms)
	return out
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
