package main

import (
	"context"
	"strings"
	"testing"

	"deepresearch/citations"
	"deepresearch/internal/config"
	"deepresearch/internal/llm"
	"deepresearch/internal/llm/backends"
	"deepresearch/internal/llm/scripted"
)

const judgedReport = `# Cranes

The old crane at the harbour can raise thirty tonnes of goods [1].

## Sources

[1] Harbour crane
`

// scriptedModel answers each request with one verdict on the first claim.
func scriptedModel(t *testing.T) (backends.Chosen, *scripted.Model) {
	t.Helper()
	model := scripted.New(scripted.Options{Answer: func(llm.Request) string {
		return `{"verdicts":[{"claim":1,"label":"supported","span":"The harbour crane lifts thirty tonnes of freight","reason":"It says so."}]}`
	}})
	models, err := llm.New(llm.Options{Default: []llm.Model{model}})
	if err != nil {
		t.Fatal(err)
	}
	return backends.Chosen{Models: models}, model
}

// judged verifies the report with the settings that change makes.
func judged(t *testing.T, change func(*config.Settings)) (verified, int) {
	t.Helper()
	report, err := citations.ParseReport(judgedReport)
	if err != nil {
		t.Fatal(err)
	}
	chosen, model := scriptedModel(t)
	var settings config.Settings
	change(&settings)
	how, err := judging(&product{models: chosen}, &settings, report)
	if err != nil {
		t.Fatal(err)
	}
	read := func(_ context.Context, s citations.Source) (citations.Source, string, error) {
		return s, "The harbour crane lifts thirty tonnes of freight. It was built in 1936.", nil
	}
	found, err := verify(t.Context(), report, read, how)
	if err != nil {
		t.Fatal(err)
	}
	return found, len(model.Calls())
}

func TestVerifyAsksTheNamedModelOnly(t *testing.T) {
	found, calls := judged(t, func(*config.Settings) {})
	if calls != 0 || found.Claims[0].Label == citations.Supported {
		t.Errorf("without a named model: %d calls, %+v", calls, found.Claims)
	}
	named := config.Model{BackEnd: "openai", Name: "some"}
	found, calls = judged(t, func(s *config.Settings) { s.Models.All = named })
	if c := found.Claims[0]; calls != 1 || c.Label != citations.Supported || c.Judge == "" {
		t.Errorf("with a named model: %d calls, %+v", calls, found.Claims)
	}
	_, calls = judged(t, func(s *config.Settings) { s.Models.All, s.Models.NoModel = named, true })
	if calls != 0 {
		t.Errorf("with --no-model: %d calls", calls)
	}
}

func TestVerifyKeepsTheLimitOnCost(t *testing.T) {
	found, calls := judged(t, func(s *config.Settings) {
		s.Models.Judge, s.Limits.Cost = config.Model{BackEnd: "openai", Name: "some"}, 0.01
	})
	if calls != 0 || len(found.Warnings) != 1 || !strings.Contains(found.Warnings[0], "limit on cost") {
		t.Errorf("%d calls, warnings %q", calls, found.Warnings)
	}
}
