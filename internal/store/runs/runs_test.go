package runs_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"deepresearch/internal/graph"
	"deepresearch/internal/graph/storetest"
	"deepresearch/internal/store"
	"deepresearch/internal/store/runs"
)

func open(t testing.TB, dir string) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), store.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Process {
		dir := t.TempDir()
		return func(t *testing.T) (graph.Store, func()) {
			db := open(t, dir)
			return runs.New(db), func() { db.Close() }
		}
	})
}

type counter struct{ N int }

// spread is a graph whose step n times runs the given number of branches.
func spread(t testing.TB, steps, branches int, body string) *graph.Graph[counter, string] {
	b := graph.New("test", "1", func(s counter, d string) counter { s.N++; return s })
	w := graph.Worker[int]{}
	next := func(counter) (next []graph.Next) {
		for i := range branches {
			next = append(next, w.To(i))
		}
		return next
	}
	b.Node("plan", func(context.Context, counter) (string, error) { return "", nil }, graph.Policy[string]{})
	w = graph.AddWorker(b, "work", func(context.Context, counter, int) (string, error) { return body, nil }, graph.Policy[string]{})
	b.Route("plan", next, "work")
	b.Route("work", func(s counter) []graph.Next {
		if s.N > steps*branches {
			return graph.To(graph.End)
		}
		return next(s)
	}, "work", graph.End)
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func drive(t testing.TB, s graph.Store, concurrency int, g graph.Program) *graph.Local {
	t.Helper()
	l, err := graph.NewLocal(graph.Options{Store: s, Concurrency: concurrency}, g)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close(context.Background()) })
	return l
}

func runOnce(t testing.TB, l *graph.Local) graph.Run {
	t.Helper()
	r, err := l.Start(t.Context(), graph.Request{Graph: "test", Input: json.RawMessage(`{}`)})
	if err == nil {
		r, err = l.Wait(t.Context(), r.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A run whose fan-out closed at its quorum comes to the same state when its branches are merged again from the store.
func TestReplayAgrees(t *testing.T) {
	b := graph.New("test", "1", func(s []string, d string) []string { return append(slices.Clip(s), d) })
	b.Node("plan", func(context.Context, []string) (string, error) { return "plan", nil }, graph.Policy[string]{})
	w := graph.AddWorker(b, "work", func(ctx context.Context, _ []string, i int) (string, error) {
		if i%3 == 1 {
			<-ctx.Done()
			return "", ctx.Err()
		}
		return strings.Repeat("w", i), nil
	}, graph.Policy[string]{Quorum: 5})
	b.Route("plan", func([]string) (next []graph.Next) {
		for i := range 9 {
			next = append(next, w.To(i))
		}
		return next
	}, "work")
	b.Route("work", func(s []string) []graph.Next {
		if len(s) < 18 {
			return graph.To("plan")
		}
		return graph.To(graph.End)
	}, "plan", graph.End)
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	st := runs.New(open(t, t.TempDir()))
	l := drive(t, st, 9, g)
	r, err := l.Start(t.Context(), graph.Request{Graph: "test", Input: json.RawMessage(`[]`)})
	if err == nil {
		r, err = l.Wait(t.Context(), r.ID)
	}
	if err != nil || r.Status != graph.StatusDone {
		t.Fatalf("%+v, %v", r, err)
	}

	rows, err := st.Branches(t.Context(), r.ID)
	if err != nil {
		t.Fatal(err)
	}
	s := []string{}
	f := g.Entry(s, graph.Budget{})
	skipped := 0
	for len(f.Branches) > 0 {
		results := make([]graph.Result[string], len(f.Branches))
		for i := range results {
			if rows[0].Step != f.Step || rows[0].Index != i {
				t.Fatalf("row %+v for branch %d of step %d", rows[0], i, f.Step)
			}
			if err := json.Unmarshal(rows[0].Result, &results[i]); err != nil {
				t.Fatal(err)
			}
			if results[i].Skipped == "quorum" {
				skipped++
			}
			rows = rows[1:]
		}
		if s, f, err = g.Advance(s, f, results); err != nil {
			t.Fatal(err)
		}
	}
	again, err := json.Marshal(s)
	if err != nil || string(again) != string(r.State) || len(rows) > 0 || skipped < 3 {
		t.Errorf("%s, with %d rows left and %d skipped; want %s, %v", again, len(rows), skipped, r.State, err)
	}
}

// A run of 60 steps occupies at most three times the sum of its updates and one state.
func TestGrowth(t *testing.T) {
	const steps, bytes = 60, 20_000
	dir := t.TempDir()
	db := open(t, dir)
	if r := runOnce(t, drive(t, runs.New(db), 1, spread(t, steps, 1, strings.Repeat("x", bytes)))); r.Status != graph.StatusDone {
		t.Fatalf("%s: %s", r.Status, r.Reason)
	}
	db.Close()
	info, err := os.Stat(filepath.Join(dir, store.FileName))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes for %d bytes of updates", info.Size(), steps*bytes)
	if info.Size() > 3*steps*bytes {
		t.Errorf("%d bytes for %d bytes of updates", info.Size(), steps*bytes)
	}
}

// A full disk pauses the run with a reason; with room again it goes on where it was.
func TestDiskFull(t *testing.T) {
	dir := t.TempDir()
	small, err := store.Open(t.Context(), store.Options{Dir: dir, MaxBytes: 600 << 10})
	if err != nil {
		t.Fatal(err)
	}
	g := spread(t, 100, 1, strings.Repeat("x", 20_000))
	l, err := graph.NewLocal(graph.Options{Store: runs.New(small)}, g)
	if err != nil {
		t.Fatal(err)
	}
	r := runOnce(t, l)
	if r.Status != graph.StatusPaused || !strings.Contains(r.Reason, "free space") {
		t.Fatalf("%s: %s", r.Status, r.Reason)
	}
	if err := l.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := small.Close(); err != nil {
		t.Fatal(err)
	}
	l = drive(t, runs.New(open(t, dir)), 1, g)
	before, err := l.Get(t.Context(), r.ID)
	if err != nil || before.Usage.Steps < 5 {
		t.Fatalf("%+v, %v", before, err)
	}
	if _, err := l.Attach(t.Context(), r.ID); err != nil {
		t.Fatal(err)
	}
	after, err := l.Wait(t.Context(), r.ID)
	if err != nil || after.Status != graph.StatusDone || string(after.State) != `{"N":101}` || after.Usage.Steps != 101 {
		t.Errorf("%+v, %v", after, err)
	}
}

func BenchmarkStep(b *testing.B) {
	const steps = 200
	l := drive(b, runs.New(open(b, b.TempDir())), 1, spread(b, steps, 1, "an update"))
	b.ReportAllocs()
	for b.Loop() {
		runOnce(b, l)
	}
	b.ReportMetric(b.Elapsed().Seconds()*1000/float64(b.N*steps), "ms/step")
}

func BenchmarkFanOut10000(b *testing.B) {
	l := drive(b, runs.New(open(b, b.TempDir())), 256, spread(b, 1, 10_000, "an update"))
	b.ReportAllocs()
	for b.Loop() {
		runOnce(b, l)
	}
}
