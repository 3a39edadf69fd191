// Package mem keeps runs in memory: a real [graph.Store] for tests, examples and drivers that need no durability.
//
// Start with [New]. Each [Store.Process] acts as a process of its own that can be killed, so that tests of taking over
// need no real one. It does not write anything to disk.
package mem

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"deepresearch/internal/graph"
)

// Store is one process's view of runs in memory.
type Store struct {
	shared *shared
	owner  int
}

type shared struct {
	mu     sync.Mutex
	now    func() time.Time
	owners []bool // alive
	runs   map[string]*run
	order  []string // by creation
}

type run struct {
	head     graph.Run
	owner    int // index into owners, -1 for none
	fence    int64
	step     int
	frontier json.RawMessage
	at       int
	state    json.RawMessage
	branches map[int]map[int]json.RawMessage // by step
	calls    map[int][]graph.CallRow         // by step
	events   []graph.Event
	answers  map[string]json.RawMessage
	holds    map[string]time.Time
	command  graph.Command
	reason   string
}

var _ graph.Store = (*Store)(nil)

// New returns an empty store as its first process sees it.
func New() *Store {
	return &Store{&shared{now: time.Now, owners: []bool{true}, runs: map[string]*run{}}, 0}
}

// Process is another process on the same runs.
func (s *Store) Process() *Store {
	s.shared.mu.Lock()
	defer s.shared.mu.Unlock()
	s.shared.owners = append(s.shared.owners, true)
	return &Store{s.shared, len(s.shared.owners) - 1}
}

// Kill makes the process count as dead. Whatever it still tries to commit is fenced.
func (s *Store) Kill() {
	s.shared.mu.Lock()
	defer s.shared.mu.Unlock()
	s.shared.owners[s.owner] = false
}

// find locks the store and returns a run; the caller unlocks in either case.
func (s *Store) find(id string) (*run, error) {
	s.shared.mu.Lock()
	if r := s.shared.runs[id]; r != nil {
		return r, nil
	}
	return nil, fmt.Errorf("%w: %s", graph.ErrNotFound, id)
}

func (s *Store) owned(r *run) bool { return r.owner >= 0 && s.shared.owners[r.owner] }

func (s *Store) view(r *run, state bool) graph.Run {
	head := r.head
	head.Owned = s.owned(r)
	head.Asks = slices.Clone(head.Asks)
	for i, q := range head.Asks {
		head.Asks[i].Answer = r.answers[q.ID]
	}
	if state {
		head.State = r.state
	}
	return head
}

// Create implements [graph.Catalogue].
func (s *Store) Create(_ context.Context, head graph.Run, first graph.StepRow, reuse graph.Reuse) (graph.Run, bool, error) {
	s.shared.mu.Lock()
	defer s.shared.mu.Unlock()
	for _, id := range slices.Backward(s.shared.order) {
		if r := s.shared.runs[id]; head.Key != "" && r.head.Key == head.Key && r.head.Caller == head.Caller && reuse.Allows(r.head, head.Created) {
			return s.view(r, false), false, nil
		}
	}
	r := &run{
		head: head, owner: -1, step: first.Step, frontier: first.Frontier, at: first.Step, state: first.State,
		branches: map[int]map[int]json.RawMessage{}, calls: map[int][]graph.CallRow{},
		answers: map[string]json.RawMessage{}, holds: map[string]time.Time{},
	}
	s.shared.runs[head.ID] = r
	s.shared.order = append(s.shared.order, head.ID)
	return s.view(r, false), true, nil
}

// Get implements [graph.Catalogue].
func (s *Store) Get(_ context.Context, id string) (graph.Run, error) {
	r, err := s.find(id)
	defer s.shared.mu.Unlock()
	if err != nil {
		return graph.Run{}, err
	}
	return s.view(r, true), nil
}

// List implements [graph.Catalogue].
func (s *Store) List(_ context.Context, f graph.Filter) ([]graph.Run, error) {
	s.shared.mu.Lock()
	defer s.shared.mu.Unlock()
	var runs []graph.Run
	for _, id := range slices.Backward(s.shared.order) {
		r := s.shared.runs[id]
		if f.Caller != "" && r.head.Caller != f.Caller {
			continue
		}
		if runs = append(runs, s.view(r, false)); len(runs) == f.Limit {
			break
		}
	}
	return runs, nil
}

// Events implements [graph.Catalogue].
func (s *Store) Events(_ context.Context, id string, after int64, limit int) ([]graph.Event, error) {
	r, err := s.find(id)
	defer s.shared.mu.Unlock()
	if err != nil {
		return nil, err
	}
	from := min(max(int(after), 0), len(r.events))
	return slices.Clone(r.events[from:min(from+limit, len(r.events))]), nil
}

// Calls implements [graph.Catalogue].
func (s *Store) Calls(_ context.Context, id string) ([]graph.CallRow, error) {
	r, err := s.find(id)
	defer s.shared.mu.Unlock()
	if err != nil {
		return nil, err
	}
	var all []graph.CallRow
	for _, step := range slices.Sorted(maps.Keys(r.calls)) {
		all = append(all, r.calls[step]...)
	}
	return all, nil
}

// Delete implements [graph.Catalogue].
func (s *Store) Delete(_ context.Context, id string) error {
	r, err := s.find(id)
	defer s.shared.mu.Unlock()
	if err != nil {
		return err
	}
	if s.owned(r) {
		return fmt.Errorf("deleting run %s: %w", id, graph.ErrOwned)
	}
	delete(s.shared.runs, id)
	s.shared.order = slices.DeleteFunc(s.shared.order, func(o string) bool { return o == id })
	return nil
}

// Claim implements [graph.Journal].
func (s *Store) Claim(_ context.Context, id string) (graph.Lease, error) {
	r, err := s.find(id)
	defer s.shared.mu.Unlock()
	if err != nil {
		return graph.Lease{}, err
	}
	switch {
	case s.owned(r) && r.owner != s.owner:
		return graph.Lease{}, graph.ErrOwned
	case r.head.Status == graph.StatusDone:
		return graph.Lease{}, graph.ErrDone
	}
	r.owner = s.owner
	r.fence++
	r.head.Status, r.head.Reason = graph.StatusRunning, ""
	return graph.Lease{Run: id, Fence: r.fence}, nil
}

// Load implements [graph.Journal].
func (s *Store) Load(_ context.Context, id string) (graph.Saved, error) {
	r, err := s.find(id)
	defer s.shared.mu.Unlock()
	if err != nil {
		return graph.Saved{}, err
	}
	saved := graph.Saved{
		Run: s.view(r, false), Frontier: r.frontier, Step: r.step, State: r.state, At: r.at,
		Calls: slices.Clone(r.calls[r.step]), Events: int64(len(r.events)),
	}
	for step := r.at; step <= r.step; step++ {
		rows := r.branches[step]
		for _, index := range sortedKeys(rows) {
			saved.Branches = append(saved.Branches, graph.BranchRow{Step: step, Index: index, Result: rows[index]})
		}
	}
	return saved, nil
}

func sortedKeys(m map[int]json.RawMessage) []int {
	keys := make([]int, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// Commit implements [graph.Journal].
func (s *Store) Commit(_ context.Context, l graph.Lease, b graph.Batch) error {
	r, err := s.find(l.Run)
	defer s.shared.mu.Unlock()
	if err != nil {
		return err
	}
	if l.Fence != r.fence || r.owner != s.owner || !s.owned(r) {
		return fmt.Errorf("run %s: %w", l.Run, graph.ErrFenced)
	}
	r.head.Updated, r.head.Usage = s.shared.now(), b.Usage
	if b.Version != "" {
		r.head.Version = b.Version
	}
	for _, c := range b.Calls {
		r.putCall(c)
	}
	for _, row := range b.Branches {
		if r.branches[row.Step] == nil {
			r.branches[row.Step] = map[int]json.RawMessage{}
		}
		r.branches[row.Step][row.Index] = row.Result
	}
	if b.Step != nil {
		r.step, r.frontier = b.Step.Step, b.Step.Frontier
		if b.Step.State != nil {
			r.at, r.state = b.Step.Step, b.Step.State
		}
	}
	r.events = append(r.events, b.Events...)
	if b.Status != nil {
		r.head.Status, r.head.Reason, r.head.Asks = b.Status.Status, b.Status.Reason, b.Status.Asks
		r.owner, r.command, r.reason = -1, "", ""
	}
	return nil
}

func (r *run) putCall(c graph.CallRow) {
	rows := r.calls[c.Step]
	i := slices.IndexFunc(rows, func(o graph.CallRow) bool { return o.CallKey == c.CallKey && o.Try == c.Try })
	if i < 0 {
		r.calls[c.Step] = append(rows, c)
		return
	}
	rows[i] = c
}

// Post implements [graph.Mailbox].
func (s *Store) Post(_ context.Context, id string, m graph.Message) error {
	r, err := s.find(id)
	defer s.shared.mu.Unlock()
	if err != nil {
		return err
	}
	if m.Hold != nil {
		r.holds[m.Hold.ID] = m.Hold.Until
	}
	if m.Answer != nil && r.answers[m.Answer.ID] == nil {
		r.answers[m.Answer.ID] = m.Answer.Value
	}
	switch {
	case m.Command == "" || r.command == graph.CommandCancel:
	case m.Command == graph.CommandResume:
		r.command = ""
	default:
		r.command, r.reason = m.Command, m.Reason
	}
	return nil
}

// Inbox implements [graph.Mailbox].
func (s *Store) Inbox(_ context.Context, ids ...string) (map[string]graph.Inbox, error) {
	s.shared.mu.Lock()
	defer s.shared.mu.Unlock()
	posted := map[string]graph.Inbox{}
	for _, id := range ids {
		r := s.shared.runs[id]
		if r == nil {
			continue
		}
		in := graph.Inbox{Command: r.command, Reason: r.reason}
		for _, until := range r.holds {
			if until.After(in.Held) {
				in.Held = until
			}
		}
		posted[id] = in
	}
	return posted, nil
}
