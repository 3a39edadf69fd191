package openai

import (
	"errors"
	"slices"
	"strings"

	"deepresearch/internal/llm"
	"deepresearch/internal/llm/wire"
)

// dialect is what a server takes in a request.
type dialect struct {
	lengthName string // max_tokens or max_completion_tokens
	noSchema   bool   // JSON by schema is refused
	noObject   bool   // JSON of any shape is refused
	noTemp     bool   // temperature is refused
	noEffort   bool   // the setting for thinking is refused
}

// form is the firmest form that the server takes, from the one that the request
// wants down.
func (d dialect) form(r llm.Request) llm.Form {
	switch {
	case (r.Form == "" || r.Form == llm.SchemaForm) && !d.noSchema:
		return llm.SchemaForm
	case r.Form != llm.TextForm && !d.noObject:
		return llm.ObjectForm
	}
	return llm.TextForm
}

// refusals tell from the words of a status 400 which part of the request the
// server does not take, and what to do instead.
var refusals = []struct {
	words []string
	adapt func(*dialect, llm.Request)
}{
	{[]string{"response_format", "json_schema", "json_object", "json mode", "structured output", "grammar", "too many states", "schema"}, refuseForm},
	{[]string{"max_completion_tokens", "max_tokens"}, func(d *dialect, _ llm.Request) { d.lengthName = otherLength[d.lengthName] }},
	{[]string{"temperature"}, func(d *dialect, r llm.Request) { d.noTemp = r.Temperature != nil }},
	{[]string{"reasoning", "enable_thinking", "chat_template_kwargs", "thinking"}, func(d *dialect, _ llm.Request) { d.noEffort = true }},
}

// refuseForm rules out the form that the request was sent in.
func refuseForm(d *dialect, r llm.Request) {
	if len(r.Schema) == 0 {
		return
	}
	switch d.form(r) {
	case llm.SchemaForm:
		d.noSchema = true
	case llm.ObjectForm:
		d.noObject = true
	}
}

var otherLength = map[string]string{"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}

// mostAdaptations is how often one request is rewritten: each part of it once,
// and the form twice.
const mostAdaptations = 6

// adapting calls f with what the server is known to take, and again as long as
// the server names a part of the request that it does not.
func (m *Model) adapting(r llm.Request, f func(dialect) error) error {
	for range mostAdaptations {
		m.mu.Lock()
		d := m.taken
		m.mu.Unlock()
		err := f(d)
		next, ok := adapt(d, r, err)
		if !ok {
			return err
		}
		m.mu.Lock()
		m.taken = next
		m.mu.Unlock()
	}
	m.mu.Lock()
	d := m.taken
	m.mu.Unlock()
	return f(d)
}

// adapt returns the dialect without the part that err says is not taken; false
// when err says nothing of the kind.
func adapt(d dialect, r llm.Request, err error) (dialect, bool) {
	e := (*llm.Error)(nil)
	if !errors.As(err, &e) || e.Kind != llm.BadRequest {
		return d, false
	}
	words := strings.ToLower(e.Message + " " + e.Code)
	for _, refusal := range refusals {
		next := d
		if slices.ContainsFunc(refusal.words, func(w string) bool { return strings.Contains(words, w) }) {
			refusal.adapt(&next, r)
		}
		if next != d {
			return next, true
		}
	}
	return d, false
}

// efforts are OpenAI's words for how long to think.
var efforts = map[llm.Thinking]string{llm.NoThinking: "none", llm.LowThinking: "low", llm.MediumThinking: "medium", llm.HighThinking: "high"}

// body is the request in the dialect.
func (m *Model) body(r llm.Request, d dialect, stream bool) map[string]any {
	form := d.form(r)
	body := map[string]any{"model": m.name, "messages": wire.Chat(wire.System(r, form), r.Messages), d.lengthName: r.OutputLimit()}
	if r.Temperature != nil && !d.noTemp {
		body["temperature"] = *r.Temperature
	}
	if !d.noEffort {
		m.setThinking(body, r)
	}
	if len(r.Schema) > 0 {
		switch form {
		case llm.SchemaForm:
			body["response_format"] = map[string]any{"type": "json_schema", "json_schema": map[string]any{"name": "answer", "strict": true, "schema": wire.Strict(r.Schema)}}
		case llm.ObjectForm:
			body["response_format"] = map[string]any{"type": "json_object"}
		}
	}
	if m.kind.search == routed {
		body["usage"] = map[string]any{"include": true} // the true cost
		if r.Grounding {
			body["tools"] = []any{map[string]any{"type": "openrouter:web_search"}}
		}
	}
	if stream {
		body["stream"] = true
		body["stream_options"] = map[string]any{"include_usage": true}
	}
	return body
}

func (m *Model) setThinking(body map[string]any, r llm.Request) {
	switch m.kind.effort {
	case "reasoning_effort":
		if r.Thinking != "" {
			body["reasoning_effort"] = efforts[r.Thinking]
		}
	case "reasoning":
		if r.Thinking != "" {
			body["reasoning"] = map[string]any{"effort": efforts[r.Thinking]}
		}
	case "enable_thinking":
		// DashScope refuses thinking in whole answers and beside JSON.
		body["enable_thinking"] = false
	case "chat_template_kwargs":
		if r.Thinking == llm.NoThinking {
			body["chat_template_kwargs"] = map[string]any{"enable_thinking": false}
		}
	}
}
