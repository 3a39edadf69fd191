// Package anthropic reaches Claude models through the Messages API. Start with
// [New]. JSON is asked for through the API's structured output and, where a
// server refuses that, in the prompt. Grounding is the API's own web search.
package anthropic

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/gjson"

	"deepresearch/internal/llm"
	"deepresearch/internal/llm/wire"
	"deepresearch/internal/safe"
)

// BaseURL is where the models are.
const BaseURL = "https://api.anthropic.com"

// version is the version of the API that this package speaks.
const version = "2023-06-01"

// Options configure a model. Client and Name are needed.
type Options struct {
	Client   *http.Client
	Name     string
	BaseURL  string // without /v1; empty: BaseURL
	Key      string
	Redactor *safe.Redactor
}

// Model is one model. It is safe for concurrent use.
type Model struct {
	name   string
	server wire.Server

	mu    sync.Mutex
	plain bool // the server takes no output format
}

// New returns a model.
func New(opt Options) *Model {
	if opt.BaseURL == "" {
		opt.BaseURL = BaseURL
	}
	if opt.Redactor == nil {
		opt.Redactor = safe.NewRedactor(opt.Key)
	}
	return &Model{name: opt.Name, server: wire.Server{
		Client: opt.Client, Base: strings.TrimSuffix(strings.TrimRight(opt.BaseURL, "/"), "/v1"), BackEnd: "anthropic", KeyName: "ANTHROPIC_API_KEY",
		Header: map[string]string{"x-api-key": opt.Key, "anthropic-version": version}, Redactor: opt.Redactor,
	}}
}

// Name is "anthropic:" and the name of the model.
func (m *Model) Name() string { return "anthropic:" + m.name }

// Traits tells the policy where the model runs.
func (m *Model) Traits() llm.Traits {
	return llm.Traits{BackEnd: "anthropic", Server: m.server.Base, Listed: true, Timeout: 180 * time.Second}
}

// Generate asks for a whole answer.
func (m *Model) Generate(ctx context.Context, r llm.Request) (llm.Reply, error) {
	var reply llm.Reply
	err := m.adapting(r, func(form llm.Form) error {
		answer, err := m.server.Post(ctx, "/v1/messages", m.body(r, form, false))
		if err != nil {
			return err
		}
		reply, err = m.read(answer.JSON)
		reply.Pause, reply.Form = wire.Pause(answer.Header, time.Now()), form
		return err
	})
	return reply, m.explain(ctx, err)
}

// adapting calls f with the form that the server takes, and once more when it
// refuses it.
func (m *Model) adapting(r llm.Request, f func(llm.Form) error) error {
	m.mu.Lock()
	plain := m.plain
	m.mu.Unlock()
	if plain || r.Form == llm.ObjectForm || r.Form == llm.TextForm {
		return f(llm.TextForm)
	}
	err := f(llm.SchemaForm)
	e := (*llm.Error)(nil)
	if len(r.Schema) == 0 || !errors.As(err, &e) || e.Kind != llm.BadRequest || !strings.Contains(e.Message, "output") && !strings.Contains(e.Message, "schema") {
		return err
	}
	m.mu.Lock()
	m.plain = true
	m.mu.Unlock()
	return f(llm.TextForm)
}

func (m *Model) explain(ctx context.Context, err error) error {
	e := (*llm.Error)(nil)
	if errors.As(err, &e) && e.Kind == llm.NotFound {
		return wire.Missing(e, m.name, m.server.Names(ctx, "/v1/models", "data.#.id"))
	}
	return err
}

// thinkingBudgets are the tokens of each level. Thinking counts inside the
// output limit and must leave room for the answer.
var thinkingBudgets = map[llm.Thinking]int{llm.LowThinking: 1024, llm.MediumThinking: 4096, llm.HighThinking: 16384}

// smallestThinking is the least budget that the API takes.
const smallestThinking = 1024

func (m *Model) body(r llm.Request, form llm.Form, stream bool) map[string]any {
	body := map[string]any{"model": m.name, "max_tokens": r.OutputLimit(), "messages": wire.Chat("", r.Messages)}
	if system := wire.System(r, form); system != "" {
		body["system"] = system
	}
	budget := min(thinkingBudgets[r.Thinking], r.OutputLimit()/2)
	switch {
	case budget >= smallestThinking: // which excludes a temperature
		body["thinking"] = map[string]any{"type": "enabled", "budget_tokens": budget}
	case r.Temperature != nil:
		body["temperature"] = *r.Temperature
	}
	if len(r.Schema) > 0 && form == llm.SchemaForm {
		body["output_config"] = map[string]any{"format": map[string]any{"type": "json_schema", "schema": wire.Strict(r.Schema)}}
	}
	if r.Grounding {
		body["tools"] = []any{map[string]any{"type": "web_search_20250305", "name": "web_search", "max_uses": 5}}
	}
	if stream {
		body["stream"] = true
	}
	return body
}

// CountTokens asks the server, which counts for nothing.
func (m *Model) CountTokens(ctx context.Context, r llm.Request) (int, error) {
	body := map[string]any{"model": m.name, "messages": wire.Chat("", r.Messages)}
	if system := wire.System(r, llm.TextForm); system != "" {
		body["system"] = system
	}
	answer, err := m.server.Post(ctx, "/v1/messages/count_tokens", body)
	if err != nil {
		return 0, m.explain(ctx, err)
	}
	return int(answer.JSON.Get("input_tokens").Int()), nil
}

// ContextLength asks the server, which may not tell; then it is llm.ErrUnknown.
func (m *Model) ContextLength(ctx context.Context) (int, error) {
	answer, err := m.server.Get(ctx, "/v1/models/"+m.name)
	if err != nil {
		return 0, m.explain(ctx, err)
	}
	if n := answer.JSON.Get("max_input_tokens").Int(); n > 0 {
		return int(n), nil
	}
	return 0, llm.ErrUnknown
}

// usage reads the counters. Cached input is counted apart by the API.
func usage(u gjson.Result) llm.Usage {
	cached := int(u.Get("cache_read_input_tokens").Int())
	return llm.Usage{
		Calls: 1, In: int(u.Get("input_tokens").Int()+u.Get("cache_creation_input_tokens").Int()) + cached, Cached: cached,
		Out: int(u.Get("output_tokens").Int()), Thinking: int(u.Get("output_tokens_details.thinking_tokens").Int()),
		Searches: int(u.Get("server_tool_use.web_search_requests").Int()),
	}
}
