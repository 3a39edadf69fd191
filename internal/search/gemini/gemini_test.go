package gemini_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"deepresearch/internal/llm"
	backend "deepresearch/internal/llm/gemini"
	"deepresearch/internal/search"
	"deepresearch/internal/search/gemini"
	"deepresearch/internal/search/searchtest"
)

// says is a model that gives one answer and remembers what it was asked.
type says struct {
	reply llm.Reply
	err   error
	asked llm.Request
}

func (s *says) Generate(_ context.Context, r llm.Request) (llm.Reply, error) {
	s.asked = r
	return s.reply, s.err
}

func TestPagesAreResultsAndSentencesAreNot(t *testing.T) {
	m := &says{reply: llm.Reply{Text: "Tides turn turbines, says the model.", Grounding: &llm.Grounding{
		Queries: []string{"tidal power", "tide turbines"}, Suggestions: "<div>tidal power</div>",
		Sources: []llm.WebPage{
			{URL: "https://example.org/tides", Title: " example.org "},
			{URL: "https://vertexaisearch.cloud.google.com/grounding-api-redirect/abc", Title: "example.net", Unresolved: true},
			{URL: "https://www.google.com/search?q=tides", Title: "Weather"}, {URL: "javascript:alert(1)"}, {Title: "nothing"},
			{URL: "http://untitled.example/"}, {URL: "https://beyond.example/"},
		},
	}}}
	e := gemini.New(m)
	got, err := e.Find(t.Context(), search.Query{Text: "tidal power", N: 3, Language: "en", Region: "GB"})
	shown := &search.Suggestion{Engine: "gemini", Queries: []string{"tidal power", "tide turbines"}, HTML: "<div>tidal power</div>"}
	want := search.Found{Searches: 2, Suggested: shown, Results: []search.Result{
		{Title: "example.org", URL: "https://example.org/tides"},
		{Title: "example.net", URL: "https://vertexaisearch.cloud.google.com/grounding-api-redirect/abc"},
		{Title: "untitled.example", URL: "http://untitled.example/"},
	}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if text := m.asked.Messages[0].Text; !m.asked.Grounding || m.asked.Role != llm.Search || !strings.Contains(text, "tidal power") || !strings.Contains(text, "GB") {
		t.Errorf("asked %+v", m.asked)
	}
	results, err := e.Search(t.Context(), search.Query{Text: "tidal power", N: 3})
	if diff := cmp.Diff(want.Results, results); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestSearchesWithoutPagesAreCounted(t *testing.T) {
	m := &says{reply: llm.Reply{Text: "I know.", Grounding: &llm.Grounding{Queries: []string{"a", "b", "c"}}}}
	s := search.New(search.Options{Engines: []search.Engine{gemini.New(m)}})
	defer s.Close()
	got, err := s.Search(t.Context(), search.Query{Text: "tidal power"}, nil)
	if err != nil || got.Requests() != 3 || len(got.Failures) != 1 || got.Failures[0].Kind != search.Empty {
		t.Errorf("%d searches, failures %v, error %v", got.Requests(), got.Failures, err)
	}
}

func TestFailures(t *testing.T) {
	for name, c := range map[string]struct {
		m    gemini.Model
		kind search.Kind
	}{
		"no model":          {nil, search.Auth},
		"no search":         {&says{reply: llm.Reply{Text: "I know."}}, search.Degraded},
		"a wrong key":       {&says{err: &llm.Error{Kind: llm.Auth, Message: "wrong key", Hint: "Set it."}}, search.Auth},
		"busy":              {&says{err: &llm.Error{Kind: llm.Rate, Message: "slow down", RetryAfter: 7 * time.Second}}, search.Rate},
		"the budget":        {&says{err: &llm.Error{Kind: llm.Spent, Message: "spent"}}, search.Quota},
		"a new kind":        {&says{err: &llm.Error{Kind: "new", Message: "what"}}, search.Network},
		"the end of a call": {&says{err: context.DeadlineExceeded}, search.Timeout},
	} {
		found, err := gemini.New(c.m).Find(t.Context(), search.Query{Text: "tidal power", N: 3})
		var f *search.Failure
		if !errors.As(err, &f) || f.Kind != c.kind || f.Engine != "gemini" || f.Message == "" || len(found.Results) > 0 {
			t.Errorf("%s: %+v, want kind %s", name, err, c.kind)
		}
		if c.kind == search.Rate && f.RetryAfter != 7*time.Second {
			t.Errorf("%s: RetryAfter = %s", name, f.RetryAfter)
		}
	}
}

func TestRecorded(t *testing.T) {
	for file, searches := range map[string]int{"gemini/grounding-gemini-2.5-pro-0.json": 1, "gemini/grounding-gemini-2.5-pro-1.json": 1} {
		body, status := searchtest.Recorded(t, file)
		m, err := backend.New(backend.Options{Client: searchtest.Client("application/json", status, body), Name: "gemini-2.5-pro", Key: "k"})
		if err != nil {
			t.Fatal(err)
		}
		found, err := gemini.New(m).Find(t.Context(), search.Query{Text: "tidal power", N: 20})
		if err != nil || found.Searches != searches || found.Suggested == nil || found.Suggested.HTML == "" || len(found.Suggested.Queries) != searches {
			t.Errorf("%s: %d results of %d searches, suggestions %+v, error %v", file, len(found.Results), found.Searches, found.Suggested, err)
		}
		for _, r := range found.Results {
			if !strings.HasPrefix(r.URL, "https://") || r.Title == "" || r.Snippet != "" || r.Raw != "" {
				t.Errorf("%s: %+v", file, r)
			}
		}
	}
}
