// Package openai reaches models through the chat completions API of OpenAI and
// the servers that speak it: LM Studio, llama.cpp, vLLM, DashScope (Qwen),
// DeepSeek, OpenRouter and others. Start with [New].
//
// Servers differ in how they are asked for JSON, for less thinking and for a
// length, and say so with status 400. The model then asks in the next way it
// knows and remembers what the server took; such a refusal costs nothing.
// Ollama has a back end of its own, because this API cannot set its context.
package openai

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/gjson"

	"deepresearch/internal/llm"
	"deepresearch/internal/llm/wire"
	"deepresearch/internal/safe"
)

// BaseURL is where OpenAI's own models are.
const BaseURL = "https://api.openai.com/v1"

// Options configure a model. Client and Name are needed.
type Options struct {
	Client   *http.Client
	Name     string // of the model on the server
	BaseURL  string // its /v1 included; empty: BaseURL
	Key      string
	KeyName  string // the environment variable of the key; empty: OPENAI_API_KEY
	Redactor *safe.Redactor
}

// Model is one model of one server. It is safe for concurrent use.
type Model struct {
	name   string
	server wire.Server
	kind   server

	mu    sync.Mutex
	taken dialect // what the server takes, as far as it is known
}

// New returns a model.
func New(opt Options) *Model {
	if opt.BaseURL == "" {
		opt.BaseURL = BaseURL
	}
	if opt.KeyName == "" {
		opt.KeyName = "OPENAI_API_KEY"
	}
	header := map[string]string{}
	if opt.Key != "" {
		header["Authorization"] = "Bearer " + opt.Key
	}
	if opt.Redactor == nil {
		opt.Redactor = safe.NewRedactor(opt.Key)
	}
	m := &Model{name: opt.Name, server: wire.Server{Client: opt.Client, Base: strings.TrimRight(opt.BaseURL, "/"), Header: header,
		BackEnd: "openai", KeyName: opt.KeyName, Redactor: opt.Redactor}}
	m.kind = serverAt(m.server.Base)
	m.taken = m.kind.dialect
	return m
}

// Name is "openai:" and the name on the server.
func (m *Model) Name() string { return "openai:" + m.name }

// Traits tells the policy where the model runs.
func (m *Model) Traits() llm.Traits {
	t := llm.Traits{BackEnd: "openai", Server: m.server.Base, Local: m.server.Local(), Listed: m.server.Base == BaseURL}
	if t.Local {
		t.Free, t.First, t.Timeout = true, 600*time.Second, 300*time.Second
	}
	return t
}

// Generate asks for a whole answer.
func (m *Model) Generate(ctx context.Context, r llm.Request) (llm.Reply, error) {
	if r.Grounding && m.kind.search == responses {
		return m.respond(ctx, r)
	}
	var reply llm.Reply
	err := m.adapting(r, func(d dialect) error {
		answer, err := m.server.Post(ctx, "/chat/completions", m.body(r, d, false))
		if err != nil {
			return err
		}
		reply, err = m.read(answer.JSON, r)
		reply.Pause, reply.Form = wire.Pause(answer.Header, time.Now()), d.form(r)
		return err
	})
	return reply, m.explain(ctx, err)
}

// explain adds the names of the models there are when this one is not there.
func (m *Model) explain(ctx context.Context, err error) error {
	e := (*llm.Error)(nil)
	if errors.As(err, &e) && e.Kind == llm.NotFound {
		return wire.Missing(e, m.name, m.server.Names(ctx, "/models", "data.#.id"))
	}
	return err
}

// Embed asks for a vector of each text.
func (m *Model) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	answer, err := m.server.Post(ctx, "/embeddings", map[string]any{"model": m.name, "input": texts})
	if err != nil {
		return nil, m.explain(ctx, err)
	}
	vectors := make([][]float32, len(texts))
	for i, d := range answer.JSON.Get("data").Array() {
		if at := d.Get("index"); at.Exists() {
			i = int(at.Int())
		}
		if i < 0 || i >= len(vectors) {
			continue
		}
		for _, x := range d.Get("embedding").Array() {
			vectors[i] = append(vectors[i], float32(x.Num))
		}
	}
	for _, v := range vectors {
		if len(v) == 0 {
			return nil, m.server.Fail(llm.Network, "a vector is missing in the answer")
		}
	}
	return vectors, nil
}

// windowPaths are where servers that list their models tell the context: vLLM,
// OpenRouter, LM Studio.
var windowPaths = []string{"max_model_len", "context_length", "loaded_context_length", "max_context_length", "meta.n_ctx"}

// ContextLength asks the server, which may not know; then it is llm.ErrUnknown.
func (m *Model) ContextLength(ctx context.Context) (int, error) {
	answer, err := m.server.Get(ctx, "/models")
	if err != nil {
		return 0, err
	}
	for _, one := range answer.JSON.Get("data").Array() {
		if one.Get("id").Str != m.name {
			continue
		}
		for _, p := range windowPaths {
			if n := one.Get(p).Int(); n > 0 {
				return int(n), nil
			}
		}
	}
	if !m.server.Local() {
		return 0, llm.ErrUnknown
	}
	// llama.cpp tells it beside the API.
	props := m.server
	props.Base = strings.TrimSuffix(props.Base, "/v1")
	if answer, err := props.Get(ctx, "/props"); err == nil {
		if n := answer.JSON.Get("default_generation_settings.n_ctx").Int(); n > 0 {
			return int(n), nil
		}
	}
	return 0, llm.ErrUnknown
}

// search is how a server searches the web for a model.
type search int

const (
	noSearch  search = iota
	responses        // the web_search tool of OpenAI's Responses API
	routed           // the server tool of OpenRouter
)

// server is what is known of a server before it was asked.
type server struct {
	hosts   []string // suffixes, or "host:port"
	dialect dialect
	search  search
	// effort tells how thinking is set: "reasoning_effort" (OpenAI), "reasoning"
	// (OpenRouter), "enable_thinking" (DashScope), "chat_template_kwargs"
	// (llama.cpp, vLLM); empty: not at all.
	effort string
}

// servers are those whose ways are documented; the last is for all others.
var servers = []server{
	{[]string{"api.openai.com"}, dialect{lengthName: "max_completion_tokens"}, responses, "reasoning_effort"},
	{[]string{"openrouter.ai"}, dialect{lengthName: "max_tokens"}, routed, "reasoning"},
	{[]string{"api.deepseek.com"}, dialect{lengthName: "max_tokens", noSchema: true}, noSearch, ""},
	{[]string{"aliyuncs.com"}, dialect{lengthName: "max_tokens", noSchema: true}, noSearch, "enable_thinking"},
	{[]string{":1234"}, dialect{lengthName: "max_tokens", noObject: true}, noSearch, ""}, // LM Studio
	{[]string{""}, dialect{lengthName: "max_tokens"}, noSearch, "chat_template_kwargs"},
}

func serverAt(base string) server {
	host := ""
	if u, err := url.Parse(base); err == nil {
		host = u.Host
	}
	for _, s := range servers {
		for _, h := range s.hosts {
			if strings.HasSuffix(host, h) {
				return s
			}
		}
	}
	return servers[len(servers)-1]
}

// usage reads the counters of an answer.
func usage(u gjson.Result) llm.Usage {
	first := func(paths ...string) int {
		for _, p := range paths {
			if v := u.Get(p); v.Exists() {
				return int(v.Int())
			}
		}
		return 0
	}
	out := llm.Usage{
		Calls:    1,
		In:       first("prompt_tokens", "input_tokens"),
		Out:      first("completion_tokens", "output_tokens"),
		Thinking: first("completion_tokens_details.reasoning_tokens", "output_tokens_details.reasoning_tokens"),
		Cached:   first("prompt_tokens_details.cached_tokens", "input_tokens_details.cached_tokens"),
		Searches: first("server_tool_use_details.web_search_requests", "server_tool_use.web_search_requests"),
	}
	if out.Thinking > out.Out { // counted apart by some servers
		out.Out += out.Thinking
	}
	if cost := u.Get("cost"); cost.Type == gjson.Number {
		c := cost.Num
		out.Cost = &c
	}
	return out
}
