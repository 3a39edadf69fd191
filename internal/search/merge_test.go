package search

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// returns is an engine with these results and capabilities.
func returns(name string, caps Capabilities, results ...Result) *scripted {
	return &scripted{name: name, caps: caps, steps: []step{{results: results}}}
}

func hitOf(title, url, snippet string) Result {
	return Result{Title: title, URL: url, Snippet: snippet}
}

func urls(a Answer) []string {
	var out []string
	for _, r := range a.Results {
		out = append(out, r.URL)
	}
	return out
}

// dropped returns why the trace says a page was left out.
func dropped(a Answer, url string) string {
	for _, t := range a.Trace {
		if t.URL == url {
			return t.Dropped
		}
	}
	return "not in the trace"
}

func TestPagesOfSeveralEnginesComeFirst(t *testing.T) {
	a := returns("a", Capabilities{}, hitOf("Tides alone", "https://a.example/", "On tides."), hitOf("Tides together", "https://b.example/x?utm_source=a", "Tides."))
	b := returns("b", Capabilities{}, hitOf("Tides together", "http://www.b.example/x", "Tides, at some length."), hitOf("Tides elsewhere", "https://c.example/", "On tides."))
	got := mustSearch(t, start(t, Options{}, a, b), aboutTides)
	first := got.Results[0]
	want := Result{Rank: 1, Title: "Tides together", URL: "http://www.b.example/x", Snippet: "Tides, at some length.", Engines: []string{"b", "a"}, Score: first.Score}
	if diff := cmp.Diff(want, first); diff != "" {
		t.Errorf("first result (-want +got):\n%s", diff)
	}
	if len(got.Results) != 3 || len(got.Trace) != 3 || !slices.Equal(got.Trace[0].Ranks, []EngineRank{{"b", 1}, {"a", 2}}) {
		t.Errorf("%d results, trace %+v", len(got.Results), got.Trace)
	}
}

func TestOneFamilyHasOneVote(t *testing.T) {
	bing := Capabilities{Family: "bing"}
	both := hitOf("Tides and the moon", "https://both.example/", "Tides.")
	a := returns("a", bing, both)
	b := returns("b", bing, both)
	c := returns("c", Capabilities{}, hitOf("Tides and the moon", "https://other.example/", "Tides."))
	got := mustSearch(t, start(t, Options{}, a, b, c), aboutTides, "a", "b", "c")
	if v := got.Trace[0].Votes; v != got.Trace[1].Votes || v != 1.0/61 {
		t.Errorf("votes %v and %v, want one each", v, got.Trace[1].Votes)
	}
}

func TestTrustAndTopicWeighVotes(t *testing.T) {
	a := returns("a", Capabilities{}, hitOf("Tides", "https://a.example/", "Tides."))
	b := returns("b", Capabilities{Topics: []string{Law}}, hitOf("Tides", "https://b.example/", "Tides."))
	c := returns("c", Capabilities{}, hitOf("Tides", "https://c.example/", "Tides."))
	s := start(t, Options{Trust: map[string]float64{"c": 1.5}}, a, b, c)
	if diff := cmp.Diff([]string{"https://c.example/", "https://a.example/", "https://b.example/"}, urls(mustSearch(t, s, aboutTides, "a", "b", "c"))); diff != "" {
		t.Error(diff)
	}
}

func TestCopiesAreOneResult(t *testing.T) {
	text := "The tide at the harbour rose by four metres within six hours on Monday, the port authority said in a statement to reporters."
	e := returns("e", Capabilities{},
		hitOf("Tide rises at harbour", "https://agency.example/1", text),
		hitOf("Tide rises at harbour - Daily Paper", "https://paper.example/2", text+" More."),
		hitOf("Cookies", "https://paper.example/3", text),
		hitOf("Tide tables 2026", "https://tables.example/a", "Tide tables."),
		hitOf("Tide tables 2026", "https://tables.example/b", "Tide tables, with heights."),
		hitOf("Tide tables 2026", "https://else.example/b", "Tide tables of another sea."),
	)
	got := mustSearch(t, start(t, Options{}, e), Query{Text: "tide"})
	want := []string{"https://agency.example/1", "https://tables.example/a", "https://else.example/b", "https://paper.example/3"}
	if diff := cmp.Diff(slices.Sorted(slices.Values(want)), slices.Sorted(slices.Values(urls(got)))); diff != "" {
		t.Fatalf("results (-want +got):\n%s", diff)
	}
	for _, r := range got.Results {
		if r.URL == want[0] && (!slices.Equal(r.Also, []string{"https://paper.example/2"}) || !strings.HasSuffix(r.Snippet, "More.")) {
			t.Errorf("the copy is not kept: %+v", r)
		}
	}
}

func TestGate(t *testing.T) {
	semantic := Capabilities{Semantic: true}
	for _, c := range []struct {
		name, query string
		caps        Capabilities
		result      Result
		kept        bool
	}{
		{"about it", "tidal power stations", Capabilities{}, hitOf("Tidal power", "https://x.example/", "Stations."), true},
		{"word in the address only", "tidal power stations", Capabilities{}, hitOf("Welcome", "https://x.example/tidal-energy", "Hello."), true},
		{"nothing in common", "tidal power stations", Capabilities{}, hitOf("Cheap shoes", "https://shoes.example/", "Buy shoes now."), false},
		{"one common word of a long query", "largest tidal power stations of Europe by output", Capabilities{}, hitOf("Europe shoes", "https://shoes.example/", "Buy shoes."), false},
		{"one word is enough for a vertical engine", "largest tidal power stations of Europe by output", Capabilities{Topics: []string{Academic}}, hitOf("Tidal turbines", "https://x.example/", "Rotors."), true},
		{"found by meaning", "tidal power stations", semantic, hitOf("Energy of the sea", "https://x.example/", "Turbines under water."), true},
		{"Chinese on Chinese", "长江三峡大坝发电量", Capabilities{}, hitOf("三峡大坝", "https://x.example/", "三峡大坝的发电量创新高。"), true},
		{"Chinese, another subject", "长江三峡大坝发电量", Capabilities{}, hitOf("运动鞋", "https://x.example/", "便宜的运动鞋。"), false},
		{"English page for a mixed query", "Transformer 注意力机制原理", Capabilities{}, hitOf("The illustrated transformer", "https://x.example/", "How it works."), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := mustSearch(t, start(t, Options{}, returns("e", c.caps, c.result)), Query{Text: c.query}, "e")
			if kept := len(got.Results) == 1; kept != c.kept {
				t.Fatalf("kept is %t, trace %+v", kept, got.Trace)
			}
			if !c.kept && (!slices.Equal(kinds(got), []string{"e:degraded"}) || got.Trace[0].Dropped != unrelated) {
				t.Errorf("failures %v, dropped %q", kinds(got), got.Trace[0].Dropped)
			}
		})
	}
}

func TestTwoIndexesOverruleTheGate(t *testing.T) {
	page := hitOf("Energy of the sea", "https://x.example/", "Turbines.")
	got := mustSearch(t, start(t, Options{}, returns("a", Capabilities{}, page), returns("b", Capabilities{}, page)), aboutTides)
	if len(got.Results) != 1 {
		t.Errorf("trace %+v", got.Trace)
	}
}

func TestHitsPerHost(t *testing.T) {
	many := func(host string) []Result {
		var out []Result
		for i := range 6 {
			out = append(out, hitOf(fmt.Sprintf("Tides chapter %d", i), fmt.Sprintf("https://%s/%d", host, i), "Tides."))
		}
		return out
	}
	for _, c := range []struct {
		name string
		caps Capabilities
		q    Query
		host string
		want int
	}{
		{"two of any host", Capabilities{}, aboutTides, "x.example", 2},
		{"ports are hosts of their own", Capabilities{}, aboutTides, "x.example:8080", 2},
		{"four of documentation", Capabilities{}, aboutTides, "docs.x.example", 4},
		{"all of a host asked for", Capabilities{}, Query{Text: "tides", Include: []string{"x.example"}}, "www.x.example", 6},
		{"all of an engine of one site", Capabilities{Site: "x.example"}, aboutTides, "x.example", 6},
	} {
		got := mustSearch(t, start(t, Options{}, returns("e", c.caps, many(c.host)...)), c.q, "e")
		if len(got.Results) != c.want {
			t.Errorf("%s: %d results, want %d", c.name, len(got.Results), c.want)
		}
		if c.want < 6 && dropped(got, "https://"+c.host+"/5") != overHost {
			t.Errorf("%s: dropped because %q", c.name, dropped(got, "https://"+c.host+"/5"))
		}
	}
}

// The order that a predecessor's tests expect of weighed sites.
func TestSiteWeights(t *testing.T) {
	w := Weights{"one.example": 0.9, "two.example": 0.8, "three.example": 0.7, "four.example": -0.1, "five.example": -0.2}
	sites := []string{"https://two.example/a", "one.example", "https://www.three.example", "five.example/x", "https://four.example", "https://unknown.example"}
	slices.SortStableFunc(sites, func(a, b string) int { return -compareFloat(w.Of(a), w.Of(b)) })
	want := []string{"one.example", "https://www.three.example", "https://four.example", "five.example/x", "https://unknown.example", "https://two.example/a"}
	if diff := cmp.Diff(want, BothEnds(sites)); diff != "" {
		t.Errorf("from both ends (-want +got):\n%s", diff)
	}
	kept := slices.DeleteFunc(slices.Clone(sites), func(s string) bool { return w.Of(s) < 0 })
	if diff := cmp.Diff([]string{want[0], want[1], want[4], want[5]}, BothEnds(kept)); diff != "" {
		t.Errorf("without negative ones (-want +got):\n%s", diff)
	}
	if got := (Weights{"example": 0.5, "a.example": -3, "b.example:81": 0.2}); got.Of("http://x.a.example:80/") != -1 || got.Of("b.example") != 0.5 || got.Of("b.example:81") != 0.2 {
		t.Error("the longest suffix decides, within -1 and 1")
	}
}

func compareFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func TestSiteWeightsMoveAndDrop(t *testing.T) {
	e := returns("e", Capabilities{}, hitOf("Tides", "https://farm.example/", "Tides."), hitOf("Tides", "https://plain.example/", "Tides."), hitOf("Tides", "https://noaa.example/", "Tides."))
	s := start(t, Options{Weights: Weights{"farm.example": -0.5, "noaa.example": 0.8}}, e)
	got := mustSearch(t, s, aboutTides)
	if diff := cmp.Diff([]string{"https://noaa.example/", "https://plain.example/"}, urls(got)); diff != "" {
		t.Error(diff)
	}
}

func TestFreshnessCountsOnlyForQuestionsAboutTime(t *testing.T) {
	now := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	old, fresh := hitOf("Tides", "https://old.example/", "Tides."), hitOf("Tides", "https://new.example/", "Tides.")
	old.Published, fresh.Published = "2019", "2026-10-30T08:00:00Z"
	s := start(t, Options{Now: func() time.Time { return now }}, returns("e", Capabilities{Recency: true}, old, fresh))
	for query, first := range map[string]string{"tides": "https://old.example/", "latest tides": "https://new.example/", "最新 tides": "https://new.example/", "tides 2026": "https://new.example/"} {
		if got := urls(mustSearch(t, s, Query{Text: query}))[0]; got != first {
			t.Errorf("%q: first is %s, want %s", query, got, first)
		}
	}
}

func TestFiltersAreAppliedHereAndReported(t *testing.T) {
	now := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	dated := func(host, date string) Result {
		r := hitOf("Tides", "https://"+host+"/", "Tides.")
		r.Published = date
		return r
	}
	able := returns("able", Capabilities{Recency: true, Sites: true}, dated("undated.example", ""), dated("stale.example", "2026-01-01"), dated("www.bad.example", "2026-10-31"))
	unable := returns("unable", Capabilities{}, dated("nodate.example", ""), dated("new.example", "2026-10-30"), dated("year.example", "2026"))
	s := start(t, Options{Now: func() time.Time { return now }}, able, unable)
	got := mustSearch(t, s, Query{Text: "tides", Recency: "week", Exclude: []string{"https://bad.example/"}})
	if diff := cmp.Diff([]string{"https://new.example/", "https://undated.example/", "https://year.example/"}, slices.Sorted(slices.Values(urls(got)))); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
	want := []string{
		"the filter recency is applied here, not by unable", "the filter sites is applied here, not by unable",
		"results left out: 1 on an excluded host, 1 outside the dates asked for, 1 without a date",
	}
	if diff := cmp.Diff(want, got.Warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	if unable.asked[0].Recency != "" || able.asked[0].Recency != "week" || able.asked[0].Exclude[0] != "bad.example" {
		t.Errorf("asked %+v and %+v", unable.asked[0], able.asked[0])
	}
}

func TestLanguageMovesResults(t *testing.T) {
	e := returns("e", Capabilities{},
		hitOf("Die Gezeiten der Nordsee", "https://de.example/", "Die Gezeiten sind das Ergebnis der Anziehung durch den Mond und die Sonne."),
		hitOf("The tides of the sea", "https://en.example/", "The tides are the result of the pull of the moon and the sun, called Gezeiten in German."))
	got := mustSearch(t, start(t, Options{}, e), Query{Text: "Gezeiten tides", Language: "en-GB"})
	if urls(got)[0] != "https://en.example/" {
		t.Errorf("results %v, warnings %q", urls(got), got.Warnings)
	}
	got = mustSearch(t, start(t, Options{}, e), Query{Text: "Gezeiten tides", Language: "de"})
	if urls(got)[0] != "https://de.example/" || !slices.Contains(got.Warnings, "the filter language is applied here, not by e") {
		t.Errorf("results %v, warnings %q", urls(got), got.Warnings)
	}
}

func TestCopyOnAnExcludedHostTakesNothingWithIt(t *testing.T) {
	text := "The tide at the harbour rose by four metres within six hours on Monday, the port authority said in a statement to reporters."
	e := returns("e", Capabilities{Sites: true}, hitOf("Tide rises at harbour", "https://bad.example/1", text), hitOf("Tide rises at harbour", "https://good.example/2", text))
	got := mustSearch(t, start(t, Options{}, e), Query{Text: "tide", Exclude: []string{"bad.example"}})
	if diff := cmp.Diff([]string{"https://good.example/2"}, urls(got)); diff != "" || len(got.Results[0].Also) > 0 {
		t.Errorf("also %v (-want +got):\n%s", got.Results[0].Also, diff)
	}
}

func TestOpenCopiesAreKnownByTheirAddress(t *testing.T) {
	paper := hitOf("Tides", "https://doi.org/10.1000/tides.1", "Tides.")
	paper.Also = []string{"https://open.example/tides?utm_source=x", "javascript:alert(1)"}
	got := mustSearch(t, start(t, Options{}, returns("a", Capabilities{}, paper), returns("b", Capabilities{}, hitOf("Tides", "http://open.example/tides", "Tides."))), aboutTides)
	if len(got.Results) != 1 || !slices.Equal(got.Results[0].Also, []string{"https://open.example/tides"}) || len(got.Results[0].Engines) != 2 {
		t.Errorf("got %+v", got.Results)
	}
}

func TestNumberOfResults(t *testing.T) {
	s := start(t, Options{}, returns("e", Capabilities{}, tides("e", 30)...))
	for n, want := range map[int]int{0: 10, 3: 3, 30: 30, 1000: 30} {
		if got := mustSearch(t, s, Query{Text: "tides", N: n}); len(got.Results) != want || got.Results[want-1].Rank != want {
			t.Errorf("N = %d: %d results, want %d", n, len(got.Results), want)
		}
	}
}

func TestResultsWithoutAPageAreDropped(t *testing.T) {
	e := returns("e", Capabilities{}, hitOf("Tides", "javascript:alert(1)", "Tides."), hitOf("Ti\u200bdes\u202e", "https://x.example/", "Tides.\x00"))
	got := mustSearch(t, start(t, Options{}, e), aboutTides)
	if len(got.Results) != 1 || got.Results[0].Title != "Tides" || got.Results[0].Snippet != "Tides." {
		t.Errorf("got %+v", got.Results)
	}
}

// The answer is the same whatever the order in which engines answer.
func TestAnswerIsDeterministic(t *testing.T) {
	var engines []Engine
	for _, name := range []string{"a", "b", "c", "d"} {
		engines = append(engines, returns(name, Capabilities{}, append(tides(name, 3), tides("common", 5)...)...))
	}
	want := mustSearch(t, start(t, Options{}, engines...), Query{Text: "tides"}, "a", "b", "c", "d").Results
	for range 10 {
		if diff := cmp.Diff(want, mustSearch(t, start(t, Options{}, engines...), Query{Text: "tides"}, "a", "b", "c", "d").Results); diff != "" {
			t.Fatal(diff)
		}
	}
}

// overlapping returns n results of the e-th of several engines that find some
// pages of each other.
func overlapping(e, n int) []Result {
	var results []Result
	for i := range n {
		id := (e*7 + i*3) % 90
		results = append(results, Result{
			Title: fmt.Sprintf("Tidal power station number %d and its turbines", id), URL: fmt.Sprintf("https://www.host%d.example/energy/tidal-power/%d?utm_source=x&id=%d", id%40, id, id),
			Snippet:   fmt.Sprintf("Station %d produces electricity from tides. Its %d turbines turn with the ebb and the flood, four times a day, and feed the grid with %d MW.", id, id%7, id*3),
			Published: "2026-03-04",
		})
	}
	return results
}

func BenchmarkFuse(b *testing.B) {
	s := New(Options{})
	var replies []reply
	for e := range 10 {
		l := newLane(&scripted{name: fmt.Sprint("engine", e)}, Options{})
		replies = append(replies, reply{lane: l, call: Call{Engine: l.engine.Name()}, results: overlapping(e, 20)})
	}
	q, err := s.read(Query{Text: "tidal power station electricity output", N: 20})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		s.merge(q, replies)
	}
}

// BenchmarkCachedSearch is a search that three engines have answered before.
func BenchmarkCachedSearch(b *testing.B) {
	var engines []Engine
	for e := range 3 {
		engines = append(engines, &scripted{name: fmt.Sprint("engine", e), steps: []step{{results: overlapping(e, 10)}}})
	}
	s := New(Options{Engines: engines})
	defer s.Close()
	q := Query{Text: "tidal power station electricity output"}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Search(b.Context(), q, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func TestParseWeights(t *testing.T) {
	got, err := ParseWeights(map[string]float64{"https://Docs.Example/x": 0.5, "*.farm.example": -1})
	if diff := cmp.Diff(Weights{"docs.example": 0.5, "farm.example": -1}, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for domain, weight := range map[string]float64{"*.": 0.5, "docs.example": 1.5, "nan.example": math.NaN()} {
		if _, err := ParseWeights(map[string]float64{domain: weight}); err == nil || !strings.Contains(err.Error(), domain) {
			t.Errorf("%s = %g: got %v, want an error that names it", domain, weight, err)
		}
	}
}
