package research

import (
	"fmt"
	"slices"
)

// TaskState is where a task of the plan stands.
type TaskState struct {
	ID    string
	Begun bool
	Tries int      // rounds that worked on it
	Done  bool     // nothing more is done for it
	Lost  bool     `json:",omitempty"` // a round of it failed
	Gaps  []string `json:",omitempty"` // what it did not find
}

// MaxTries is how many rounds work on one task at most.
const MaxTries = 3

// Review is what the reflection on one task came to.
type Review struct {
	Task       string
	Sufficient bool
	Gaps       []string
	FollowUps  []Query
	Reason     string
}

// Planned reports whether the question is worked on by a plan.
func (q Question) Planned() bool { return q.Effort == Deep || q.Plan != nil || q.ApprovePlan }

// drafting reports whether a plan is still to be made. A run whose budget is spent
// has no use for one.
func (s State) drafting() bool { return s.Question.Planned() && s.Plan == nil && s.Spent == "" }

// follow takes up a plan: its tasks become the parts of the question, and the
// round that searched for what it rests on is over.
func (s State) follow(p Plan) State {
	if len(s.Asked) > 0 {
		s = s.roundOver()
	} else {
		s.Analysis.Queries, s.Pending = nil, nil // the plan stands in for them
	}
	s.Plan, s.Draft = &p, nil
	if p.Enough {
		s.Stop = StopSufficient
	}
	s.Analysis.Facets = s.Analysis.facets(p)
	if s.Analysis.Shape == Lookup && len(s.Analysis.Facets) > 1 {
		s.Analysis.Shape = Survey // several sides were wanted
	}
	for _, a := range p.Assumptions {
		if !slices.Contains(s.Analysis.Assumptions, a) {
			s.Analysis.Assumptions = append(slices.Clip(s.Analysis.Assumptions), a)
		}
	}
	s.Tasks = make([]TaskState, len(p.Tasks))
	for i, t := range p.Tasks {
		s.Tasks[i] = TaskState{ID: t.ID}
	}
	var queries []Query
	s.Tasks, queries = s.begin(s.Tasks)
	s.Pending = s.fresh(queries)
	return s
}

// roundOver counts a round of searching.
func (s State) roundOver() State {
	s.Round++
	s.Accepted = append(slices.Clip(s.Accepted), s.useful())
	return s
}

// searched reports whether the round that is judged searched. Tasks whose queries
// were all asked before are judged by what is there.
func (s State) searched() bool { return s.Plan == nil || len(s.Pending) > 0 }

// rounds are those of searching, the one being judged included.
func (s State) rounds() int {
	if s.searched() {
		return s.Round + 1
	}
	return s.Round
}

// begin starts the research tasks whose dependencies are done, and gives their
// queries.
func (s State) begin(tasks []TaskState) ([]TaskState, []Query) {
	tasks = slices.Clone(tasks)
	done := map[string]bool{}
	for _, t := range tasks {
		done[t.ID] = t.Done
	}
	var out []Query
	for i, t := range s.Plan.Tasks {
		waits := slices.ContainsFunc(t.DependsOn, func(d string) bool { return !done[d] })
		if t.Kind != ResearchTask || tasks[i].Begun || waits {
			continue
		}
		tasks[i].Begun = true
		for _, q := range t.Queries {
			out = append(out, Query{Text: q, Task: t.ID, Why: t.Title, Private: t.Private && !s.Question.SharePrivate})
		}
	}
	return tasks, out
}

// active are the research tasks that the round just read for worked on.
func (s State) active() []string {
	var out []string
	for _, t := range s.Tasks {
		if t.Begun && !t.Done {
			out = append(out, t.ID)
		}
	}
	return out
}

// judged joins the reviews of a round: a task is done when its review says so,
// when it has no follow-up that is new, when it had its tries, or when rounds give
// nothing any more; then those that waited for it begin. What a task did not find is a gap.
func (s State) judged() (Reflection, []TaskState) {
	tasks := slices.Clone(s.Tasks)
	var r Reflection
	for i, t := range tasks {
		if !t.Begun || t.Done {
			continue
		}
		v, reviewed := s.review(t.ID)
		follow := s.fresh(v.FollowUps)
		t.Tries++
		t.Lost = !reviewed
		t.Done = v.Sufficient || len(follow) == 0 || t.Tries >= MaxTries || s.dry()
		t.Gaps = nil
		if !v.Sufficient {
			t.Gaps = v.Gaps
			if len(t.Gaps) == 0 {
				t.Gaps = []string{s.Plan.task(t.ID).Title}
			}
		}
		if !t.Done {
			r.FollowUps = append(r.FollowUps, follow...)
		}
		tasks[i] = t
	}
	tasks, begun := s.begin(tasks)
	r.FollowUps = append(r.FollowUps, begun...)
	done, all := 0, 0
	for i, t := range s.Plan.Tasks {
		if t.Kind != ResearchTask {
			continue
		}
		all++
		missing := tasks[i].Gaps
		switch {
		case !tasks[i].Begun:
			missing = []string{t.Title}
		case tasks[i].Done:
			done++
		}
		for _, g := range missing {
			if !slices.Contains(r.Gaps, g) {
				r.Gaps = append(r.Gaps, g)
			}
		}
	}
	r.Sufficient = done == all && len(r.Gaps) == 0
	r.Reason = fmt.Sprintf("%d of %d tasks done", done, all)
	return r, tasks
}

// review is the review of a task in this round; false when it failed, which leaves
// a gap.
func (s State) review(id string) (Review, bool) {
	for _, v := range s.Reviews {
		if v.Task == id {
			return v, true
		}
	}
	return Review{Task: id}, false
}

// Undone are the titles of tasks that were not done: their turn did not come,
// their review failed, or they could not be computed.
func (s State) Undone() []string {
	if s.Plan == nil || s.Plan.Enough {
		return nil
	}
	computed := map[string]bool{}
	for _, c := range s.Computed {
		computed[c.Task] = c.Failed == ""
	}
	var out []string
	for i, t := range s.Plan.Tasks {
		if t.Kind == ComputeTask && !computed[t.ID] || t.Kind == ResearchTask && (!s.Tasks[i].Begun || s.Tasks[i].Lost) {
			out = append(out, t.Title)
		}
	}
	return out
}

// of is what a task sees of the state: itself as the only part of the question,
// and the pages that its own queries and those before the plan led to.
func (s State) of(id string) State {
	t := *s.Plan.task(id)
	s.Analysis.Facets = []Facet{s.Analysis.facet(t)}
	s.Analysis.Shape, s.Analysis.Subjects = Survey, nil
	s.Question.Queries = min(s.Question.Queries, TaskQueries)
	s.Task = &t
	pages := s.Pages
	s.Pages = nil
	for _, p := range pages {
		if s.led(id, p) {
			s.Pages = append(s.Pages, p)
		}
	}
	return s
}

// led reports whether a task, or what was asked before there were tasks, led to
// a page.
func (s State) led(id string, p PageText) bool {
	if len(p.Tasks) == 0 || slices.Contains(p.Tasks, id) {
		return true
	}
	return slices.ContainsFunc(s.Found, func(f Found) bool {
		return (f.Task == id || f.Task == "") && (f.URL == p.Source.URL || f.URL == p.From)
	})
}

// TasksOf are the tasks that led to a page, in the order of the plan; none where
// there was none yet.
func (s State) TasksOf(p PageText) []Task {
	if s.Plan == nil {
		return nil
	}
	var out []Task
	for _, t := range s.Plan.Tasks {
		if len(p.Tasks) > 0 && s.led(t.ID, p) {
			out = append(out, t)
		}
	}
	return out
}

// computable are the compute tasks whose turn it is: those that wait for no
// other one.
func (s State) computable() []string {
	if s.Plan == nil {
		return nil
	}
	done := map[string]bool{}
	for _, c := range s.Computed {
		done[c.Task] = true
	}
	var out []string
	for _, t := range s.Plan.Tasks {
		waits := slices.ContainsFunc(t.DependsOn, func(d string) bool { return s.Plan.task(d).Kind == ComputeTask && !done[d] })
		if t.Kind == ComputeTask && !done[t.ID] && !waits {
			out = append(out, t.ID)
		}
	}
	return out
}

// tasksFor names the task that a query is sent for.
func tasksFor(id string) []string {
	if id == "" {
		return nil
	}
	return []string{id}
}
