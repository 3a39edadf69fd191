package write_test

import (
	"strings"
	"testing"

	"deepresearch/internal/llm"
	"deepresearch/research"
)

const survey = "How was the Varn Bridge built and how is it used today?"

func TestGoodModelWritesAReport(t *testing.T) {
	r := newRig(t, setup{answer: good})
	got := r.ask(t, research.Question{Text: survey})
	t.Log(got.Report, got.Warnings, got.Usage, got.Estimate, got.StopReason)
	for _, c := range r.model.Calls() {
		t.Log(c.Role, llm.EstimateInput(c), strings.SplitN(c.Messages[0].Text, "\n", 2)[0])
	}
	if got.Status != research.Done || got.Mode != research.ByModel {
		t.Fatalf("status %s, mode %s, warnings %q", got.Status, got.Mode, got.Warnings)
	}
}
