package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"deepresearch/internal/safe"
)

// Options configure a searcher; the zero value has no engines and is good for
// nothing, every other field has a useful zero.
type Options struct {
	// Engines in order of preference.
	Engines []Engine
	// AskAll tells that the user wrote the list of engines: every query goes to
	// all of them, whatever its topic.
	AskAll bool
	// Weights of sites.
	Weights Weights
	// Private takes private data out of queries before an engine is asked, or
	// the cache; nil sends them as they are.
	Private *safe.Private
	// Trust scales the votes of an engine by its name; engines without an entry
	// have 1.
	Trust map[string]float64
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
	askEach bool
	weights Weights
	private *safe.Private
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
		lanes: map[string]*lane{}, askEach: opt.AskAll, weights: opt.Weights, private: opt.Private, cache: opt.Cache, now: opt.Now,
		soft: orElse(opt.SoftDeadline, 6*time.Second), hard: orElse(opt.HardDeadline, 20*time.Second),
	}
	s.life, s.end = context.WithCancel(context.Background())
	for _, e := range opt.Engines {
		if _, twice := s.lanes[e.Name()]; !twice {
			s.names = append(s.names, e.Name())
			s.lanes[e.Name()] = newLane(e, opt)
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
	r, err := s.read(q)
	if err != nil {
		return Answer{}, err
	}
	if len(engines) > 0 {
		return s.searchNamed(ctx, r, engines)
	}
	return s.searchRouted(ctx, r)
}

func (s *Searcher) searchNamed(ctx context.Context, q request, engines []string) (Answer, error) {
	lanes, err := s.named(engines)
	if err != nil {
		return Answer{}, err
	}
	replies, err := s.askAll(ctx, q, lanes)
	if err != nil {
		return Answer{}, err
	}
	return s.merge(q, replies), nil
}

// searchRouted asks the engines of the route, and others of the whole web in
// turn while none of those has answered.
func (s *Searcher) searchRouted(ctx context.Context, q request) (Answer, error) {
	next, spare := s.route(q)
	if len(next) == 0 {
		return Answer{}, errNoEngine
	}
	calls := q.MaxCalls
	var replies []reply
	for len(next) > 0 {
		more, err := s.askAll(ctx, q, next)
		if err != nil {
			return Answer{}, err
		}
		replies = append(replies, more...)
		if slices.ContainsFunc(replies, generalAnswer) {
			break
		}
		if calls > 0 {
			if q.MaxCalls = calls - requests(replies); q.MaxCalls <= 0 {
				break
			}
		}
		n := min(len(spare), mostGeneral)
		next, spare = spare[:n], spare[n:]
	}
	return s.merge(q, replies), nil
}

func generalAnswer(r reply) bool { return r.lane.caps.General() && len(r.results) > 0 }

func requests(replies []reply) int {
	n := 0
	for _, r := range replies {
		n += r.call.Requests
	}
	return n
}

var errNoEngine = errors.New("no search engine is configured: set SEARXNG_URL, the key of an engine, or DEEPRESEARCH_SEARCH")

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
	return lanes, nil
}
