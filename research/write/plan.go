package write

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"deepresearch/prompts"
	"deepresearch/research"
)

// planSchema takes any kind of task: [research.Plan.Checked] knows the names that
// models use.
var planSchema = json.RawMessage(`{"type":"object","properties":{
"title":{"type":"string"},
"enough":{"type":"boolean","description":"what was found answers the question already"},
"tasks":{"type":"array","items":{"type":"object","properties":{
"id":{"type":"string","description":"t1, t2 and so on"},
"kind":{"type":"string","description":"research or compute"},
"title":{"type":"string"},
"detail":{"type":"string"},
"depends_on":{"type":"array","items":{"type":"string"},"description":"ids of tasks"},
"queries":{"type":"array","items":{"type":"string"}}},"required":["title"]}},
"assumptions":{"type":"array","items":{"type":"string"}}},
"required":["enough","tasks"]}`)

// maxWanted is how many tasks a plan is asked for at most: more make a report that
// nobody reads.
const maxWanted = 6

// Calls and searches that a task takes about: two reviews and four pages, and two
// queries to two engines each.
const (
	callsATask    = 6
	searchesATask = 4
)

// tasksWanted is how many tasks what is left of the budget is good for.
func tasksWanted(s research.State) int {
	n := min(maxWanted, (left(s)-landing(s))/callsATask)
	if !s.Question.Offline {
		n = min(n, (s.Question.Limits.Searches-len(s.Asked))/searchesATask)
	}
	return max(1, n)
}

// Plan asks a model to divide the question into tasks. It sees what the readers
// found, never a text of a page; findings in private documents it sees only where
// nothing goes to an engine, so that tasks can be searched for on the web. A plan
// that cannot be followed goes back once with what is wrong. Without a usable one
// the plan is empty, and each part of the question becomes a task.
func (m *Method) Plan(ctx context.Context, s research.State) (research.Plan, research.Notes, error) {
	if left(s) <= landing(s) {
		return research.Plan{}, research.Notes{}, nil
	}
	shared := s.Question.Offline || s.Question.SharePrivate
	found, private := known(s, shared)
	in := prompts.Plan{
		Task: m.taskOf(s), N: tasksWanted(s), PerTask: min(s.Question.Queries, research.TaskQueries), Computes: m.computes(),
		Parts: parts(s.Analysis), Findings: found,
	}
	if !shared {
		in.Hidden = hidden(s)
	}
	for _, r := range s.Rejected {
		in.Rejected = append(in.Rejected, prompts.Rejected{Title: r.Plan.Title, Tasks: taskLines(r.Plan.Tasks), Why: oneLine(r.Why)})
	}
	in.Mark = fence(in.Question, says(found)...)
	t := &talk{m: m, effort: s.Question.Effort}
	for range 2 {
		plan, problems, err := t.plan(ctx, in)
		if err != nil || len(problems) == 0 {
			return marked(plan, private && !s.Question.SharePrivate), t.notes, err
		}
		in.Draft = &prompts.Draft{Title: plan.Title, Tasks: taskLines(plan.Tasks), Wrong: problems}
	}
	t.notes.Answers = max(0, t.notes.Answers-2)
	t.warn("A model's plan cannot be followed, so each part of the question is a task: %s", strings.Join(in.Draft.Wrong, "; "))
	return research.Plan{}, t.notes, nil
}

// plan makes one call. Without an answer the plan is empty and nothing is wrong
// with it: asking again would not help.
func (t *talk) plan(ctx context.Context, in prompts.Plan) (research.Plan, []string, error) {
	prompt, err := t.m.opt.Prompts.Plan(in)
	var said struct {
		Title       string
		Enough      bool
		Tasks       []research.Task
		Assumptions []string
	}
	if ok, err := t.askFor(ctx, tasking, prompt, err, &said); !ok {
		return research.Plan{}, nil, err
	}
	p := research.Plan{Assumptions: lines(said.Assumptions, maxAssumptions)}
	p.Title, _ = statement(said.Title, maxHeading)
	refused := 0
	for _, one := range said.Tasks {
		clean, bad := cleaned(one)
		p.Tasks = append(p.Tasks, clean)
		refused += bad
	}
	t.dropped(refused, "Queries of a model that were not sent, because they are too long or hold an address")
	// A plan that has tasks is not enough, whatever it says, and nothing found never is.
	if p.Enough = said.Enough && len(p.Tasks) == 0; p.Enough && len(in.Findings) > 0 {
		return p, nil, nil
	}
	p.Enough = false
	p, problems := p.Checked()
	for _, task := range p.Tasks {
		if task.Kind == research.ComputeTask && !in.Computes {
			problems = append(problems, fmt.Sprintf("task %s is to compute, and nothing here can", task.ID))
		}
	}
	return p, problems, nil
}

// cleaned is a task whose texts can be shown and sent, and how many of its queries
// cannot.
func cleaned(t research.Task) (out research.Task, refused int) {
	out = research.Task{ID: t.ID, Kind: t.Kind, DependsOn: t.DependsOn}
	out.Title, _ = statement(clip(oneLine(t.Title), maxHeading), maxHeading)
	out.Detail, _ = statement(clip(oneLine(t.Detail), maxLine), maxLine)
	for _, q := range t.Queries {
		if clean, ok := query(q); ok {
			out.Queries = append(out.Queries, clean)
		} else {
			refused++
		}
	}
	return out, refused
}

// marked is the plan with its tasks as private as what they were made from.
func marked(p research.Plan, private bool) research.Plan {
	for i := range p.Tasks {
		p.Tasks[i].Private = private
	}
	return p
}

// taskLines are tasks as a prompt tells them.
func taskLines(tasks []research.Task) []string {
	out := make([]string, len(tasks))
	for i, t := range tasks {
		out[i] = fmt.Sprintf("%s (%s): %s", t.ID, t.Kind, t.Title)
		if len(t.DependsOn) > 0 {
			out[i] += ", after " + strings.Join(t.DependsOn, ", ")
		}
	}
	return out
}
