package write

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"deepresearch/internal/graph"
	"deepresearch/internal/llm"
	"deepresearch/prompts"
	"deepresearch/research"
)

// step is one sort of question to a model.
type step struct {
	name     string // in warnings, after "for"
	role     llm.Role
	schema   json.RawMessage // none for prose, or for a table, whose columns make it
	output   int             // tokens at most, thinking included
	attempts int             // answers that may be paid for
	thinking llm.Thinking
}

// Output limits are as small as answers allow, so that a prompt and its answer
// fit a window of 8,192 tokens; below 2,048 a model that thinks may say nothing.
const (
	shortOutput = 2048
	longOutput  = 3072
)

// The steps. Asking a second time is worth it where the rest hangs on the answer.
var (
	planning    = step{"planning the searches", llm.Plan, querySchema, shortOutput, 2, llm.LowThinking}
	tasking     = step{"the plan", llm.Plan, planSchema, longOutput, 2, llm.LowThinking}
	reading     = step{"reading pages", llm.Search, readSchema, shortOutput, 1, llm.LowThinking}
	reflecting  = step{"looking for gaps", llm.Reflect, gapSchema, shortOutput, 2, llm.LowThinking}
	merging     = step{"the running summary", llm.Reflect, nil, shortOutput, 1, llm.LowThinking}
	outlining   = step{"the outline", llm.Write, outlineSchema, shortOutput, 2, llm.LowThinking}
	drafting    = step{"writing", llm.Write, nil, longOutput, 1, ""}
	programming = step{"a program", llm.Write, programSchema, shortOutput, 2, llm.LowThinking}
	tabling     = step{"a table", llm.Write, nil, longOutput, 1, ""}
	opening     = step{"the summary", llm.Write, nil, shortOutput, 1, ""}
	judging     = step{"judging claims", llm.Judge, verdictSchema, longOutput, 1, llm.LowThinking}
)

// request is the request of a step. Quick runs ask once.
func (st step) request(p prompts.Prompt, e research.Effort) llm.Request {
	r := llm.Request{
		Role: st.role, System: p.System, Messages: llm.Ask(p.User), Schema: st.schema,
		MaxOutput: st.output, Attempts: st.attempts, Thinking: st.thinking,
	}
	if e == research.Quick {
		r.Attempts = 1
	}
	return r
}

// talk is what one node says to models, with what it must tell of it. It is for
// one goroutine.
type talk struct {
	m      *Method
	effort research.Effort
	notes  research.Notes
}

// ask makes one call. ok is false when the node must do without it, which is
// noted; an error ends the node.
func (t *talk) ask(ctx context.Context, st step, p prompts.Prompt, err error) (reply llm.Reply, ok bool, _ error) {
	if err != nil { // a template that was laid over ours
		t.without(st, err)
		return reply, false, nil
	}
	reply, notes, err := research.Ask(ctx, t.m.opt.Models, st.request(p, t.effort))
	t.notes = t.notes.Add(notes)
	switch {
	case err == nil:
		return reply, true, nil
	case research.Fatal(ctx, err):
		return reply, false, err
	}
	t.without(st, err)
	return reply, false, nil
}

// askFor is ask for an answer in JSON.
func (t *talk) askFor(ctx context.Context, st step, p prompts.Prompt, err error, into any) (ok bool, _ error) {
	reply, ok, err := t.ask(ctx, st, p, err)
	if !ok || err != nil {
		return false, err
	}
	if err := json.Unmarshal(reply.JSON, into); err != nil {
		t.notes.Answers--
		t.without(st, fmt.Errorf("its answer cannot be read: %w", err))
		return false, nil
	}
	return true, nil
}

// without notes that a step was done without a model, and why.
func (t *talk) without(st step, err error) {
	why := err.Error()
	if e := (*llm.Error)(nil); errors.As(err, &e) && e.Hint != "" {
		why += ". " + e.Hint
	}
	if errors.Is(err, graph.ErrBudget) {
		why += " or kept for writing"
	}
	t.warn("No model was used for %s: %s", st.name, strings.TrimRight(why, "."))
}

func (t *talk) warn(format string, args ...any) {
	t.notes.Warnings = append(t.notes.Warnings, fmt.Sprintf(format, args...)+".")
}

// dropped tells how many parts of an answer were not used.
func (t *talk) dropped(n int, what string) {
	if n > 0 {
		t.warn("%s: %d", what, n)
	}
}

// fence is a mark that no page can hold: it is a hash of all that it fences. It
// is the same whenever the same is asked again, so an answer that was paid for is
// found.
func fence(question string, texts ...string) string {
	h := sha256.New()
	for _, t := range append(texts, question) {
		fmt.Fprintf(h, "%d:%s", len(t), t)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// maxAsked bounds the question in a prompt, in characters: long material belongs
// into files.
const maxAsked = 3000

// maxClarified bounds what was asked back and answered in a prompt, in characters.
const maxClarified = 800

// maxTold is how many of the latest queries a prompt tells.
const maxTold = 10

// task is what every prompt tells of a run.
func (m *Method) task(q research.Question, a research.Analysis, asked []research.QueryRun) prompts.Task {
	t := prompts.Task{Question: clip(oneLine(q.Text), maxAsked), Date: a.Date, Language: languageName(a.Language), Earlier: clip(oneLine(q.Earlier), maxAsked)}
	t.Clarified, t.Restated = clip(oneLine(q.Clarified), maxClarified), a.Restated
	if t.Date == "" {
		t.Date = m.opt.Now().UTC().Format("2006-01-02")
	}
	seen := map[string]bool{}
	for _, r := range asked {
		if !seen[r.Text] {
			seen[r.Text] = true
			t.Queries = append(t.Queries, r.Text)
		}
	}
	t.Queries = t.Queries[max(0, len(t.Queries)-maxTold):]
	return t
}

func (m *Method) taskOf(s research.State) prompts.Task {
	return m.task(s.Question, s.Analysis, s.Asked)
}

// parts are the titles of the facets, where there is more than one.
func parts(a research.Analysis) []string {
	if len(a.Facets) < 2 {
		return nil
	}
	out := make([]string, len(a.Facets))
	for i, f := range a.Facets {
		out[i] = f.Title
	}
	return out
}
