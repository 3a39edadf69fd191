package graph_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"deepresearch/internal/graph"
	"deepresearch/internal/graph/mem"
)

// slow is a run of n steps that each make one call of 10 s.
func slow(t testing.TB, n int, made *atomic.Int32) *graph.Graph[state, update] {
	return build(t, func(b *builder) {
		b.Node("call", func(ctx context.Context, s state) (update, error) {
			_, err := graph.Once(ctx, graph.Call{Kind: "model", Request: s.Loop}, func(ctx context.Context) (int, graph.Usage, error) {
				made.Add(1)
				select {
				case <-time.After(10 * time.Second):
					return 1, graph.Usage{Calls: 1}, nil
				case <-ctx.Done():
					return 0, graph.Usage{}, ctx.Err()
				}
			})
			if err != nil {
				return out("degraded"), nil // as a node does that can do without
			}
			return update{Loop: 1, Out: []string{"c"}}, nil
		}, policy{})
		b.Route("call", func(s state) []graph.Next {
			if s.Loop < n {
				return graph.To("call")
			}
			return graph.To(graph.End)
		}, "call", graph.End)
	})
}

func begin(t testing.TB, l *graph.Local) (string, graph.Attachment) {
	t.Helper()
	r, err := l.Start(t.Context(), graph.Request{Graph: "test", Key: "k", Input: json.RawMessage(`{}`)})
	if err != nil {
		t.Fatal(err)
	}
	a, err := l.Attach(t.Context(), r.ID)
	if err != nil {
		t.Fatal(err)
	}
	return r.ID, a
}

// The last attachment gone: the call in flight finishes and counts, nothing new begins, and asking again goes on.
func TestDetachPausesAndAskingAgainResumes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var made atomic.Int32
		l := driver(t, graph.Options{}, slow(t, 3, &made))
		id, a := begin(t, l)
		time.Sleep(16 * time.Second) // the start's own hold is over, the second call in flight
		if err := l.Detach(t.Context(), a, graph.LeaveGone); err != nil {
			t.Fatal(err)
		}
		r, got := rest(t, l, id, graph.StatusPaused)
		if got != "" && got != "c c" || made.Load() != 2 || r.Reason != graph.PausedDetached || r.Usage.Seconds != 20 || r.Usage.Calls != 2 {
			t.Errorf("%q after %d calls, %+v", got, made.Load(), r)
		}
		time.Sleep(time.Hour)
		again, _ := begin(t, l)
		if again != id {
			t.Errorf("asking again led to %s, not %s", again, id)
		}
		r, got = rest(t, l, id, graph.StatusDone)
		if got != "c c c" || made.Load() != 3 || r.Usage.Seconds != 30 {
			t.Errorf("%q after %d calls, %v active seconds", got, made.Load(), r.Usage.Seconds)
		}
		l.Close(t.Context())
	})
}

func TestContextEndDetaches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var made atomic.Int32
		l := driver(t, graph.Options{}, slow(t, 3, &made))
		id, a := begin(t, l)
		ctx, cancel := context.WithCancel(t.Context())
		if _, err := l.Attach(ctx, id); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Second)
		if err := l.Detach(t.Context(), a, graph.LeaveGone); err != nil {
			t.Fatal(err)
		}
		time.Sleep(11 * time.Second)
		if r, _ := l.Get(t.Context(), id); r.Status != graph.StatusRunning {
			t.Errorf("with one attachment left the run is %s", r.Status)
		}
		cancel()
		rest(t, l, id, graph.StatusPaused)
		if made.Load() != 2 {
			t.Errorf("%d calls", made.Load())
		}
		l.Close(t.Context())
	})
}

func TestLingerAfterANamedNextCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var made atomic.Int32
		l := driver(t, graph.Options{}, slow(t, 200, &made))
		id, a := begin(t, l)
		if err := l.Detach(t.Context(), a, graph.LeaveNext); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		rest(t, l, id, graph.StatusPaused)
		if d := time.Since(began); d < 15*time.Minute || d > 15*time.Minute+11*time.Second {
			t.Errorf("worked on for %s", d)
		}
		l.Close(t.Context())
	})
}

func TestCancelAbortsAcrossProcesses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var made atomic.Int32
		st := mem.New()
		l := driver(t, graph.Options{Store: st}, slow(t, 3, &made))
		other := driver(t, graph.Options{Store: st.Process()}, slow(t, 3, &made))
		id, _ := begin(t, l)
		time.Sleep(time.Second)
		if err := other.Cancel(t.Context(), id, "changed my mind"); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		r, _ := rest(t, other, id, graph.StatusCancelled)
		if d := time.Since(began); d > time.Second || r.Reason != "changed my mind" {
			t.Errorf("cancelled after %s: %s", d, r.Reason)
		}
		if err := l.Cancel(t.Context(), id, "again"); err != nil {
			t.Fatal(err)
		}
		l.Close(t.Context())
		other.Close(t.Context())
	})
}

func TestCancelAtRest(t *testing.T) {
	var worked atomic.Int32
	l := driver(t, graph.Options{}, asker(t, graph.Terms[string]{}, &worked))
	id, _ := begin(t, l)
	rest(t, l, id, graph.StatusWaiting)
	if err := l.Cancel(t.Context(), id, "enough"); err != nil {
		t.Fatal(err)
	}
	if r, _ := rest(t, l, id, graph.StatusCancelled); len(r.Asks) != 0 {
		t.Errorf("still asks %+v", r.Asks)
	}
	if again, _ := begin(t, l); again == id {
		t.Error("asking again led to the cancelled run")
	}
}

func TestPauseByHandStaysPaused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var made atomic.Int32
		l := driver(t, graph.Options{}, slow(t, 3, &made))
		id, _ := begin(t, l)
		time.Sleep(time.Second)
		if err := l.Pause(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		rest(t, l, id, graph.StatusPaused)
		time.Sleep(time.Hour) // still attached
		r, _ := rest(t, l, id, graph.StatusPaused)
		if r.Reason != graph.PausedRequested || made.Load() != 1 {
			t.Errorf("%s after %d calls", r.Reason, made.Load())
		}
		if err := l.Resume(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		rest(t, l, id, graph.StatusDone)
		l.Close(t.Context())
	})
}

// Shutdown lets a call in flight finish when there is time, and else aborts it without letting the node's way around
// the failure into the run.
func TestCloseCommitsAndPauses(t *testing.T) {
	for _, c := range []struct {
		name        string
		grace       time.Duration
		made, calls int64
	}{{"in time", time.Minute, 2, 2}, {"aborted", time.Second, 3, 3}} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var made atomic.Int32
				st := mem.New()
				l := driver(t, graph.Options{Store: st}, slow(t, 2, &made))
				id, _ := begin(t, l)
				time.Sleep(15 * time.Second)
				ctx, cancel := context.WithTimeout(t.Context(), c.grace)
				defer cancel()
				l.Close(ctx)
				l = driver(t, graph.Options{Store: st.Process()}, slow(t, 2, &made))
				if r, err := l.Get(t.Context(), id); err != nil || (r.Status != graph.StatusPaused && r.Status != graph.StatusDone) {
					t.Fatalf("%+v, %v", r, err)
				}
				if _, err := l.Attach(t.Context(), id); err != nil {
					t.Fatal(err)
				}
				r, got := rest(t, l, id, graph.StatusDone)
				if got != "c c" || int64(made.Load()) != c.made || r.Usage.Calls != c.calls {
					t.Errorf("%q after %d calls, usage %+v", got, made.Load(), r.Usage)
				}
				l.Close(t.Context())
			})
		})
	}
}

// The owner dies; the process that is attached takes over at the next look, and what was in flight counts as spent.
func TestTakeOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var made atomic.Int32
		st := mem.New()
		st2 := st.Process()
		l := driver(t, graph.Options{Store: st}, slow(t, 2, &made))
		id, _ := begin(t, l)
		other := driver(t, graph.Options{Store: st2}, slow(t, 2, &made))
		if _, err := other.Attach(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		time.Sleep(15 * time.Second)
		if made.Load() != 2 {
			t.Fatalf("%d calls; the attached process works beside the owner", made.Load())
		}
		st.Kill()
		died := time.Now()
		r, got := rest(t, other, id, graph.StatusDone)
		if d := time.Since(died); d > 10*time.Second+250*time.Millisecond {
			t.Errorf("done %s after the owner died", d)
		}
		if got != "c c" || made.Load() != 3 || r.Usage.Calls != 3 {
			t.Errorf("%q after %d calls, usage %+v", got, made.Load(), r.Usage)
		}
		l.Close(t.Context())
		other.Close(t.Context())
	})
}

func TestOrphanIsPausedAndNobodyResumesIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var made atomic.Int32
		st := mem.New()
		l := driver(t, graph.Options{Store: st}, slow(t, 2, &made))
		id, _ := begin(t, l)
		time.Sleep(time.Second)
		other := driver(t, graph.Options{Store: st.Process()}, slow(t, 2, &made))
		st.Kill()
		time.Sleep(time.Minute)
		if r, err := other.Get(t.Context(), id); err != nil || r.Status != graph.StatusPaused || r.Reason != graph.PausedLost {
			t.Errorf("%+v, %v", r, err)
		}
		runs, err := other.List(t.Context(), graph.Filter{})
		if err != nil || len(runs) != 1 || runs[0].Status != graph.StatusPaused {
			t.Errorf("%+v, %v", runs, err)
		}
		l.Close(t.Context())
		other.Close(t.Context())
	})
}

func TestReuse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := driver(t, graph.Options{}, single(t, policy{}, func(context.Context, state) (update, error) { return out("x"), nil }))
		ask := func(u graph.Reuse) string {
			r, err := l.Start(t.Context(), graph.Request{Graph: "test", Key: "k", Input: json.RawMessage(`{}`), Reuse: u})
			if err != nil {
				t.Fatal(err)
			}
			rest(t, l, r.ID, graph.StatusDone)
			return r.ID
		}
		recent := graph.Reuse{Unfinished: 24 * time.Hour, Done: 10 * time.Minute}
		first := ask(recent)
		time.Sleep(9 * time.Minute)
		if ask(recent) != first {
			t.Error("not reused after 9 minutes")
		}
		if ask(graph.Reuse{Never: true}) == first {
			t.Error("reused against its will")
		}
		time.Sleep(11 * time.Minute)
		if ask(recent) == first {
			t.Error("reused after 20 minutes")
		}
		l.Close(t.Context())
	})
}

func TestUnknownNames(t *testing.T) {
	l := driver(t, graph.Options{}, single(t, policy{}, func(context.Context, state) (update, error) { return out("x"), nil }))
	if _, err := l.Start(t.Context(), graph.Request{Graph: "none"}); err == nil || !strings.Contains(err.Error(), `no graph "none"`) {
		t.Error(err)
	}
	if _, err := l.Start(t.Context(), graph.Request{Graph: "test", Input: json.RawMessage(`[]`)}); err == nil || !strings.Contains(err.Error(), "decoding the input") {
		t.Error(err)
	}
	_, attach := l.Attach(t.Context(), "r_none")
	_, get := l.Get(t.Context(), "r_none")
	for i, err := range []error{attach, get, l.Cancel(t.Context(), "r_none", ""), l.Resume(t.Context(), "r_none"), l.Answer(t.Context(), "r_none", "", nil)} {
		if !errors.Is(err, graph.ErrNotFound) {
			t.Errorf("%d: %v", i, err)
		}
	}
}

// failing is a store that can neither load nor commit while it is broken.
type failing struct {
	graph.Store
	broken atomic.Bool
}

var errDisk = errors.New("disk full")

func (f *failing) Load(ctx context.Context, id string) (graph.Saved, error) {
	if f.broken.Load() {
		return graph.Saved{}, errDisk
	}
	return f.Store.Load(ctx, id)
}

func (f *failing) Commit(ctx context.Context, l graph.Lease, b graph.Batch) error {
	if f.broken.Load() {
		return errDisk
	}
	return f.Store.Commit(ctx, l, b)
}

func TestStoreFailurePausesAndNothingIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var made atomic.Int32
		st := &failing{Store: mem.New()}
		l := driver(t, graph.Options{Store: st}, slow(t, 3, &made))
		id, _ := begin(t, l)
		time.Sleep(15 * time.Second)
		st.broken.Store(true)
		r, _ := rest(t, l, id, graph.StatusPaused)
		if !strings.Contains(r.Reason, "disk full") {
			t.Errorf("%+v", r)
		}
		time.Sleep(time.Minute)
		st.broken.Store(false)
		time.Sleep(2 * time.Second)
		if err := l.Resume(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		if _, got := rest(t, l, id, graph.StatusDone); got != "c c c" || made.Load() != 4 {
			t.Errorf("%q after %d calls", got, made.Load())
		}
		l.Close(t.Context())
	})
}

func TestTwoRunsOfOneGraph(t *testing.T) {
	g := fan(t, 50, policy{}, func(ctx context.Context, i int) (update, error) {
		graph.Emit(ctx, i)
		v, err := search(ctx, i)
		return out(v), err
	})
	l := driver(t, graph.Options{}, g)
	a, b := start(t, l, graph.Budget{}), start(t, l, graph.Budget{})
	_, gotA := rest(t, l, a.ID, graph.StatusDone)
	_, gotB := rest(t, l, b.ID, graph.StatusDone)
	if gotA != gotB || a.ID == b.ID || strings.Count(gotA, "found") != 50 {
		t.Errorf("%s and %s", gotA, gotB)
	}
}

func Example() {
	type Notes struct{ Lines []string }
	b := graph.New("notes", "1", func(s Notes, line string) Notes {
		return Notes{append(slices.Clip(s.Lines), line)}
	})
	b.Node("plan", func(ctx context.Context, s Notes) (string, error) { return "planned", nil }, graph.Policy[string]{})
	read := graph.AddWorker(b, "read", func(ctx context.Context, s Notes, url string) (string, error) {
		return graph.Once(ctx, graph.Call{Kind: "page", Request: url}, func(context.Context) (string, graph.Usage, error) {
			return "read " + url, graph.Usage{Pages: 1}, nil
		})
	}, graph.Policy[string]{Attempts: 2, Timeout: time.Minute})
	b.Node("write", func(ctx context.Context, s Notes) (string, error) { return "written", nil }, graph.Policy[string]{})
	b.Route("plan", func(Notes) []graph.Next { return []graph.Next{read.To("a"), read.To("b"), read.To("c")} }, "read")
	b.Edge("read", "write")
	b.Edge("write", graph.End)
	b.Land("write")
	g, err := b.Build()
	if err != nil {
		panic(err)
	}

	ctx := context.Background()
	l, err := graph.NewLocal(graph.Options{Store: mem.New()}, g)
	if err != nil {
		panic(err)
	}
	defer l.Close(ctx)
	run, err := l.Start(ctx, graph.Request{Graph: "notes", Key: "mine", Input: json.RawMessage(`{}`), Budget: graph.Budget{Pages: 2}})
	if err != nil {
		panic(err)
	}
	if _, err := l.Attach(ctx, run.ID); err != nil {
		panic(err)
	}
	if run, err = l.Wait(ctx, run.ID); err != nil {
		panic(err)
	}
	fmt.Println(run.Status, run.Reason, run.Usage.Pages)
	// Output: done budget_pages 2
}

// A store that cannot be read when a run is to be taken up leaves the run paused, not stuck with an owner that does
// nothing.
func TestLoadFailureGivesTheRunBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var made atomic.Int32
		st := &failing{Store: mem.New()}
		l := driver(t, graph.Options{Store: st}, slow(t, 1, &made))
		st.broken.Store(true)
		_, err := l.Start(t.Context(), graph.Request{Graph: "test", Key: "k", Input: json.RawMessage(`{}`)})
		if !errors.Is(err, errDisk) {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Second)
		st.broken.Store(false)
		time.Sleep(2 * time.Second)
		runs, err := l.List(t.Context(), graph.Filter{})
		if err != nil || len(runs) != 1 || runs[0].Status != graph.StatusPaused || runs[0].Owned {
			t.Fatalf("%+v, %v", runs, err)
		}
		id, _ := begin(t, l)
		if _, got := rest(t, l, id, graph.StatusDone); got != "c" || id != runs[0].ID {
			t.Errorf("%s by %s", got, id)
		}
		l.Close(t.Context())
	})
}
