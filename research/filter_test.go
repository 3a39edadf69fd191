package research_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"deepresearch/internal/graph/mem"
	"deepresearch/internal/library"
	"deepresearch/internal/safe"
	"deepresearch/research"
	"deepresearch/research/extract"
)

// asking is a method whose first queries are given.
type asking struct {
	*extract.Method
	queries []research.Query
}

func (a asking) Analyse(ctx context.Context, q research.Question) (research.Analysis, error) {
	out, err := a.Method.Analyse(ctx, q)
	out.Queries = a.queries
	return out, err
}

// filtered runs queries through an engine with a filter.
func filtered(t *testing.T, filter research.Filter, queries ...research.Query) (*web, research.Result) {
	t.Helper()
	w, texts, libraries := bridges(), &archive{texts: map[string]string{}}, &library.Cache{}
	e, err := research.New(research.Ports{
		Method: asking{extract.New(texts, libraries), queries}, Searcher: w, Reader: w, Archive: texts, Libraries: libraries, Filter: filter,
	}, mem.New())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close(context.Background()) })
	r := rig{Engine: e, web: w, archive: texts}
	return w, r.ask(t, research.Question{Text: "When was the Varn Bridge opened?", MaxLoops: 1, Limits: research.Limits{Searches: 100}})
}

// TestFilterSeesEveryQuery: each query of a round is filtered, wherever it and
// its private part stand; what says nothing without is not sent.
func TestFilterSeesEveryQuery(t *testing.T) {
	queries := []research.Query{
		{Text: "Varn Bridge"},
		{Text: "Varn Bridge a.holt@mail.example opened"},
		{Text: "Oldby crane 4111 1111 1111 1111 and 5500 0000 0000 0004"},
		{Text: "project heron Maren Holt"},
		{Text: "+49 30 12345678"},
	}
	w, got := filtered(t, safe.NewPrivate("Project Heron"), queries...)
	slices.Sort(w.queries)
	want := []string{"Maren Holt", "Oldby crane and", "Varn Bridge", "Varn Bridge opened"}
	if !slices.Equal(w.queries, want) {
		t.Errorf("sent %q, want %q", w.queries, want)
	}
	for _, q := range got.Queries {
		if !slices.Contains(want, q.Text) {
			t.Errorf("the result lists the query %q, which was not sent so", q.Text)
		}
	}
	warned := strings.Join(got.Warnings, "\n")
	for _, part := range []string{"not sent", "a phone number", "a mail address", "a payment card", "a word of your own list"} {
		if !strings.Contains(warned, part) {
			t.Errorf("no warning of %q: %q", part, got.Warnings)
		}
	}
	for _, secret := range []string{"a.holt", "4111", "12345678"} {
		if strings.Contains(warned, secret) {
			t.Errorf("a warning shows %q: %s", secret, warned)
		}
	}
}

func TestWithoutFilterQueriesGoAsTheyAre(t *testing.T) {
	w, got := filtered(t, nil, research.Query{Text: "Varn Bridge a.holt@mail.example"})
	if len(w.queries) != 1 || w.queries[0] != "Varn Bridge a.holt@mail.example" || len(got.Warnings) > 0 {
		t.Errorf("sent %q, warnings %q", w.queries, got.Warnings)
	}
}
