package graph_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"deepresearch/internal/graph"
	"deepresearch/internal/graph/mem"
)

func TestWithoutARun(t *testing.T) {
	ctx := t.Context()
	graph.Emit(ctx, "nobody hears this")
	if v, err := search(ctx, "q"); v != "found q" || err != nil {
		t.Errorf("Once: %q, %v", v, err)
	}
	if v, err := graph.Ask(ctx, "?", graph.Terms[int]{Default: new(7)}); v != 7 || err != nil {
		t.Errorf("Ask: %d, %v", v, err)
	}
	if _, err := graph.Ask(ctx, "?", graph.Terms[int]{}); err == nil {
		t.Error("Ask without a default and a run gave no error")
	}
	if left := graph.Remaining(ctx); left.Calls != math.MaxInt64 || !math.IsInf(left.Seconds, 1) {
		t.Errorf("Remaining: %+v", left)
	}
	if graph.Spent(ctx) != "" {
		t.Error("Spent")
	}
}

// A node that fails after its calls makes none of the finished ones again, in this process or after it.
func TestOnceIsNotRepeated(t *testing.T) {
	var made sync.Map
	fail := true
	node := func(ctx context.Context, _ state) (update, error) {
		var u update
		for _, q := range []string{"a", "b", "a", "a"} {
			v, err := graph.Once(ctx, graph.Call{Kind: "search", Request: q}, func(context.Context) (int, graph.Usage, error) {
				n, _ := made.LoadOrStore(q, new(atomic.Int32))
				return int(n.(*atomic.Int32).Add(1)), graph.Usage{Searches: 1}, nil
			})
			if err != nil {
				return u, err
			}
			u.Out = append(u.Out, fmt.Sprint(q, v))
		}
		if fail {
			return u, errors.New("late failure")
		}
		return u, nil
	}
	st := mem.New()
	l := driver(t, graph.Options{Store: st}, single(t, policy{Attempts: 2}, node))
	r, _ := rest(t, l, start(t, l, graph.Budget{}).ID, graph.StatusFailed)
	l.Close(t.Context())

	fail = false
	l = driver(t, graph.Options{Store: st.Process()}, single(t, policy{}, node))
	if err := l.Resume(t.Context(), r.ID); err != nil {
		t.Fatal(err)
	}
	r, got := rest(t, l, r.ID, graph.StatusDone)
	if got != "a1 b1 a2 a3" || r.Usage.Searches != 4 {
		t.Errorf("%s, usage %+v", got, r.Usage)
	}
}

func TestOnceFromSeveralGoroutines(t *testing.T) {
	var made atomic.Int32
	again := false
	node := func(ctx context.Context, _ state) (update, error) {
		var wg sync.WaitGroup
		var total atomic.Int32
		for i := range 20 {
			wg.Go(func() {
				v, err := graph.Once(ctx, graph.Call{Kind: "page", Request: i % 4}, func(context.Context) (int32, graph.Usage, error) {
					return made.Add(1), graph.Usage{Pages: 1}, nil
				})
				if err != nil {
					t.Error(err)
				}
				total.Add(v)
			})
		}
		wg.Wait()
		if !again {
			return update{}, errors.New("again")
		}
		return out(fmt.Sprint(total.Load())), nil
	}
	l := driver(t, graph.Options{}, single(t, policy{Attempts: 1}, node))
	r, _ := rest(t, l, start(t, l, graph.Budget{}).ID, graph.StatusFailed)
	again = true
	if err := l.Resume(t.Context(), r.ID); err != nil {
		t.Fatal(err)
	}
	if r, got := rest(t, l, r.ID, graph.StatusDone); got != "210" || made.Load() != 20 || r.Usage.Pages != 20 {
		t.Errorf("%s, %d calls, usage %+v", got, made.Load(), r.Usage)
	}
}

func TestFailedCallIsChargedAndMadeAgain(t *testing.T) {
	tries := 0
	node := func(ctx context.Context, _ state) (update, error) {
		v, err := graph.Once(ctx, graph.Call{Kind: "model", Request: "p"}, func(context.Context) (int, graph.Usage, error) {
			if tries++; tries == 1 {
				return 0, graph.Usage{Calls: 1, TokensIn: 5}, errors.New("overloaded")
			}
			if tries == 2 {
				panic("a mistake in the client")
			}
			return tries, graph.Usage{Calls: 1, TokensIn: 7}, nil
		})
		return out(fmt.Sprint(v)), err
	}
	r, got := do(t, single(t, policy{Attempts: 3}, node), graph.Budget{})
	if got != "3" || r.Usage.Calls != 3 || r.Usage.TokensIn != 12 {
		t.Errorf("%s, usage %+v", got, r.Usage)
	}
}

// Counted budgets are exact whatever the parallelism, and the landing runs once with the reason known.
func TestCountsAreNeverOver(t *testing.T) {
	for _, limit := range []int64{1, 7, 39, 40, 41} {
		var made atomic.Int64
		g := fan(t, 40, policy{}, func(ctx context.Context, i int) (update, error) {
			_, err := graph.Once(ctx, graph.Call{Kind: "search", Request: i}, func(context.Context) (int, graph.Usage, error) {
				made.Add(1)
				return i, graph.Usage{Searches: 1}, nil
			})
			return out("r"), err
		})
		r, got := do(t, g, graph.Budget{Searches: limit})
		want, reason := "write searches", "budget_searches"
		if limit >= 40 {
			want, reason = "write", ""
		}
		if n := min(limit, 40); made.Load() != n || r.Usage.Searches != n || r.Reason != reason || got != strings.Repeat("r ", int(n))+want {
			t.Errorf("limit %d: %d made, usage %+v, %s, %s", limit, made.Load(), r.Usage, r.Reason, got)
		}
	}
}

func TestTokensAreReserved(t *testing.T) {
	g := fan(t, 10, policy{}, func(ctx context.Context, i int) (update, error) {
		_, err := graph.Once(ctx, graph.Call{Kind: "model", Request: i, Reserve: graph.Usage{TokensIn: 100, TokensOut: 100}},
			func(context.Context) (int, graph.Usage, error) {
				return i, graph.Usage{Calls: 1, TokensIn: 100, TokensOut: 100}, nil
			})
		return update{}, err
	})
	r, got := do(t, g, graph.Budget{Tokens: 1000}) // 850 before the landing
	if r.Usage.TokensIn+r.Usage.TokensOut != 800 || got != "write tokens" || r.Reason != "budget_tokens" {
		t.Errorf("%s %s, usage %+v", got, r.Reason, r.Usage)
	}
}

// The landing spends the reserve, then gets ErrBudget and finishes without.
func TestLandingSpendsTheReserve(t *testing.T) {
	call := func(ctx context.Context, q string) error {
		_, err := graph.Once(ctx, graph.Call{Kind: "model", Request: q}, func(context.Context) (int, graph.Usage, error) {
			return 0, graph.Usage{Calls: 1}, nil
		})
		return err
	}
	for _, c := range []struct {
		name     string
		estimate int64
		want     string
	}{
		{"share of 15 %", 0, "g g g g g g g g g f f -"},
		{"estimate", 4, "g g g g g g g f f f f -"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := build(t, func(b *builder) {
				b.Reserve(func(state) graph.Usage { return graph.Usage{Calls: c.estimate} })
				b.Node("gather", func(ctx context.Context, _ state) (update, error) {
					return out("g"), call(ctx, "g")
				}, policy{})
				b.Node("finish", func(ctx context.Context, s state) (update, error) {
					if err := call(ctx, "f"); errors.Is(err, graph.ErrBudget) {
						return out("-"), nil
					}
					return out("f"), nil
				}, policy{})
				b.Route("finish", func(s state) []graph.Next {
					if s.Out[len(s.Out)-1] == "-" {
						return graph.To(graph.End)
					}
					return graph.To("finish")
				}, "finish", graph.End)
				b.Route("gather", func(state) []graph.Next { return graph.To("gather") }, "gather", "finish")
				b.Land("finish")
			})
			r, got := do(t, g, graph.Budget{Calls: 11})
			if got != c.want || r.Usage.Calls != 11 {
				t.Errorf("%s, usage %+v", got, r.Usage)
			}
		})
	}
}

func TestStepsAndSecondsLand(t *testing.T) {
	for _, c := range []struct {
		name   string
		budget graph.Budget
		want   string
	}{
		{"steps", graph.Budget{Steps: 4}, "l l l l write:steps"},
		{"seconds", graph.Budget{Seconds: 10}, "l l l l l l l l l write:seconds"}, // 8.5 s before the landing
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := build(t, func(b *builder) {
					b.Node("loop", func(context.Context, state) (update, error) { time.Sleep(time.Second); return out("l"), nil }, policy{})
					b.Node("write", func(ctx context.Context, _ state) (update, error) { return out("write:" + graph.Spent(ctx)), nil }, policy{})
					b.Route("loop", func(s state) []graph.Next { return graph.To("loop") }, "loop", "write")
					b.Edge("write", graph.End)
					b.Land("write")
				})
				if _, got := do(t, g, c.budget); got != c.want {
					t.Error(got)
				}
			})
		})
	}
}

// A call may not run past the end of the seconds that are its own; what follows lands with the reserve intact.
func TestCallEndsWithTheSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := fan(t, 2, policy{}, func(ctx context.Context, i int) (update, error) {
			_, err := graph.Once(ctx, graph.Call{Kind: "page", Request: i}, func(ctx context.Context) (int, graph.Usage, error) {
				<-ctx.Done()
				return 0, graph.Usage{}, ctx.Err()
			})
			if !errors.Is(err, graph.ErrBudget) {
				t.Errorf("err = %v", err)
			}
			return update{}, err
		})
		r, got := do(t, g, graph.Budget{Seconds: 100})
		if got != "write seconds" || r.Usage.Seconds != 85 || r.Usage.Pages != 2 {
			t.Errorf("%s, usage %+v", got, r.Usage)
		}
	})
}

func TestOptionalCallDoesNotLand(t *testing.T) {
	g := fan(t, 1, policy{}, func(ctx context.Context, i int) (update, error) {
		_, err := graph.Once(ctx, graph.Call{Kind: "model", Request: i, Optional: true, Reserve: graph.Usage{Calls: 100}},
			func(context.Context) (int, graph.Usage, error) { return 0, graph.Usage{Calls: 100}, nil })
		b := (*graph.BudgetError)(nil)
		if !errors.As(err, &b) {
			return update{}, fmt.Errorf("want a refusal, got %w", err)
		}
		return out(b.Name), nil
	})
	if r, got := do(t, g, graph.Budget{Calls: 10}); got != "calls write" || r.Reason != "" {
		t.Errorf("%s, %s", got, r.Reason)
	}
}

func TestRemaining(t *testing.T) {
	var left graph.Usage
	g := fan(t, 1, policy{}, func(ctx context.Context, i int) (update, error) {
		_, err := search(ctx, i)
		left = graph.Remaining(ctx)
		return update{}, err
	})
	do(t, g, graph.Budget{Searches: 3, Calls: 20, Tokens: 1000})
	if left.Searches != 2 || left.Calls != 17 || left.TokensIn != 850 || left.Pages != math.MaxInt64 {
		t.Errorf("%+v", left)
	}
}

func TestNoLandingFails(t *testing.T) {
	g := single(t, policy{}, func(ctx context.Context, _ state) (update, error) {
		for i := range 2 {
			if _, err := search(ctx, i); err != nil {
				return update{}, err
			}
		}
		return update{}, nil
	})
	l := driver(t, graph.Options{}, g)
	if r, _ := rest(t, l, start(t, l, graph.Budget{Searches: 1}).ID, graph.StatusFailed); !strings.Contains(r.Reason, "the budget of searches is spent") {
		t.Error(r.Reason)
	}
}

// asker is a step of an asking node beside a working one.
func asker(t testing.TB, terms graph.Terms[string], worked *atomic.Int32) *graph.Graph[state, update] {
	return build(t, func(b *builder) {
		b.Node("fork", func(context.Context, state) (update, error) { return update{}, nil }, policy{})
		b.Node("ask", func(ctx context.Context, _ state) (update, error) {
			a, err := graph.Ask(ctx, map[string]string{"text": "which?"}, terms)
			if err != nil {
				return out("swallowed"), nil // the run must wait all the same
			}
			return out(a), nil
		}, policy{})
		b.Node("work", func(context.Context, state) (update, error) { worked.Add(1); return out("work"), nil }, policy{})
		b.Edge("fork", "ask")
		b.Edge("fork", "work")
		b.Edge("ask", graph.End)
		b.Edge("work", graph.End)
	})
}

func TestAskAndAnswer(t *testing.T) {
	var worked atomic.Int32
	st := mem.New()
	l := driver(t, graph.Options{Store: st}, asker(t, graph.Terms[string]{}, &worked))
	r, _ := rest(t, l, start(t, l, graph.Budget{}).ID, graph.StatusWaiting)
	if len(r.Asks) != 1 || string(r.Asks[0].Payload) != `{"text":"which?"}` || r.Owned {
		t.Fatalf("%+v", r)
	}
	ask := r.Asks[0].ID
	for _, c := range []struct{ ask, value, says string }{{"9.9.9", `"x"`, "does not ask"}, {ask, `{`, "not JSON"}} {
		if err := l.Answer(t.Context(), r.ID, c.ask, json.RawMessage(c.value)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("answering %s with %s: %v", c.ask, c.value, err)
		}
	}
	other := driver(t, graph.Options{Store: st.Process()}, asker(t, graph.Terms[string]{}, &worked))
	if err := other.Answer(t.Context(), r.ID, ask, json.RawMessage(`"this"`)); err != nil {
		t.Fatal(err)
	}
	if _, got := rest(t, other, r.ID, graph.StatusDone); got != "this work" || worked.Load() != 1 {
		t.Errorf("%s, worked %d times", got, worked.Load())
	}
}

func TestExpiredAsk(t *testing.T) {
	for _, c := range []struct {
		name   string
		terms  graph.Terms[string]
		status graph.Status
		reason string
	}{
		{"takes the default", graph.Terms[string]{TTL: time.Minute, Default: new("default")}, graph.StatusDone, ""},
		{"without a default pauses", graph.Terms[string]{TTL: time.Minute}, graph.StatusPaused, graph.PausedAskExpired},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var worked atomic.Int32
				l := driver(t, graph.Options{}, asker(t, c.terms, &worked))
				r := start(t, l, graph.Budget{})
				r, _ = rest(t, l, r.ID, graph.StatusWaiting)
				time.Sleep(61 * time.Second)
				synctest.Wait()
				r, got := rest(t, l, r.ID, c.status)
				if r.Reason != c.reason || (c.status == graph.StatusDone && got != "default work") || r.Usage.Seconds > 1 {
					t.Errorf("%+v, %s", r, got)
				}
				if c.status == graph.StatusPaused { // asked anew
					if _, err := l.Attach(t.Context(), r.ID); err != nil {
						t.Fatal(err)
					}
					r, _ = rest(t, l, r.ID, graph.StatusWaiting)
					if err := l.Answer(t.Context(), r.ID, r.Asks[0].ID, json.RawMessage(`"late"`)); err != nil {
						t.Fatal(err)
					}
					if _, got := rest(t, l, r.ID, graph.StatusDone); got != "late work" || worked.Load() != 1 {
						t.Errorf("%s, worked %d times", got, worked.Load())
					}
				}
				l.Close(t.Context())
			})
		})
	}
}
