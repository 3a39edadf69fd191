package search

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"deepresearch/internal/safe"
	"deepresearch/internal/text"
)

// DefaultResults is how many results an answer holds when the query names no
// number.
const DefaultResults = 10

// MaxResults is the largest number of results a query may ask for.
const MaxResults = 50

// Query is what is asked of the engines.
type Query struct {
	// Text is what is looked for, in the words a person would type.
	Text string
	// Language is a BCP 47 tag; empty means the language of the text.
	Language string
	// Region is an ISO 3166-1 alpha-2 country code; empty means the region that
	// the script of the text suggests, if any.
	Region string
	// Recency is empty, day, week, month, year, or a range of dates written
	// 2026-01-31..2026-02-28 of which either end may be missing.
	Recency string
	// Include keeps results of these hosts and of hosts below them only.
	Include []string
	// Exclude drops results of these hosts and of hosts below them.
	Exclude []string
	// Topic is one of [Topics]; empty means the topic that the text suggests.
	Topic string
	// N is the number of results wanted, at most [MaxResults]; zero means
	// [DefaultResults].
	N int
	// MaxCalls bounds the requests sent to engines, retries included; zero
	// means no bound.
	MaxCalls int
	// FullText asks engines that can to send the text of the pages in Raw. It
	// may cost more.
	FullText bool
	// Fresh ignores cached answers. The new answer is cached all the same.
	Fresh bool
}

// ErrEmptyQuery is returned for a query without text.
var ErrEmptyQuery = errors.New("the query is empty: say what to look for")

// normalise returns the query with trimmed text, bare lower-case hosts and
// numbers within bounds, or an error that names the field to correct.
func (q Query) normalise() (Query, error) {
	q.Text = strings.Join(strings.Fields(q.Text), " ")
	if q.Text == "" {
		return q, ErrEmptyQuery
	}
	if q.Topic != "" && !KnownTopic(q.Topic) {
		return q, fmt.Errorf("topic %q is unknown: use one of %s", q.Topic, strings.Join(Topics, ", "))
	}
	switch {
	case q.N < 0:
		return q, fmt.Errorf("number of results %d is negative: use 1 to %d", q.N, MaxResults)
	case q.N == 0:
		q.N = DefaultResults
	case q.N > MaxResults:
		q.N = MaxResults
	}
	if _, err := ParseRecency(q.Recency, time.Time{}); err != nil {
		return q, err
	}
	q.Include, q.Exclude = bareHosts(q.Include), bareHosts(q.Exclude)
	return q, nil
}

// request is a query as the searcher understands it.
type request struct {
	Query
	window           Window
	topics           []string // one or two
	language, region string   // what the engines are told, given or guessed
	private          []string // sorts of private data that were taken out of the text
}

// read checks the query and fills in what it does not say.
func (s *Searcher) read(q Query) (request, error) {
	q, err := q.normalise()
	if err != nil {
		return request{}, err
	}
	r := request{Query: q, topics: []string{q.Topic}, language: q.Language, region: q.Region}
	if err := r.keepPrivate(s.private); err != nil {
		return request{}, err
	}
	if r.window, err = ParseRecency(q.Recency, s.now()); err != nil {
		return request{}, err
	}
	if q.Topic == "" {
		r.topics = Classify(r.Text)
	}
	if r.language == "" {
		r.language = language(r.Text)
	}
	if r.region == "" {
		r.region = regions[r.language]
	}
	return r, nil
}

// ErrPrivate is returned for a query that says nothing without the private data
// in it.
var ErrPrivate = errors.New("the query says nothing without what is private in it")

// keepPrivate takes private data out of the text.
func (q *request) keepPrivate(filter *safe.Private) error {
	clean, found := filter.Remove(q.Text)
	for _, sort := range found {
		q.private = append(q.private, string(sort))
	}
	if len(found) > 0 && len(text.Terms(clean)) == 0 {
		return fmt.Errorf("%w (%s): ask in other words, or switch private-filter off", ErrPrivate, strings.Join(q.private, ", "))
	}
	q.Text = clean
	return nil
}

// Window is a span of time; a zero end is open.
type Window struct {
	From, To time.Time
	// Unit is day, week, month or year when the window reaches back from now by
	// that unit, and empty when it is a range of dates.
	Unit string
}

// Open reports whether the window lets everything through.
func (w Window) Open() bool { return w.From.IsZero() && w.To.IsZero() }

// Contains reports whether t lies in the window, both ends included.
func (w Window) Contains(t time.Time) bool {
	return (w.From.IsZero() || !t.Before(w.From)) && (w.To.IsZero() || !t.After(w.To))
}

// ParseRecency reads the Recency of a query as a window that ends at now.
func ParseRecency(recency string, now time.Time) (Window, error) {
	days := map[string]int{"day": 1, "week": 7, "month": 31, "year": 366}
	if recency == "" {
		return Window{}, nil
	}
	if n, ok := days[recency]; ok {
		return Window{From: now.AddDate(0, 0, -n), Unit: recency}, nil
	}
	from, to, ok := strings.Cut(recency, "..")
	if !ok || from == "" && to == "" {
		return Window{}, fmt.Errorf("recency %q is not understood: use day, week, month, year or FROM..TO with dates like 2026-01-31", recency)
	}
	var w Window
	var err error
	if w.From, err = parseDay(from); err != nil {
		return Window{}, err
	}
	if w.To, err = parseDay(to); err != nil {
		return Window{}, err
	}
	if !w.To.IsZero() {
		w.To = w.To.Add(24*time.Hour - time.Nanosecond)
	}
	if !w.From.IsZero() && !w.To.IsZero() && w.To.Before(w.From) {
		return Window{}, fmt.Errorf("recency %q ends before it begins", recency)
	}
	return w, nil
}

func parseDay(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return time.Time{}, fmt.Errorf("date %q in recency is not understood: write it like 2026-01-31", s)
	}
	return t, nil
}
