package search

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Options configure a searcher; the zero value has no engines and is good for
// nothing, every other field has a useful zero.
type Options struct {
	// Engines in order of preference.
	Engines []Engine
	// Weights of sites by host suffix, from -1 to 1: a negative weight drops
	// the site, others scale its score. The longest suffix decides.
	Weights map[string]float64
	// SoftDeadline ends the wait for slow engines once two engines, one of
	// them general, have answered; zero means 6 s.
	SoftDeadline time.Duration
	// HardDeadline bounds every request; zero means 20 s.
	HardDeadline time.Duration
	// Notes remembers engines that must be left alone; nil means for the life
	// of this searcher.
	Notes Memory
	// Cache keeps answers; nil means the last 200 in this process.
	Cache Memory
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Searcher asks engines and merges their answers. It may be used by several
// goroutines at once; [Searcher.Close] waits for requests still on their way.
type Searcher struct {
	lanes   map[string]*lane
	names   []string // in order of preference
	weights map[string]float64
	soft    time.Duration
	hard    time.Duration
	cache   Memory
	now     func() time.Time
	flights flights
	life    context.Context
	end     context.CancelFunc
}

// New returns a searcher over the engines of opt.
func New(opt Options) *Searcher {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Notes == nil {
		opt.Notes = NewMemory(1000)
	}
	if opt.Cache == nil {
		opt.Cache = NewMemory(200)
	}
	s := &Searcher{
		lanes: map[string]*lane{}, weights: opt.Weights, cache: opt.Cache, now: opt.Now,
		soft: orElse(opt.SoftDeadline, 6*time.Second), hard: orElse(opt.HardDeadline, 20*time.Second),
	}
	s.life, s.end = context.WithCancel(context.Background())
	for _, e := range opt.Engines {
		if _, twice := s.lanes[e.Name()]; !twice {
			s.names = append(s.names, e.Name())
			s.lanes[e.Name()] = newLane(e, opt.Notes, opt.Now)
		}
	}
	return s
}

func orElse(d, fallback time.Duration) time.Duration {
	if d > 0 {
		return d
	}
	return fallback
}

// Names returns the names of the engines in order of preference.
func (s *Searcher) Names() []string { return slices.Clone(s.names) }

// Capabilities returns what the named engine can do; ok is false when there is
// no such engine.
func (s *Searcher) Capabilities(name string) (c Capabilities, ok bool) {
	l, ok := s.lanes[name]
	if !ok {
		return c, false
	}
	return l.caps, true
}

// Close cancels the requests that nobody waits for any more and returns when
// the last one has ended.
func (s *Searcher) Close() {
	s.end()
	s.flights.all.Wait()
}

// Search asks the named engines, or those that suit the query when engines is
// empty, and merges what they answer. The error is for a query that cannot be
// asked, an unknown engine or a cancelled ctx; an engine that fails is in the
// answer's failures.
func (s *Searcher) Search(ctx context.Context, q Query, engines []string) (Answer, error) {
	q, err := q.normalise()
	if err != nil {
		return Answer{}, err
	}
	window, err := ParseRecency(q.Recency, s.now())
	if err != nil {
		return Answer{}, err
	}
	if len(engines) == 0 {
		engines = s.Route(q)
	}
	lanes, err := s.named(engines)
	if err != nil {
		return Answer{}, err
	}
	asked, err := s.askAll(ctx, q, window, lanes)
	if err != nil {
		return Answer{}, err
	}
	return s.merge(q, window, asked), nil
}

func (s *Searcher) named(engines []string) ([]*lane, error) {
	var lanes []*lane
	for _, name := range engines {
		l, ok := s.lanes[name]
		if !ok {
			return nil, fmt.Errorf("engine %q is not configured: use %s", name, strings.Join(s.names, ", "))
		}
		if !slices.Contains(lanes, l) {
			lanes = append(lanes, l)
		}
	}
	if len(lanes) == 0 {
		return nil, fmt.Errorf("no search engine is configured")
	}
	return lanes, nil
}
