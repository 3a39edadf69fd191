package write_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"deepresearch/internal/compute"
	"deepresearch/internal/llm"
	"deepresearch/internal/llm/scripted"
	"deepresearch/research"
)

// TestBudgetOfCallsIsHard: whatever the limit, it is never passed and there is a
// report.
func TestBudgetOfCallsIsHard(t *testing.T) {
	for _, persona := range []scripted.Persona{scripted.Good, scripted.Garbage, scripted.RateLimited} {
		for calls := 1; calls <= 16; calls++ {
			r := newRig(t, setup{answer: answering(reflections(reflection(false, "cost", "Varn Bridge cost crowns"))), persona: persona})
			got := r.ask(t, research.Question{Text: survey, Limits: research.Limits{Calls: calls}})
			if got.Usage.ModelCalls > calls {
				t.Errorf("%s: %d calls, the budget is %d", persona, got.Usage.ModelCalls, calls)
			}
			if got.Status != research.Done || got.Report == "" {
				t.Errorf("%s, %d calls: status %s, warnings %q", persona, calls, got.Status, got.Warnings)
			}
			if persona == scripted.Good && calls >= 3 && got.Mode == research.Extractive {
				t.Errorf("%d calls: mode %s, warnings %q", calls, got.Mode, got.Warnings)
			}
		}
	}
}

func TestBudgetOfTokensAndCostIsHard(t *testing.T) {
	for _, tokens := range []int{500, 4000, 12_000, 40_000} {
		r := newRig(t, setup{answer: good, prices: true})
		got := r.ask(t, research.Question{Text: survey, Limits: research.Limits{Tokens: tokens}})
		if used := got.Usage.TokensIn + got.Usage.TokensOut; used > tokens || got.Status != research.Done {
			t.Errorf("%d tokens used, the budget is %d; status %s", used, tokens, got.Status)
		}
	}
	for _, cost := range []float64{0.001, 0.02, 0.1, 1} {
		r := newRig(t, setup{answer: good, prices: true})
		got := r.ask(t, research.Question{Text: survey, Limits: research.Limits{Cost: cost}})
		if got.Usage.Cost == nil || *got.Usage.Cost > cost || got.Status != research.Done {
			t.Errorf("cost %v, the budget is %v; status %s, mode %s", got.Usage.Cost, cost, got.Status, got.Mode)
		}
		if got.Estimate.Cost == nil || *got.Estimate.Cost > cost {
			t.Errorf("estimated cost %v, the budget is %v", got.Estimate.Cost, cost)
		}
	}
}

// TestUnknownPriceIsSaid: no cost is better than an invented one, and a limit that
// cannot be kept is refused.
func TestUnknownPriceIsSaid(t *testing.T) {
	unpriced := func(m research.Model) research.Model { return noPrice{m} }
	r := newRig(t, setup{answer: good, models: unpriced})
	got := r.ask(t, research.Question{Text: survey})
	if got.Usage.Cost != nil || got.Estimate.Cost != nil {
		t.Errorf("cost %v, estimated %v, want none", got.Usage.Cost, got.Estimate.Cost)
	}
	_, err := r.Start(t.Context(), "test", research.Question{Text: survey, Limits: research.Limits{Cost: 1}}, true)
	if bad := (*research.InputError)(nil); !errors.As(err, &bad) || bad.Field != "max_cost" {
		t.Errorf("a limit on an unknown cost: %v", err)
	}
	priced := newRig(t, setup{answer: good, prices: true})
	if got := priced.ask(t, research.Question{Text: survey}); got.Usage.Cost == nil || *got.Usage.Cost <= 0 {
		t.Errorf("cost %v, want one above zero", got.Usage.Cost)
	}
}

type noPrice struct{ research.Model }

func (m noPrice) Generate(ctx context.Context, r llm.Request) (llm.Reply, error) {
	reply, err := m.Model.Generate(ctx, r)
	reply.Usage.Cost = nil
	return reply, err
}

// TestEstimateComesFirst: the first answer knows what the run may take.
func TestEstimateComesFirst(t *testing.T) {
	r := newRig(t, setup{answer: good, prices: true})
	id, err := r.Start(t.Context(), "test", research.Question{Text: survey}, true)
	if err != nil {
		t.Fatal(err)
	}
	first, err := r.Result(t.Context(), "test", id)
	if err != nil {
		t.Fatal(err)
	}
	if e := first.Estimate; e.ModelCalls == 0 || e.Searches == 0 || e.Seconds == 0 || e.Cost == nil || *e.Cost <= 0 || *e.Cost > 0.50 {
		t.Errorf("estimate of the first answer: %+v", e)
	}
	plan, err := r.Plan(t.Context(), research.Question{Text: survey})
	if err != nil || len(plan.Tasks) < 2 || plan.Estimate.ModelCalls == 0 {
		t.Errorf("plan %+v, %v", plan, err)
	}
}

// TestFaultsNeverLoseARun runs the same research under random faults of model,
// engine and pages.
func TestFaultsNeverLoseARun(t *testing.T) {
	faultTrial(t, 200, func(n int) research.Question {
		return research.Question{Text: survey, Effort: []research.Effort{research.Quick, research.Standard}[n%2]}
	})
}

// TestFaultsNeverLoseADeepRun is the same with plans, programs and running
// memory.
func TestFaultsNeverLoseADeepRun(t *testing.T) {
	faultTrial(t, 200, func(n int) research.Question {
		q := research.Question{Text: costQuestion, Effort: research.Deep, MaxLoops: 3}
		if n%2 == 1 {
			q.Memory = research.Rolling
			q.Effort = []research.Effort{research.Standard, research.Deep}[n/2%2]
		}
		return q
	})
}

// faultTrial runs questions under faults of 30 percent; at least 95 of 100 must
// end with a report or without evidence.
func faultTrial(t *testing.T, runs int, question func(n int) research.Question) {
	t.Helper()
	const rate = 30
	ended := 0
	for n := range runs {
		w := bridges()
		w.fail = func(kind, what string) bool { return chance(rate, n, kind, what) }
		faulty := func(m research.Model) research.Model { return &faults{Model: m, run: n, rate: rate} }
		persona := scripted.Personas[n%len(scripted.Personas)]
		more := reflections(reflection(false, "cost", "Varn Bridge cost crowns"), reflection(true, ""))
		r := newRig(t, setup{web: w, answer: answering(costPlan, program(perMetre(nil)), more), persona: persona, models: faulty, sandbox: &compute.Sandbox{}})
		q := question(n)
		got := r.ask(t, q)
		if got.Status == research.Done && got.Report != "" || got.Status == research.NoEvidence && got.Report == "" {
			ended++
		} else {
			t.Logf("run %d (%s, %s%s): status %s, warnings %q", n, persona, q.Effort, q.Memory, got.Status, got.Warnings)
		}
	}
	if ended*100 < runs*95 {
		t.Errorf("%d of %d runs ended with a report or no_evidence, want 95 %%", ended, runs)
	}
	t.Logf("%d of %d runs under %d %% faults ended with a report or no_evidence", ended, runs, rate)
}

// chance is true for rate percent of what it is asked, always the same ones.
func chance(rate, run int, what ...string) bool {
	h := fnv.New32a()
	fmt.Fprint(h, run, what)
	return int(h.Sum32()%100) < rate
}

// faults break a share of the calls, each in another way.
type faults struct {
	research.Model
	run, rate int
}

func (f *faults) Generate(ctx context.Context, r llm.Request) (llm.Reply, error) {
	if !chance(f.rate, f.run, string(r.Role), r.Messages[0].Text) {
		return f.Model.Generate(ctx, r)
	}
	h := fnv.New32a()
	fmt.Fprint(h, f.run, r.Messages[0].Text, "kind")
	switch h.Sum32() % 6 {
	case 0:
		return llm.Reply{Usage: llm.Usage{Calls: 1, In: 100}}, &llm.Error{Kind: llm.Timeout, Message: "no answer"}
	case 1:
		return llm.Reply{}, &llm.Error{Kind: llm.Rate, Message: "too many requests", RetryAfter: time.Hour}
	case 2:
		return llm.Reply{Text: "?", JSON: []byte(`{"findings":"no","queries":3,"sections":{},"rows":[[]],"sufficient":"perhaps","verdicts":null}`), Usage: llm.Usage{Calls: 1}}, nil
	case 3:
		return llm.Reply{Usage: llm.Usage{Calls: 1}}, nil
	case 4:
		panic("a back end with a mistake")
	}
	return llm.Reply{}, errors.New("something that is no error of a model")
}

// TestResumeNeitherRepaysNorChanges: a run that is cut off in the middle of its
// calls goes on from there, asks nothing twice that was answered, and ends with
// the report of a run that was not cut off.
func TestResumeNeitherRepaysNorChanges(t *testing.T) {
	resumed(t, research.Question{Text: survey}, good, 13, 3)
}

// TestDeepRunsResume is the same with a plan, reviews and a program, and with a
// running summary.
func TestDeepRunsResume(t *testing.T) {
	plan := answering(costPlan, program(perMetre(nil)))
	resumed(t, research.Question{Text: costQuestion, Effort: research.Deep}, plan, 24, 3)
	resumed(t, rolling(research.Question{Text: survey, MaxLoops: 3}), answering(never), 16, 4)
}

// resumed cuts a run at every step-th call up to most.
func resumed(t *testing.T, q research.Question, say func(llm.Request) string, most, step int64) {
	t.Helper()
	want := newRig(t, setup{answer: say, sandbox: &compute.Sandbox{}}).ask(t, q)
	for cut := int64(1); cut <= most; cut += step {
		c := &counting{stop: cut, hit: make(chan struct{})}
		r := newRig(t, setup{answer: say, sandbox: &compute.Sandbox{}, models: func(m research.Model) research.Model { c.Model = m; return c }})
		id, err := r.Start(t.Context(), "test", q, true)
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = r.Follow(t.Context(), "test", id, 0, nil)
		}()
		select {
		case <-c.hit:
		case <-done:
			continue // it needs fewer calls
		}
		over, stop := context.WithCancel(t.Context())
		stop()
		_ = r.Close(over)
		<-done
		again := r.reopened(t)
		ctx, stop := context.WithTimeout(t.Context(), patience)
		defer stop()
		if err := again.Resume(ctx, "test", id); err != nil {
			t.Fatal(err)
		}
		got, err := again.Follow(ctx, "test", id, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		again.check(t, got)
		if d := cmp.Diff(want.Report, got.Report); d != "" {
			t.Errorf("cut at call %d: the report differs (-whole +resumed):\n%s", cut, d)
		}
		if d := cmp.Diff(answered(r, again), map[string]int{}); d != "" {
			t.Errorf("cut at call %d: asked again although answered:\n%s", cut, d)
		}
	}
}

// answered are the requests that the model answered more than once.
func answered(rigs ...rig) map[string]int {
	n := map[string]int{}
	for _, r := range rigs {
		for _, c := range r.model.Calls() {
			n[c.System+c.Messages[0].Text]++
		}
	}
	for k, v := range n {
		if v == 1 {
			delete(n, k)
		}
	}
	return n
}

// TestDecisionsAreTraced: why this query, this source, this end.
func TestDecisionsAreTraced(t *testing.T) {
	r := newRig(t, setup{answer: answering(reflections(reflection(false, "the price of paint", "Varn Bridge paint price")))})
	got := r.ask(t, research.Question{Text: survey})
	events, err := r.store.Events(t.Context(), got.RunID, 0, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, e := range events {
		all.Write(e.Body)
		all.WriteByte('\n')
	}
	for _, want := range []string{
		`{"chose":"query","what":"Varn Bridge traffic statistics 2026","why":"use"}`,
		`{"chose":"query","what":"Varn Bridge paint price","why":"missing: the price of paint"}`,
		`"chose":"source","what":"https://varn.example/bridge"`,
		`{"chose":"stop","what":"no_new_evidence","why":"missing: the price of paint"}`,
		`{"chose":"section","what":"Construction of the bridge"`,
	} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("the trace lacks %s:\n%s", want, all.String())
		}
	}
}

// TestProgressIsTold: every phase, each line short enough for hosts.
func TestProgressIsTold(t *testing.T) {
	r := newRig(t, setup{answer: good})
	id, err := r.Start(t.Context(), "test", research.Question{Text: survey}, true)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var phases []string
	_, err = r.Follow(t.Context(), "test", id, patience, func(p research.Progress) {
		mu.Lock()
		defer mu.Unlock()
		if !slices.Contains(phases, p.Phase) {
			phases = append(phases, p.Phase)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"analysing", "searching", "reading", "reflecting", "writing", "checking"}, phases); d != "" {
		t.Errorf("phases (-want +got):\n%s", d)
	}
}
