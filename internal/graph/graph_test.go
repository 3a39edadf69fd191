package graph_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"deepresearch/internal/graph"
	"deepresearch/internal/graph/mem"
)

// state and update of the graphs under test: a log of what happened, in merge order.
type state struct {
	Loop int      `json:"loop,omitempty"`
	Out  []string `json:"out,omitempty"`
}

type update struct {
	Loop int      `json:"loop,omitempty"`
	Out  []string `json:"out,omitempty"`
}

func reduce(s state, u update) state {
	s.Loop += u.Loop
	s.Out = append(slices.Clip(s.Out), u.Out...)
	return s
}

type (
	builder = graph.Builder[state, update]
	policy  = graph.Policy[update]
)

func out(words ...string) update { return update{Out: words} }

func build(t testing.TB, f func(b *builder)) *graph.Graph[state, update] {
	t.Helper()
	b := graph.New("test", "1", reduce)
	f(b)
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// single is a graph of one node.
func single(t testing.TB, p policy, f func(context.Context, state) (update, error)) *graph.Graph[state, update] {
	return build(t, func(b *builder) {
		b.Node("only", f, p)
		b.Edge("only", graph.End)
	})
}

// fan is a graph that fans out to n branches of work and then ends.
func fan(t testing.TB, n int, p policy, f func(context.Context, int) (update, error)) *graph.Graph[state, update] {
	return build(t, func(b *builder) {
		b.Node("plan", func(context.Context, state) (update, error) { return update{}, nil }, policy{})
		w := graph.AddWorker(b, "work", func(ctx context.Context, _ state, i int) (update, error) { return f(ctx, i) }, p)
		b.Node("write", func(ctx context.Context, s state) (update, error) {
			return out(strings.TrimSpace("write " + graph.Spent(ctx))), nil
		}, policy{})
		b.Route("plan", func(state) (next []graph.Next) {
			for i := range n {
				next = append(next, w.To(i))
			}
			return next
		}, "work")
		b.Edge("work", "write")
		b.Edge("write", graph.End)
		b.Land("write")
	})
}

func driver(t testing.TB, o graph.Options, p ...graph.Program) *graph.Local {
	t.Helper()
	if o.Store == nil {
		o.Store = mem.New()
	}
	l, err := graph.NewLocal(o, p...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close(context.Background()) })
	return l
}

func start(t testing.TB, l *graph.Local, b graph.Budget) graph.Run {
	t.Helper()
	r, err := l.Start(t.Context(), graph.Request{Graph: "test", Input: json.RawMessage(`{}`), Budget: b})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Attach(t.Context(), r.ID); err != nil {
		t.Fatal(err)
	}
	return r
}

// rest waits until a run rests in a status, and returns it with the words of its state.
func rest(t testing.TB, l *graph.Local, id string, want graph.Status) (graph.Run, string) {
	t.Helper()
	r, err := l.Wait(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != want {
		t.Fatalf("the run rests as %s (%s), want %s", r.Status, r.Reason, want)
	}
	return r, words(t, r)
}

func words(t testing.TB, r graph.Run) string {
	t.Helper()
	var s state
	if err := json.Unmarshal(r.State, &s); err != nil {
		t.Fatal(err)
	}
	return strings.Join(s.Out, " ")
}

// do runs a graph to its end.
func do(t testing.TB, g graph.Program, b graph.Budget) (graph.Run, string) {
	t.Helper()
	l := driver(t, graph.Options{}, g)
	r, out := rest(t, l, start(t, l, b).ID, graph.StatusDone)
	if err := l.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r, out
}

func search(ctx context.Context, query any) (string, error) {
	return graph.Once(ctx, graph.Call{Kind: "search", Request: query}, func(context.Context) (string, graph.Usage, error) {
		return fmt.Sprint("found ", query), graph.Usage{Searches: 1}, nil
	})
}

func TestMergeOrderIsBranchOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := fan(t, 20, policy{}, func(_ context.Context, i int) (update, error) {
			time.Sleep(time.Duration(i*7%20) * time.Millisecond)
			return out(fmt.Sprint(i)), nil
		})
		_, got := do(t, g, graph.Budget{})
		if want := "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 write"; got != want {
			t.Errorf("merged %s", got)
		}
	})
}

func TestUnevenJoinRunsOnce(t *testing.T) {
	say := func(w string) func(context.Context, state) (update, error) {
		return func(context.Context, state) (update, error) { return out(w), nil }
	}
	g := build(t, func(b *builder) {
		for _, n := range []string{"fork", "short", "long1", "long2", "joined"} {
			b.Node(n, say(n), policy{})
		}
		b.Edge("fork", "short")
		b.Edge("fork", "long1")
		b.Edge("long1", "long2")
		b.Join("joined", "short", "long2")
		b.Edge("joined", graph.End)
	})
	if _, got := do(t, g, graph.Budget{}); got != "fork short long1 long2 joined" {
		t.Error(got)
	}
}

func TestFailureKeepsSiblings(t *testing.T) {
	broken := true
	ran := make(chan int, 10)
	g := fan(t, 3, policy{}, func(_ context.Context, i int) (update, error) {
		ran <- i
		if i == 1 && broken {
			return update{}, errors.New("no luck")
		}
		return out(fmt.Sprint(i)), nil
	})
	l := driver(t, graph.Options{}, g)
	r, _ := rest(t, l, start(t, l, graph.Budget{}).ID, graph.StatusFailed)
	if !strings.Contains(r.Reason, "node work: no luck") {
		t.Errorf("reason %q", r.Reason)
	}
	broken = false
	if err := l.Resume(t.Context(), r.ID); err != nil {
		t.Fatal(err)
	}
	if _, got := rest(t, l, r.ID, graph.StatusDone); got != "0 1 2 write" {
		t.Error(got)
	}
	if len(ran) != 4 {
		t.Errorf("%d branches ran, want 3 and the failed one again", len(ran))
	}
}

func TestOnErrorMakesAnUpdate(t *testing.T) {
	p := policy{OnError: func(err error) (update, bool) { return out("lost:" + err.Error()), true }}
	g := fan(t, 2, p, func(_ context.Context, i int) (update, error) {
		if i == 0 {
			return update{}, errors.New("refused")
		}
		return out("1"), nil
	})
	if _, got := do(t, g, graph.Budget{}); got != "lost:refused 1 write" {
		t.Error(got)
	}
}

func TestPanicBecomesAnErrorWithStack(t *testing.T) {
	g := single(t, policy{}, func(context.Context, state) (update, error) { panic("oh") })
	l := driver(t, graph.Options{}, g)
	r, _ := rest(t, l, start(t, l, graph.Budget{}).ID, graph.StatusFailed)
	if !strings.Contains(r.Reason, "panic: oh") || !strings.Contains(r.Reason, "graph_test.go") {
		t.Error(r.Reason)
	}
}

func TestAttemptsBackOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		g := single(t, policy{Attempts: 3, Backoff: time.Second}, func(context.Context, state) (update, error) {
			if tries++; tries < 3 {
				return update{}, errors.New("again")
			}
			return out("done"), nil
		})
		r, got := do(t, g, graph.Budget{})
		if got != "done" || tries != 3 {
			t.Errorf("%s after %d tries", got, tries)
		}
		if r.Usage.Seconds < 1.5 || r.Usage.Seconds > 3 {
			t.Errorf("backed off %v s, want half to all of 1 + 2", r.Usage.Seconds)
		}
	})
}

func TestRetryIf(t *testing.T) {
	tries := 0
	p := policy{Attempts: 5, RetryIf: func(err error) bool { return false }, OnError: func(error) (update, bool) { return update{}, true }}
	do(t, single(t, p, func(context.Context, state) (update, error) { tries++; return update{}, errors.New("final") }), graph.Budget{})
	if tries != 1 {
		t.Errorf("tried %d times", tries)
	}
}

func TestTimeouts(t *testing.T) {
	stuck := func(ctx context.Context, _ state) (update, error) { <-ctx.Done(); return update{}, ctx.Err() }
	busy := func(ctx context.Context, _ state) (update, error) {
		for range 5 {
			time.Sleep(3 * time.Second)
			graph.Emit(ctx, "working")
		}
		return stuck(ctx, state{})
	}
	for _, c := range []struct {
		name    string
		p       policy
		f       func(context.Context, state) (update, error)
		seconds float64
		says    string
	}{
		{"attempt", policy{Timeout: 5 * time.Second}, stuck, 5, "not done within the attempt timeout"},
		{"idle", policy{Idle: 4 * time.Second}, stuck, 4, "no progress within the idle timeout"},
		{"progress refreshes idle", policy{Idle: 4 * time.Second}, busy, 19, "no progress within the idle timeout"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var cause error
				c.p.OnError = func(err error) (update, bool) { cause = err; return update{}, true }
				r, _ := do(t, single(t, c.p, c.f), graph.Budget{})
				if r.Usage.Seconds != c.seconds || cause == nil || !strings.Contains(cause.Error(), c.says) {
					t.Errorf("ended after %v s: %v", r.Usage.Seconds, cause)
				}
			})
		})
	}
}

func TestQuorumAndSoftDeadlineSkip(t *testing.T) {
	for _, c := range []struct {
		name, want string
		p          policy
		seconds    float64
	}{
		{"quorum", "0 1 2 write", policy{Quorum: 3}, 3},
		{"soft deadline", "0 1 write", policy{SoftDeadline: 2500 * time.Millisecond}, 2.5},
		{"neither", "0 1 2 3 4 write", policy{Quorum: 9, SoftDeadline: time.Hour}, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := fan(t, 5, c.p, func(ctx context.Context, i int) (update, error) {
					select {
					case <-time.After(time.Duration(i+1) * time.Second):
						return out(fmt.Sprint(i)), nil
					case <-ctx.Done():
						return update{}, context.Cause(ctx)
					}
				})
				r, got := do(t, g, graph.Budget{})
				if got != c.want || r.Usage.Seconds != c.seconds {
					t.Errorf("%s after %v s", got, r.Usage.Seconds)
				}
			})
		})
	}
}

// A branch that ignores its context must not hold up the step that skipped it, and its call stays charged.
func TestSkippedBranchThatDoesNotStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := fan(t, 2, policy{Quorum: 1}, func(ctx context.Context, i int) (update, error) {
			_, err := graph.Once(ctx, graph.Call{Kind: "page", Request: i}, func(context.Context) (int, graph.Usage, error) {
				time.Sleep(time.Duration(i*60+1) * time.Second)
				return i, graph.Usage{Pages: 1}, nil
			})
			return out(fmt.Sprint(i)), err
		})
		l := driver(t, graph.Options{}, g)
		r, got := rest(t, l, start(t, l, graph.Budget{}).ID, graph.StatusDone)
		if got != "0 write" || r.Usage.Seconds != 1 || r.Usage.Pages != 2 {
			t.Errorf("%s, usage %+v", got, r.Usage)
		}
		l.Close(t.Context())
	})
}

func TestVersionIsRefusedOrMigrated(t *testing.T) {
	st := mem.New()
	version := func(v string, migrate bool) graph.Program {
		b := graph.New("test", v, reduce)
		b.Node("ask", func(ctx context.Context, s state) (update, error) {
			a, err := graph.Ask(ctx, "go on?", graph.Terms[string]{})
			return out(a), err
		}, policy{})
		b.Edge("ask", graph.End)
		if migrate {
			b.Migrate("1", func(s state, f graph.Frontier) (state, graph.Frontier, error) {
				s.Out = append(s.Out, "migrated")
				return s, f, nil
			})
		}
		g, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	l1 := driver(t, graph.Options{Store: st}, version("1", false))
	r := start(t, l1, graph.Budget{})
	r, _ = rest(t, l1, r.ID, graph.StatusWaiting)

	l2 := driver(t, graph.Options{Store: st.Process()}, version("2", false))
	err := l2.Answer(t.Context(), r.ID, r.Asks[0].ID, json.RawMessage(`"yes"`))
	if v := (*graph.VersionError)(nil); !errors.As(err, &v) || v.Saved != "1" || v.Have != "2" {
		t.Fatalf("err = %v", err)
	}
	l3 := driver(t, graph.Options{Store: st.Process()}, version("2", true))
	if _, err := l3.Attach(t.Context(), r.ID); err != nil {
		t.Fatal(err)
	}
	if _, got := rest(t, l3, r.ID, graph.StatusDone); got != "migrated yes" {
		t.Error(got)
	}
}

func TestEventsAreNumberedAndTailed(t *testing.T) {
	gate := make(chan struct{})
	g := single(t, policy{}, func(ctx context.Context, _ state) (update, error) {
		graph.Emit(ctx, map[string]int{"page": 1})
		<-gate
		graph.Emit(ctx, func() {}) // not JSON: its Go form must do
		return out("x"), nil
	})
	l := driver(t, graph.Options{Poll: 5 * time.Millisecond}, g)
	r := start(t, l, graph.Budget{})
	var kinds []string
	opened := false
	for e, err := range l.Tail(t.Context(), r.ID, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Seq != int64(len(kinds)+1) {
			t.Errorf("event %d is numbered %d", len(kinds)+1, e.Seq)
		}
		kinds = append(kinds, e.Kind)
		if e.Kind == graph.EventNote && !opened {
			if string(e.Body) != `{"page":1}` {
				t.Errorf("body %s", e.Body)
			}
			close(gate)
			opened = true
		}
	}
	if got := strings.Join(kinds, " "); got != "step note note branch run" {
		t.Error(got)
	}
	var b strings.Builder
	if err := graph.WriteTrace(&b, l.Tail(t.Context(), r.ID, 2)); err != nil || strings.Count(b.String(), "\n") != 3 {
		t.Errorf("trace %s, %v", b.String(), err)
	}
}
