package graph

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// live is a run that this process owns. It is the Host of the run's branches.
type live struct {
	l       *Local
	id      string
	lease   Lease
	abort   context.CancelCauseFunc
	ledger  ledger
	begun   time.Time
	before  float64 // active seconds of earlier lives
	pausing atomic.Pointer[string]
	reason  atomic.Pointer[string]    // of a cancel
	ended   atomic.Pointer[StatusRow] // how it came to rest, even if the store does not know yet
	late    sync.WaitGroup            // skipped branches that have not returned

	mu      sync.Mutex
	rows    map[CallKey]CallRow // of the current step
	answers map[string]json.RawMessage
	asks    map[string]Question // as they were first asked
	wake    chan struct{}

	flushing sync.Mutex // keeps events in order
	events   []Event    // guarded by mu
	seq      int64      // guarded by flushing
}

func newLive(l *Local, lease Lease, saved Saved, abort context.CancelCauseFunc) *live {
	r := &live{
		l: l, id: lease.Run, lease: lease, abort: abort, begun: l.o.Now(), before: saved.Run.Usage.Seconds, seq: saved.Events,
		rows: map[CallKey]CallRow{}, answers: map[string]json.RawMessage{}, asks: map[string]Question{}, wake: make(chan struct{}),
	}
	for _, q := range saved.Run.Asks {
		switch {
		case q.Answer != nil:
			r.answers[q.ID] = q.Answer
		case q.settled(r.begun):
			r.answers[q.ID] = q.Default
		case !q.expired(r.begun):
			r.asks[q.ID] = q
		}
	}
	return r
}

func (r *live) active() float64 {
	if rec := r.l.recorded; rec != nil {
		return rec.active(r.ledger.at())
	}
	return r.before + r.l.o.Now().Sub(r.begun).Seconds()
}

// pause lets the run take no new work. The first reason stays.
func (r *live) pause(why string) { r.pausing.CompareAndSwap(nil, &why) }

func (r *live) cancel(why string) {
	r.reason.CompareAndSwap(nil, &why)
	r.abort(errCancelled)
}

// changed is closed at the next change of the run.
func (r *live) changed() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.wake
}

func (r *live) notify() {
	r.mu.Lock()
	defer r.mu.Unlock()
	close(r.wake)
	r.wake = make(chan struct{})
}

// commit writes a batch under the run's lease, even when the work that led to it is cancelled: the store bounds its own
// time. A store that fails ends the drive: what is not durable did not happen.
func (r *live) commit(b Batch) error {
	b.Usage = r.ledger.total(r.active())
	if err := r.l.o.Store.Commit(context.Background(), r.lease, b); err != nil {
		err = &storeError{err}
		r.abort(err)
		return err
	}
	return nil
}

// storeError is a commit that failed.
type storeError struct{ err error }

func (e *storeError) Error() string { return fmt.Sprintf("saving the run: %v", e.err) }
func (e *storeError) Unwrap() error { return e.err }

// record commits a batch together with the events so far.
func (r *live) record(b Batch) error {
	r.flushing.Lock()
	defer r.flushing.Unlock()
	r.mu.Lock()
	b.Events = r.events
	r.events = nil
	r.mu.Unlock()
	for i := range b.Events {
		b.Events[i].Seq = r.seq + int64(i) + 1
	}
	if err := r.commit(b); err != nil {
		return err
	}
	r.seq += int64(len(b.Events))
	r.notify()
	return nil
}

func (r *live) unflushed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.events) > 0 && r.ended.Load() == nil
}

// flush writes events that no step has taken along yet. Its failure has ended the drive.
func (r *live) flush() { _ = r.record(Batch{}) }

func (r *live) log(step, index int, node, kind string, body json.RawMessage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, Event{Time: r.l.o.Now(), Step: step, Index: index, Node: node, Kind: kind, Body: body})
}

// resume opens a step's ledger and charges it with the calls of an earlier life: what nobody settled is spent in full.
func (r *live) resume(f Frontier, rows []CallRow) {
	r.ledger.open(f)
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.rows)
	for _, row := range rows {
		r.ledger.charge(row.Index, row.Usage)
		if row.State == CallReserved {
			row.State = CallFailed
		}
		if old, ok := r.rows[row.CallKey]; !ok || row.Try > old.Try {
			r.rows[row.CallKey] = row
		}
	}
}

// asking keeps the terms under which a question was first asked.
func (r *live) asking(q Question) *Question {
	r.mu.Lock()
	defer r.mu.Unlock()
	if first, ok := r.asks[q.ID]; ok {
		return &first
	}
	r.asks[q.ID] = q
	return &q
}

// Emit implements [Host].
func (r *live) Emit(b Branch, kind string, body json.RawMessage) {
	r.log(b.Step, b.Index, b.Next.Node, kind, body)
}

// Left implements [Host].
func (r *live) Left(b Branch) Usage { return r.ledger.left(b.Landing, r.active()) }

// Begin implements [Host].
func (r *live) Begin(ctx context.Context, b Branch, row CallRow) (json.RawMessage, int, time.Time, error) {
	if rec := r.l.recorded; rec != nil {
		done, err := rec.answer(r, row)
		return done, 0, time.Time{}, err
	}
	r.mu.Lock()
	old, known := r.rows[row.CallKey]
	r.mu.Unlock()
	if known && old.State == CallDone {
		return old.Result, old.Try, time.Time{}, nil
	}
	if known {
		row.Try = old.Try + 1
	}
	if ctx.Err() != nil {
		return nil, 0, time.Time{}, context.Cause(ctx)
	}
	if r.pausing.Load() != nil {
		return nil, 0, time.Time{}, ErrPaused
	}
	if err := r.ledger.take(b.Index, row.Usage, b.Landing, r.active()); err != nil {
		return nil, 0, time.Time{}, errors.Join(err, r.refuse(row, err))
	}
	if err := r.commit(Batch{Calls: []CallRow{row}}); err != nil {
		return nil, 0, time.Time{}, err
	}
	r.mu.Lock()
	r.rows[row.CallKey] = row
	r.mu.Unlock()
	return nil, row.Try, r.deadline(b.Landing), nil
}

// refuse notes a call that the budget did not allow, for the replay record.
func (r *live) refuse(row CallRow, why error) error {
	row.Usage = Usage{}
	failed := row
	failed.State, failed.Err = CallFailed, why.Error()
	r.mu.Lock()
	r.rows[row.CallKey] = failed
	r.mu.Unlock()
	return r.commit(Batch{Calls: []CallRow{row, failed}})
}

// deadline is when the seconds of a run are over: those before the landing, or all.
func (r *live) deadline(landing bool) time.Time {
	left := r.ledger.left(landing, r.active()).Seconds
	if left > float64(1<<31) {
		return time.Time{}
	}
	return r.l.o.Now().Add(time.Duration(left * float64(time.Second)))
}

// Settle implements [Host].
func (r *live) Settle(b Branch, row CallRow, reserved Usage) error {
	r.ledger.settle(b.Step, b.Index, reserved, row.Usage)
	r.mu.Lock()
	r.rows[row.CallKey] = row
	r.mu.Unlock()
	return r.commit(Batch{Calls: []CallRow{row}})
}

// logBranch is the trace of a finished branch.
func (r *live) logBranch(b Branch, begun time.Time, u Usage, skipped, failed string) {
	body, _ := json.Marshal(struct {
		Seconds float64 `json:"seconds"`
		Usage   Usage   `json:"usage,omitzero"`
		Skipped string  `json:"skipped,omitempty"`
		Err     string  `json:"err,omitempty"`
	}{r.l.o.Now().Sub(begun).Seconds(), u, skipped, failed})
	r.Emit(b, EventBranch, body)
}

// rest is the status in which an error leaves the run.
func (r *live) rest(err error) *StatusRow {
	var failed *storeError
	switch {
	case errors.Is(err, errCancelled):
		return &StatusRow{Status: StatusCancelled, Reason: *r.reason.Load()}
	case errors.Is(err, errShutdown):
		return &StatusRow{Status: StatusPaused, Reason: PausedShutdown}
	case errors.As(err, &failed):
		return &StatusRow{Status: StatusPaused, Reason: PausedStore + ": " + failed.err.Error()}
	}
	return &StatusRow{Status: StatusFailed, Reason: err.Error()}
}

// finish writes down how the drive ended, gives the run back, and waits for skipped branches to return.
func (r *live) finish(last Batch, err error) {
	defer r.late.Wait()
	if err != nil {
		last = Batch{Status: r.rest(err)}
	}
	for !errors.Is(err, ErrFenced) {
		body, _ := json.Marshal(map[string]any{"status": last.Status.Status, "reason": last.Status.Reason})
		r.log(0, 0, "", EventRun, body)
		if err = r.record(last); err == nil {
			break
		}
		if r.ended.Store(last.Status); !r.l.again() {
			break
		}
	}
	r.l.mu.Lock()
	delete(r.l.live, r.id)
	r.l.mu.Unlock()
	r.notify()
	if last.Status.Status == StatusWaiting {
		r.l.answered(r.id)
	}
}
