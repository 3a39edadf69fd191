package engines

import (
	"context"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"deepresearch/internal/llm"
	"deepresearch/internal/search"
	"deepresearch/internal/search/searchtest"
)

var tides = []searchtest.Page{
	{Title: "Tidal power", URL: "https://example.org/tidal-power", Text: "Tidal power turns the energy of tides into electricity.", Published: "2026-01-02"},
	{Title: "Tidal barrages", URL: "https://example.net/barrages", Text: "A barrage is a dam across an estuary. Tidal power stations use barrages.", Published: "2025-05-05"},
	{Title: "Wind power", URL: "https://example.com/wind", Text: "Wind turns rotors.", Published: "2024-01-01"},
}

// serve starts a server that stands in for every engine, and returns a
// configuration that leads there.
func serve(t *testing.T) (*searchtest.Server, Config) {
	fake := &searchtest.Server{Pages: tides}
	server := httptest.NewServer(fake)
	t.Cleanup(server.Close)
	c := Config{Keys: map[string]string{}, URLs: map[string]string{}, Names: Names()}
	for _, name := range c.Names {
		c.URLs[name] = server.URL + "/" + name
	}
	for name := range KeyNames() {
		c.Keys[name] = "k"
	}
	c.Model = grounded{}
	return fake, c
}

// grounded is a model that rests its answers on all pages about tides.
type grounded struct{}

func (grounded) Generate(context.Context, llm.Request) (llm.Reply, error) {
	g := &llm.Grounding{Queries: []string{"tides"}}
	for _, p := range tides {
		g.Sources = append(g.Sources, llm.WebPage{URL: p.URL, Title: p.Title})
	}
	return llm.Reply{Text: "Tides are tides.", Grounding: g}, nil
}

func newSearcher(t *testing.T, c Config) *search.Searcher {
	t.Helper()
	engines, err := Choose(c, newGuard(t))
	if err != nil {
		t.Fatal(err)
	}
	s := search.New(search.Options{Engines: engines})
	t.Cleanup(s.Close)
	return s
}

func TestEveryEngineFindsPagesThroughTheGuard(t *testing.T) {
	_, c := serve(t)
	s := newSearcher(t, c)
	for _, name := range c.Names {
		q := search.Query{Text: "tidal power"}
		switch name {
		case "worldbank", "opentripmap": // have no pages
			continue
		case "wayback":
			q.Text = "https://example.org/"
		}
		a, err := s.Search(t.Context(), q, []string{name})
		if err != nil || len(a.Results) == 0 || !slices.Equal(a.Results[0].Engines, []string{name}) {
			t.Errorf("%s: %d results, failures %v, error %v", name, len(a.Results), a.Failures, err)
		}
	}
}

func TestFaultsOfAnEngineDoNotSpoilTheOthers(t *testing.T) {
	fake, c := serve(t)
	for fault, kind := range map[searchtest.Fault]search.Kind{
		searchtest.Challenge: search.Blocked, searchtest.Limited: search.Rate, searchtest.LimitedFor: search.Rate, searchtest.Cut: search.Network,
		searchtest.WrongType: search.LayoutChanged, searchtest.ErrorIn200: search.LayoutChanged, searchtest.Unrelated: search.Degraded,
	} {
		fake.Fail("duckduckgo", fault)
		s := newSearcher(t, c)
		a, err := s.Search(t.Context(), search.Query{Text: "tidal power"}, []string{"duckduckgo", "tavily"})
		if err != nil || len(a.Results) == 0 || len(a.Failures) != 1 || a.Failures[0].Kind != kind || a.Failures[0].Engine != "duckduckgo" {
			t.Errorf("%s: %d results, failures %v, error %v, want one of kind %s", fault, len(a.Results), a.Failures, err, kind)
		}
	}
}

func TestChallengedEngineIsLeftAlone(t *testing.T) {
	fake, c := serve(t)
	fake.Fail("duckduckgo", searchtest.Challenge)
	s := newSearcher(t, c)
	for range 3 {
		if _, err := s.Search(t.Context(), search.Query{Text: "tidal power"}, []string{"duckduckgo"}); err != nil {
			t.Fatal(err)
		}
	}
	if n := fake.Asked("duckduckgo"); n != 1 {
		t.Errorf("asked %d times after a challenge", n-1)
	}
}

func TestMissingKeyIsSaidWithoutARequest(t *testing.T) {
	fake, c := serve(t)
	c.Keys = nil
	s := newSearcher(t, c)
	for name, key := range KeyNames() {
		a, err := s.Search(t.Context(), search.Query{Text: "tidal power"}, []string{name})
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Results) > 0 { // answers without a key
			continue
		}
		if len(a.Failures) != 1 || a.Failures[0].Kind != search.Auth || !strings.Contains(a.Failures[0].Hint, key) || fake.Asked(name) != 0 {
			t.Errorf("%s: failures %v after %d requests, want the name of the key", name, a.Failures, fake.Asked(name))
		}
	}
}

// Every topic goes to two engines or more, one of which searches the whole
// web, whether the user has keys or not.
func TestEveryTopicHasEngines(t *testing.T) {
	_, rich := serve(t)
	rich.Names = nil
	for name, c := range map[string]Config{"without keys": {}, "with every key": rich} {
		s := newSearcher(t, c)
		for _, topic := range search.Topics {
			route, err := s.Route(search.Query{Text: "tides", Topic: topic})
			if err != nil {
				t.Fatal(err)
			}
			general := slices.ContainsFunc(route, func(engine string) bool {
				caps, _ := s.Capabilities(engine)
				return caps.General()
			})
			if len(route) < 2 || !general {
				t.Errorf("%s, topic %s: %v", name, topic, route)
			}
		}
	}
}

func TestRoutes(t *testing.T) {
	s := newSearcher(t, Config{})
	_, rich := serve(t)
	rich.Names = nil
	richer := newSearcher(t, rich)
	for _, c := range []struct {
		s    *search.Searcher
		q    search.Query
		want string
	}{
		{s, search.Query{Text: "tides"}, "duckduckgo wikipedia"},
		{s, search.Query{Text: "papers on tidal turbines"}, "duckduckgo wikipedia arxiv crossref europepmc"},
		{s, search.Query{Text: "tides", Topic: search.Code}, "duckduckgo wikipedia stackexchange github hackernews"},
		{s, search.Query{Text: "GDP of France"}, "duckduckgo wikipedia worldbank"},
		{s, search.Query{Text: "三峡大坝的发电量是多少"}, "duckduckgo wikipedia"},
		{richer, search.Query{Text: "tides"}, "searxng tavily wikipedia"},
		{richer, search.Query{Text: "三峡大坝的发电量是多少"}, "iqs searxng wikipedia"},
		{richer, search.Query{Text: "tides", Topic: search.Academic}, "searxng tavily wikipedia arxiv crossref openalex"},
	} {
		got, err := c.s.Route(c.q)
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%+v: %v and %v, want %s", c.q, got, err, c.want)
		}
	}
}

func TestSilentEngineDoesNotHoldUpTheOthers(t *testing.T) {
	fake, c := serve(t)
	fake.Fail("duckduckgo", searchtest.Drip)
	engines, err := Choose(c, newGuard(t))
	if err != nil {
		t.Fatal(err)
	}
	s := search.New(search.Options{Engines: engines, SoftDeadline: 50 * time.Millisecond})
	defer s.Close()
	a, err := s.Search(t.Context(), search.Query{Text: "tidal power"}, []string{"duckduckgo", "tavily", "wikipedia"})
	if err != nil || len(a.Results) == 0 || len(a.Failures) != 1 || a.Failures[0].Kind != search.Timeout {
		t.Errorf("%d results, failures %v, error %v", len(a.Results), a.Failures, err)
	}
}

func TestFreeEnginesDeclareAPace(t *testing.T) {
	engines, err := Choose(Config{}, newGuard(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range engines {
		if c := e.Capabilities(); c.Pace.Every == 0 {
			t.Errorf("%s costs nothing and has no pace", e.Name())
		}
	}
}
