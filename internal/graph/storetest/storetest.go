// Package storetest is the conformance suite of [graph.Store].
//
// [Run] it from the test of an implementation. It checks the store's own promises and then whole runs on it, each of
// them a second time with nothing but JSON between the driver and the branches. It does not measure speed.
package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"deepresearch/internal/graph"
)

// Open makes an empty store and returns how processes open it. Die ends such a process without any order.
type Open func(t *testing.T) Process

// Process opens the same store as one more process.
type Process func(t *testing.T) (s graph.Store, die func())

// Run checks an implementation.
func Run(t *testing.T, open Open) {
	for _, c := range []struct {
		name string
		f    func(*testing.T, Process)
	}{
		{"create and get", testCreate},
		{"reuse", testReuse},
		{"list", testList},
		{"lease", testLease},
		{"journal", testJournal},
		{"calls", testCalls},
		{"events", testEvents},
		{"mailbox", testMailbox},
		{"delete", testDelete},
		{"unknown run", testUnknown},
		{"runs", testRuns},
		{"runs through processes", testProcesses},
	} {
		t.Run(c.name, func(t *testing.T) { c.f(t, open(t)) })
	}
}

var (
	approx = cmp.Options{cmpopts.EquateApproxTime(time.Minute), cmpopts.EquateEmpty()}
	ctx    = testing.TB.Context
)

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func head(id string) graph.Run {
	now := time.Now()
	return graph.Run{
		ID: id, Graph: "g", Version: "1", Key: "k", Caller: "c", Title: "an input", Status: graph.StatusRunning,
		Budget: graph.Budget{Seconds: 1.5, Calls: 3}, Created: now, Updated: now,
	}
}

var first = graph.StepRow{Frontier: json.RawMessage(`{"step":0}`), State: json.RawMessage(`{"s":0}`)}

// create saves a run without any reuse and claims it.
func create(t *testing.T, s graph.Store, id string) graph.Lease {
	t.Helper()
	_, fresh, err := s.Create(ctx(t), head(id), first, graph.Reuse{Never: true})
	if err != nil || !fresh {
		t.Fatalf("creating %s: fresh %v, %v", id, fresh, err)
	}
	return must[graph.Lease](t)(s.Claim(ctx(t), id))
}

func testCreate(t *testing.T, p Process) {
	s, _ := p(t)
	_, fresh, err := s.Create(ctx(t), head("r1"), first, graph.Reuse{})
	if err != nil || !fresh {
		t.Fatalf("fresh %v, %v", fresh, err)
	}
	want := head("r1")
	want.State = first.State
	got := must[graph.Run](t)(s.Get(ctx(t), "r1"))
	if diff := cmp.Diff(want, got, approx); diff != "" {
		t.Error(diff)
	}
}

func testReuse(t *testing.T, p Process) {
	s, _ := p(t)
	lease := create(t, s, "r1")
	again := func(id string, u graph.Reuse) string {
		t.Helper()
		r, fresh, err := s.Create(ctx(t), head(id), first, u)
		if err != nil || fresh != (r.ID == id) {
			t.Fatalf("%+v, fresh %v, %v", r, fresh, err)
		}
		return r.ID
	}
	if got := again("r2", graph.Reuse{}); got != "r1" {
		t.Errorf("an unfinished run was not used again, but %s made", got)
	}
	anonymous, stranger := head("r3"), head("r3b")
	anonymous.Key, stranger.Caller = "", "stranger"
	for _, h := range []graph.Run{anonymous, stranger} {
		if r, fresh, err := s.Create(ctx(t), h, first, graph.Reuse{}); err != nil || !fresh || r.ID != h.ID {
			t.Errorf("for key %q of caller %q: %+v, %v, %v", h.Key, h.Caller, r, fresh, err)
		}
	}
	ok(t, s.Commit(ctx(t), lease, graph.Batch{Status: &graph.StatusRow{Status: graph.StatusFailed, Reason: "broken"}}))
	if got := again("r4", graph.Reuse{}); got != "r4" {
		t.Errorf("a failed run was used again: %s", got)
	}
}

func testList(t *testing.T, p Process) {
	s, _ := p(t)
	for i := range 3 {
		create(t, s, fmt.Sprint("r", i))
	}
	r := head("other")
	r.Caller, r.Key = "someone", ""
	must[graph.Run](t)(func() (graph.Run, error) { r, _, err := s.Create(ctx(t), r, first, graph.Reuse{}); return r, err }())
	for _, c := range []struct {
		f    graph.Filter
		want []string
	}{
		{graph.Filter{}, []string{"other", "r2", "r1", "r0"}},
		{graph.Filter{Caller: "c", Limit: 2}, []string{"r2", "r1"}},
		{graph.Filter{Caller: "nobody"}, nil},
	} {
		var got []string
		for _, r := range must[[]graph.Run](t)(s.List(ctx(t), c.f)) {
			got = append(got, r.ID)
			if len(r.State) > 0 {
				t.Errorf("the list carries the state of %s", r.ID)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%+v: %s", c.f, diff)
		}
	}
}

func testLease(t *testing.T, p Process) {
	a, die := p(t)
	b, _ := p(t)
	old := create(t, a, "r")
	if _, err := b.Claim(ctx(t), "r"); !errors.Is(err, graph.ErrOwned) {
		t.Fatalf("claiming what a live process owns: %v", err)
	}
	if r := must[graph.Run](t)(b.Get(ctx(t), "r")); !r.Owned {
		t.Error("the run is not seen as owned")
	}
	die()
	if r := must[graph.Run](t)(b.Get(ctx(t), "r")); r.Owned || r.Status != graph.StatusRunning {
		t.Errorf("of a dead owner: %+v", r)
	}
	lease := must[graph.Lease](t)(b.Claim(ctx(t), "r"))
	if lease.Fence <= old.Fence {
		t.Errorf("fence %d after %d", lease.Fence, old.Fence)
	}
	for _, l := range []graph.Lease{old, {Run: "r", Fence: lease.Fence + 1}} {
		if err := b.Commit(ctx(t), l, graph.Batch{}); !errors.Is(err, graph.ErrFenced) {
			t.Errorf("committing under fence %d of %d: %v", l.Fence, lease.Fence, err)
		}
	}
	ok(t, b.Commit(ctx(t), lease, graph.Batch{Status: &graph.StatusRow{Status: graph.StatusPaused}}))
	if err := b.Commit(ctx(t), lease, graph.Batch{}); !errors.Is(err, graph.ErrFenced) {
		t.Errorf("committing after giving the run back: %v", err)
	}
	c, _ := p(t)
	lease = must[graph.Lease](t)(c.Claim(ctx(t), "r"))
	ok(t, c.Commit(ctx(t), lease, graph.Batch{Status: &graph.StatusRow{Status: graph.StatusDone}}))
	if _, err := c.Claim(ctx(t), "r"); !errors.Is(err, graph.ErrDone) {
		t.Errorf("claiming a run that is done: %v", err)
	}
}

func raw(s string) json.RawMessage { return json.RawMessage(s) }

func branch(step, index int, result string) graph.BranchRow {
	return graph.BranchRow{Step: step, Index: index, Result: raw(result)}
}

func testJournal(t *testing.T, p Process) {
	s, _ := p(t)
	l := create(t, s, "r")
	ok(t, s.Commit(ctx(t), l, graph.Batch{
		Usage:    graph.Usage{Seconds: 0.5, TokensIn: 9},
		Branches: []graph.BranchRow{branch(0, 0, `{"a":1}`)},
		Step:     &graph.StepRow{Step: 1, Frontier: raw(`{"step":1}`)},
	}))
	ok(t, s.Commit(ctx(t), l, graph.Batch{Branches: []graph.BranchRow{branch(1, 2, `"c"`)}}))
	ok(t, s.Commit(ctx(t), l, graph.Batch{Branches: []graph.BranchRow{branch(1, 0, `"a"`)}}))
	saved := must[graph.Saved](t)(s.Load(ctx(t), "r"))
	want := graph.Saved{
		Run: saved.Run, Step: 1, Frontier: raw(`{"step":1}`), At: 0, State: first.State,
		Branches: []graph.BranchRow{branch(0, 0, `{"a":1}`), branch(1, 0, `"a"`), branch(1, 2, `"c"`)},
	}
	if diff := cmp.Diff(want, saved, approx); diff != "" {
		t.Error(diff)
	}
	ok(t, s.Commit(ctx(t), l, graph.Batch{
		Branches: []graph.BranchRow{branch(1, 1, `{"skipped":"quorum"}`)}, Version: "2",
		Step: &graph.StepRow{Step: 2, Frontier: raw(`{"step":2}`), State: raw(`{"s":2}`)},
	}))
	saved = must[graph.Saved](t)(s.Load(ctx(t), "r"))
	if saved.Step != 2 || saved.At != 2 || string(saved.State) != `{"s":2}` || len(saved.Branches) != 0 || saved.Run.Version != "2" {
		t.Errorf("%+v", saved)
	}
}

func testCalls(t *testing.T, p Process) {
	s, _ := p(t)
	l := create(t, s, "r")
	row := graph.CallRow{
		CallKey: graph.CallKey{Step: 0, Index: 1, Hash: "h", Occurrence: 2}, Kind: "model", Request: raw(`{"q":"?"}`),
		State: graph.CallReserved, Usage: graph.Usage{Calls: 1, CostMicros: 500}, At: time.Now(),
	}
	ok(t, s.Commit(ctx(t), l, graph.Batch{Calls: []graph.CallRow{row}}))
	again := row
	row.State, row.Usage, row.Err, row.Seconds = graph.CallFailed, graph.Usage{Calls: 1}, "overloaded", 0.25
	again.Try = 1
	ok(t, s.Commit(ctx(t), l, graph.Batch{Calls: []graph.CallRow{row, again}}))
	again.State, again.Result = graph.CallDone, raw(`"`+strings.Repeat("a long answer ", 500)+`"`)
	ok(t, s.Commit(ctx(t), l, graph.Batch{Calls: []graph.CallRow{again}}))
	saved := must[graph.Saved](t)(s.Load(ctx(t), "r"))
	if diff := cmp.Diff([]graph.CallRow{row, again}, saved.Calls, approx); diff != "" {
		t.Error(diff)
	}
	ok(t, s.Commit(ctx(t), l, graph.Batch{Step: &graph.StepRow{Step: 1, Frontier: raw(`{}`)}}))
	if saved = must[graph.Saved](t)(s.Load(ctx(t), "r")); len(saved.Calls) != 0 {
		t.Errorf("calls of a finished step are loaded: %+v", saved.Calls)
	}
	if diff := cmp.Diff([]graph.CallRow{row, again}, must[[]graph.CallRow](t)(s.Calls(ctx(t), "r")), approx); diff != "" {
		t.Error(diff)
	}
}

func testEvents(t *testing.T, p Process) {
	s, _ := p(t)
	l := create(t, s, "r")
	var want []graph.Event
	for i := range 5 {
		e := graph.Event{Seq: int64(i + 1), Time: time.Now(), Step: i, Index: 1, Node: "n", Kind: graph.EventNote, Body: raw(fmt.Sprint(i))}
		want = append(want, e)
		ok(t, s.Commit(ctx(t), l, graph.Batch{Events: []graph.Event{e}}))
	}
	for _, c := range []struct {
		after int64
		limit int
		want  []graph.Event
	}{{0, 10, want}, {2, 2, want[2:4]}, {5, 10, nil}, {99, 10, nil}} {
		got := must[[]graph.Event](t)(s.Events(ctx(t), "r", c.after, c.limit))
		if diff := cmp.Diff(c.want, got, approx); diff != "" {
			t.Errorf("after %d: %s", c.after, diff)
		}
	}
	if saved := must[graph.Saved](t)(s.Load(ctx(t), "r")); saved.Events != 5 {
		t.Errorf("%d events are counted", saved.Events)
	}
}

func testMailbox(t *testing.T, p Process) {
	s, _ := p(t)
	l := create(t, s, "r")
	other, _ := p(t)
	now := time.Now().Truncate(time.Second)
	post := func(m graph.Message) { t.Helper(); ok(t, other.Post(ctx(t), "r", m)) }
	inbox := func() graph.Inbox {
		t.Helper()
		return must[map[string]graph.Inbox](t)(s.Inbox(ctx(t), "r", "none"))["r"]
	}
	if in := inbox(); !in.Held.IsZero() || in.Command != "" {
		t.Errorf("empty: %+v", in)
	}
	post(graph.Message{Hold: &graph.Hold{ID: "a", Until: now.Add(time.Hour)}})
	post(graph.Message{Hold: &graph.Hold{ID: "b", Until: now.Add(2 * time.Hour)}})
	if in := inbox(); !in.Held.Equal(now.Add(2 * time.Hour)) {
		t.Errorf("held until %s", in.Held)
	}
	post(graph.Message{Hold: &graph.Hold{ID: "b", Until: now.Add(-time.Hour)}})
	if in := inbox(); !in.Held.Equal(now.Add(time.Hour)) {
		t.Errorf("after one let go: held until %s", in.Held)
	}
	for _, c := range []struct{ post, want graph.Command }{
		{graph.CommandPause, graph.CommandPause}, {graph.CommandResume, ""}, {graph.CommandCancel, graph.CommandCancel},
		{graph.CommandPause, graph.CommandCancel}, {graph.CommandResume, graph.CommandCancel},
	} {
		post(graph.Message{Command: c.post, Reason: "why"})
		if in := inbox(); in.Command != c.want {
			t.Errorf("after %s the command is %q", c.post, in.Command)
		}
	}
	asks := []graph.Question{{ID: "1", Node: "n", Payload: raw(`{}`)}, {ID: "2", Node: "n", Payload: raw(`{}`), Expires: now, Default: raw(`0`)}}
	ok(t, s.Commit(ctx(t), l, graph.Batch{Status: &graph.StatusRow{Status: graph.StatusWaiting, Asks: asks}}))
	if in := inbox(); in.Command != "" {
		t.Errorf("a status leaves the command %q", in.Command)
	}
	post(graph.Message{Answer: &graph.Answer{ID: "1", Value: raw(`"yes"`)}})
	post(graph.Message{Answer: &graph.Answer{ID: "1", Value: raw(`"no"`)}})
	asks[0].Answer = raw(`"yes"`)
	r := must[graph.Run](t)(s.Get(ctx(t), "r"))
	saved := must[graph.Saved](t)(s.Load(ctx(t), "r"))
	for _, got := range [][]graph.Question{r.Asks, saved.Run.Asks} {
		if diff := cmp.Diff(asks, got, approx); diff != "" {
			t.Error(diff)
		}
	}
}

func testDelete(t *testing.T, p Process) {
	s, _ := p(t)
	l := create(t, s, "r")
	if err := s.Delete(ctx(t), "r"); !errors.Is(err, graph.ErrOwned) {
		t.Errorf("deleting a run at work: %v", err)
	}
	ok(t, s.Commit(ctx(t), l, graph.Batch{
		Events: []graph.Event{{Seq: 1, Kind: graph.EventRun}}, Branches: []graph.BranchRow{{Result: raw(`1`)}},
		Status: &graph.StatusRow{Status: graph.StatusDone},
	}))
	ok(t, s.Delete(ctx(t), "r"))
	create(t, s, "r") // nothing of the old one is in the way
	if events := must[[]graph.Event](t)(s.Events(ctx(t), "r", 0, 10)); len(events) > 0 {
		t.Errorf("%+v", events)
	}
}

func testUnknown(t *testing.T, p Process) {
	s, _ := p(t)
	_, get := s.Get(ctx(t), "none")
	_, claim := s.Claim(ctx(t), "none")
	_, load := s.Load(ctx(t), "none")
	_, events := s.Events(ctx(t), "none", 0, 1)
	for i, err := range []error{get, claim, load, events, s.Delete(ctx(t), "none"), s.Post(ctx(t), "none", graph.Message{})} {
		if !errors.Is(err, graph.ErrNotFound) {
			t.Errorf("%d: %v", i, err)
		}
	}
}
