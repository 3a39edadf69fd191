package wire

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"deepresearch/internal/llm"
)

// System is the system prompt of r. In the looser forms it also asks for JSON
// and shows the schema: some servers want the word in the prompt, and without a
// schema in force the model has only the prompt to go by.
func System(r llm.Request, form llm.Form) string {
	if len(r.Schema) == 0 || form == llm.SchemaForm {
		return r.System
	}
	var schema bytes.Buffer
	if err := json.Compact(&schema, r.Schema); err != nil {
		schema.Reset()
		schema.Write(r.Schema)
	}
	ask := "Answer with one JSON value and nothing else. It must fit this JSON schema:\n" + schema.String()
	if r.System == "" {
		return ask
	}
	return r.System + "\n\n" + ask
}

// Chat is the conversation as most servers take it, the system prompt first.
func Chat(system string, messages []llm.Message) []map[string]string {
	var chat []map[string]string
	if system != "" {
		chat = append(chat, map[string]string{"role": "system", "content": system})
	}
	for _, m := range messages {
		chat = append(chat, map[string]string{"role": string(m.From), "content": m.Text})
	}
	return chat
}

// plainKeywords are the parts of a schema that every server knows. Others make
// some of them refuse the request, so they are only checked afterwards.
var plainKeywords = []string{"type", "description", "enum", "items", "properties", "required"}

// Plain returns the schema with nothing in it but what every server knows.
func Plain(schema json.RawMessage) json.RawMessage { return rewrite(gjson.ParseBytes(schema), false) }

// Strict is Plain in the dialect of OpenAI's strict mode: objects are closed and
// require every property.
func Strict(schema json.RawMessage) json.RawMessage { return rewrite(gjson.ParseBytes(schema), true) }

func rewrite(g gjson.Result, strict bool) json.RawMessage {
	if !g.IsObject() {
		return json.RawMessage(g.Raw)
	}
	var members []string
	var names []string
	g.ForEach(func(k, v gjson.Result) bool {
		switch {
		case !slices.Contains(plainKeywords, k.Str):
			return true
		case k.Str == "properties":
			var properties []string
			v.ForEach(func(name, property gjson.Result) bool {
				names = append(names, name.Raw)
				properties = append(properties, name.Raw+":"+string(rewrite(property, strict)))
				return true
			})
			members = append(members, `"properties":{`+strings.Join(properties, ",")+"}")
		case k.Str == "items":
			members = append(members, `"items":`+string(rewrite(v, strict)))
		case k.Str == "required" && strict:
		default:
			members = append(members, k.Raw+":"+v.Raw)
		}
		return true
	})
	if strict && len(names) > 0 {
		members = append(members, `"required":[`+strings.Join(names, ",")+"]", `"additionalProperties":false`)
	}
	return json.RawMessage("{" + strings.Join(members, ",") + "}")
}
