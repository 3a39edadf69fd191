// Package ollama reaches models of an Ollama server through its native API.
// Start with [New].
//
// The native API is used for one reason above all: it sets the length of the
// context. Ollama's default is 4,096 tokens on most machines, and a longer
// prompt loses its beginning without a word. This package chooses a context,
// forbids the cutting, and takes a prompt that fills the context for a cut one.
package ollama

import (
	"cmp"
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

// BaseURL is where Ollama listens.
const BaseURL = "http://127.0.0.1:11434"

// Options configure a model. Client and Name are needed.
type Options struct {
	Client  *http.Client
	Name    string
	BaseURL string // empty: BaseURL
	// MaxContext caps the context that is asked for, in tokens; 0: 65536, as
	// Ollama's documentation advises at least for searching the web. Memory grows
	// with it.
	MaxContext int
	Redactor   *safe.Redactor
}

// Model is one model of one server. It is safe for concurrent use.
type Model struct {
	name   string
	server wire.Server
	cap    int

	mu      sync.Mutex
	trained int         // the context that the model was made for; 0: not asked yet
	chosen  int         // the context that is sent; it only grows, for a change loads the model anew
	think   thinkSwitch // what the model takes
}

// thinkSwitch is how the model's thinking is set.
type thinkSwitch int

const (
	boolean thinkSwitch = iota // true or false
	levels                     // low, medium, high
	never                      // the model cannot think, so nothing is sent
)

// New returns a model.
func New(opt Options) *Model {
	if opt.BaseURL == "" {
		opt.BaseURL = BaseURL
	}
	if opt.MaxContext == 0 {
		opt.MaxContext = 65536
	}
	return &Model{name: opt.Name, cap: opt.MaxContext,
		server: wire.Server{Client: opt.Client, Base: strings.TrimRight(opt.BaseURL, "/"), BackEnd: "ollama", Redactor: opt.Redactor}}
}

// Name is "ollama:" and the name on the server.
func (m *Model) Name() string { return "ollama:" + m.name }

// Traits tells the policy where the model runs. The models that Ollama only
// hands on to its cloud have "cloud" in their tag and cost money.
func (m *Model) Traits() llm.Traits {
	_, tag, _ := strings.Cut(m.name, ":")
	return llm.Traits{BackEnd: "ollama", Server: m.server.Base, Local: true, Free: !strings.Contains(tag, "cloud"), First: 600 * time.Second, Timeout: 300 * time.Second}
}

// keepAlive keeps the model in memory between the calls of a run.
const keepAlive = "10m"

// Generate asks for a whole answer.
func (m *Model) Generate(ctx context.Context, r llm.Request) (llm.Reply, error) {
	var reply llm.Reply
	err := m.adapting(ctx, r, func(body map[string]any, window int) error {
		body["stream"] = false
		answer, err := m.server.Post(ctx, "/api/chat", body)
		if err != nil {
			return err
		}
		reply, err = m.read(answer.JSON, answer.JSON.Get("message.content").Str, r, window)
		return err
	})
	return reply, m.explain(ctx, err)
}

// Stream hands out the text as it comes.
func (m *Model) Stream(ctx context.Context, r llm.Request, emit func(string) error) (llm.Reply, error) {
	var reply llm.Reply
	err := m.adapting(ctx, r, func(body map[string]any, window int) error {
		var said strings.Builder
		var last gjson.Result
		body["stream"] = true
		_, err := m.server.Stream(ctx, "/api/chat", body, func(event gjson.Result) error {
			if event.Get("done").Bool() {
				last = event
			}
			piece := event.Get("message.content").Str
			said.WriteString(piece)
			if piece == "" {
				return nil
			}
			return emit(piece)
		})
		switch {
		case err != nil:
			return err
		case !last.Exists():
			return m.server.BrokeOff()
		}
		reply, err = m.read(last, said.String(), r, window)
		return err
	})
	return reply, m.explain(ctx, err)
}

func (m *Model) read(end gjson.Result, text string, r llm.Request, window int) (llm.Reply, error) {
	reply := llm.Reply{Text: text, Model: m.Name(), Finish: llm.Stopped, Form: formOf(r)}
	reply.Usage = llm.Usage{Calls: 1, In: int(end.Get("prompt_eval_count").Int()), Out: int(end.Get("eval_count").Int())}
	switch {
	case !end.Get("message").Exists() && !end.Get("done").Exists():
		return llm.Reply{}, m.server.Fail(llm.Network, "the answer has no message")
	case reply.Usage.In >= window:
		// An old server, or one behind a proxy that drops options, cut the prompt.
		return llm.Reply{Usage: reply.Usage}, m.server.Fail(llm.ContextTooLong, "the prompt fills the whole context, so its beginning was cut off")
	case end.Get("done_reason").Str == "length":
		reply.Finish = llm.Length
	}
	if reply.Usage.In == 0 {
		reply.Usage.In, reply.Usage.Estimated = llm.EstimateInput(r), true
	}
	if r.Grounding {
		reply.Warnings = append(reply.Warnings, "Ollama does not search the web for a model; the answer is from the model's memory.")
	}
	return reply, nil
}

// adapting calls f with the request, and again when the model takes the setting
// of its thinking in another way.
func (m *Model) adapting(ctx context.Context, r llm.Request, f func(body map[string]any, window int) error) error {
	window, err := m.window(ctx, r)
	if err != nil {
		return err
	}
	for range mostAdaptations {
		m.mu.Lock()
		think := m.think
		m.mu.Unlock()
		err = f(m.body(r, window, think), window)
		e := (*llm.Error)(nil)
		if !errors.As(err, &e) || e.Kind != llm.BadRequest {
			return err
		}
		switch {
		case len(r.Schema) > 0 && strings.Contains(e.Message, "format"): // a schema that its grammar cannot express
			r.Form = looser[r.Form]
		case strings.Contains(e.Message, "think") && think != never:
			m.mu.Lock()
			if m.think = never; think == boolean && !strings.Contains(e.Message, "does not support thinking") {
				m.think = levels
			}
			m.mu.Unlock()
		default:
			return err
		}
	}
	return err
}

var looser = map[llm.Form]llm.Form{"": llm.ObjectForm, llm.SchemaForm: llm.ObjectForm, llm.ObjectForm: llm.TextForm, llm.TextForm: llm.TextForm}

// mostAdaptations is how often one request is rewritten: twice for its form and
// twice for its thinking.
const mostAdaptations = 5

// formOf is how JSON is asked for.
func formOf(r llm.Request) llm.Form { return cmp.Or(r.Form, llm.SchemaForm) }

func (m *Model) body(r llm.Request, window int, think thinkSwitch) map[string]any {
	form := formOf(r)
	options := map[string]any{"num_ctx": window, "num_predict": r.OutputLimit()}
	if r.Temperature != nil {
		options["temperature"] = *r.Temperature
	}
	body := map[string]any{"model": m.name, "messages": wire.Chat(wire.System(r, form), r.Messages), "options": options,
		"keep_alive": keepAlive, "truncate": false, "shift": false}
	if len(r.Schema) > 0 {
		switch form {
		case llm.SchemaForm:
			body["format"] = wire.Plain(r.Schema)
		case llm.ObjectForm:
			body["format"] = "json"
		}
	}
	switch {
	case r.Thinking == "" || think == never:
	case think == boolean:
		body["think"] = r.Thinking == llm.MediumThinking || r.Thinking == llm.HighThinking
	case r.Thinking == llm.NoThinking:
		body["think"] = "low"
	default:
		body["think"] = string(r.Thinking)
	}
	return body
}

// explain says what to do about a model that is not there.
func (m *Model) explain(ctx context.Context, err error) error {
	e := (*llm.Error)(nil)
	if !errors.As(err, &e) {
		return err
	}
	switch e.Kind {
	case llm.NotFound:
		e = wire.Missing(e, m.name, m.server.Names(ctx, "/api/tags", "models.#.name"))
		e.Hint = strings.TrimSpace("Run: ollama pull " + m.name + ". " + e.Hint)
	case llm.Unreachable:
		e.Hint = "Is Ollama running at " + m.server.Redact(m.server.Base) + "? Start it with: ollama serve. OLLAMA_HOST names another address."
	}
	return e
}

// Embed asks for a vector of each text.
func (m *Model) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	answer, err := m.server.Post(ctx, "/api/embed", map[string]any{"model": m.name, "input": texts, "keep_alive": keepAlive})
	if err != nil {
		return nil, m.explain(ctx, err)
	}
	list := answer.JSON.Get("embeddings").Array()
	if len(list) != len(texts) {
		return nil, m.server.Fail(llm.Network, "a vector is missing in the answer")
	}
	vectors := make([][]float32, len(list))
	for i, v := range list {
		for _, x := range v.Array() {
			vectors[i] = append(vectors[i], float32(x.Num))
		}
	}
	return vectors, nil
}
