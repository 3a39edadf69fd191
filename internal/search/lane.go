package search

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// How long an engine is left alone, by what it said.
const (
	stopBlocked = time.Hour        // a challenge: asking on lengthens the ban
	stopQuota   = time.Hour        // a plan does not refill within minutes
	stopAuth    = 10 * time.Minute // a wrong key stays wrong until someone acts
	stopFirst   = time.Minute      // everything else, doubling
	stopLongest = time.Hour
	// stopWorthNoting is the shortest stop that other processes are told of.
	stopWorthNoting = time.Minute
	// longestQueue bounds the wait for an engine's slot and pace.
	longestQueue = 30 * time.Second
	// failuresToStop in a row open the circuit of an engine that merely fails.
	failuresToStop = 3
)

// lane is the way to one engine: its pace, its circuit breaker and the memory
// of both.
type lane struct {
	engine Engine
	caps   Capabilities
	pace   *rate.Limiter
	slots  chan struct{}
	trust  float64
	notes  Memory
	now    func() time.Time

	counting sync.Mutex // held while the count of the month changes

	mu      sync.Mutex
	failed  int           // failures in a row
	span    time.Duration // length of the next stop
	until   time.Time     // stopped until then
	cause   Failure       // what the engine is stopped for
	probing bool          // one request is out to see whether it works again
}

func newLane(e Engine, opt Options) *lane {
	caps := e.Capabilities()
	every, parallel := rate.Inf, 3
	if caps.Pace.Every > 0 {
		every = rate.Every(caps.Pace.Every)
	}
	if caps.Pace.Parallel > 0 {
		parallel = caps.Pace.Parallel
	}
	trust, ok := opt.Trust[e.Name()]
	if !ok {
		trust = 1
	}
	return &lane{
		engine: e, caps: caps, trust: trust, notes: opt.Notes, now: opt.Now, span: stopFirst,
		pace:  rate.NewLimiter(every, max(caps.Pace.Burst, 1)),
		slots: make(chan struct{}, parallel),
	}
}

// family names the index behind the engine.
func (l *lane) family() string { return cmp.Or(l.caps.Family, l.engine.Name()) }

// offTopic is the part of its vote that an engine for other topics keeps.
const offTopic = 0.7

// weight is what a vote of the engine counts on these topics.
func (l *lane) weight(topics []string) float64 {
	if l.caps.General() || l.caps.covers(topics) {
		return l.trust
	}
	return l.trust * offTopic
}

// stopped is what the memory keeps about an engine to leave alone.
type stopped struct {
	Kind    Kind   `json:"kind"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
}

func (l *lane) noteKey() string { return "search/stop/" + l.engine.Name() }

// ask sends the query when the engine may be asked, gives it so long to answer
// and learns from the outcome. No searches in what was found mean that no
// request went out.
func (l *lane) ask(ctx context.Context, q Query, patience time.Duration) (Found, error) {
	if err := l.enter(ctx); err != nil {
		return Found{}, err
	}
	leave, err := l.queue(ctx)
	if err != nil {
		return Found{}, err
	}
	defer leave()
	answering, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	found, err := l.search(answering, q)
	found.Searches = max(found.Searches, 1)
	f := AsFailure(l.engine.Name(), err)
	switch {
	case f == nil && len(found.Results) == 0:
		f = &Failure{Engine: l.engine.Name(), Kind: Empty, Message: "no results"}
	case f != nil && f.Kind == Degraded && len(found.Results) > 0:
		l.learn(ctx, nil) // a part of an answer is one
		return found, f
	}
	l.learn(ctx, f)
	if f != nil {
		return Found{Searches: found.Searches}, f
	}
	return found, nil
}

// search asks the engine; a panic in it is a failure of its reader.
func (l *lane) search(ctx context.Context, q Query) (found Found, err error) {
	defer func() {
		if p := recover(); p != nil {
			found, err = Found{}, &Failure{Kind: LayoutChanged, Message: fmt.Sprintf("reading the answer broke down: %v", p)}
		}
	}()
	if finder, ok := l.engine.(Finder); ok {
		return finder.Find(ctx, q)
	}
	results, err := l.engine.Search(ctx, q)
	return Found{Results: results}, err
}

// searches is how many searches one request is reckoned to take.
func (l *lane) searches() int { return max(l.caps.Searches, 1) }

// queue waits for a free slot and for the engine's pace.
func (l *lane) queue(ctx context.Context) (leave func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, longestQueue)
	defer cancel()
	select {
	case l.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, l.waited(ctx)
	}
	if err := l.pace.Wait(ctx); err != nil {
		<-l.slots
		return nil, l.waited(ctx)
	}
	return func() { <-l.slots }, nil
}

// waited is the failure of a request that never left its queue.
func (l *lane) waited(ctx context.Context) error {
	l.mu.Lock()
	l.probing = false
	l.mu.Unlock()
	return &Failure{
		Engine: l.engine.Name(), Kind: Timeout, Cause: context.Cause(ctx),
		Message: "still waiting for its turn: the engine may be asked only every " + l.caps.Pace.Every.String(),
	}
}

// refused returns why the engine may not be asked now, or nil.
func (l *lane) refused(ctx context.Context) error {
	note, until, err := l.notes.Get(ctx, l.noteKey())
	if err != nil {
		return fmt.Errorf("reading whether %s may be asked: %w", l.engine.Name(), err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	var told stopped
	if until.After(now) && until.After(l.until) && json.Unmarshal(note, &told) == nil {
		l.until = until
		l.cause = Failure{Engine: l.engine.Name(), Kind: told.Kind, Message: told.Message, Hint: told.Hint}
	}
	if wait := l.until.Sub(now); wait > 0 {
		return l.refusal(wait)
	}
	if l.probing {
		return l.refusal(time.Second)
	}
	return nil
}

// enter is refused, and makes the first request after a stop the only one: it
// finds out whether the engine works again.
func (l *lane) enter(ctx context.Context) error {
	if err := l.refused(ctx); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.probing {
		return l.refusal(time.Second)
	}
	l.probing = l.cause.Kind != ""
	return nil
}

// refusal is the failure of a stopped engine: the cause, and how long still.
func (l *lane) refusal(wait time.Duration) error {
	f := l.cause
	f.RetryAfter = wait
	f.Message = fmt.Sprintf("not asked for another %s: %s", wait.Round(time.Second), f.Message)
	return &f
}

// learn adjusts the circuit to the outcome of a request, nil meaning success,
// and tells other processes of a long stop.
func (l *lane) learn(ctx context.Context, f *Failure) {
	stop := l.stop(f, ctx.Err() != nil)
	if stop < stopWorthNoting || f.Kind == Auth {
		return
	}
	note, err := json.Marshal(stopped{f.Kind, f.Message, f.Hint})
	if err == nil {
		err = l.notes.Put(context.WithoutCancel(ctx), l.noteKey(), note, l.now().Add(stop))
	}
	if err != nil {
		f.Hint += " This could not be remembered: " + err.Error()
	}
}

// stop opens the circuit when the outcome asks for it and returns for how long.
func (l *lane) stop(f *Failure, ours bool) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.probing = false
	stop := l.stopFor(f, ours)
	if stop > 0 {
		l.until, l.cause = l.now().Add(stop), *f
	}
	return stop
}

// stopFor returns how long to leave the engine alone after the outcome f, nil
// meaning success. The caller holds l.mu.
func (l *lane) stopFor(f *Failure, ours bool) time.Duration {
	switch {
	case f == nil || f.Kind == Empty || f.Kind == BadQuery:
		l.failed, l.span, l.cause = 0, stopFirst, Failure{}
		return 0
	case ours:
		return 0 // we gave up on the engine, which says nothing about it
	case f.Kind == Blocked:
		return max(stopBlocked, f.RetryAfter)
	case f.Kind == Quota:
		return max(stopQuota, f.RetryAfter)
	case f.Kind == Auth:
		return stopAuth
	case f.RetryAfter > 0:
		return min(f.RetryAfter, 24*time.Hour)
	}
	l.failed++
	if l.failed < failuresToStop && f.Kind != Rate && f.Kind != LayoutChanged {
		return 0
	}
	stop := l.span
	l.span = min(2*l.span, stopLongest)
	return stop
}
