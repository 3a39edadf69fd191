// Package scripted is a model for tests that answers by rule: no network, no
// weights, the same answer to the same request whatever the order. Start with
// [New]. What it says comes from Options.Answer or, without one, from the
// request itself: JSON that fits the schema, or one sentence for each evidence
// line of the prompt. Its [Persona] decides how well it behaves.
//
// It understands nothing; no test should take its words for research.
package scripted

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"sync"
	"time"

	"deepresearch/internal/llm"
)

// Persona is how a scripted model behaves.
type Persona string

// The personas. Every kind of trouble that a real model makes has one.
const (
	Good        Persona = "good"         // what was asked for, as it was asked for
	Sloppy      Persona = "sloppy"       // right, but wrapped, fenced, misquoted or thought aloud
	Lying       Persona = "lying"        // well formed and untrue: figures changed, sources that are not there
	RateLimited Persona = "rate-limited" // refuses each request twice, then is good
	Garbage     Persona = "garbage"      // nothing that could be read
	Mute        Persona = "empty"        // no text at all
)

// Personas are all of them, for table tests.
var Personas = [...]Persona{Good, Sloppy, Lying, RateLimited, Garbage, Mute}

// Options configure a scripted model. The zero value is Good and makes its
// answers from the requests.
type Options struct {
	Persona Persona
	// Answer is what the model means to say; "" leaves it to the default rule.
	// The persona spoils it afterwards.
	Answer func(llm.Request) string
	// Name is the part of the model's name after "scripted:"; empty: the persona.
	Name string
	// Window is the length of its context in tokens; 0: 32768. A longer request
	// is an error, as it is with an honest server.
	Window int
	// Wait is the time that RateLimited asks for; 0: one second.
	Wait time.Duration
}

// Model is a scripted model. It is safe for concurrent use.
type Model struct {
	opt   Options
	mu    sync.Mutex
	seen  map[uint64]int // requests of RateLimited, by hash
	calls []llm.Request
}

// New returns a scripted model.
func New(opt Options) *Model {
	if opt.Persona == "" {
		opt.Persona = Good
	}
	if opt.Name == "" {
		opt.Name = string(opt.Persona)
	}
	if opt.Window == 0 {
		opt.Window = 32768
	}
	if opt.Wait == 0 {
		opt.Wait = time.Second
	}
	return &Model{opt: opt, seen: map[uint64]int{}}
}

// Name is "scripted:" and the persona or the name it was given.
func (m *Model) Name() string { return "scripted:" + m.opt.Name }

// ContextLength is Options.Window.
func (m *Model) ContextLength(context.Context) (int, error) { return m.opt.Window, nil }

// CountTokens is the estimate: a scripted model has no tokeniser.
func (m *Model) CountTokens(_ context.Context, r llm.Request) (int, error) {
	return llm.EstimateInput(r), nil
}

// Calls returns every request so far, in the order of arrival.
func (m *Model) Calls() []llm.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]llm.Request(nil), m.calls...)
}

// Generate answers by rule. Its errors are those of a real back end.
func (m *Model) Generate(ctx context.Context, r llm.Request) (llm.Reply, error) {
	if err := ctx.Err(); err != nil {
		return llm.Reply{}, err
	}
	h, nth := m.note(r)
	in := llm.EstimateInput(r)
	if in+r.OutputLimit() > m.opt.Window && in > m.opt.Window/2 {
		return llm.Reply{}, &llm.Error{Kind: llm.ContextTooLong, Model: m.Name(), Status: 400,
			Message: fmt.Sprintf("about %d tokens of input do not fit a context of %d", in, m.opt.Window), Hint: "Send less text."}
	}
	if m.opt.Persona == RateLimited && nth < 3 {
		return llm.Reply{}, &llm.Error{Kind: llm.Rate, Model: m.Name(), Status: 429, Message: "too many requests",
			Hint: "Ask again later.", RetryAfter: m.opt.Wait}
	}
	text := ""
	if m.opt.Answer != nil {
		text = m.opt.Answer(r)
	}
	if text == "" {
		text = answer(r)
	}
	return m.reply(r, in, spoil(m.opt.Persona, text, h)), nil
}

// reply cuts the text at the output limit, as a server does.
func (m *Model) reply(r llm.Request, in int, text string) llm.Reply {
	reply := llm.Reply{Text: text, Finish: llm.Stopped, Model: m.Name()}
	if limit := r.OutputLimit() * 4; len(text) > limit {
		reply.Text, reply.Finish = cut(text, limit), llm.Length
	}
	cost := 0.0
	reply.Usage = llm.Usage{Calls: 1, In: in, Out: llm.EstimateTokens(reply.Text), Cost: &cost, Estimated: true}
	return reply
}

// note records the request and returns its hash and how often it has come.
func (m *Model) note(r llm.Request) (hash uint64, nth int) {
	h := fnv.New64a()
	raw, err := json.Marshal(r)
	if err != nil { // only for a schema or fallback that is no JSON; the text is enough then
		raw = []byte(fmt.Sprint(r.System, r.Messages))
	}
	h.Write(raw)
	hash = h.Sum64()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls = append(m.calls, r)
	m.seen[hash]++
	return hash, m.seen[hash]
}
