package graph_test

import (
	"context"
	"strings"
	"testing"

	"deepresearch/internal/graph"
)

func TestBuildRejects(t *testing.T) {
	nop := func(context.Context, state) (update, error) { return update{}, nil }
	work := func(context.Context, state, int) (update, error) { return update{}, nil }
	nowhere := func(state) []graph.Next { return nil }
	for _, c := range []struct {
		says string
		f    func(b *builder)
	}{
		{"a graph needs", func(b *builder) {}},
		{`node "a" is added twice`, func(b *builder) { b.Node("a", nop, policy{}); b.Node("a", nop, policy{}) }},
		{"is reserved", func(b *builder) { b.Node(graph.End, nop, policy{}) }},
		{"the entry", func(b *builder) { graph.AddWorker(b, "w", work, policy{}) }},
		{`leads to "b", which is not a node`, func(b *builder) { b.Node("a", nop, policy{}); b.Edge("a", "b") }},
		{`leads to "b", which is not a node`, func(b *builder) { b.Node("a", nop, policy{}); b.Route("a", nowhere, "b", graph.End) }},
		{`the landing leads to "b"`, func(b *builder) { b.Node("a", nop, policy{}); b.Edge("a", graph.End); b.Land("b") }},
		{"landing is named twice", func(b *builder) { b.Node("a", nop, policy{}); b.Edge("a", graph.End); b.Land("a"); b.Land("a") }},
		{`node "b" leads somewhere but is not added`, func(b *builder) { b.Node("a", nop, policy{}); b.Edge("b", "a") }},
		{`edge from "a" to "(end)" is added twice`, func(b *builder) { b.Node("a", nop, policy{}); b.Edge("a", graph.End); b.Edge("a", graph.End) }},
		{`node "a" has two routes`, func(b *builder) {
			b.Node("a", nop, policy{})
			b.Route("a", nowhere, graph.End)
			b.Route("a", nowhere, graph.End)
		}},
		{"declares no targets", func(b *builder) { b.Node("a", nop, policy{}); b.Route("a", nowhere) }},
		{`join "a" is added twice`, func(b *builder) { b.Node("a", nop, policy{}); b.Join("a", "a"); b.Join("a", "a") }},
		{`worker "w" without an argument`, func(b *builder) {
			b.Node("a", nop, policy{})
			graph.AddWorker(b, "w", work, policy{})
			b.Edge("a", "w")
			b.Edge("w", graph.End)
		}},
		{`node "b" cannot be reached`, func(b *builder) {
			b.Node("a", nop, policy{})
			b.Node("b", nop, policy{})
			b.Edge("a", graph.End)
			b.Edge("b", graph.End)
		}},
		{`from node "b" the run cannot end`, func(b *builder) {
			b.Node("a", nop, policy{})
			b.Node("b", nop, policy{})
			b.Route("a", nowhere, "b", graph.End)
			b.Edge("b", "b")
		}},
	} {
		b := graph.New("test", "1", reduce)
		c.f(b)
		if _, err := b.Build(); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("want %q, got %v", c.says, err)
		}
	}
}
