package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// scripted is an engine that answers from a list: its n-th request gets the
// n-th step, the last step repeats.
type scripted struct {
	name  string
	caps  Capabilities
	steps []step

	mu    sync.Mutex
	asked []Query
	at    []time.Time
}

type step struct {
	results []Result
	err     error
	after   time.Duration
}

func (e *scripted) Name() string               { return e.name }
func (e *scripted) Capabilities() Capabilities { return e.caps }

func (e *scripted) Search(ctx context.Context, q Query) ([]Result, error) {
	e.mu.Lock()
	s := e.steps[min(len(e.asked), len(e.steps)-1)]
	e.asked = append(e.asked, q)
	e.at = append(e.at, time.Now())
	e.mu.Unlock()
	select {
	case <-time.After(s.after):
		return s.results, s.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (e *scripted) requests() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.asked)
}

// tides returns n results about tides at distinct hosts that name the engine.
func tides(name string, n int) []Result {
	var results []Result
	for i := range n {
		results = append(results, Result{
			Title: fmt.Sprintf("Tides of %s, part %d", name, i), URL: fmt.Sprintf("https://%s%d.example/tides", name, i),
			Snippet: fmt.Sprintf("What %s has to say about tides in chapter %d.", name, i),
		})
	}
	return results
}

func answers(name string) *scripted {
	return &scripted{name: name, steps: []step{{results: tides(name, 2)}}}
}

func failing(name string, f Failure) *scripted {
	return &scripted{name: name, steps: []step{{err: &f}}}
}

func start(t *testing.T, opt Options, engines ...Engine) *Searcher {
	opt.Engines = engines
	s := New(opt)
	t.Cleanup(s.Close)
	return s
}

var aboutTides = Query{Text: "tides"}

func mustSearch(t *testing.T, s *Searcher, q Query, engines ...string) Answer {
	t.Helper()
	a, err := s.Search(t.Context(), q, engines)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// kinds returns engine:kind of each failure.
func kinds(a Answer) []string {
	var out []string
	for _, f := range a.Failures {
		out = append(out, f.Engine+":"+string(f.Kind))
	}
	return out
}

func TestSlowEngineIsLeftBehindAndFillsTheCache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := &scripted{name: "slow", steps: []step{{results: tides("slow", 2), after: 15 * time.Second}}}
		s := start(t, Options{}, answers("a"), answers("b"), slow)
		began := time.Now()
		got := mustSearch(t, s, aboutTides, "a", "b", "slow")
		if took := time.Since(began); took != 6*time.Second {
			t.Errorf("took %s, want the soft deadline", took)
		}
		if diff := cmp.Diff([]string{"slow:timeout"}, kinds(got)); diff != "" || len(got.Results) != 4 {
			t.Errorf("%d results, failures (-want +got):\n%s", len(got.Results), diff)
		}
		time.Sleep(10 * time.Second)
		again := mustSearch(t, s, aboutTides, "slow")
		if slow.requests() != 1 || len(again.Results) != 2 || !again.Calls[0].Cached || again.Requests() != 0 {
			t.Errorf("the late answer was not cached: %+v", again.Calls)
		}
	})
}

func TestSoftDeadlineWaitsForAGeneralEngine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		vertical := Capabilities{Topics: []string{Academic}}
		a, b := answers("a"), answers("b")
		a.caps, b.caps = vertical, vertical
		web := &scripted{name: "web", steps: []step{{results: tides("web", 2), after: 9 * time.Second}}}
		got := mustSearch(t, start(t, Options{}, a, b, web), aboutTides, "a", "b", "web")
		if len(got.Failures) > 0 || len(got.Results) != 6 {
			t.Errorf("%d results and failures %v, want those of the general engine, too", len(got.Results), kinds(got))
		}
	})
}

func TestHardDeadlineEndsASilentEngine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		silent := &scripted{name: "silent", steps: []step{{after: time.Hour}}}
		began := time.Now()
		got := mustSearch(t, start(t, Options{}, silent), aboutTides)
		if took := time.Since(began); took != 20*time.Second || !slices.Equal(kinds(got), []string{"silent:timeout"}) {
			t.Errorf("took %s with failures %v", took, kinds(got))
		}
	})
}

func TestCancelledSearchStopsItsRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := &scripted{name: "slow", steps: []step{{results: tides("slow", 1), after: time.Minute}}}
		s := start(t, Options{HardDeadline: time.Hour}, slow)
		gone := errors.New("the caller left")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(gone) })
		began := time.Now()
		if _, err := s.Search(ctx, aboutTides, nil); !errors.Is(err, gone) {
			t.Errorf("got %v, want the cause", err)
		}
		synctest.Wait()
		s.flights.all.Wait()
		if took := time.Since(began); took != time.Second {
			t.Errorf("the request ended after %s, want at once", took)
		}
	})
}

func TestOneRequestServesAllWhoAskAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &scripted{name: "e", steps: []step{{results: tides("e", 2), after: time.Second}}}
		s := start(t, Options{}, e)
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		sent := make(chan int, 3)
		for range 3 {
			all.Go(func() { sent <- mustSearch(t, s, aboutTides).Requests() })
		}
		all.Go(func() { s.Search(ctx, aboutTides, nil) }) // one gives up; the others lose nothing
		synctest.Wait()
		cancel()
		all.Wait()
		if total := <-sent + <-sent + <-sent; e.requests() != 1 || total > 1 {
			t.Errorf("%d requests were sent and %d accounted for, want one each at most", e.requests(), total)
		}
	})
}

func TestEngineIsAskedAtItsPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := answers("e")
		e.caps.Pace = Pace{Every: 5 * time.Second, Parallel: 1}
		s := start(t, Options{}, e)
		var all sync.WaitGroup
		for i := range 3 {
			all.Go(func() { mustSearch(t, s, Query{Text: fmt.Sprintf("tides %d", i)}) })
		}
		all.Wait()
		for i := range e.at[1:] {
			if gap := e.at[i+1].Sub(e.at[i]); gap < 5*time.Second {
				t.Errorf("requests %d and %d are %s apart", i, i+1, gap)
			}
		}
	})
}

func TestQueueIsNotEndless(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := answers("e")
		e.caps.Pace = Pace{Every: time.Minute}
		s := start(t, Options{}, e)
		mustSearch(t, s, Query{Text: "tides one"})
		got := mustSearch(t, s, Query{Text: "tides two"})
		if !slices.Equal(kinds(got), []string{"e:timeout"}) || got.Requests() != 0 || !strings.Contains(got.Failures[0].Message, "every 1m0s") {
			t.Errorf("got %+v", got)
		}
	})
}

func TestFailuresOpenTheCircuit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := failing("e", Failure{Kind: Network, Message: "connection refused"})
		s := start(t, Options{}, e)
		ask := func() Failure { return mustSearch(t, s, aboutTides).Failures[0] }
		for range 3 {
			ask()
		}
		f := ask()
		if e.requests() != 3 || f.Kind != Network || f.RetryAfter != time.Minute || !strings.Contains(f.Message, "connection refused") {
			t.Errorf("after three failures: %d requests, %+v", e.requests(), f)
		}
		time.Sleep(time.Minute)
		ask() // the probe fails
		if f := ask(); e.requests() != 4 || f.RetryAfter != 2*time.Minute {
			t.Errorf("after the probe: %d requests, %+v", e.requests(), f)
		}
		time.Sleep(2 * time.Minute)
		e.steps = []step{{results: tides("e", 2)}}
		if got := mustSearch(t, s, aboutTides); len(got.Results) != 2 {
			t.Errorf("the engine works again and was not asked: %v", kinds(got))
		}
	})
}

func TestOneRequestProbesAStoppedEngine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := failing("e", Failure{Kind: Rate, RetryAfter: 7 * time.Second})
		s := start(t, Options{}, e)
		mustSearch(t, s, aboutTides)
		if mustSearch(t, s, aboutTides); e.requests() != 1 {
			t.Fatalf("%d requests within Retry-After", e.requests())
		}
		time.Sleep(7 * time.Second)
		e.steps = []step{{results: tides("e", 2), after: time.Second}}
		var all sync.WaitGroup
		for i := range 4 {
			all.Go(func() { mustSearch(t, s, Query{Text: fmt.Sprintf("tides %d", i)}) })
		}
		all.Wait()
		if e.requests() != 2 {
			t.Errorf("%d requests, want the first and one probe", e.requests())
		}
	})
}

func TestStopsThatLast(t *testing.T) {
	for _, c := range []struct {
		f      Failure
		stop   time.Duration
		shared bool // another process knows
	}{
		{Failure{Kind: Blocked, Message: "challenge"}, time.Hour, true},
		{Failure{Kind: Quota, Message: "plan used up"}, time.Hour, true},
		{Failure{Kind: Rate, RetryAfter: 90 * time.Second}, 90 * time.Second, true},
		{Failure{Kind: Rate}, time.Minute, true},
		{Failure{Kind: LayoutChanged, Message: "no list"}, time.Minute, true},
		{Failure{Kind: Auth, Message: "wrong key"}, 10 * time.Minute, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			notes := NewMemory(10)
			e := failing("e", c.f)
			mustSearch(t, start(t, Options{Notes: notes}, e), aboutTides)
			other := start(t, Options{Notes: notes}, e)
			time.Sleep(c.stop - time.Second)
			got := mustSearch(t, other, aboutTides)
			if asked := e.requests() > 1; asked == c.shared {
				t.Errorf("%s: another process asked the engine: %t", c.f.Kind, asked)
			}
			if c.shared && (got.Failures[0].Kind != c.f.Kind || !strings.Contains(got.Failures[0].Message, c.f.Message)) {
				t.Errorf("%s: the cause was forgotten: %+v", c.f.Kind, got.Failures[0])
			}
			time.Sleep(time.Second)
			before := e.requests()
			if mustSearch(t, other, aboutTides); c.shared && e.requests() != before+1 {
				t.Errorf("%s: still stopped after %s", c.f.Kind, c.stop)
			}
		})
	}
}

func TestGivingUpSaysNothingAboutAnEngine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &scripted{name: "e", steps: []step{{results: tides("e", 2), after: 2 * time.Second}}}
		s := start(t, Options{}, e)
		for range 5 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			if _, err := s.Search(ctx, aboutTides, nil); err == nil {
				t.Error("the deadline of the caller was not obeyed")
			}
			cancel()
			synctest.Wait()
		}
		if got := mustSearch(t, s, aboutTides); len(got.Results) != 2 {
			t.Errorf("failures %v", kinds(got))
		}
	})
}

func TestRefusedQueryIsShortenedOnce(t *testing.T) {
	long := strings.Repeat("tides and currents ", 10)
	e := &scripted{name: "e", steps: []step{{err: &Failure{Kind: BadQuery, Message: "too long"}}, {results: tides("e", 1)}}}
	got := mustSearch(t, start(t, Options{}, e), Query{Text: long})
	if len(got.Results) != 1 || got.Requests() != 2 || len(e.asked[1].Text) > len(long)/2 || got.Calls[0].Text != e.asked[1].Text {
		t.Errorf("got %+v after %d requests", got.Calls, e.requests())
	}
	short := failing("e", Failure{Kind: BadQuery})
	if mustSearch(t, start(t, Options{}, short), aboutTides); short.requests() != 1 {
		t.Errorf("a short query was sent %d times", short.requests())
	}
}

func TestCallsAreNeverOneOver(t *testing.T) {
	long := strings.Repeat("tides and currents ", 10)
	for most := 1; most <= 4; most++ {
		bad, quick, third := failing("bad", Failure{Kind: BadQuery}), answers("quick"), answers("third")
		s := start(t, Options{}, bad, quick, third)
		got := mustSearch(t, s, Query{Text: long, MaxCalls: most}, "bad", "quick", "third")
		sent := bad.requests() + quick.requests() + third.requests()
		if sent > most || got.Requests() != sent || len(got.Calls) != 3 {
			t.Errorf("%d requests sent and %d accounted for, allowed %d: %v", sent, got.Requests(), most, kinds(got))
		}
	}
}

func TestCachedAnswersCostNoCalls(t *testing.T) {
	a, b := answers("a"), answers("b")
	s := start(t, Options{}, a, b)
	mustSearch(t, s, aboutTides, "a")
	got := mustSearch(t, s, Query{Text: "tides", MaxCalls: 1}, "a", "b")
	if len(got.Failures) > 0 || got.Requests() != 1 || b.requests() != 1 {
		t.Errorf("failures %v after %d requests", kinds(got), got.Requests())
	}
}

func TestHowLongAnswersAreKept(t *testing.T) {
	for _, c := range []struct {
		q    Query
		step step
		kept time.Duration
	}{
		{Query{Text: "tides", Topic: General}, step{results: tides("e", 1)}, 24 * time.Hour},
		{Query{Text: "tides", Topic: News}, step{results: tides("e", 1)}, 15 * time.Minute},
		{Query{Text: "tides", Topic: Academic}, step{results: tides("e", 1)}, 7 * 24 * time.Hour},
		{Query{Text: "tides", Topic: General}, step{err: &Failure{Kind: Empty}}, 5 * time.Minute},
		{Query{Text: "tides", Topic: General}, step{err: &Failure{Kind: Network}}, 0},
		{Query{Text: "tides", Topic: General}, step{results: tides("e", 1), err: &Failure{Kind: Degraded}}, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			e := &scripted{name: "e", steps: []step{c.step}}
			s := start(t, Options{}, e)
			mustSearch(t, s, c.q)
			if c.kept > 0 {
				time.Sleep(c.kept - time.Second)
				if mustSearch(t, s, c.q); e.requests() != 1 {
					t.Errorf("%+v was asked again before %s", c.q, c.kept)
				}
				time.Sleep(time.Second)
			}
			if mustSearch(t, s, c.q); e.requests() != 2 {
				t.Errorf("%+v was not asked again after %s", c.q, c.kept)
			}
			q := c.q
			q.Fresh = true
			if mustSearch(t, s, q); e.requests() != 3 {
				t.Error("fresh was not asked for afresh")
			}
		})
	}
}

func TestOldAnswerServesWhenTheEngineFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &scripted{name: "e", steps: []step{{results: tides("e", 2)}, {err: &Failure{Kind: Network}}}}
		s := start(t, Options{}, e)
		mustSearch(t, s, aboutTides)
		time.Sleep(48 * time.Hour)
		got := mustSearch(t, s, aboutTides)
		if len(got.Results) != 2 || !slices.Equal(kinds(got), []string{"e:network"}) || !strings.Contains(strings.Join(got.Warnings, " "), "earlier answer") {
			t.Errorf("%d results, failures %v, warnings %q", len(got.Results), kinds(got), got.Warnings)
		}
	})
}

func TestPartialAnswerIsUsedWithAWarning(t *testing.T) {
	e := &scripted{name: "e", steps: []step{{results: tides("e", 2), err: &Failure{Kind: Degraded, Message: "half of it is down"}}}}
	got := mustSearch(t, start(t, Options{}, e), aboutTides)
	if len(got.Results) != 2 || len(got.Failures) > 0 || !strings.Contains(strings.Join(got.Warnings, " "), "half of it is down") {
		t.Errorf("got %+v", got)
	}
}

func TestEmptyListIsAFailure(t *testing.T) {
	e := &scripted{name: "e", steps: []step{{}}}
	if got := mustSearch(t, start(t, Options{}, e), aboutTides); !slices.Equal(kinds(got), []string{"e:empty"}) {
		t.Errorf("failures %v", kinds(got))
	}
}

func TestSpareGeneralEnginesStepIn(t *testing.T) {
	down := Failure{Kind: Network}
	a, b, c, d := failing("a", down), failing("b", down), answers("c"), answers("d")
	got := mustSearch(t, start(t, Options{}, a, b, c, d), Query{Text: "tides", MaxCalls: 3})
	if diff := cmp.Diff([]string{"a:network", "b:network", "d:quota"}, kinds(got)); diff != "" || len(got.Results) != 2 || d.requests() != 0 {
		t.Errorf("%d results, failures (-want +got):\n%s", len(got.Results), diff)
	}
}

func TestNamedEnginesAreNotReplaced(t *testing.T) {
	a, b := failing("a", Failure{Kind: Network}), answers("b")
	got := mustSearch(t, start(t, Options{}, a, b), aboutTides, "a")
	if len(got.Results) > 0 || b.requests() > 0 {
		t.Errorf("engine b was asked in place of a: %+v", got)
	}
}

func TestBadQueriesAreRefused(t *testing.T) {
	s := start(t, Options{}, answers("a"))
	for _, c := range []struct {
		q      Query
		engine string
		say    string
	}{
		{Query{Text: "  "}, "a", "empty"},
		{Query{Text: "x", Topic: "cooking"}, "a", "academic"},
		{Query{Text: "x", Recency: "fortnight"}, "a", "FROM..TO"},
		{Query{Text: "x", Recency: "2026-02-30.."}, "a", "2026-02-30"},
		{Query{Text: "x", Recency: "2026-02-02..2026-01-01"}, "a", "before"},
		{Query{Text: "x", N: -1}, "a", "negative"},
		{Query{Text: "x"}, "b", `engine "b" is not configured: use a`},
	} {
		if _, err := s.Search(t.Context(), c.q, []string{c.engine}); err == nil || !strings.Contains(err.Error(), c.say) {
			t.Errorf("%+v: got %v, want an error with %q", c.q, err, c.say)
		}
	}
	if _, err := start(t, Options{}).Search(t.Context(), aboutTides, nil); !errors.Is(err, errNoEngine) {
		t.Errorf("no engine: got %v", err)
	}
}

func TestSearchesOfAMonthAreCounted(t *testing.T) {
	now := time.Date(2026, 11, 30, 23, 0, 0, 0, time.UTC)
	notes := NewMemory(10)
	opt := Options{Notes: notes, Now: func() time.Time { return now }}
	paid := &scripted{name: "paid", caps: Capabilities{Cost: 0.25}, steps: []step{{results: tides("paid", 1)}, {err: &Failure{Kind: Network}}}}
	s := start(t, opt, paid, answers("free"), answers("idle"))
	for _, text := range []string{"tides", "tides", "more tides"} { // the second is cached, the third fails and was asked all the same
		mustSearch(t, s, Query{Text: text}, "paid", "free")
	}
	want := map[string]Count{"paid": {2, 0.5}, "free": {2, 0}}
	got, err := Counts(t.Context(), notes, []string{"paid", "free", "idle"}, now)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	now = now.Add(2 * time.Hour)
	if got, err := Counts(t.Context(), notes, s.Names(), now); len(got) > 0 || err != nil {
		t.Errorf("in a new month: %v and %v", got, err)
	}
	mustSearch(t, start(t, opt, answers("free")), Query{Text: "tides"}) // another process
	mustSearch(t, start(t, opt, answers("free")), Query{Text: "tides"})
	if got, err := Counts(t.Context(), notes, s.Names(), now); got["free"].Searches != 2 || err != nil {
		t.Errorf("by two processes: %v and %v", got, err)
	}
}

// grounded is an engine that runs several searches for one request.
type grounded struct {
	scripted
	found Found
}

func (g *grounded) Find(ctx context.Context, q Query) (Found, error) {
	results, err := g.Search(ctx, q)
	found := g.found
	found.Results = results
	return found, err
}

func TestSearchesOfAFinderAreCounted(t *testing.T) {
	newGrounded := func() *grounded {
		return &grounded{*answers("grounded"), Found{Searches: 5, Suggested: &Suggestion{Queries: []string{"tides today"}, HTML: "<p>tides</p>"}}}
	}
	g := newGrounded()
	g.caps = Capabilities{Cost: 0.01, Searches: 3}
	s := start(t, Options{}, g, answers("other"))
	for range 2 { // the second time from the cache
		got := mustSearch(t, s, Query{Text: "tides", MaxCalls: 9}, "grounded")
		if diff := cmp.Diff([]Suggestion{{"grounded", []string{"tides today"}, "<p>tides</p>"}}, got.Suggestions); diff != "" {
			t.Errorf("suggestions (-want +got):\n%s", diff)
		}
		if c := got.Calls[0]; !c.Cached && (c.Requests != 5 || c.Cost != 0.05) {
			t.Errorf("accounted for %+v, want 5 searches", c)
		}
	}
	poor := newGrounded()
	poor.caps = Capabilities{Searches: 3}
	got := mustSearch(t, start(t, Options{}, poor), Query{Text: "tides", MaxCalls: 2}, "grounded")
	if poor.requests() != 0 || len(got.Failures) != 1 || got.Failures[0].Kind != Quota {
		t.Errorf("asked for 3 searches with a budget of 2: %v", kinds(got))
	}
}

func TestShortenedQueryIsReported(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("tides and currents ", 10))
	short, roomy := answers("short"), answers("roomy")
	short.caps.MaxQuery = 50
	got := mustSearch(t, start(t, Options{}, short, roomy), Query{Text: long}, "short", "roomy")
	want := []string{"the query is too long for short: only its beginning was asked there"}
	if diff := cmp.Diff(want, got.Warnings); diff != "" || !got.Calls[0].Shortened || got.Calls[1].Shortened {
		t.Errorf("calls %+v, warnings (-want +got):\n%s", got.Calls, diff)
	}
	if sent := short.asked[0].Text; !strings.HasPrefix(long, sent+" ") || len(sent) > 50 {
		t.Errorf("sent %q, want whole words of the query", sent)
	}
}
