package graph_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"deepresearch/internal/graph"
)

func TestAdvanceRefuses(t *testing.T) {
	g := build(t, func(b *builder) {
		b.Node("a", func(context.Context, state) (update, error) { return update{}, nil }, policy{})
		w := graph.AddWorker(b, "w", func(context.Context, state, int) (update, error) { return update{}, nil }, policy{})
		b.Edge("w", graph.End)
		b.Route("a", func(s state) []graph.Next {
			switch s.Loop {
			case 1:
				return graph.To("w")
			case 2:
				return graph.To("b")
			case 3:
				panic("no way")
			case 4:
				return []graph.Next{w.To(1), w.To(1)}
			}
			return nil
		}, "w", graph.End)
	})
	f := g.Entry(state{}, graph.Budget{})
	for _, c := range []struct {
		says    string
		results []graph.Result[update]
	}{
		{"1 branches and 0 results", nil},
		{"waits for an answer", []graph.Result[update]{{Ask: &graph.Question{}}}},
		{"led nowhere", []graph.Result[update]{{}}},
		{"workers take an argument", []graph.Result[update]{{Update: update{Loop: 1}}}},
		{"does not declare", []graph.Result[update]{{Update: update{Loop: 2}}}},
		{"panic: no way", []graph.Result[update]{{Update: update{Loop: 3}}}},
	} {
		if _, _, err := g.Advance(state{}, f, c.results); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("want %q, got %v", c.says, err)
		}
	}
	_, next, err := g.Advance(state{}, f, []graph.Result[update]{{Update: update{Loop: 4}}})
	if err != nil || len(next.Branches) != 2 {
		t.Errorf("equal arguments are two branches: %+v, %v", next, err)
	}
	f.Branches[0].Node = "gone"
	if _, _, err := g.Advance(state{}, f, []graph.Result[update]{{}}); err == nil || !strings.Contains(err.Error(), "not a node") {
		t.Error(err)
	}
}

// random is a graph of up to a dozen nodes whose routes depend on the state alone. Every node can go to the end.
func random(t *testing.T, rng *rand.Rand, pause func(i int)) *graph.Graph[state, update] {
	n := 2 + rng.IntN(8)
	name := func(i int) string { return fmt.Sprint("n", i) }
	b := graph.New("test", "1", reduce)
	for i := range n {
		b.Node(name(i), func(context.Context, state) (update, error) {
			pause(i)
			return update{Loop: 1, Out: []string{name(i)}}, nil
		}, policy{})
	}
	w := graph.AddWorker(b, "w", func(_ context.Context, s state, i int) (update, error) {
		pause(i)
		return out(fmt.Sprintf("w%d@%d", i, s.Loop)), nil
	}, policy{})
	targets := []string{"w", graph.End}
	for i := range n {
		targets = append(targets, name(i))
	}
	for i := range n {
		seed := rng.Uint64()
		if i+1 < n && rng.IntN(2) == 0 {
			b.Edge(name(i), name(i+1))
		}
		b.Route(name(i), func(s state) []graph.Next {
			r := rand.New(rand.NewPCG(seed, uint64(s.Loop)))
			next := graph.To(graph.End)
			for range r.IntN(4) {
				if s.Loop > 25 {
					break
				}
				if r.IntN(2) == 0 {
					next = append(next, w.To(r.IntN(9)))
				} else {
					next = append(next, graph.To(name(r.IntN(n)))...)
				}
			}
			return next
		}, targets...)
	}
	b.Edge("w", graph.End)
	if n > 3 {
		b.Join(name(n-1), name(0), name(1))
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// FuzzAdvance runs random graphs with random finishing orders and concurrency: state and frontiers must not differ,
// and Advance must give the same when it is asked again with what went through JSON.
func FuzzAdvance(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed, seed+1, uint8(seed))
	}
	f.Fuzz(func(t *testing.T, seed, order uint64, concurrency uint8) {
		var want string
		for try := range uint64(2) {
			synctest.Test(t, func(t *testing.T) {
				sleeps := rand.New(rand.NewPCG(order, try)).Uint64()
				g := random(t, rand.New(rand.NewPCG(seed, 0)), func(i int) {
					time.Sleep(time.Duration((sleeps>>(uint(i)%48))&0xff) * time.Millisecond)
				})
				l := driver(t, graph.Options{Concurrency: 1 + int(concurrency)%16*int(try)}, g)
				r := start(t, l, graph.Budget{Steps: 60})
				r, err := l.Wait(t.Context(), r.ID)
				if err != nil {
					t.Fatal(err)
				}
				r.Usage.Seconds = 0
				got := fmt.Sprintf("%s %s %s %+v", r.Status, r.Reason, r.State, r.Usage)
				if try == 0 {
					want = got
					checkPure(t, g)
				} else if diff := cmp.Diff(want, got); diff != "" {
					t.Error(diff)
				}
				l.Close(t.Context())
			})
		}
	})
}

// checkPure folds a graph by Advance alone, each step twice.
func checkPure(t *testing.T, g *graph.Graph[state, update]) {
	t.Helper()
	s := state{}
	f := g.Entry(s, graph.Budget{})
	for range 60 {
		results := make([]graph.Result[update], len(f.Branches))
		for i, b := range f.Branches {
			results[i].Update = update{Loop: i & 1, Out: []string{b.Node + string(b.Arg)}}
		}
		before, err := json.Marshal([]any{s, f, results})
		if err != nil {
			t.Fatal(err)
		}
		s1, f1, err1 := g.Advance(s, f, results)
		if after, _ := json.Marshal([]any{s, f, results}); string(after) != string(before) {
			t.Fatalf("Advance changed its arguments: %s", cmp.Diff(string(before), string(after)))
		}
		s2, f2, err2 := g.Advance(through(t, s), through(t, f), through(t, results))
		if diff := cmp.Diff([]any{s1, f1, fmt.Sprint(err1)}, []any{s2, f2, fmt.Sprint(err2)}); diff != "" {
			t.Fatal(diff)
		}
		if err1 != nil || len(f1.Branches) == 0 {
			return
		}
		s, f = s1, f1
	}
}

func through[T any](t *testing.T, v T) (out T) {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}
