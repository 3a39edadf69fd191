package graph_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"deepresearch/internal/graph"
	"deepresearch/internal/graph/mem"
)

// asking is a graph whose branches each make a call: the second one's fails and the budget refuses the last.
func asking(t *testing.T, request func(i int) string, call func(i int) error) graph.Program {
	return fan(t, 4, policy{}, func(ctx context.Context, i int) (update, error) {
		got, err := graph.Once(ctx, graph.Call{Kind: "search", Request: request(i), Optional: true}, func(context.Context) (string, graph.Usage, error) {
			return "found " + request(i), graph.Usage{Searches: 1}, call(i)
		})
		if errors.Is(err, graph.ErrBudget) {
			return out("refused: " + err.Error()), nil
		}
		if err != nil {
			return out("failed: " + err.Error()), nil
		}
		return out(got), nil
	})
}

func TestReplay(t *testing.T) {
	name := func(i int) string { return string(rune('a' + i)) }
	fails := func(i int) error {
		if i == 1 {
			return errors.New("no connection")
		}
		return nil
	}
	budget := graph.Budget{Searches: 3}
	store := mem.New()
	first := driver(t, graph.Options{Store: store, Concurrency: 1}, asking(t, name, fails))
	done := start(t, first, budget)
	done, err := first.Wait(t.Context(), done.ID)
	if err != nil {
		t.Fatal(err)
	}
	if s := string(done.State); !strings.Contains(s, "failed: no connection") || !strings.Contains(s, "refused: the budget of searches is spent") {
		t.Fatalf("the run to be recorded came to %s", s)
	}
	calls, err := store.Calls(t.Context(), done.ID)
	if err != nil {
		t.Fatal(err)
	}
	never := func(i int) error { t.Errorf("call %d was made", i); return nil }
	for _, c := range []struct {
		name    string
		request func(int) string
		status  graph.Status
		reason  string
	}{
		{"the same calls", name, graph.StatusDone, ""},
		{"another call", func(i int) string { return strings.Replace(name(i), "c", "other", 1) }, graph.StatusFailed, `the record has no search call "other" (step 1, branch 2)`},
	} {
		t.Run(c.name, func(t *testing.T) {
			replay := graph.ReplayOf(calls, nil)
			l := driver(t, graph.Options{Replay: &replay}, asking(t, c.request, never))
			got, err := l.Wait(t.Context(), start(t, l, budget).ID)
			if err != nil {
				t.Fatal(err)
			}
			if got.Status != c.status || got.Reason != c.reason {
				t.Errorf("status %s (%s), want %s (%s)", got.Status, got.Reason, c.status, c.reason)
			}
			if c.status == graph.StatusDone && string(got.State) != string(done.State) {
				t.Errorf("state %s, want %s", got.State, done.State)
			}
		})
	}
}

// A run that landed because its seconds were spent lands at the same step again, though no time passes.
func TestReplayOfALateRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := func(call func()) graph.Program {
			return build(t, func(b *builder) {
				b.Node("call", func(ctx context.Context, s state) (update, error) {
					_, err := graph.Once(ctx, graph.Call{Kind: "page", Request: s.Loop, Optional: true}, func(ctx context.Context) (int, graph.Usage, error) {
						call()
						return 1, graph.Usage{Pages: 1}, ctx.Err()
					})
					if err != nil {
						return update{Loop: 1, Out: []string{"late"}}, nil
					}
					return update{Loop: 1, Out: []string{"c"}}, nil
				}, policy{})
				b.Node("write", func(ctx context.Context, _ state) (update, error) { return out("write " + graph.Spent(ctx)), nil }, policy{Landing: true})
				b.Route("call", func(state) []graph.Next { return graph.To("call") }, "call", graph.End)
				b.Edge("write", graph.End)
				b.Land("write")
			})
		}
		store, budget := mem.New(), graph.Budget{Seconds: 40}
		first := driver(t, graph.Options{Store: store}, late(func() { time.Sleep(10 * time.Second) }))
		done, err := first.Wait(t.Context(), start(t, first, budget).ID)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(done.State), "write seconds") {
			t.Fatalf("the run to be recorded is %s (%s) with %s", done.Status, done.Reason, done.State)
		}
		calls, err := store.Calls(t.Context(), done.ID)
		if err != nil {
			t.Fatal(err)
		}
		events, err := store.Events(t.Context(), done.ID, 0, 1000)
		if err != nil {
			t.Fatal(err)
		}
		replay := graph.ReplayOf(calls, events)
		l := driver(t, graph.Options{Replay: &replay}, late(func() { t.Error("a call was made") }))
		got, err := l.Wait(t.Context(), start(t, l, budget).ID)
		if err != nil {
			t.Fatal(err)
		}
		if got.Status != graph.StatusDone || string(got.State) != string(done.State) {
			t.Errorf("%s (%s) with %s, want %s", got.Status, got.Reason, got.State, done.State)
		}
	})
}
