package gemini

import (
	"encoding/json"
	"strings"

	"github.com/google/generative-ai-go/genai"
	"github.com/tidwall/gjson"

	"deepresearch/internal/llm"
	"deepresearch/internal/llm/wire"
)

// model prepares what the library can say of a request.
func (m *Model) model(r llm.Request, form llm.Form) *genai.GenerativeModel {
	g := m.client.GenerativeModel(m.name)
	g.SetMaxOutputTokens(int32(r.OutputLimit()))
	if r.Temperature != nil && m.generation() < 3 {
		// From Gemini 3 on temperature is ignored, and later models refuse it.
		g.SetTemperature(float32(*r.Temperature))
	}
	if system := wire.System(r, form); system != "" {
		g.SystemInstruction = genai.NewUserContent(genai.Text(system))
	}
	switch {
	case len(r.Schema) == 0:
	case form == llm.SchemaForm:
		g.ResponseSchema = schema(gjson.ParseBytes(r.Schema), 0)
		g.ResponseMIMEType = "application/json"
	case form == llm.ObjectForm:
		g.ResponseMIMEType = "application/json"
	}
	return g
}

func last(r llm.Request) string { return r.Messages[len(r.Messages)-1].Text }

// generation is the 3 of gemini-3.8-flash. Names without a number, such as
// gemini-flash-latest, mean the newest.
func (m *Model) generation() int {
	rest, ok := strings.CutPrefix(m.name, "gemini-")
	if ok && rest != "" && rest[0] >= '1' && rest[0] <= '9' {
		return int(rest[0] - '0')
	}
	return 3
}

// extra is what the library cannot say; it is merged into the request.
func (m *Model) extra(r llm.Request, form llm.Form) map[string]any {
	extra := map[string]any{}
	if r.Grounding {
		extra["tools"] = []any{map[string]any{"google_search": map[string]any{}}}
	}
	config := map[string]any{}
	if thinking := m.thinking(r); thinking != nil {
		config["thinkingConfig"] = thinking
	}
	if form == llm.SchemaForm {
		// Models write properties in this order; the library would send them in any.
		var order []string
		gjson.GetBytes(r.Schema, "properties").ForEach(func(k, _ gjson.Result) bool {
			order = append(order, k.Str)
			return true
		})
		if len(order) > 0 {
			config["responseSchema"] = map[string]any{"propertyOrdering": order}
		}
	}
	if len(config) > 0 {
		extra["generationConfig"] = config
	}
	if len(r.Messages) > 1 {
		extra["contents"] = contents(r)
	}
	return extra
}

func contents(r llm.Request) []any {
	var turns []any
	for _, m := range r.Messages {
		role := "user"
		if m.From == llm.Assistant {
			role = "model"
		}
		turns = append(turns, map[string]any{"role": role, "parts": []any{map[string]any{"text": m.Text}}})
	}
	return turns
}

// roomToThink is the output limit below which a model must think little:
// thinking counts inside the limit and would leave nothing for the answer.
const roomToThink = 2048

// budgets are the tokens of each level for Gemini 2.5, which takes no levels.
var budgets = map[llm.Thinking]int{llm.NoThinking: 0, llm.LowThinking: 1024, llm.MediumThinking: 4096, llm.HighThinking: 16384}

// thinking is the setting in the words of the model's generation; the two forms
// exclude each other.
func (m *Model) thinking(r llm.Request) map[string]any {
	level := r.Thinking
	if r.OutputLimit() < roomToThink {
		level = llm.NoThinking
	}
	switch {
	case level == "" || m.generation() < 2 || strings.HasPrefix(m.name, "gemini-2.0"):
		return nil
	case m.generation() == 2:
		budget := budgets[level]
		if strings.Contains(m.name, "pro") {
			budget = max(budget, 128) // it cannot be kept from thinking
		}
		return map[string]any{"thinkingBudget": min(budget, max(r.OutputLimit()/2, 128))}
	case level == llm.NoThinking && strings.Contains(m.name, "lite"):
		return map[string]any{"thinkingLevel": "minimal"}
	case level == llm.NoThinking:
		return map[string]any{"thinkingLevel": "low"} // the least that all of them take
	}
	return map[string]any{"thinkingLevel": string(level)}
}

// deepest bounds a schema in depth; ours are two deep.
const deepest = 8

var types = map[string]genai.Type{"string": genai.TypeString, "number": genai.TypeNumber, "integer": genai.TypeInteger,
	"boolean": genai.TypeBoolean, "array": genai.TypeArray, "object": genai.TypeObject}

// schema translates the part of a JSON schema that the library knows.
func schema(g gjson.Result, depth int) *genai.Schema {
	s := &genai.Schema{Type: genai.TypeString, Description: g.Get("description").Str}
	for _, t := range g.Get("type").Array() {
		if t.Str == "null" {
			s.Nullable = true
		} else if known, ok := types[strings.ToLower(t.Str)]; ok {
			s.Type = known
		}
	}
	if depth > deepest {
		return s
	}
	for _, e := range g.Get("enum").Array() {
		s.Enum = append(s.Enum, e.String())
	}
	if len(s.Enum) > 0 {
		s.Format = "enum"
	}
	if items := g.Get("items"); items.IsObject() {
		s.Items = schema(items, depth+1)
	} else if s.Type == genai.TypeArray {
		s.Items = &genai.Schema{Type: genai.TypeString}
	}
	if properties := g.Get("properties"); properties.IsObject() {
		s.Type, s.Properties = genai.TypeObject, map[string]*genai.Schema{}
		properties.ForEach(func(k, v gjson.Result) bool {
			s.Properties[k.Str] = schema(v, depth+1)
			return true
		})
	}
	for _, r := range g.Get("required").Array() {
		s.Required = append(s.Required, r.Str)
	}
	return s
}

// merge puts extra into a request, member by member; lists replace lists.
func merge(body []byte, extra map[string]any) ([]byte, error) {
	var request map[string]any
	if err := json.Unmarshal(body, &request); err != nil {
		return nil, err
	}
	mergeInto(request, extra)
	return json.Marshal(request)
}

func mergeInto(dst, src map[string]any) {
	for k, v := range src {
		from, ok := v.(map[string]any)
		into, isMap := dst[k].(map[string]any)
		if ok && isMap {
			mergeInto(into, from)
			continue
		}
		dst[k] = v
	}
}
