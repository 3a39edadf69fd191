package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"deepresearch/internal/graph"
)

// state is a log of what happened, in merge order.
type state struct {
	Loop  int      `json:"loop,omitempty"`
	Words []string `json:"words,omitempty"`
}

type update struct {
	Loop  int      `json:"loop,omitempty"`
	Words []string `json:"words,omitempty"`
}

func reduce(s state, u update) state {
	s.Loop += u.Loop
	s.Words = append(slices.Clip(s.Words), u.Words...)
	return s
}

// research is shaped like the product's: plan, ask, parallel work with calls, a loop, an uneven join and a landing.
func research(t *testing.T) *graph.Graph[state, update] {
	b := graph.New("research", "1", reduce)
	type policy = graph.Policy[update]
	say := func(words ...string) (update, error) { return update{Words: words}, nil }
	b.Node("plan", func(ctx context.Context, s state) (update, error) {
		graph.Emit(ctx, map[string]int{"loop": s.Loop})
		return update{Loop: 1, Words: []string{"plan"}}, nil
	}, policy{})
	b.Node("approve", func(ctx context.Context, s state) (update, error) {
		answer, err := graph.Ask(ctx, "go on?", graph.Terms[string]{})
		return update{Words: []string{answer}}, err
	}, policy{})
	work := graph.AddWorker(b, "work", func(ctx context.Context, s state, i int) (update, error) {
		found, err := graph.Once(ctx, graph.Call{Kind: "search", Request: i}, func(context.Context) ([]string, graph.Usage, error) {
			return []string{fmt.Sprintf("w%d.%d", s.Loop, i)}, graph.Usage{Searches: 1}, nil
		})
		if i == 3 {
			return update{}, errors.New("always broken")
		}
		return update{Words: found}, err
	}, policy{Attempts: 2, OnError: func(err error) (update, bool) { return update{Words: []string{"lost"}}, true }})
	side := graph.AddWorker(b, "side", func(ctx context.Context, s state, word string) (update, error) { return say(word) }, policy{})
	b.Node("reflect", func(context.Context, state) (update, error) { return say("reflect") }, policy{})
	b.Node("write", func(ctx context.Context, s state) (update, error) { return say("write", graph.Spent(ctx)) }, policy{})
	b.Node("check", func(context.Context, state) (update, error) { return say("check") }, policy{})
	b.Edge("plan", "approve")
	b.Route("approve", func(s state) (next []graph.Next) {
		for i := range 5 {
			next = append(next, work.To(i))
		}
		return append(next, side.To("side"))
	}, "work", "side")
	b.Edge("work", "reflect")
	b.Edge("side", graph.End)
	b.Route("reflect", func(s state) []graph.Next {
		if s.Loop < 2 {
			return graph.To("plan")
		}
		return graph.To("write")
	}, "plan", "write")
	b.Join("check", "write", "reflect")
	b.Edge("check", graph.End)
	b.Land("write")
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// testRuns runs a graph on the store with the local driver, and beside it with nothing but JSON between its parts.
func testRuns(t *testing.T, p Process) {
	for _, budget := range []graph.Budget{{}, {Searches: 7}, {Steps: 3}} {
		t.Run(fmt.Sprintf("%+v", budget), func(t *testing.T) {
			s, _ := p(t)
			g := research(t)
			l := must[*graph.Local](t)(graph.NewLocal(graph.Options{Store: s, Poll: 5 * time.Millisecond, Snapshot: 2}, g))
			defer l.Close(ctx(t))
			r := must[graph.Run](t)(l.Start(ctx(t), graph.Request{Graph: "research", Input: raw(`{}`), Budget: budget}))
			must[graph.Attachment](t)(l.Attach(ctx(t), r.ID))
			r = finish(t, l, r.ID)
			want := remote(t, g, budget)
			if budget == (graph.Budget{Searches: 7}) {
				want = words(t, r.State) // which branch is refused is a race
			}
			if diff := cmp.Diff(want, words(t, r.State)); diff != "" || r.Status != graph.StatusDone {
				t.Errorf("%s %s: %s", r.Status, r.Reason, diff)
			}
			if budget.Searches > 0 && (r.Usage.Searches != budget.Searches || r.Reason != "budget_searches") {
				t.Errorf("%s, usage %+v", r.Reason, r.Usage)
			}
			if diff := cmp.Diff(r, through(t, r), approx); diff != "" {
				t.Errorf("the run does not survive JSON: %s", diff)
			}
			checkEvents(t, l, r.ID)
		})
	}
}

// finish answers what a run asks until it rests otherwise.
func finish(t *testing.T, l *graph.Local, id string) graph.Run {
	t.Helper()
	for {
		r := must[graph.Run](t)(l.Wait(ctx(t), id))
		if r.Status != graph.StatusWaiting {
			return r
		}
		ok(t, l.Answer(ctx(t), id, r.Asks[0].ID, raw(`"yes"`)))
	}
}

func checkEvents(t *testing.T, l *graph.Local, id string) {
	t.Helper()
	seq := int64(0)
	for e, err := range l.Tail(ctx(t), id, 0) {
		if seq++; err != nil || e.Seq != seq {
			t.Fatalf("event %d of %d: %v", e.Seq, seq, err)
		}
	}
	if seq == 0 {
		t.Error("no events")
	}
}

func words(t *testing.T, saved json.RawMessage) []string {
	t.Helper()
	var s state
	ok(t, json.Unmarshal(saved, &s))
	return s.Words
}

// through passes a value through JSON.
func through[T any](t *testing.T, v T) (out T) {
	t.Helper()
	b, err := json.Marshal(v)
	ok(t, err)
	ok(t, json.Unmarshal(b, &out))
	return out
}

// remote drives a graph as a driver on another machine would: state, frontier, branch and result only ever as JSON.
func remote(t *testing.T, g *graph.Graph[state, update], b graph.Budget) []string {
	t.Helper()
	s := state{}
	h := &host{rows: map[graph.CallKey]json.RawMessage{}}
	clock := graph.Clock{Now: time.Now, Rand: func() float64 { return 0 }}
	answers := map[string]json.RawMessage{}
	for f := g.Entry(s, b); len(f.Branches) > 0; {
		results := make([]graph.Result[update], len(f.Branches))
		for i, next := range f.Branches {
			branch := graph.Branch{Step: f.Step, Index: i, Next: next, Landing: f.Landed, Answers: answers}
			if f.Landed {
				branch.Spent = f.Spent
			}
			run := func() graph.Result[update] {
				return through(t, must[graph.Result[update]](t)(g.ExecBranch(ctx(t), through(t, s), through(t, branch), h, clock)))
			}
			if results[i] = run(); results[i].Ask != nil {
				answers[results[i].Ask.ID] = raw(`"yes"`)
				results[i] = run()
			}
		}
		var err error
		s, f, err = g.Advance(through(t, s), through(t, f), results)
		ok(t, err)
	}
	return s.Words
}

// host is the least that branches need, without any limit.
type host struct {
	mu   sync.Mutex
	rows map[graph.CallKey]json.RawMessage
}

func (h *host) Begin(_ context.Context, _ graph.Branch, r graph.CallRow) (json.RawMessage, int, time.Time, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.rows[r.CallKey], 0, time.Time{}, nil
}

func (h *host) Settle(_ graph.Branch, r graph.CallRow, _ graph.Usage) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.rows[r.CallKey] = r.Result
	return nil
}

func (h *host) Emit(graph.Branch, string, json.RawMessage) {}

func (h *host) Left(graph.Branch) graph.Usage { return graph.Usage{Calls: math.MaxInt64} }

// testProcesses moves one run through three processes: the first dies at work, the second shuts down while the run
// waits, the third finishes. No finished call is made twice.
func testProcesses(t *testing.T, p Process) {
	var mu sync.Mutex
	made := map[string]int{}
	entered, release := make(chan struct{}, 10), make(chan struct{})
	b := graph.New("moving", "1", reduce)
	b.Node("call", func(ctx context.Context, s state) (update, error) {
		var u update
		for _, q := range []string{"a", "b"} {
			v, err := graph.Once(ctx, graph.Call{Kind: "model", Request: q}, func(ctx context.Context) (string, graph.Usage, error) {
				mu.Lock()
				made[q]++
				mu.Unlock()
				if q == "b" {
					entered <- struct{}{}
					<-release
				}
				return q, graph.Usage{Calls: 1}, nil
			})
			if err != nil {
				return u, err
			}
			u.Words = append(u.Words, v)
		}
		return u, nil
	}, graph.Policy[update]{})
	b.Node("ask", func(ctx context.Context, s state) (update, error) {
		a, err := graph.Ask(ctx, "?", graph.Terms[string]{})
		return update{Words: []string{a}}, err
	}, graph.Policy[update]{})
	b.Edge("call", "ask")
	b.Edge("ask", graph.End)
	g := must[*graph.Graph[state, update]](t)(b.Build())

	open := func() (*graph.Local, func()) {
		s, die := p(t)
		return must[*graph.Local](t)(graph.NewLocal(graph.Options{Store: s, Poll: 5 * time.Millisecond}, g)), die
	}
	first, die := open()
	r := must[graph.Run](t)(first.Start(ctx(t), graph.Request{Graph: "moving", Key: "k", Input: raw(`{}`)}))
	<-entered
	second, _ := open()
	must[graph.Attachment](t)(second.Attach(ctx(t), r.ID))
	die()
	<-entered // the second process has taken over
	close(release)
	r = must[graph.Run](t)(second.Wait(ctx(t), r.ID))
	if r.Status != graph.StatusWaiting || made["a"] != 1 || made["b"] != 2 || r.Usage.Calls != 3 {
		t.Fatalf("%s (%s), calls %v, usage %+v", r.Status, r.Reason, made, r.Usage)
	}
	ok(t, second.Close(ctx(t)))
	ok(t, first.Close(ctx(t)))
	third, _ := open()
	defer third.Close(ctx(t))
	r = finish(t, third, r.ID)
	if diff := cmp.Diff([]string{"a", "b", "yes"}, words(t, r.State)); diff != "" || made["a"] != 1 || made["b"] != 2 {
		t.Errorf("%s, calls %v", diff, made)
	}
}
