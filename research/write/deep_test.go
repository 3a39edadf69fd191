package write_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"deepresearch/internal/compute"
	"deepresearch/internal/llm"
	"deepresearch/internal/llm/scripted"
	"deepresearch/research"
)

// onSchema answers requests whose schema has a word by a fixed text.
func onSchema(word, text string) func(llm.Request) string {
	return func(r llm.Request) string {
		if strings.Contains(string(r.Schema), word) {
			return text
		}
		return ""
	}
}

// plans answers the nth request for a plan of a run by the nth text.
func plans(texts ...string) func(llm.Request) string {
	n := 0
	return func(r llm.Request) string {
		if !strings.Contains(string(r.Schema), `"depends_on"`) {
			return ""
		}
		n++
		return texts[min(n, len(texts))-1]
	}
}

// planPrompts are the requests for plans.
func (r rig) planPrompts() []llm.Request {
	return slices.DeleteFunc(r.prompted(llm.Plan), func(q llm.Request) bool { return !strings.Contains(string(q.Schema), `"depends_on"`) })
}

func TestDeepRun(t *testing.T) {
	r := newRig(t, setup{answer: good})
	got := r.ask(t, research.Question{Text: survey, Effort: research.Deep})
	if got.Status != research.Done || got.Mode != research.ByModel || got.Plan == nil || len(got.Plan.Tasks) != 2 {
		t.Fatalf("status %s, mode %s, plan %+v, warnings %q", got.Status, got.Mode, got.Plan, got.Warnings)
	}
	for _, want := range []string{"Varn Bridge cost crowns repairs", "Maren Holt born village engineer"} {
		if !slices.Contains(r.web.queries, want) {
			t.Errorf("queries %q lack %q", r.web.queries, want)
		}
	}
	if got.StopReason != research.StopSufficient || !slices.Contains(got.Assumptions, "The bridge near Oldby is meant.") {
		t.Errorf("stop reason %s, assumptions %q", got.StopReason, got.Assumptions)
	}
	reviews := r.prompted(llm.Reflect)
	if len(reviews) != 2 {
		t.Fatalf("%d reviews of 2 tasks", len(reviews))
	}
	for _, c := range reviews {
		user := c.Messages[0].Text
		if !strings.Contains(user, survey) || !strings.Contains(user, "Judge this one alone: ") || strings.Contains(user, "Judge this one alone: Cost") && strings.Contains(user, "Sandvik") {
			t.Errorf("a review lacks question or task, or sees the pages of another task:\n%s", user)
		}
	}
	if len(r.prompted(llm.Search, "Its engineer Maren Holt: Where she was born")) == 0 {
		t.Error("no reader knows the task that its page is for")
	}
}

// TestPlannerSeesFindingsOnly: what readers said, the question, the day and the
// queries that were sent; never a text of a page.
func TestPlannerSeesFindingsOnly(t *testing.T) {
	r := newRig(t, setup{answer: answering(onRole(llm.Search, `{"findings":[{"says":"A finding in other words.","sentences":[1]}]}`))})
	r.ask(t, research.Question{Text: survey, Effort: research.Deep})
	user := r.planPrompts()[0].Messages[0].Text
	for _, want := range []string{survey, "2026-05-01", "A finding in other words.", "Varn Bridge traffic statistics 2026"} {
		if !strings.Contains(user, want) {
			t.Errorf("the planner does not see %q:\n%s", want, user)
		}
	}
	for _, bad := range []string{"http", "crowns, paid", "Bridges of the north", "vehicles"} {
		if strings.Contains(user, bad) {
			t.Errorf("the planner reads %q:\n%s", bad, user)
		}
	}
}

// TestPlansOfModels: each row is what a model says for a plan, and the titles of
// the tasks that come of it.
func TestPlansOfModels(t *testing.T) {
	facets := []string{"How was the Varn Bridge built", "How is it used today"}
	task := func(more string) string { return `{"title":"P","enough":false,"tasks":[` + more + `]}` }
	for name, test := range map[string]struct {
		said  string
		want  []string
		calls int
	}{
		"kinds in capitals, no ids":   {task(`{"kind":"RESEARCH","title":"A"},{"kind":"Search","title":"B"}`), []string{"A", "B"}, 1},
		"numbers as ids":              {task(`{"id":1,"title":"A"},{"id":2,"title":"B","depends_on":[1]}`), []string{"A", "B"}, 1},
		"fenced and thought aloud":    {"<think>tasks?</think>\n```json\n" + task(`{"title":"A"}`) + "\n```", []string{"A"}, 1},
		"one query for a list":        {task(`{"title":"A","queries":"Varn Bridge paint"}`), []string{"A"}, 1},
		"enough, yet tasks":           {`{"enough":true,"tasks":[{"title":"A"}]}`, []string{"A"}, 1},
		"more tasks than wanted":      {task(`{"title":"A"},{"title":"B"},{"title":"C"},{"title":"D"},{"title":"E"},{"title":"F"},{"title":"G"},{"title":"H"}`), []string{"A", "B", "C", "D", "E", "F", "G", "H"}, 1},
		"a loop":                      {task(`{"id":"a","title":"A","depends_on":["b"]},{"id":"b","title":"B","depends_on":["a"]}`), nil, 2},
		"depends on nothing there":    {task(`{"id":"a","title":"A","depends_on":["z"]}`), nil, 2},
		"no tasks":                    {`{"enough":false,"tasks":[]}`, nil, 2},
		"addresses for titles":        {task(`{"title":"https://evil.example/x"}`), nil, 2},
		"computing where nothing can": {task(`{"kind":"PROCESSING","title":"A"}`), nil, 2},
		"the schema":                  {`{"title":"string","enough":"boolean","tasks":[{"title":"string"}]}`, nil, 0},
		"no plan":                     {"I would start by searching.", nil, 0},
	} {
		r := newRig(t, setup{answer: answering(onSchema(`"depends_on"`, test.said))})
		got := r.ask(t, research.Question{Text: survey, Effort: research.Deep, MaxLoops: 2})
		var titles []string
		for _, task := range got.Plan.Tasks {
			titles = append(titles, task.Title)
		}
		want := test.want
		if want == nil {
			want = facets
		}
		if got.Status != research.Done || !slices.Equal(titles, want) {
			t.Errorf("%s: status %s, tasks %q, want %q; warnings %q", name, got.Status, titles, want, got.Warnings)
		}
		if n := len(r.planPrompts()); test.calls > 0 && n != test.calls || n > 2 {
			t.Errorf("%s: %d calls for the plan, want %d", name, n, test.calls)
		}
		if test.want == nil && len(got.Warnings) == 0 {
			t.Errorf("%s: nothing tells that the plan is not the model's", name)
		}
		for _, q := range r.web.queries {
			if strings.Contains(q, "evil") {
				t.Errorf("%s: query %q was sent", name, q)
			}
		}
	}
}

// TestPlanIsMendedOnce: the second call is told what is wrong and with what.
func TestPlanIsMendedOnce(t *testing.T) {
	r := newRig(t, setup{answer: answering(plans(`{"title":"First","enough":false,"tasks":[{"id":"a","title":"Paint","depends_on":["z"]}]}`, goodPlan("")))})
	got := r.ask(t, research.Question{Text: survey, Effort: research.Deep})
	asked := r.planPrompts()
	if len(asked) != 2 || len(got.Plan.Tasks) != 2 {
		t.Fatalf("%d calls, plan %+v", len(asked), got.Plan)
	}
	for _, want := range []string{"Your last plan cannot be followed: First", "a (research): Paint, after z", `task a depends on "z", which is no task`} {
		if !strings.Contains(asked[1].Messages[0].Text, want) {
			t.Errorf("the second call lacks %q:\n%s", want, asked[1].Messages[0].Text)
		}
	}
}

// TestEnoughEndsTheSearch: a planner may say that nothing more is needed, but not
// when nothing was found.
func TestEnoughEndsTheSearch(t *testing.T) {
	enough := onSchema(`"depends_on"`, `{"enough":true,"tasks":[]}`)
	r := newRig(t, setup{answer: answering(enough)})
	got := r.ask(t, research.Question{Text: survey, Effort: research.Deep})
	if got.StopReason != research.StopSufficient || !got.Plan.Enough || len(r.prompted(llm.Reflect)) != 0 || got.Mode != research.ByModel {
		t.Errorf("stop reason %s, plan %+v, mode %s", got.StopReason, got.Plan, got.Mode)
	}
	r = newRig(t, setup{answer: answering(enough, onRole(llm.Search, `{"findings":[]}`))})
	if got = r.ask(t, research.Question{Text: survey, Effort: research.Deep}); got.Plan.Enough || len(got.Plan.Tasks) == 0 {
		t.Errorf("nothing was found, and the plan is %+v", got.Plan)
	}
}

// TestRejectedPlanIsShown: the next draft is made knowing the last one and the
// objection.
func TestRejectedPlanIsShown(t *testing.T) {
	r := newRig(t, setup{answer: good})
	id := start(t, r, research.Question{Text: survey, Effort: research.Deep, ApprovePlan: true})
	got := follow(t, r, id)
	if got.Status != research.Waiting || got.Ask == nil || got.Ask.Kind != research.AskApprove {
		t.Fatalf("status %s, ask %+v", got.Status, got.Ask)
	}
	answer(t, r, id, "leave the engineer out")
	if got = follow(t, r, id); got.Status != research.Waiting {
		t.Fatalf("status %s after an objection", got.Status)
	}
	second := r.planPrompts()[1].Messages[0].Text
	for _, want := range []string{"This plan was refused: The Varn Bridge", "t1 (research): Cost of the Varn Bridge", "t2 (research): Its engineer Maren Holt, after t1", "leave the engineer out"} {
		if !strings.Contains(second, want) {
			t.Errorf("the second draft is made without %q:\n%s", want, second)
		}
	}
	answer(t, r, id, "approve")
	got = follow(t, r, id)
	r.check(t, got)
	if got.Status != research.Done {
		t.Errorf("status %s, warnings %q", got.Status, got.Warnings)
	}
	r.replayed(t, got)
}

func start(t *testing.T, r rig, q research.Question) string {
	t.Helper()
	id, err := r.Start(t.Context(), "test", q, true)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func follow(t *testing.T, r rig, id string) research.Result {
	t.Helper()
	got, err := r.Follow(t.Context(), "test", id, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func answer(t *testing.T, r rig, id, text string) {
	t.Helper()
	if err := r.Answer(t.Context(), "test", id, text); err != nil {
		t.Fatalf("answering %q: %v", text, err)
	}
}

// TestClarifiedQuestion: one question back, its answer in every prompt; where
// nobody may be asked, an assumption.
func TestClarifiedQuestion(t *testing.T) {
	unclear := onSchema(`"restated"`, `{"do":"ask","ask":"Which bridge do you mean?","options":["near Oldby","in Scotland"],"assume":"The bridge near Oldby is meant.","queries":[{"query":"Varn Bridge"}]}`)
	r := newRig(t, setup{answer: answering(unclear)})
	id := start(t, r, research.Question{Text: "How was the bridge built and used?", Effort: research.Deep, MayAsk: true})
	got := follow(t, r, id)
	if got.Status != research.Waiting || got.Ask == nil || !slices.Equal(got.Ask.Options, []string{"near Oldby", "in Scotland"}) {
		t.Fatalf("status %s, ask %+v", got.Status, got.Ask)
	}
	answer(t, r, id, "the one near Oldby")
	got = follow(t, r, id)
	r.check(t, got)
	for i, c := range r.model.Calls() {
		if told := strings.Contains(c.Messages[0].Text, "Which bridge do you mean? the one near Oldby"); told != (i > 0) {
			t.Errorf("call %d (%s): told of the answer: %v", i, c.Role, told)
		}
	}
	r.replayed(t, got)
	r = newRig(t, setup{answer: answering(unclear)})
	got = r.ask(t, research.Question{Text: "How was the bridge built and used?", Effort: research.Deep})
	if got.Status != research.Done || !slices.Contains(got.Assumptions, "The bridge near Oldby is meant.") {
		t.Errorf("nobody to ask: status %s, assumptions %q", got.Status, got.Assumptions)
	}
}

// TestDeclined: greetings cost no call, and a model may decline in a sentence.
func TestDeclined(t *testing.T) {
	for text, talk := range map[string]bool{
		"Hi there!": true, "Thank you very much.": true, "你好！": true, "Guten Morgen": true, "merci beaucoup": true, "How are you today?": true,
		"Hi, how was the Varn Bridge built and used?": false, "Hello world program in Go": false, "Thanksgiving": false,
	} {
		r := newRig(t, setup{answer: good})
		got := r.ask(t, research.Question{Text: text, Effort: research.Deep})
		if (len(r.model.Calls()) == 0) != talk || (len(r.web.queries) == 0) != talk {
			t.Errorf("%q: %d calls, queries %q", text, len(r.model.Calls()), r.web.queries)
		}
		if talk && (got.Status != research.NoEvidence || len(got.Warnings) == 0) {
			t.Errorf("%q: status %s, warnings %q", text, got.Status, got.Warnings)
		}
	}
	r := newRig(t, setup{answer: good})
	before := r.ask(t, research.Question{Text: survey})
	if got := r.ask(t, research.Question{Text: "Thanks a lot!", Effort: research.Deep, ContinueFrom: before.RunID}); got.Status != research.NoEvidence {
		t.Errorf("thanks for a report are answered with another:\n%s", got.Report)
	}
	if plan, err := r.Plan(t.Context(), research.Question{Text: "Thanks a lot!", Effort: research.Deep}); err != nil || !plan.Enough || len(plan.Warnings) == 0 {
		t.Errorf("thanks are planned for: %+v, %v", plan, err)
	}
	no := onSchema(`"restated"`, `{"do":"decline","decline":"I do not help to harm people.","queries":[]}`)
	r = newRig(t, setup{answer: answering(no)})
	got := r.ask(t, research.Question{Text: survey, Effort: research.Deep})
	if got.Status != research.NoEvidence || len(r.web.queries) != 0 || !slices.Contains(got.Warnings, "I do not help to harm people.") {
		t.Errorf("status %s, queries %q, warnings %q", got.Status, r.web.queries, got.Warnings)
	}
}

// TestPrivateTasksAskNoEngine: a plan that was made from the user's files is
// looked up in them only; a planner who does not see them makes public tasks.
func TestPrivateTasksAskNoEngine(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "note.md"), []byte("# Varn Bridge survey\n\nThe Varn Bridge survey of 2025 was led by Quilliam Abernathy for the province.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	// A planner that repeats what it sees.
	leaky := func(r llm.Request) string {
		if !strings.Contains(string(r.Schema), `"depends_on"`) {
			return ""
		}
		who := "the surveyor"
		if strings.Contains(r.Messages[0].Text, "Abernathy") {
			who = "Quilliam Abernathy"
		}
		return fmt.Sprintf(`{"enough":false,"tasks":[{"title":"Life of %s","queries":["%s biography Oldby"]}]}`, who, who)
	}
	for _, share := range []bool{false, true} {
		r := newRig(t, setup{answer: answering(leaky, reflections(reflection(false, "who he is", "Quilliam Abernathy engineer biography"), reflection(true, "")))})
		got := r.ask(t, research.Question{Text: "How was the Varn Bridge surveyed and how is it used?", Effort: research.Deep, Files: []string{folder}, SharePrivate: share})
		sent := slices.ContainsFunc(r.web.queries, func(q string) bool { return strings.Contains(q, "Abernathy") })
		if sent != share {
			t.Errorf("share_private %v: private names in queries: %v (%q)", share, sent, r.web.queries)
		}
		if !share && !slices.Contains(r.web.queries, "the surveyor biography Oldby") {
			t.Errorf("the task was not searched for: %q", r.web.queries)
		}
		if !strings.Contains(got.Report, "Abernathy") {
			t.Errorf("the user's document is not in the report:\n%s", got.Report)
		}
	}
	r := newRig(t, setup{answer: answering(leaky)})
	got := r.ask(t, research.Question{Text: "How was the Varn Bridge surveyed and how is it used?", Effort: research.Deep, Files: []string{folder}, Offline: true})
	if len(got.Plan.Tasks) != 1 || !got.Plan.Tasks[0].Private || !strings.Contains(got.Plan.Tasks[0].Title, "Abernathy") {
		t.Fatalf("an offline plan knows the files and is marked: %+v", got.Plan.Tasks)
	}
	again := newRig(t, setup{answer: good}) // the same plan, with engines at hand
	again.ask(t, research.Question{Plan: got.Plan, Files: []string{folder}, Text: "How was the Varn Bridge surveyed?"})
	if len(again.web.queries) != 0 {
		t.Errorf("a private plan was searched for: %q", again.web.queries)
	}
}

// TestDeepFollowsTheBudget: however small, it is never passed, and there is a
// report.
func TestDeepFollowsTheBudget(t *testing.T) {
	for _, persona := range []scripted.Persona{scripted.Good, scripted.Garbage} {
		for _, calls := range []int{1, 2, 4, 8, 14, 18, 25, 40} {
			r := newRig(t, setup{answer: answering(reflections(reflection(false, "cost", "Varn Bridge cost crowns"))), persona: persona})
			got := r.ask(t, research.Question{Text: survey, Effort: research.Deep, Limits: research.Limits{Calls: calls}})
			if got.Usage.ModelCalls > calls || got.Status != research.Done || got.Report == "" {
				t.Errorf("%s, %d calls: %d made, status %s, warnings %q", persona, calls, got.Usage.ModelCalls, got.Status, got.Warnings)
			}
			if persona == scripted.Good && calls >= 18 && got.Mode == research.Extractive {
				t.Errorf("%d calls: mode %s, warnings %q", calls, got.Mode, got.Warnings)
			}
		}
	}
	r := newRig(t, setup{answer: good, prices: true})
	for _, limits := range []research.Limits{{Tokens: 20_000}, {Cost: 0.05}, {Searches: 4}, {Pages: 3}} {
		got := r.ask(t, research.Question{Text: survey, Effort: research.Deep, Limits: limits})
		used := got.Usage.TokensIn + got.Usage.TokensOut
		if limits.Tokens > 0 && used > limits.Tokens || limits.Cost > 0 && *got.Usage.Cost > limits.Cost || limits.Searches > 0 && got.Usage.Searches > limits.Searches || limits.Pages > 0 && got.Usage.Pages > limits.Pages {
			t.Errorf("limits %+v: used %+v", limits, got.Usage)
		}
		if got.Status != research.Done {
			t.Errorf("limits %+v: status %s", limits, got.Status)
		}
	}
}

// TestDeepIsDeterministic: branches end in any order, the report stays the same.
func TestDeepIsDeterministic(t *testing.T) {
	var want research.Result
	for n := range 4 {
		w := bridges()
		w.lag = func(url string) int { return (len(url)*(n*7+1) + n) % 97 * 50 }
		got := newRig(t, setup{web: w, answer: good}).ask(t, research.Question{Text: survey, Effort: research.Deep})
		if n == 0 {
			want = got
			continue
		}
		if d := cmp.Diff(want.Report, got.Report); d != "" {
			t.Errorf("run %d differs:\n%s", n, d)
		}
		if d := cmp.Diff(want.Plan, got.Plan); d != "" {
			t.Errorf("run %d is planned differently:\n%s", n, d)
		}
	}
}

// TestEveryDeepPromptIsComplete: question, day and language, whoever is asked:
// the planner, the reviews, the writer of programs and the writers of sections.
func TestEveryDeepPromptIsComplete(t *testing.T) {
	r := newRig(t, setup{sandbox: &compute.Sandbox{}, answer: answering(costPlan, program(perMetre(nil)))})
	r.ask(t, research.Question{Text: costQuestion, Effort: research.Deep})
	roles := map[llm.Role]int{}
	for _, c := range r.model.Calls() {
		roles[c.Role]++
		for _, want := range []string{"Question: " + costQuestion, "Today: 2026-05-01", "English (en)"} {
			if !strings.Contains(c.Messages[0].Text, want) {
				t.Errorf("a %s prompt lacks %q:\n%s", c.Role, want, c.Messages[0].Text)
			}
		}
	}
	if roles[llm.Plan] != 2 || roles[llm.Reflect] == 0 || roles[llm.Write] == 0 {
		t.Errorf("calls by role: %v", roles)
	}
}

// TestMoreTasksThanWorkers: each task is searched for, read and judged, and none
// overwrites another.
func TestMoreTasksThanWorkers(t *testing.T) {
	var list []map[string]any
	for i, what := range []string{"cost", "length", "opening", "engineer", "traffic", "crane", "repairs", "paint", "lorries", "river", "crowns", "birth"} {
		list = append(list, map[string]any{"id": fmt.Sprint(i), "title": "The " + what, "queries": []string{"Varn Bridge " + what}})
	}
	r := newRig(t, setup{answer: answering(onSchema(`"depends_on"`, asJSON(map[string]any{"enough": false, "tasks": list})))})
	got := r.ask(t, research.Question{Text: survey, Effort: research.Deep, Limits: research.Limits{Concurrency: 2}})
	if len(got.Plan.Tasks) != len(list) || got.StopReason != research.StopSufficient {
		t.Errorf("%d tasks, stop reason %s, warnings %q", len(got.Plan.Tasks), got.StopReason, got.Warnings)
	}
	for _, task := range list {
		if title := fmt.Sprint(task["title"]); len(r.prompted(llm.Reflect, "Judge this one alone: "+title)) != 1 {
			t.Errorf("task %q was not judged once", title)
		}
	}
}

// TestReviewSaysWhatIsMissing: an insufficient task searches on with its own
// follow-up while that finds something, and what it lacks is told. The task that
// waits for it begins all the same.
func TestReviewSaysWhatIsMissing(t *testing.T) {
	n := 0
	more := func(r llm.Request) string {
		if r.Role != llm.Reflect || !strings.Contains(r.Messages[0].Text, "Judge this one alone: Cost") {
			return ""
		}
		n++
		return reflection(false, "the price of paint", fmt.Sprintf("Varn Bridge paint price source %d", n))
	}
	r := newRig(t, setup{answer: answering(more)})
	got := r.ask(t, research.Question{Text: survey, Effort: research.Deep, MaxLoops: 10})
	if n < 2 || n > research.MaxTries || !slices.Contains(got.Gaps, "the price of paint") || got.Status != research.Done {
		t.Errorf("%d reviews of one task, gaps %q, status %s, stop reason %s", n, got.Gaps, got.Status, got.StopReason)
	}
	if !slices.Contains(r.web.queries, "Maren Holt born village engineer") {
		t.Errorf("the task that waited for it was never begun: %q", r.web.queries)
	}
}
