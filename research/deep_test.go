package research_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"deepresearch/internal/library"
	"deepresearch/research"
	"deepresearch/research/extract"
)

// planner is the extractive method with plans of its own.
type planner struct {
	research.Method
	plans   []research.Plan // the drafts, in order; the last one again and again
	drafted []research.State
	unclear *research.Clarification
	asked   []string // questions as they were taken apart
	broken  string   // task whose review fails
}

func (p *planner) Analyse(ctx context.Context, q research.Question) (research.Analysis, error) {
	p.asked = append(p.asked, q.Text+"|"+q.Clarified)
	a, err := p.Method.Analyse(ctx, q)
	a.Clarify = p.unclear
	return a, err
}

func (p *planner) Plan(_ context.Context, s research.State) (research.Plan, research.Notes, error) {
	p.drafted = append(p.drafted, s)
	return p.plans[min(len(p.drafted), len(p.plans))-1], research.Notes{}, nil
}

func (p *planner) Reflect(ctx context.Context, s research.State) (research.Reflection, error) {
	if s.Task != nil && s.Task.ID == p.broken {
		return research.Reflection{}, errors.New("429 too many requests")
	}
	return p.Method.Reflect(ctx, s)
}

func newDeepRig(t *testing.T, w *web, p *planner) rig {
	return newRigWith(t, w, func(r rig, libraries *library.Cache) research.Method {
		p.Method = extract.New(r.archive, libraries)
		return p
	})
}

func tasks(list ...research.Task) research.Plan { return research.Plan{Title: "a plan", Tasks: list} }

func TestPlanIsFollowedTaskByTask(t *testing.T) {
	p := &planner{plans: []research.Plan{tasks(
		research.Task{ID: "open", Title: "When the Varn Bridge was opened", Queries: []string{"Varn Bridge opened year"}},
		research.Task{ID: "born", Title: "Where Maren Holt was born", DependsOn: []string{"open"}, Queries: []string{"Maren Holt born village"}},
		research.Task{ID: "sum", Kind: research.ComputeTask, Title: "Years between the two", DependsOn: []string{"born"}},
	)}}
	r := newDeepRig(t, bridges(), p)
	got := r.ask(t, research.Question{Text: "What is known of the Varn Bridge?", Effort: research.Deep})
	if got.Status != research.Done || got.Plan == nil || len(got.Plan.Tasks) != 3 {
		t.Fatalf("status %s, plan %+v, warnings %q", got.Status, got.Plan, got.Warnings)
	}
	if len(p.drafted) != 1 || len(p.drafted[0].Pages) == 0 {
		t.Errorf("the plan was drafted %d times, the first time from %d pages: want once and from some", len(p.drafted), len(p.drafted[0].Pages))
	}
	opened, born := slices.Index(r.web.queries, "Varn Bridge opened year"), slices.Index(r.web.queries, "Maren Holt born village")
	if opened < 0 || born < opened {
		t.Errorf("queries %q: the task that waits must come behind the one that it waits for", r.web.queries)
	}
	if !strings.Contains(got.Report, "village of Sandvik") {
		t.Errorf("what the second task found is not in the report:\n%s", got.Report)
	}
	checked(t, r, got)
}

// TestHandedPlan runs as it is, whatever the effort: nothing is drafted and no
// query but its own is sent first.
func TestHandedPlan(t *testing.T) {
	p := &planner{}
	r := newDeepRig(t, bridges(), p)
	plan, err := research.ParsePlan(`{"question":"What is known of Maren Holt?","tasks":[{"title":"Birth","queries":["Maren Holt born"]}]}`)
	if err != nil {
		t.Fatal(err)
	}
	got := r.ask(t, research.Question{Plan: plan, Effort: research.Quick})
	if got.Status != research.Done || len(p.drafted) != 0 || !slices.Equal(r.web.queries, []string{"Maren Holt born"}) {
		t.Errorf("status %s, drafted %d times, queries %q", got.Status, len(p.drafted), r.web.queries)
	}
}

func TestEnoughAlreadyIsWritten(t *testing.T) {
	p := &planner{plans: []research.Plan{{Enough: true}}}
	r := newDeepRig(t, bridges(), p)
	got := r.ask(t, research.Question{Text: "When was the Varn Bridge opened?", Effort: research.Deep})
	if got.Status != research.Done || got.StopReason != research.StopSufficient {
		t.Errorf("status %s, stop reason %s", got.Status, got.StopReason)
	}
}

// TestPlanThatCannotBeFollowed falls back on the parts of the question.
func TestPlanThatCannotBeFollowed(t *testing.T) {
	for name, plan := range map[string]research.Plan{
		"empty": {},
		"loop":  tasks(research.Task{ID: "a", Title: "one", DependsOn: []string{"b"}}, research.Task{ID: "b", Title: "two", DependsOn: []string{"a"}}),
		"kind":  tasks(research.Task{ID: "a", Title: "one", Kind: "dance"}),
	} {
		r := newDeepRig(t, bridges(), &planner{plans: []research.Plan{plan}})
		got := r.ask(t, research.Question{Text: "When was the Varn Bridge opened?", Effort: research.Deep})
		if got.Status != research.Done || got.Plan == nil || len(got.Plan.Tasks) == 0 {
			t.Errorf("%s: status %s, plan %+v", name, got.Status, got.Plan)
		}
	}
}

// TestComputeOnly has nothing to search for: the run ends with what the round
// before the plan found, and the computation is a gap.
func TestComputeOnly(t *testing.T) {
	p := &planner{plans: []research.Plan{tasks(research.Task{Kind: "PROCESSING", Title: "Age of the bridge in 2026"})}}
	got := newDeepRig(t, bridges(), p).ask(t, research.Question{Text: "When was the Varn Bridge opened?", Effort: research.Deep})
	if got.Status != research.Done || !slices.Contains(got.Gaps, "Age of the bridge in 2026") {
		t.Errorf("status %s, gaps %q", got.Status, got.Gaps)
	}
}

// TestFailedReviewIsAGap: one dead branch costs its task, never the run.
func TestFailedReviewIsAGap(t *testing.T) {
	list := make([]research.Task, research.MaxTasks) // more than run at once
	for i := range list {
		list[i] = research.Task{ID: fmt.Sprintf("t%d", i+1), Title: fmt.Sprintf("Part %d of the Varn Bridge", i+1), Queries: []string{fmt.Sprintf("Varn Bridge part %d", i+1)}}
	}
	p := &planner{plans: []research.Plan{tasks(list...)}, broken: "t3"}
	got := newDeepRig(t, bridges(), p).ask(t, research.Question{Text: "What is known of the Varn Bridge?", Effort: research.Deep})
	if got.Status != research.Done || !slices.Contains(got.Gaps, "Part 3 of the Varn Bridge") {
		t.Errorf("status %s, gaps %q", got.Status, got.Gaps)
	}
	if !slices.ContainsFunc(got.Warnings, func(w string) bool { return strings.Contains(w, "429") }) {
		t.Errorf("warnings %q do not tell of the failure", got.Warnings)
	}
}

// TestLoopLimitOfPlans counts rounds of searching exactly, the one before the
// plan included.
func TestLoopLimitOfPlans(t *testing.T) {
	chain := make([]research.Task, 6)
	for i := range chain {
		chain[i] = research.Task{ID: fmt.Sprint(i), Title: fmt.Sprintf("Step %d", i), Queries: []string{fmt.Sprintf("step %d of the Varn Bridge", i)}}
		if i > 0 {
			chain[i].DependsOn = []string{fmt.Sprint(i - 1)}
		}
	}
	p := &planner{plans: []research.Plan{tasks(chain...)}}
	r := newDeepRig(t, bridges(), p)
	got := r.ask(t, research.Question{Text: "What is known of the Varn Bridge?", Effort: research.Deep, MaxLoops: 3})
	steps := 0
	for _, q := range r.web.queries {
		if strings.HasPrefix(q, "step ") {
			steps++
		}
	}
	if got.StopReason != research.StopLoopLimit || steps > 2 {
		t.Errorf("stop reason %s after %d task rounds (%q), want loop_limit after at most 2", got.StopReason, steps, r.web.queries)
	}
}

// waitFor follows a run until it rests.
func waitFor(t *testing.T, r rig, id string) research.Result {
	t.Helper()
	got, err := r.Follow(t.Context(), "test", id, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestApproval(t *testing.T) {
	first := tasks(research.Task{Title: "Cost of the Varn Bridge", Queries: []string{"Varn Bridge cost"}})
	second := tasks(research.Task{Title: "Length of the Varn Bridge", Queries: []string{"Varn Bridge length metres"}})
	p := &planner{plans: []research.Plan{first, second}}
	r := newDeepRig(t, bridges(), p)
	id, err := r.Start(t.Context(), "test", research.Question{Text: "What is known of the Varn Bridge?", Effort: research.Deep, ApprovePlan: true}, true)
	if err != nil {
		t.Fatal(err)
	}
	got := waitFor(t, r, id)
	if got.Status != research.Waiting || got.Ask == nil || got.Ask.Kind != research.AskApprove || got.Ask.Plan == nil {
		t.Fatalf("status %s, ask %+v", got.Status, got.Ask)
	}
	if len(got.Found) == 0 {
		t.Error("a run that waits tells nothing of what it found")
	}
	for _, f := range got.Found {
		if !strings.Contains(strings.Join(slices.Collect(maps.Values(r.archive.texts)), "\n"), f.Text) || f.URL == "" || f.N < 1 {
			t.Errorf("%+v is no passage of a page that was read", f)
		}
	}
	if err := r.Answer(t.Context(), "other", id, "approve"); !errors.Is(err, research.ErrNoRun) {
		t.Errorf("another caller's answer: %v, want no such run", err)
	}
	answer(t, r, id, "length, not cost")
	if got = waitFor(t, r, id); got.Ask == nil || got.Ask.Plan.Tasks[0].Title != second.Tasks[0].Title {
		t.Fatalf("after an objection: status %s, ask %+v", got.Status, got.Ask)
	}
	if s := p.drafted[1]; len(s.Rejected) != 1 || s.Rejected[0].Why != "length, not cost" || s.Rejected[0].Plan.Tasks[0].Title != first.Tasks[0].Title {
		t.Errorf("the second draft was made knowing %+v, want the first plan and the objection", s.Rejected)
	}
	answer(t, r, id, "shorter")
	if got = waitFor(t, r, id); got.Status != research.Waiting {
		t.Fatalf("status %s before the last draft is approved: nothing may be approved by silence", got.Status)
	}
	if err := r.Answer(t.Context(), "test", id, "shorter still"); err == nil {
		t.Error("a third objection was taken, though no draft follows")
	}
	edited := *got.Ask.Plan
	edited.Tasks = []research.Task{{Title: "Engineer", Queries: []string{"engineer of the Varn Bridge"}}}
	body, _ := json.Marshal(edited)
	answer(t, r, id, string(body))
	if got = waitFor(t, r, id); got.Status != research.Done || got.Plan.Tasks[0].Title != "Engineer" {
		t.Errorf("status %s, plan %+v", got.Status, got.Plan)
	}
	replayed(t, r, got, func() research.Method { return &planner{Method: p.Method, plans: p.plans} })
}

func answer(t *testing.T, r rig, id, text string) {
	t.Helper()
	if err := r.Answer(t.Context(), "test", id, text); err != nil {
		t.Fatalf("answering %q: %v", text, err)
	}
}

// replayed runs the record of a run and compares the reports.
func replayed(t *testing.T, r rig, want research.Result, method func() research.Method) {
	t.Helper()
	rec, err := r.Record(t.Context(), "test", want.RunID)
	if err != nil {
		t.Fatal(err)
	}
	e, err := research.NewReplay(rec, method(), r.store)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Close(context.Background()) }()
	if _, err := e.Replay(t.Context(), rec); err != nil {
		t.Errorf("replay: %v", err)
	}
}

func TestClarification(t *testing.T) {
	unclear := &research.Clarification{Text: "Which bridge do you mean?", Options: []string{"Varn", "Tay"}, Assume: "The bridge is the one over the Varn."}
	for _, test := range []struct {
		name    string
		may     bool
		answer  string
		assumed bool
	}{{"asked and answered", true, "Varn", false}, {"nobody to ask", false, "", true}} {
		p := &planner{unclear: unclear, plans: []research.Plan{{Enough: true}}}
		r := newDeepRig(t, bridges(), p)
		id, err := r.Start(t.Context(), "test", research.Question{Text: "When was the bridge opened?", Effort: research.Deep, MayAsk: test.may}, true)
		if err != nil {
			t.Fatal(err)
		}
		got := waitFor(t, r, id)
		if (got.Status == research.Waiting) != test.may {
			t.Fatalf("%s: status %s, ask %+v", test.name, got.Status, got.Ask)
		}
		if test.may {
			answer(t, r, id, test.answer)
			got = waitFor(t, r, id)
			if last := p.asked[len(p.asked)-1]; !strings.HasSuffix(last, "|Which bridge do you mean? Varn") {
				t.Errorf("the question was taken apart as %q, without the answer", last)
			}
		}
		if got.Status != research.Done || slices.Contains(got.Assumptions, unclear.Assume) != test.assumed {
			t.Errorf("%s: status %s, assumptions %q", test.name, got.Status, got.Assumptions)
		}
	}
}

func TestAnswerToNothing(t *testing.T) {
	r := newRig(t, bridges())
	got := r.ask(t, research.Question{Text: "When was the Varn Bridge opened?"})
	bad := (*research.InputError)(nil)
	if err := r.Answer(t.Context(), "test", got.RunID, "yes"); !errors.As(err, &bad) {
		t.Errorf("answering a run that waits for nothing: %v", err)
	}
}

func TestParsePlanRefuses(t *testing.T) {
	for body, want := range map[string]string{
		`[]`:           "not the JSON object",
		`{"tasks":[]}`: "no tasks",
		`{"tasks":[{"id":"a","title":"x","depends_on":["b"]}]}`:                     `"b", which is no task`,
		`{"tasks":[{"id":"a","title":"x"},{"id":"a","title":"y"}]}`:                 "two tasks have the id a",
		`{"tasks":[{"id":"a","title":""}]}`:                                         "has no title",
		`{"tasks":[{"id":"a","title":"x","kind":"write"}]}`:                         "research and compute",
		`{"tasks":[{"id":"a","title":"x","queries":["see http://evil.example/"]}]}`: "cannot be sent",
		`{"tasks":[{"id":"a","title":"x","depends_on":["a"]}]}`:                     "depends on itself",
	} {
		_, err := research.ParsePlan(body)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q in it", body, err, want)
		}
	}
	p, err := research.ParsePlan("\ufeff" + `{"tasks":[{"id":"r","title":"find","depends_on":["c"]},{"id":"c","kind":"Compute","title":"sum","depends_on":["q"]},{"id":"q","title":"count"}]}`)
	if err != nil || !slices.Equal(p.Tasks[0].DependsOn, []string{"q"}) {
		t.Errorf("a research task behind a compute task depends on %v (%v), want what that one depends on", p.Tasks[0].DependsOn, err)
	}
}
