package graph

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	mathrand "math/rand/v2"
	"slices"
	"sync"
	"time"
)

// Options of a local driver. Only the store is needed.
type Options struct {
	Store       Store
	Concurrency int           // branches of one run at once; default 8
	Snapshot    int           // steps between saved states; default 8
	Poll        time.Duration // how often the store is looked at for what other processes want; default 200 ms
	Hold        time.Duration // how long an attachment of a dead process still counts; default 15 s
	Linger      time.Duration // how long a run works on after LeaveNext or Resume; default 15 min
	Now         func() time.Time
	Rand        func() float64 // in [0, 1), for jitter
	NewID       func() string  // default: 128 random bits
}

func (o Options) withDefaults() Options {
	o.Concurrency = cmp.Or(max(o.Concurrency, 0), 8)
	o.Snapshot = cmp.Or(max(o.Snapshot, 0), 8)
	o.Poll = cmp.Or(o.Poll, 200*time.Millisecond)
	o.Hold = cmp.Or(o.Hold, 15*time.Second)
	o.Linger = cmp.Or(o.Linger, 15*time.Minute)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Rand == nil {
		o.Rand = mathrand.Float64
	}
	if o.NewID == nil {
		o.NewID = rand.Text
	}
	return o
}

// Program is a [Graph] of whatever types, as a driver sees it.
type Program interface {
	Name() string
	Version() string
	accepts(version string) bool
	enter(input json.RawMessage, b Budget) (StepRow, error)
	drive(ctx context.Context, l *live, saved Saved) (Batch, error)
}

// Local runs graphs in this process. It implements [Runs] and [Reader]. Several drivers, in one process or many, may
// share a store; each run has one of them as its owner. Close it to pause its runs in order.
type Local struct {
	o        Options
	programs map[string]Program
	stop     chan struct{} // closed by Close
	running  sync.WaitGroup

	mu       sync.Mutex
	closed   bool
	live     map[string]*live // nil while the run is being claimed
	attached map[string]*attachment
}

// attachment is one that this process keeps alive.
type attachment struct {
	run   string
	until time.Time
	stop  func() bool // of the watch on its context
}

var (
	_ Runs   = (*Local)(nil)
	_ Reader = (*Local)(nil)

	errClosed    = errors.New("the driver is closed")
	errShutdown  = errors.New("the process is shutting down")
	errCancelled = errors.New("the run was cancelled")
)

// NewLocal returns a driver for the graphs given, which have different names.
func NewLocal(o Options, programs ...Program) (*Local, error) {
	if o.Store == nil {
		return nil, errors.New("a local driver needs a store")
	}
	l := &Local{
		o: o.withDefaults(), programs: map[string]Program{}, stop: make(chan struct{}),
		live: map[string]*live{}, attached: map[string]*attachment{},
	}
	for _, p := range programs {
		if l.programs[p.Name()] != nil {
			return nil, fmt.Errorf("graph %s is given twice", p.Name())
		}
		l.programs[p.Name()] = p
	}
	l.running.Go(l.poll)
	return l, nil
}

// Close pauses all runs of this process: calls in flight may finish and commit until ctx ends, then they are aborted.
func (l *Local) Close(ctx context.Context) error {
	l.mu.Lock()
	if !l.closed {
		l.closed = true
		close(l.stop)
	}
	runs := l.snapshot()
	for _, r := range runs {
		r.pause(PausedShutdown)
	}
	for id, a := range l.attached {
		a.stop()
		delete(l.attached, id)
	}
	l.mu.Unlock()
	done := make(chan struct{})
	go func() { l.running.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
	}
	for _, r := range runs {
		r.abort(errShutdown)
	}
	<-done
	return nil
}

func (l *Local) snapshot() []*live {
	runs := make([]*live, 0, len(l.live))
	for _, r := range l.live {
		if r != nil {
			runs = append(runs, r)
		}
	}
	return runs
}

// Start implements [Runs].
func (l *Local) Start(ctx context.Context, q Request) (Run, error) {
	p := l.programs[q.Graph]
	if p == nil {
		return Run{}, fmt.Errorf("starting a run: there is no graph %q", q.Graph)
	}
	first, err := p.enter(q.Input, q.Budget)
	if err != nil {
		return Run{}, fmt.Errorf("starting a run of %s: %w", q.Graph, err)
	}
	now := l.o.Now()
	r := Run{
		ID: "r_" + l.o.NewID(), Graph: q.Graph, Version: p.Version(), Key: q.Key, Caller: q.Caller, Title: q.Title,
		Status: StatusRunning, Budget: q.Budget, Created: now, Updated: now,
	}
	r, _, err = l.o.Store.Create(ctx, r, first, q.Reuse)
	if err != nil {
		return Run{}, fmt.Errorf("starting a run of %s: %w", q.Graph, err)
	}
	if err := l.hold(ctx, r.ID, "start", l.o.Hold); err != nil {
		return Run{}, err
	}
	if err := l.takeUp(ctx, r.ID, false); err != nil {
		return Run{}, err
	}
	return l.Get(ctx, r.ID)
}

func (l *Local) hold(ctx context.Context, id, hold string, d time.Duration) error {
	if err := l.o.Store.Post(ctx, id, Message{Hold: &Hold{ID: hold, Until: l.o.Now().Add(d)}}); err != nil {
		return fmt.Errorf("holding run %s: %w", id, err)
	}
	return nil
}

// Attach implements [Runs].
func (l *Local) Attach(ctx context.Context, id string) (Attachment, error) {
	a := Attachment{ID: l.o.NewID(), Run: id}
	if err := l.hold(ctx, id, a.ID, l.o.Hold); err != nil {
		return Attachment{}, err
	}
	if err := l.takeUp(ctx, id, false); err != nil {
		return Attachment{}, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return Attachment{}, errClosed
	}
	l.attached[a.ID] = &attachment{run: id, until: l.o.Now().Add(l.o.Hold), stop: context.AfterFunc(ctx, func() {
		// The caller is gone, so is its context; a failure only means that the hold runs out by itself.
		_ = l.Detach(context.WithoutCancel(ctx), a, LeaveGone)
	})}
	return a, nil
}

// Detach implements [Runs].
func (l *Local) Detach(ctx context.Context, a Attachment, how Leave) error {
	l.mu.Lock()
	if at := l.attached[a.ID]; at != nil {
		at.stop()
		delete(l.attached, a.ID)
	}
	l.mu.Unlock()
	if how == LeaveNext {
		if err := l.hold(ctx, a.Run, "linger", l.o.Linger); err != nil {
			return err
		}
	}
	if err := l.hold(ctx, a.Run, a.ID, -l.o.Hold); err != nil {
		return err
	}
	return l.look(ctx)
}

// Answer implements [Runs].
func (l *Local) Answer(ctx context.Context, id, ask string, value json.RawMessage) error {
	r, err := l.Get(ctx, id)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(r.Asks, func(q Question) bool { return q.ID == ask })
	switch {
	case i < 0:
		return fmt.Errorf("answering: run %s does not ask %q (status %s)", id, ask, r.Status)
	case !json.Valid(value):
		return fmt.Errorf("answering %s of run %s: the answer is not JSON", ask, id)
	case r.Asks[i].Answer != nil:
		return fmt.Errorf("answering %s of run %s: it is answered already", ask, id)
	}
	if err := l.o.Store.Post(ctx, id, Message{Answer: &Answer{ask, value}}); err != nil {
		return fmt.Errorf("answering %s of run %s: %w", ask, id, err)
	}
	if err := l.hold(ctx, id, "start", l.o.Hold); err != nil {
		return err
	}
	return l.takeUp(ctx, id, false)
}

// Pause implements [Runs].
func (l *Local) Pause(ctx context.Context, id string) error {
	return l.command(ctx, id, CommandPause, "")
}

// Cancel implements [Runs].
func (l *Local) Cancel(ctx context.Context, id, reason string) error {
	return l.command(ctx, id, CommandCancel, reason)
}

// command posts a command and sees to it at once where nobody else does.
func (l *Local) command(ctx context.Context, id string, c Command, reason string) error {
	r, err := l.Get(ctx, id)
	if err != nil {
		return err
	}
	if r.Status == StatusDone || r.Status == StatusFailed || r.Status == StatusCancelled {
		return nil
	}
	if err := l.o.Store.Post(ctx, id, Message{Command: c, Reason: reason}); err != nil {
		return fmt.Errorf("telling run %s to %s: %w", id, c, err)
	}
	if err := l.look(ctx); err != nil {
		return err
	}
	lease, err := l.claim(ctx, id)
	if errors.Is(err, ErrOwned) {
		return nil // its owner looks into the inbox every poll
	}
	if err != nil {
		return fmt.Errorf("telling run %s to %s: %w", id, c, err)
	}
	row := StatusRow{StatusPaused, PausedRequested, r.Asks}
	if c == CommandCancel {
		row = StatusRow{StatusCancelled, reason, nil}
	}
	return l.giveBack(ctx, lease, r.Usage, row)
}

// Resume implements [Runs].
func (l *Local) Resume(ctx context.Context, id string) error {
	if err := l.o.Store.Post(ctx, id, Message{Command: CommandResume}); err != nil {
		return fmt.Errorf("resuming run %s: %w", id, err)
	}
	if err := l.hold(ctx, id, "linger", l.o.Linger); err != nil {
		return err
	}
	return l.takeUp(ctx, id, true)
}

// claim takes the lease of a run that this process does not work on already; unclaim or launch follows.
func (l *Local) claim(ctx context.Context, id string) (Lease, error) {
	l.mu.Lock()
	_, busy := l.live[id]
	if !busy && !l.closed {
		l.live[id] = nil
	}
	closed := l.closed
	l.mu.Unlock()
	switch {
	case closed:
		return Lease{}, errClosed
	case busy:
		return Lease{}, ErrOwned
	}
	lease, err := l.o.Store.Claim(ctx, id)
	if err != nil {
		l.unclaim(id)
	}
	return lease, err
}

func (l *Local) unclaim(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.live, id)
}

// giveBack ends a claim that leads to no work.
func (l *Local) giveBack(ctx context.Context, lease Lease, u Usage, status StatusRow) error {
	defer l.unclaim(lease.Run)
	return l.o.Store.Commit(ctx, lease, Batch{Usage: u, Status: &status})
}

// takeUp drives a run that is unfinished and that nobody works on. Ended says that a failed or cancelled run counts.
func (l *Local) takeUp(ctx context.Context, id string, ended bool) error {
	r, err := l.Get(ctx, id)
	if err != nil {
		return err
	}
	switch {
	case r.Status == StatusDone || (r.Status == StatusWaiting && !l.wanted(r)):
		return nil
	case !ended && (r.Status == StatusFailed || r.Status == StatusCancelled):
		return nil
	}
	p := l.programs[r.Graph]
	if p == nil {
		return fmt.Errorf("taking up run %s: there is no graph %q", id, r.Graph)
	}
	if !p.accepts(r.Version) {
		return &VersionError{Run: id, Graph: r.Graph, Saved: r.Version, Have: p.Version()}
	}
	lease, err := l.claim(ctx, id)
	if errors.Is(err, ErrOwned) {
		return nil
	}
	if err == nil {
		err = l.launch(ctx, p, lease, r)
	}
	if err != nil {
		return fmt.Errorf("taking up run %s: %w", id, err)
	}
	return nil
}

// launch starts the goroutine that owns a run.
func (l *Local) launch(ctx context.Context, p Program, lease Lease, known Run) error {
	saved, err := l.o.Store.Load(ctx, lease.Run)
	if err != nil {
		return errors.Join(err, l.giveBack(ctx, lease, known.Usage, StatusRow{StatusPaused, PausedStore + ": " + err.Error(), known.Asks}))
	}
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return l.giveBack(ctx, lease, known.Usage, StatusRow{StatusPaused, PausedShutdown, known.Asks})
	}
	defer l.mu.Unlock()
	work, cancel := context.WithCancelCause(context.Background()) // a run outlives the call that began it
	r := newLive(l, lease, saved, cancel)
	l.live[r.id] = r
	l.running.Go(func() {
		defer cancel(nil)
		r.finish(drive(work, p, r, saved))
	})
	return nil
}

// drive contains panics of reducers, migrations and encoders.
func drive(ctx context.Context, p Program, r *live, saved Saved) (b Batch, err error) {
	defer contain(&err)
	return p.drive(ctx, r, saved)
}

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
	ctx, cancel := context.WithTimeout(context.Background(), 10*l.o.Poll)
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

// poll looks into the store for as long as the driver is open.
func (l *Local) poll() {
	t := time.NewTicker(l.o.Poll)
	defer t.Stop()
	for {
		select {
		case <-l.stop:
			return
		case <-t.C:
			ctx, cancel := context.WithTimeout(context.Background(), 10*l.o.Poll)
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
	runs := map[string]bool{}
	var due []Attachment
	l.mu.Lock()
	for id, a := range l.attached {
		runs[a.run] = l.live[a.run] == nil
		if a.until.Sub(now) < l.o.Hold*2/3 {
			a.until = now.Add(l.o.Hold)
			due = append(due, Attachment{id, a.run})
		}
	}
	l.mu.Unlock()
	for _, a := range due {
		_ = l.hold(ctx, a.Run, a.ID, l.o.Hold) // it is tried again before it runs out
	}
	for id, idle := range runs {
		if !idle {
			continue
		}
		if r, err := l.Get(ctx, id); err == nil && l.wanted(r) {
			_ = l.takeUp(ctx, id, false) // tried again at the next tick
		}
	}
}
