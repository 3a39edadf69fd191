package search

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
	"unicode/utf8"
)

// reply is what asking one engine came to.
type reply struct {
	lane    *lane
	call    Call
	results []Result
	extra   *Suggestion // to show beside the results
	unable  []string    // filters that the engine cannot honour
	notes   []string    // warnings
	taken   int         // searches taken from the allowance
}

// allowance bounds the requests of one search. An engine that runs more
// searches than it was reckoned to leaves less than nothing.
type allowance struct {
	mu     sync.Mutex
	left   int
	closed bool
}

func newAllowance(calls int) *allowance {
	if calls <= 0 {
		calls = 1 << 30
	}
	return &allowance{left: calls}
}

func (a *allowance) take(n int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed || a.left < n {
		return false
	}
	a.left -= n
	return true
}

func (a *allowance) give(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.left += n
}

// close refuses every further request: the search has been accounted for.
func (a *allowance) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
}

// askAll asks the engines at once and returns their replies in the order of
// lanes. It returns before slow engines have answered when it has enough; their
// answers go into the cache.
func (s *Searcher) askAll(ctx context.Context, q request, lanes []*lane) ([]reply, error) {
	budget := newAllowance(q.MaxCalls)
	defer budget.close()
	replies := make([]reply, len(lanes))
	arrived := make(chan arrival, len(lanes))
	abandoned := make(chan struct{})
	pending := map[int]bool{}
	for i, l := range lanes {
		shaped, unable, cut := q.shape(l.caps)
		r, f := s.begin(ctx, l, shaped, budget)
		r.call.Shortened = cut
		r.unable = unable
		replies[i] = r
		if f != nil {
			pending[i] = true
			s.flights.all.Go(func() { s.await(i, f, arrived, abandoned) })
		}
	}
	soft := time.NewTimer(s.soft)
	defer soft.Stop()
	late := false
	for len(pending) > 0 && (!late || !enough(replies, pending)) {
		select {
		case a := <-arrived:
			delete(pending, a.i)
			replies[a.i] = replies[a.i].landed(a.reply, budget)
		case <-soft.C:
			late = true
		case <-ctx.Done():
			close(abandoned)
			return nil, fmt.Errorf("searching %q: %w", q.Text, context.Cause(ctx))
		}
	}
	for i := range pending {
		replies[i].call.Elapsed, replies[i].call.Requests = s.soft, replies[i].taken
		replies[i].call.Failure = &Failure{
			Engine: lanes[i].engine.Name(), Kind: Timeout,
			Message: fmt.Sprintf("no answer within %s; other engines had answered", s.soft),
			Hint:    "Its answer is cached when it comes: the same query finds it there.",
		}
	}
	return replies, nil
}

type arrival struct {
	i int
	reply
}

func (s *Searcher) await(i int, f *flight, arrived chan<- arrival, abandoned <-chan struct{}) {
	select {
	case <-f.done:
		arrived <- arrival{i, f.reply}
	case <-abandoned:
		s.flights.leave(f)
	}
}

// enough reports whether the replies so far make an answer: two engines with
// results, and a general one among them unless none is asked.
func enough(replies []reply, pending map[int]bool) bool {
	answered, general, generalPending := 0, false, false
	for i, r := range replies {
		isGeneral := r.lane.caps.General()
		switch {
		case pending[i]:
			generalPending = generalPending || isGeneral
		case len(r.results) > 0:
			answered++
			general = general || isGeneral
		}
	}
	return answered >= 2 && (general || !generalPending)
}

// begin answers from what is known, or starts a request and returns its flight.
func (s *Searcher) begin(ctx context.Context, l *lane, q Query, budget *allowance) (reply, *flight) {
	name := l.engine.Name()
	r := reply{lane: l, call: Call{Engine: name, Text: q.Text}}
	key := cacheKey(name, q)
	old, fresh, err := s.recall(ctx, key)
	if err != nil {
		r.notes = append(r.notes, err.Error())
	}
	if fresh && !q.Fresh {
		r.results, r.call.Failure = old.restore(name)
		r.extra = old.Suggested
		r.call.Results, r.call.Cached = len(r.results), true
		return r, nil
	}
	if err := l.refused(ctx); err != nil {
		return r.failed(AsFailure(name, err), old), nil
	}
	r.taken = l.searches()
	if !budget.take(r.taken) {
		return r.failed(&Failure{
			Engine: name, Kind: Quota, Message: "not asked: the search budget is spent",
		}, old), nil
	}
	blank := r
	f, first := s.flights.join(ctx, key, func(ctx context.Context) reply {
		return s.fetch(ctx, blank, q, key, old, budget)
	})
	if !first { // someone else pays
		budget.give(r.taken)
		r.taken = 0
	}
	return r, f
}

// landed merges what the flight brought into the reply that waited for it.
func (r reply) landed(brought reply, budget *allowance) reply {
	brought.unable, brought.call.Shortened = r.unable, brought.call.Shortened || r.call.Shortened
	if r.taken == 0 { // shared
		brought.call.Requests, brought.call.Cost = 0, 0
		return brought
	}
	budget.give(brought.taken - brought.call.Requests)
	return brought
}

// failed returns the reply with its failure, or with the results of an old
// answer when there is one.
func (r reply) failed(f *Failure, old *cached) reply {
	r.call.Failure = f
	if old == nil || f.Kind == Empty {
		return r
	}
	results, _ := old.restore(f.Engine)
	if len(results) == 0 {
		return r
	}
	r.results, r.call.Results, r.call.Cached, r.extra = results, len(results), true, old.Suggested
	r.notes = append(r.notes, fmt.Sprintf("%s failed (%s); an earlier answer of it is used", f.Engine, f.Kind))
	return r
}

// fetch asks the engine, once more with a shorter query when it refuses this
// one, and keeps what it answers.
func (s *Searcher) fetch(ctx context.Context, r reply, q Query, key string, old *cached, budget *allowance) reply {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.life, cancel)()
	began := s.now()
	found, err := r.lane.ask(ctx, q, s.hard)
	r.count(found)
	if shorter, ok := halved(q); ok && refusesQuery(err) && budget.take(r.lane.searches()) {
		r.taken += r.lane.searches()
		r.call.Text, r.call.Shortened = shorter.Text, true
		found, err = r.lane.ask(ctx, shorter, s.hard)
		r.count(found)
	}
	r.call.Elapsed = s.now().Sub(began)
	if err := r.lane.remember(ctx, r.call.Requests, r.call.Cost); err != nil {
		r.notes = append(r.notes, err.Error())
	}
	f := AsFailure(r.call.Engine, err)
	if err := s.keep(ctx, key, q, found, f); err != nil {
		r.notes = append(r.notes, err.Error())
	}
	switch {
	case len(found.Results) == 0:
		return r.failed(f, old)
	case f != nil:
		r.notes = append(r.notes, fmt.Sprintf("%s answered in part: %s", f.Engine, f.Message))
	}
	r.results, r.call.Results, r.extra = found.Results, len(found.Results), found.Suggested
	return r
}

func (r *reply) count(f Found) {
	r.call.Requests += f.Searches
	r.call.Cost += float64(f.Searches) * r.lane.caps.Cost
}

func refusesQuery(err error) bool {
	var f *Failure
	return errors.As(err, &f) && f.Kind == BadQuery
}

// halved returns the query with half its text, unless it is short already.
func halved(q Query) (Query, bool) {
	n := utf8.RuneCountInString(q.Text)
	if n < 40 {
		return q, false
	}
	q.Text = shorten(withoutOperators(q.Text), n/2, 0)
	return q, true
}
