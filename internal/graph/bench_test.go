package graph_test

import (
	"context"
	"encoding/json"
	"runtime"
	"sync"
	"testing"

	"deepresearch/internal/graph"
)

type counter struct{ N int }

// loop is a graph whose one node runs n times.
func loop(b *testing.B, n int) *graph.Graph[counter, int] {
	bd := graph.New("test", "1", func(s counter, d int) counter { s.N += d; return s })
	bd.Node("loop", func(context.Context, counter) (int, error) { return 1, nil }, graph.Policy[int]{})
	bd.Route("loop", func(s counter) []graph.Next {
		if s.N < n {
			return graph.To("loop")
		}
		return graph.To(graph.End)
	}, "loop", graph.End)
	return built(b, bd)
}

func built[S, D any](b *testing.B, bd *graph.Builder[S, D]) *graph.Graph[S, D] {
	g, err := bd.Build()
	if err != nil {
		b.Fatal(err)
	}
	return g
}

// spread is a graph that fans out to n branches once.
func spread(b *testing.B, n int, work func(context.Context)) *graph.Graph[counter, int] {
	bd := graph.New("test", "1", func(s counter, d int) counter { s.N += d; return s })
	bd.Node("plan", func(context.Context, counter) (int, error) { return 0, nil }, graph.Policy[int]{})
	w := graph.AddWorker(bd, "work", func(ctx context.Context, _ counter, i int) (int, error) { work(ctx); return 1, nil }, graph.Policy[int]{})
	bd.Edge("work", graph.End)
	bd.Route("plan", func(counter) (next []graph.Next) {
		for i := range n {
			next = append(next, w.To(i))
		}
		return next
	}, "work")
	return built(b, bd)
}

func runAll(b testing.TB, l *graph.Local, runs int, each func()) {
	ids := make([]string, runs)
	for i := range ids {
		r, err := l.Start(b.Context(), graph.Request{Graph: "test", Input: json.RawMessage(`{}`)})
		if err != nil {
			b.Fatal(err)
		}
		ids[i] = r.ID
	}
	if each != nil {
		each()
	}
	for _, id := range ids {
		if r, err := l.Wait(b.Context(), id); err != nil || r.Status != graph.StatusDone {
			b.Fatal(r.Status, r.Reason, err)
		}
	}
}

func BenchmarkStep(b *testing.B) {
	const n = 1000
	l := driver(b, graph.Options{}, loop(b, n))
	b.ReportAllocs()
	for b.Loop() {
		runAll(b, l, 1, nil)
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "us/step")
}

func BenchmarkFanOut10000(b *testing.B) {
	l := driver(b, graph.Options{}, spread(b, 10_000, func(context.Context) {}))
	b.ReportAllocs()
	for b.Loop() {
		runAll(b, l, 1, nil)
	}
}

// BenchmarkThousandRuns holds 1,000 runs with 10 branches each at once and reports what they occupy.
func BenchmarkThousandRuns(b *testing.B) {
	for b.Loop() {
		var entered sync.WaitGroup
		entered.Add(10_000)
		gate := make(chan struct{})
		l := driver(b, graph.Options{Concurrency: 10}, spread(b, 10, func(context.Context) { entered.Done(); <-gate }))
		runAll(b, l, 1000, func() {
			entered.Wait()
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			b.ReportMetric(float64(m.HeapInuse+m.StackInuse)/(1<<20), "MB")
			b.ReportMetric(float64(m.StackInuse)/(1<<20), "stackMB")
			close(gate)
		})
		l.Close(b.Context())
	}
}
