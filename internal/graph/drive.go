package graph

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

func (g *Graph[S, D]) accepts(version string) bool {
	return version == g.version || g.migrations[version] != nil
}

// enter checks a run's input and makes its first row.
func (g *Graph[S, D]) enter(input json.RawMessage, b Budget) (row StepRow, err error) {
	defer contain(&err)
	var s S
	if err := json.Unmarshal(input, &s); err != nil {
		return StepRow{}, fmt.Errorf("decoding the input: %w", err)
	}
	return stepRow(g.Entry(s, b), &s)
}

// stepRow encodes a frontier, and the state when it is given.
func stepRow[S any](f Frontier, s *S) (StepRow, error) {
	row := StepRow{Step: f.Step}
	var err error
	if row.Frontier, err = json.Marshal(f); err != nil {
		return row, fmt.Errorf("encoding the frontier: %w", err)
	}
	if s != nil {
		if row.State, err = json.Marshal(*s); err != nil {
			return row, fmt.Errorf("encoding the state: %w", err)
		}
	}
	return row, nil
}

// restore folds what was saved: the state, the frontier, and the branches of its step that have finished.
func (g *Graph[S, D]) restore(saved Saved) (s S, f Frontier, done map[int]Result[D], err error) {
	if err := json.Unmarshal(saved.State, &s); err != nil {
		return s, f, nil, fmt.Errorf("decoding the saved state: %w", err)
	}
	if err := json.Unmarshal(saved.Frontier, &f); err != nil {
		return s, f, nil, fmt.Errorf("decoding the saved frontier: %w", err)
	}
	done = map[int]Result[D]{}
	for _, b := range saved.Branches {
		var r Result[D]
		if err := json.Unmarshal(b.Result, &r); err != nil {
			return s, f, nil, fmt.Errorf("decoding branch %d of step %d: %w", b.Index, b.Step, err)
		}
		switch {
		case b.Step == saved.Step:
			done[b.Index] = r
		case r.Skipped == "":
			s = g.reduce(s, r.Update)
		}
	}
	return s, f, done, nil
}

// migrate makes a run that another version saved one of this version.
func (g *Graph[S, D]) migrate(r *live, from string, s S, f Frontier) (S, Frontier, error) {
	if from == g.version {
		return s, f, nil
	}
	s, f, err := g.migrations[from](s, f)
	if err != nil {
		return s, f, fmt.Errorf("migrating from version %s: %w", from, err)
	}
	row, err := stepRow(f, &s)
	if err != nil {
		return s, f, err
	}
	return s, f, r.record(Batch{Version: g.version, Step: &row})
}

// drive runs a run's steps until it rests. The batch it returns is not yet committed.
func (g *Graph[S, D]) drive(ctx context.Context, r *live, saved Saved) (Batch, error) {
	s, f, done, err := g.restore(saved)
	if err != nil {
		return Batch{}, err
	}
	r.resume(f, saved.Calls)
	if s, f, err = g.migrate(r, saved.Run.Version, s, f); err != nil {
		return Batch{}, err
	}
	for {
		results, status, err := g.step(ctx, r, s, f, done)
		if err != nil || status != nil {
			return Batch{Status: status}, err
		}
		b, err := g.close(r, &s, &f, results, done)
		if err != nil || b.Status != nil {
			return b, err
		}
		if err := r.record(b); err != nil {
			return Batch{}, err
		}
		done = nil
	}
}

// close advances s and f past a finished step and returns what is to be committed.
func (g *Graph[S, D]) close(r *live, s *S, f *Frontier, results []Result[D], done map[int]Result[D]) (Batch, error) {
	var b Batch
	for i, res := range results {
		if _, saved := done[i]; saved || (len(results) > 1 && res.Skipped == "") {
			continue // committed when it finished
		}
		row, err := branchRow(f.Step, i, res)
		if err != nil {
			return b, err
		}
		b.Branches = append(b.Branches, row)
	}
	f.Usage.Seconds = r.active()
	landed := f.Landed
	var err error
	if *s, *f, err = g.Advance(*s, *f, results); err != nil {
		return b, err
	}
	r.resume(*f, nil)
	if f.Landed && !landed && f.Spent != "" {
		body, _ := json.Marshal(map[string]string{"spent": f.Spent})
		r.log(f.Step, 0, g.land, EventLand, body)
	}
	var state *S
	if len(f.Branches) == 0 {
		b.Status = &StatusRow{Status: StatusDone}
		if f.Spent != "" {
			b.Status.Reason = "budget_" + f.Spent
		}
	}
	if b.Status != nil || f.Step%r.l.o.Snapshot == 0 {
		state = s
	}
	row, err := stepRow(*f, state)
	b.Step = &row
	return b, err
}

func branchRow[D any](step, index int, res Result[D]) (BranchRow, error) {
	raw, err := json.Marshal(res)
	if err != nil {
		return BranchRow{}, fmt.Errorf("encoding the update of branch %d of step %d: %w", index, step, err)
	}
	return BranchRow{step, index, raw}, nil
}

// step runs a frontier's branches. It returns their results, or the status in which the run rests before the step is
// over.
func (g *Graph[S, D]) step(ctx context.Context, r *live, s S, f Frontier, done map[int]Result[D]) ([]Result[D], *StatusRow, error) {
	st := newStep(ctx, g, r, s, f, done)
	st.run()
	st.mu.Lock()
	defer st.mu.Unlock()
	var asks []Question
	unfinished := false
	for i, state := range st.states {
		unfinished = unfinished || state == branchOpen || state == branchCut
		if q := st.results[i].Ask; q != nil {
			asks = append(asks, *q)
		}
	}
	switch why := r.pausing.Load(); {
	case ctx.Err() != nil && (unfinished || len(st.errs) > 0):
		return nil, nil, context.Cause(ctx)
	case len(st.errs) > 0:
		return nil, nil, errors.Join(st.errs...)
	case unfinished && why != nil:
		return nil, &StatusRow{StatusPaused, *why, asks}, nil
	case unfinished:
		return nil, nil, fmt.Errorf("step %d did not finish its branches", f.Step)
	case len(asks) > 0:
		return nil, &StatusRow{Status: StatusWaiting, Asks: asks}, nil
	}
	return st.results, nil, nil
}
