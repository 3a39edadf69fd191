package graph

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"
)

// Get implements [Reader].
func (l *Local) Get(ctx context.Context, id string) (Run, error) {
	r, err := l.o.Store.Get(ctx, id)
	if err != nil {
		return Run{}, fmt.Errorf("reading run %s: %w", id, err)
	}
	return l.view(r), nil
}

// List returns runs, the newest first.
func (l *Local) List(ctx context.Context, f Filter) ([]Run, error) {
	runs, err := l.o.Store.List(ctx, f)
	for i := range runs {
		runs[i] = l.view(runs[i])
	}
	return runs, err
}

// view corrects what nobody has had the chance to write down.
func (l *Local) view(r Run) Run {
	now := l.o.Now()
	l.mu.Lock()
	working := l.live[r.ID]
	l.mu.Unlock()
	switch {
	case working != nil && working.ended.Load() == nil:
		r.Status, r.Owned = StatusRunning, true
	case working != nil:
		end := working.ended.Load()
		r.Status, r.Reason, r.Asks = end.Status, end.Reason, end.Asks
	case r.Status == StatusRunning && !r.Owned:
		r.Status, r.Reason = StatusPaused, PausedLost
	case r.Status == StatusWaiting && slices.ContainsFunc(r.Asks, func(q Question) bool { return q.expired(now) && !q.settled(now) }):
		r.Status, r.Reason = StatusPaused, PausedAskExpired
	}
	return r
}

// wanted reports whether an attachment takes up the run by itself: its process died or shut down, its other holders
// are gone, or its question is settled. A run paused by hand stays paused.
func (l *Local) wanted(r Run) bool {
	switch r.Status {
	case StatusPaused:
		return r.Reason == PausedLost || r.Reason == PausedShutdown || r.Reason == PausedDetached
	case StatusWaiting:
		return !slices.ContainsFunc(r.Asks, func(q Question) bool { return !q.settled(l.o.Now()) })
	}
	return false
}

// answered takes up a run whose question was settled while its owner was giving it back.
func (l *Local) answered(id string) {
	ctx, cancel := context.WithTimeout(context.Background(), storeTime)
	defer cancel()
	if r, err := l.Get(ctx, id); err == nil && l.wanted(r) {
		_ = l.takeUp(ctx, id, false) // the run rests as waiting, and whoever asks for it takes it up
	}
}

// again waits before a failed write is repeated, unless the driver closes.
func (l *Local) again() bool {
	t := time.NewTimer(4 * l.o.Poll)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-l.stop:
		return false
	}
}

// Wait implements [Reader].
func (l *Local) Wait(ctx context.Context, id string) (Run, error) {
	for {
		wake := l.wake(id)
		r, err := l.Get(ctx, id)
		if err != nil {
			return r, err
		}
		if r.Status != StatusRunning && !(l.wanted(r) && l.holds(id)) {
			return r, nil
		}
		if err := l.sleep(ctx, wake); err != nil {
			return r, err
		}
	}
}

func (l *Local) holds(id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, a := range l.attached {
		if a.run == id {
			return !l.closed
		}
	}
	return false
}

// wake is closed when something of a run that this process works on changes, or nil.
func (l *Local) wake(id string) <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r := l.live[id]; r != nil {
		return r.changed()
	}
	return nil
}

func (l *Local) sleep(ctx context.Context, wake <-chan struct{}) error {
	t := time.NewTimer(l.o.Poll)
	defer t.Stop()
	select {
	case <-wake:
	case <-t.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// tailPage is how many events Tail reads at once.
const tailPage = 256

// Tail implements [Reader].
func (l *Local) Tail(ctx context.Context, id string, after int64) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for {
			wake := l.wake(id)
			r, err := l.Get(ctx, id)
			var events []Event
			if err == nil {
				events, err = l.o.Store.Events(ctx, id, after, tailPage)
			}
			for _, e := range events {
				if !yield(e, nil) {
					return
				}
				after = e.Seq
			}
			rest := r.Status != StatusRunning && !(l.wanted(r) && l.holds(id))
			if err == nil && len(events) == 0 && !rest {
				err = l.sleep(ctx, wake)
			}
			if err != nil {
				yield(Event{}, err)
				return
			}
			if rest && len(events) == 0 {
				return
			}
		}
	}
}

// storeTime bounds what the driver asks of the store by itself.
const storeTime = 10 * time.Second

// poll looks into the store for as long as the driver is open.
func (l *Local) poll() {
	t := time.NewTicker(l.o.Poll)
	defer t.Stop()
	for {
		select {
		case <-l.stop:
			return
		case <-t.C:
			ctx, cancel := context.WithTimeout(context.Background(), storeTime)
			_ = l.look(ctx) // a store that does not answer now is asked again at the next tick
			l.renew(ctx)
			cancel()
			l.flush()
		}
	}
}

// flush writes the events of all runs, together where the store can.
func (l *Local) flush() {
	l.mu.Lock()
	runs := l.snapshot()
	l.mu.Unlock()
	var flushing sync.WaitGroup
	for _, r := range runs {
		if r.unflushed() {
			flushing.Go(r.flush)
		}
	}
	flushing.Wait()
}

// look hands to the runs of this process what is posted for them.
func (l *Local) look(ctx context.Context) error {
	l.mu.Lock()
	runs := l.snapshot()
	l.mu.Unlock()
	if len(runs) == 0 {
		return nil
	}
	ids := make([]string, len(runs))
	for i, r := range runs {
		ids[i] = r.id
	}
	posted, err := l.o.Store.Inbox(ctx, ids...)
	if err != nil {
		return fmt.Errorf("reading what is posted for runs: %w", err)
	}
	now := l.o.Now()
	for _, r := range runs {
		in, ok := posted[r.id]
		switch {
		case !ok:
		case in.Command == CommandCancel:
			r.cancel(in.Reason)
		case in.Command == CommandPause:
			r.pause(PausedRequested)
		case !in.Held.After(now):
			r.pause(PausedDetached)
		}
	}
	return nil
}

// renew keeps this process's attachments alive and takes up the runs that they want and nobody works on.
func (l *Local) renew(ctx context.Context) {
	now := l.o.Now()
	idle := map[string]bool{}
	var due []Attachment
	l.mu.Lock()
	for id, a := range l.attached {
		if _, busy := l.live[a.run]; !busy {
			idle[a.run] = true
		}
		if a.until.Sub(now) < l.o.Hold*2/3 {
			due = append(due, Attachment{id, a.run})
		}
	}
	l.mu.Unlock()
	for _, a := range due {
		if l.hold(ctx, a.Run, a.ID, l.o.Hold) == nil && !l.renewed(a.ID, now.Add(l.o.Hold)) {
			_ = l.hold(ctx, a.Run, a.ID, -l.o.Hold) // detached meanwhile
		}
	}
	for id := range idle {
		if r, err := l.Get(ctx, id); err == nil && l.wanted(r) {
			_ = l.takeUp(ctx, id, false) // tried again at the next tick
		}
	}
}

// renewed notes how long a hold lasts, unless its attachment is gone. A hold that failed is tried again at the next tick.
func (l *Local) renewed(id string, until time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.attached[id]
	if a != nil {
		a.until = until
	}
	return a != nil
}
