package write_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"deepresearch/internal/llm"
	"deepresearch/internal/llm/scripted"
	"deepresearch/research"
)

// smallWindow is the context of a small local model, in tokens.
const smallWindow = 8192

// plain is a model on a server without JSON mode and without tools: a schema
// stands in the prompt, where it costs tokens, and the answer is whatever the
// model writes. A prompt that does not fit is counted.
type plain struct {
	*scripted.Model
	overflows, largest *atomic.Int64
}

func (p plain) Generate(ctx context.Context, r llm.Request) (llm.Reply, error) {
	shown := r
	shown.System += string(r.Schema)
	in := int64(llm.EstimateInput(shown))
	for before := p.largest.Load(); in > before && !p.largest.CompareAndSwap(before, in); {
		before = p.largest.Load()
	}
	if in >= smallWindow {
		p.overflows.Add(1)
	}
	reply, err := p.Model.Generate(ctx, r)
	if llm.KindOf(err) == llm.ContextTooLong {
		p.overflows.Add(1)
	}
	reply.Form = llm.TextForm
	return reply, err
}

// longBridges is a web whose pages are longer together, and some alone, than a
// small window.
func longBridges(run int) *web {
	pages := map[string]string{}
	subjects := []string{"length", "cost", "opening", "engineer", "traffic", "repairs", "colour", "river"}
	for i, subject := range subjects {
		var paragraphs []string
		for n := range 10 + 190*((i+run)%5/4) {
			paragraphs = append(paragraphs, fmt.Sprintf("The Varn Bridge near Oldby has a %s that was recorded as %d in the year %d by office %d.", subject, 300+n*7+i, 1900+(n+run)%100, n)+
				fmt.Sprintf(" Record %d of the province names the %s of the Varn Bridge again, with %d pages of drawings.", n*8+i, subject, n%17+2))
		}
		pages[fmt.Sprintf("https://%s.example/varn", subject)] = page("en", "The "+subject+" of the Varn Bridge", paragraphs...)
	}
	return newWeb(pages)
}

// TestSmallModelsCompleteRuns: a model with a window of 8,192 tokens, without
// JSON mode or tools, and sloppy in every second run, completes at least 95 of
// 100 runs, and no prompt is ever too long for it.
func TestSmallModelsCompleteRuns(t *testing.T) {
	const runs, wanted = 100, 95
	var overflows, largest atomic.Int64
	completed, byModel, longest := 0, 0, 0
	for n := range runs {
		persona := []scripted.Persona{scripted.Good, scripted.Sloppy}[n/4%2]
		small := plain{scripted.New(scripted.Options{Persona: persona, Window: smallWindow}), &overflows, &largest}
		models, err := llm.New(llm.Options{Default: []llm.Model{small}, Rand: func() float64 { return 0 }, Concurrency: 4})
		if err != nil {
			t.Fatal(err)
		}
		w := longBridges(n)
		for _, body := range w.pages {
			longest = max(longest, llm.EstimateTokens(body))
		}
		r := newRig(t, setup{web: w, models: func(research.Model) research.Model { return models }})
		effort := []research.Effort{research.Quick, research.Standard}[n/2%2]
		got := r.ask(t, research.Question{Limits: research.Limits{SourceTokens: []int{0, 12000}[n%2]}, Text: fmt.Sprintf("What is known about the length, the cost and the %s of the Varn Bridge?", []string{"traffic", "engineer", "repairs"}[n%3]), Effort: effort})
		if got.Status == research.Done && len(got.Claims) > 0 {
			completed++
		} else {
			t.Logf("run %d (%s, %s): %s, warnings %q", n, persona, effort, got.Status, got.Warnings)
		}
		if got.Mode != research.Extractive {
			byModel++
		}
	}
	if completed < wanted || overflows.Load() > 0 {
		t.Errorf("%d of %d runs completed, %d prompts were too long; want %d and none", completed, runs, overflows.Load(), wanted)
	}
	if byModel < wanted {
		t.Errorf("the model had a part in %d of %d reports", byModel, runs)
	}
	if longest <= smallWindow {
		t.Errorf("the longest page has %d tokens: it is no danger to the window", longest)
	}
	t.Logf("%d of %d runs completed, %d with the model; the longest page has %d tokens, the longest prompt %d of %d", completed, runs, byModel, longest, largest.Load(), smallWindow)
}
