package graph

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
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
	Replay      *Replay       // nil; or what all calls are answered from
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
	recorded *recorded     // nil unless a record is replayed
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
		o: o.withDefaults(), programs: map[string]Program{}, recorded: o.Replay.recorded(), stop: make(chan struct{}),
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
	if errors.Is(err, ErrOwned) || errors.Is(err, ErrDone) {
		return nil // an owner looks into the inbox every poll
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

// giveBack ends a claim that leads to no work. A store that fails is asked again until it has taken the run back.
func (l *Local) giveBack(ctx context.Context, lease Lease, u Usage, status StatusRow) error {
	commit := func() error {
		return l.o.Store.Commit(context.WithoutCancel(ctx), lease, Batch{Usage: u, Status: &status})
	}
	err := commit()
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil || errors.Is(err, ErrFenced) || l.closed {
		delete(l.live, lease.Run)
		return err
	}
	l.running.Go(func() {
		defer l.unclaim(lease.Run)
		for again := err; again != nil && !errors.Is(again, ErrFenced) && l.again(); {
			again = commit()
		}
	})
	return err
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
	if errors.Is(err, ErrOwned) || errors.Is(err, ErrDone) {
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
	saved, err := l.o.Store.Load(context.WithoutCancel(ctx), lease.Run)
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
