package write_test

import (
	"strings"
	"testing"

	"deepresearch/internal/llm"
	"deepresearch/research"
)

// TestFollowUpReadsKnownPagesAnew: a model reads what the run before fetched for
// what is asked now, and is told what was answered already.
func TestFollowUpReadsKnownPagesAnew(t *testing.T) {
	r := newRig(t, setup{})
	const earlier = "When was the Varn Bridge opened?"
	first := r.ask(t, research.Question{Text: earlier})
	calls := len(r.model.Calls())
	reads := len(r.web.reads)
	r.ask(t, research.Question{Text: "Compare its cost and its traffic", Style: "report", ContinueFrom: first.RunID, Effort: research.Standard})
	known := 0
	for _, c := range r.model.Calls()[calls:] {
		prompt := c.Messages[0].Text
		if c.Role == llm.Plan && !strings.Contains(prompt, earlier) {
			t.Errorf("the planner is not told what was answered:\n%s", prompt)
		}
		if c.Role == llm.Search && strings.Contains(prompt, "412 metres") {
			known++
		}
	}
	if known == 0 {
		t.Error("no page of the run before was read for the new question")
	}
	for _, url := range r.web.reads[reads:] {
		for _, s := range first.Sources {
			if s.URL == url {
				t.Errorf("%s was fetched again", url)
			}
		}
	}
}
