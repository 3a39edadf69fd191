package graph_test

import (
	"context"
	"encoding/json"
	"testing"

	"deepresearch/internal/graph"
	"deepresearch/internal/graph/mem"
)

type state struct {
	Loop int      `json:"loop"`
	Out  []string `json:"out,omitempty"`
}

type update struct {
	Loop int      `json:"loop,omitempty"`
	Out  []string `json:"out,omitempty"`
}

func reduce(s state, u update) state {
	s.Loop += u.Loop
	s.Out = append(s.Out[:len(s.Out):len(s.Out)], u.Out...)
	return s
}

func TestRunToTheEnd(t *testing.T) {
	b := graph.New("loop", "1", reduce)
	b.Node("plan", func(context.Context, state) (update, error) { return update{Loop: 1}, nil }, graph.Policy[update]{})
	w := graph.AddWorker(b, "work", func(ctx context.Context, s state, i int) (update, error) {
		v, err := graph.Once(ctx, graph.Call{Kind: "search", Request: i}, func(context.Context) (string, graph.Usage, error) {
			return string(rune('a' + i)), graph.Usage{Searches: 1}, nil
		})
		return update{Out: []string{v}}, err
	}, graph.Policy[update]{})
	b.Node("write", func(context.Context, state) (update, error) { return update{Out: []string{"end"}}, nil }, graph.Policy[update]{})
	b.Route("plan", func(s state) (n []graph.Next) {
		for i := range 3 {
			n = append(n, w.To(i))
		}
		return n
	}, "work")
	b.Route("work", func(s state) []graph.Next {
		if s.Loop < 2 {
			return graph.To("plan")
		}
		return graph.To("write")
	}, "plan", "write")
	b.Edge("write", graph.End)
	b.Land("write")
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	l, err := graph.NewLocal(graph.Options{Store: mem.New()}, g)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close(t.Context())
	r, err := l.Start(t.Context(), graph.Request{Graph: "loop", Input: json.RawMessage(`{}`)})
	if err != nil {
		t.Fatal(err)
	}
	if r, err = l.Wait(t.Context(), r.ID); err != nil {
		t.Fatal(err)
	}
	if want := `{"loop":2,"out":["a","b","c","a","b","c","end"]}`; string(r.State) != want || r.Usage.Searches != 6 {
		t.Fatalf("state %s, usage %+v", r.State, r.Usage)
	}
	if err := graph.WriteTrace(t.Output(), l.Tail(t.Context(), r.ID, 0)); err != nil {
		t.Fatal(err)
	}
}
