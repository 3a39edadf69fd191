package research

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"deepresearch/internal/graph"
)

// AskKind says what a run waits for.
type AskKind string

// What a run may ask the person behind it.
const (
	AskClarify AskKind = "clarify"      // what the question means
	AskApprove AskKind = "approve_plan" // whether to follow the plan
)

// Inquiry is what the run asks the person behind it, see [Engine.Answer].
type Inquiry struct {
	ID      string    `json:"id"`
	Kind    AskKind   `json:"kind"`
	Text    string    `json:"text"`
	Options []string  `json:"options"` // answers that suit; any other text is one too
	Plan    *Plan     `json:"plan,omitempty"`
	Expires time.Time `json:"expires_at,omitzero"`
}

// How long a run waits for an answer. Afterwards a question about the question
// is answered by an assumption; approval has no default.
const (
	clarifyWait = 15 * time.Minute
	approveWait = 24 * time.Hour
)

// MaxDrafts is how many plans a run drafts before it takes no more objections.
const MaxDrafts = 3

// Clarification is what is unclear about a question, and the answer once there
// is one.
type Clarification struct {
	Text    string
	Options []string `json:",omitempty"`
	Assume  string   `json:",omitempty"` // what is assumed without an answer
	Answer  string   `json:",omitempty"`
}

// told is the clarification as a part of the question, or empty.
func (c Clarification) told() string {
	if c.Answer == "" {
		return ""
	}
	return c.Text + " " + c.Answer
}

// Rejection is a plan that was not approved, and why.
type Rejection struct {
	Plan Plan
	Why  string
}

// ask puts a question to the person behind the run. The answer is recorded like
// a call, so that a replay asks nobody.
func (n nodes) ask(ctx context.Context, a Inquiry, t graph.Terms[string]) (string, error) {
	answer := ""
	if !n.replays {
		var err error
		if answer, err = graph.Ask(ctx, a, t); err != nil {
			return "", err
		}
	}
	call := graph.Call{Kind: "answer", Request: a.Kind, Optional: true}
	return graph.Once(ctx, call, func(context.Context) (string, graph.Usage, error) { return answer, graph.Usage{}, nil })
}

// clarify asks what the question means. Silence is answered by an assumption.
func (n nodes) clarify(ctx context.Context, s State) (Update, error) {
	c, silence := *s.Analysis.Clarify, ""
	answer, err := n.ask(ctx, Inquiry{Kind: AskClarify, Text: c.Text, Options: c.Options}, graph.Terms[string]{TTL: clarifyWait, Default: &silence})
	if err != nil {
		return Update{}, err
	}
	c.Answer = cut(oneLine(answer), maxAnswer)
	return Update{Clarify: &c}, nil
}

// maxAnswer bounds an answer, in characters.
const maxAnswer = 2000

// approve asks whether to follow the plan. An objection leads to another draft,
// MaxDrafts in all; then only approval, an edited plan or the end of the run are
// left.
func (n nodes) approve(ctx context.Context, s State) (Update, error) {
	a := Inquiry{Kind: AskApprove, Text: "Shall the research follow this plan? Answer approve, or say what to change.", Options: []string{"approve"}, Plan: s.Draft}
	if !s.draftsLeft() {
		a.Text = fmt.Sprintf("This is draft %d, the last one. Answer approve, or give the plan as you want it.", MaxDrafts)
	}
	answer, err := n.ask(ctx, a, graph.Terms[string]{TTL: approveWait})
	if err != nil {
		return Update{}, err
	}
	p, objection, err := s.answered(answer)
	if err != nil {
		return Update{}, err // Answer let it through, so it is of another build
	}
	if objection != "" {
		trace(ctx, "plan", "rejected", objection)
		return Update{Rejected: &Rejection{Plan: *s.Draft, Why: objection}}, nil
	}
	trace(ctx, "plan", p.ID, "approved")
	return Update{Plan: p}, nil
}

// draftsLeft reports whether an objection leads to another draft.
func (s State) draftsLeft() bool { return len(s.Rejected)+1 < MaxDrafts }

// approvals are answers that approve, in small letters.
var approvals = []string{"approve", "approved", "yes", "y", "ok", "okay", "accept", "go", "go ahead", "同意", "批准", "好", "好的", "可以", "ja", "oui"}

// answered reads an answer to the plan: the plan to follow, or an objection. What
// cannot be taken is an *InputError.
func (s State) answered(answer string) (*Plan, string, error) {
	answer = strings.TrimSpace(answer)
	switch {
	case slices.Contains(approvals, strings.ToLower(strings.Trim(answer, " .!。！"))):
		return s.Draft, "", nil
	case strings.HasPrefix(answer, "{"):
		p, err := ParsePlan(answer)
		if bad := (*InputError)(nil); errors.As(err, &bad) {
			return nil, "", &InputError{"answer", bad.Reason, bad.Fix}
		}
		return p, "", err
	case !s.draftsLeft():
		return nil, "", &InputError{"answer", fmt.Sprintf("the plan was drafted %d times, and no further draft is made", MaxDrafts), "answer approve, give the plan as you want it as JSON, or cancel the run"}
	}
	return nil, cut(oneLine(answer), maxAnswer), nil
}

// Answer answers what a run waits for and takes it up again: text that suits
// the inquiry, see [Inquiry]. A run that waits for nothing and an answer that cannot be
// taken are an *InputError.
func (e *Engine) Answer(ctx context.Context, caller, id, text string) error {
	run, s, err := e.state(ctx, caller, id)
	if err != nil {
		return err
	}
	open := askOf(run)
	if open == nil {
		return &InputError{"answer", fmt.Sprintf("run %s waits for no answer", id), "leave it out"}
	}
	if text = strings.TrimSpace(text); text == "" {
		return &InputError{"answer", "it is empty", "answer what the run asked: " + open.Text}
	}
	if open.Kind == AskApprove {
		if s.Draft == nil {
			return fmt.Errorf("answering run %s: its saved state has no plan", id)
		}
		if _, _, err := s.answered(text); err != nil {
			return err
		}
	}
	value, err := json.Marshal(text)
	if err != nil {
		return fmt.Errorf("answering run %s: %w", id, err)
	}
	if err := e.local.Answer(ctx, id, open.ID, value); err != nil {
		return fmt.Errorf("answering run %s: %w", id, err)
	}
	return nil
}

// askOf is what a run waits for, nil when it waits for nothing.
func askOf(run graph.Run) *Inquiry {
	for _, q := range run.Asks {
		var a Inquiry
		if len(q.Answer) == 0 && json.Unmarshal(q.Payload, &a) == nil {
			a.ID, a.Expires = q.ID, q.Expires
			fill(&a.Options)
			return &a
		}
	}
	return nil
}
