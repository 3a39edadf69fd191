package tools_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"deepresearch/tools"
)

// The list of tools stands in every conversation of every host, so its size is a
// promise: names, descriptions and input schemas within 10 KB, all within 18.
const (
	mostListed = 18_000
	mostRead   = 10_000
	mostAbout  = 1500 // Claude Code cuts descriptions at 2,048
)

// listed is the answer to tools/list as it goes over the wire.
func listed(t *testing.T) (whole []byte, list []listing) {
	t.Helper()
	m := tools.New(tools.Options{Engine: engine(t), Searcher: offline{}, Reader: offline{}})
	whole, err := json.Marshal(m.HandleMessage(t.Context(), json.RawMessage(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)))
	if err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Result struct{ Tools []json.RawMessage }
	}
	if err := json.Unmarshal(whole, &answer); err != nil {
		t.Fatal(err)
	}
	for _, raw := range answer.Result.Tools {
		l := listing{raw: raw}
		if err := json.Unmarshal(raw, &l); err != nil {
			t.Fatal(err)
		}
		list = append(list, l)
	}
	return whole, list
}

type listing struct {
	raw         []byte
	Name        string
	Title       string
	Description string
	InputSchema json.RawMessage
	Annotations map[string]bool
}

func TestTools(t *testing.T) {
	whole, list := listed(t)
	names := map[string]bool{}
	for _, tool := range list {
		names[tool.Name] = true
	}
	read := 0
	for _, tool := range list {
		t.Run(tool.Name, func(t *testing.T) {
			var pretty bytes.Buffer
			if err := json.Indent(&pretty, tool.raw, "", "  "); err != nil {
				t.Fatal(err)
			}
			golden(t, "tools/"+tool.Name+".json", append(pretty.Bytes(), '\n'))
			if len(tool.Description) > mostAbout {
				t.Errorf("the description has %d characters, the most is %d", len(tool.Description), mostAbout)
			}
			if len(tool.Annotations) != 4 || tool.Title == "" {
				t.Errorf("title %q, annotations %v: all four must be set", tool.Title, tool.Annotations)
			}
			for word := range strings.FieldsFuncSeq(tool.Description, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }) {
				if names[word] && word != tool.Name && strings.Contains(word, "_") {
					t.Errorf("the description names the tool %s: guidance belongs into the instructions", word)
				}
			}
			flat(t, tool.InputSchema)
			read += len(tool.Name) + len(tool.Description) + len(tool.InputSchema)
		})
	}
	t.Logf("names, descriptions and input schemas: %d bytes; the whole answer: %d bytes", read, len(whole))
	if len(list) != 7 || read > mostRead || len(whole) > mostListed {
		t.Errorf("%d tools; %d of %d bytes, whole answer %d of %d", len(list), read, mostRead, len(whole), mostListed)
	}
}

// flat checks that a schema is closed and that each property has one type.
func flat(t *testing.T, raw []byte) {
	t.Helper()
	var s struct {
		Type       string
		Properties map[string]struct {
			Type        any
			Description string
		}
		AdditionalProperties any
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatal(err)
	}
	if s.Type != "object" || s.AdditionalProperties != false {
		t.Errorf("the schema is not closed: %s", raw)
	}
	for name, p := range s.Properties {
		if _, one := p.Type.(string); !one || p.Description == "" {
			t.Errorf("%s has the type %v and the description %q", name, p.Type, p.Description)
		}
	}
	if m := regexp.MustCompile(`"(anyOf|oneOf|allOf|\$ref|null)"`).Find(raw); m != nil {
		t.Errorf("the schema uses %s", m)
	}
}

func TestPrompts(t *testing.T) {
	h := newHost(t, tools.Options{})
	list, err := h.ListPrompts(t.Context(), mcp.ListPromptsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if len(list.Prompts) != 4 {
		t.Errorf("%d prompts", len(list.Prompts))
	}
	var all strings.Builder
	for _, p := range list.Prompts {
		given := map[string]string{}
		for _, a := range p.Arguments {
			if a.Required {
				given[a.Name] = "the {effort} of bees"
			}
		}
		for _, language := range []string{"", "de"} {
			given["language"] = language
			var req mcp.GetPromptRequest
			req.Params.Name, req.Params.Arguments = p.Name, given
			got, err := h.GetPrompt(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			text, _ := got.Messages[0].Content.(mcp.TextContent)
			all.WriteString("== " + p.Name + " " + language + "\n" + text.Text + "\n")
		}
		var empty mcp.GetPromptRequest
		empty.Params.Name = p.Name
		if _, err := h.GetPrompt(t.Context(), empty); err == nil || !strings.Contains(err.Error(), "missing") {
			t.Errorf("%s without arguments: %v", p.Name, err)
		}
	}
	golden(t, "prompts.txt", []byte(all.String()))
}

func TestCompletion(t *testing.T) {
	h := newHost(t, tools.Options{})
	var req mcp.CompleteRequest
	req.Params.Ref = mcp.PromptReference{Type: "ref/prompt", Name: "compare"}
	req.Params.Argument = mcp.CompleteArgument{Name: "effort", Value: "s"}
	got, err := h.Complete(t.Context(), req)
	if err != nil || len(got.Completion.Values) != 1 || got.Completion.Values[0] != "standard" {
		t.Errorf("%+v, %v", got, err)
	}
}
