package anthropic_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"deepresearch/internal/llm"
	"deepresearch/internal/llm/anthropic"
	"deepresearch/internal/llm/llmtest"
)

func quote(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func message(text, stop string) string {
	return fmt.Sprintf(`{"type":"message","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":%s}],"stop_reason":%q,"usage":{"input_tokens":10,"cache_read_input_tokens":2,"output_tokens":7}}`, quote(text), stop)
}

func event(v string) string {
	return "event: " + gjson.Get(v, "type").Str + "\ndata: " + v + "\n\n"
}

var wire = llmtest.Wire{
	New: func(_ *testing.T, c *http.Client, base string) llm.Model {
		return anthropic.New(anthropic.Options{Client: c, Name: "m", BaseURL: base, Key: llmtest.Key})
	},
	Answer:  func(text string) string { return message(text, "end_turn") },
	Cut:     func(text string) string { return message(text, "max_tokens") },
	Blocked: func() string { return message("", "refusal") },
	Stream: func(texts ...string) []string {
		out := []string{event(`{"type":"message_start","message":{"usage":{"input_tokens":12,"output_tokens":1}}}`), event(`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`)}
		for _, s := range texts {
			out = append(out, event(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":`+quote(s)+`}}`))
		}
		return append(out, event(`{"type":"content_block_stop","index":0}`), event(`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":7}}`), event(`{"type":"message_stop"}`))
	},
	Failure: func(_ int, code, message string) string {
		return fmt.Sprintf(`{"type":"error","error":{"type":%s,"message":%s}}`, quote(code), quote(message))
	},
	Aside: func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/v1/models" {
			return false
		}
		llmtest.Body(`{"data":[{"id":"m-2"}]}`)(w, r)
		return true
	},
	Asked: func(body []byte) (system string, texts []string, bound bool) {
		for _, m := range gjson.GetBytes(body, "messages.#.content").Array() {
			texts = append(texts, m.Str)
		}
		return gjson.GetBytes(body, "system").Str, texts, gjson.GetBytes(body, "output_config").Exists()
	},
}

func TestSuite(t *testing.T) { llmtest.Run(t, wire) }

func TestRecordedSearch(t *testing.T) {
	raw := llmtest.Fixture(t, "search/anthropic/web-search.json")
	s := llmtest.NewServer(t, wire, llmtest.Body(gjson.GetBytes(raw, "response").Raw))
	r := llmtest.Request()
	r.Grounding = true
	reply, err := wire.New(t, s.Client, s.URL).Generate(context.Background(), r)
	if err != nil || reply.Grounding == nil {
		t.Fatalf("got %+v, %v", reply, err)
	}
	if reply.Usage.In != 8984 || reply.Usage.Out != 520 || reply.Usage.Searches != 1 {
		t.Errorf("usage %+v", reply.Usage)
	}
	if diff := cmp.Diff([]string{"San Francisco weather today"}, reply.Grounding.Queries); diff != "" {
		t.Error(diff)
	}
	if strings.Contains(reply.Text, "I should search") {
		t.Error("the thinking is in the answer")
	}
	var said []string
	for _, p := range reply.Grounding.Supports {
		said = append(said, reply.Text[p.Start:p.End]+" <- "+reply.Grounding.Sources[p.Sources[0]].URL)
	}
	const first = "Temperature: 66°F with clear skies <- https://www.accuweather.com/en/us/san-francisco/94103/weather-forecast/347629"
	if len(said) != 9 || said[0] != first {
		t.Errorf("supports:\n%s", strings.Join(said, "\n"))
	}
	if !gjson.GetBytes(s.Asked()[0], `tools.#(name=="web_search")`).Exists() {
		t.Errorf("the request does not ask for a search: %s", s.Asked()[0])
	}
}

func TestCitationsOfAStream(t *testing.T) {
	s := llmtest.NewServer(t, wire, llmtest.Pieces(
		event(`{"type":"message_start","message":{"usage":{"input_tokens":1}}}`),
		event(`{"type":"content_block_start","content_block":{"type":"server_tool_use","name":"web_search"}}`),
		event(`{"type":"content_block_delta","delta":{"type":"input_json_delta","partial_json":"{\"query\":"}}`),
		event(`{"type":"content_block_delta","delta":{"type":"input_json_delta","partial_json":"\"how tall\"}"}}`),
		event(`{"type":"content_block_stop"}`),
		event(`{"type":"content_block_start","content_block":{"type":"web_search_tool_result","content":[{"url":"https://a.example/","title":"A"},{"url":"https://b.example/","title":"B"}]}}`),
		event(`{"type":"content_block_stop"}`),
		event(`{"type":"content_block_start","content_block":{"type":"text","text":""}}`),
		event(`{"type":"content_block_delta","delta":{"type":"text_delta","text":"330 m"}}`),
		event(`{"type":"content_block_delta","delta":{"type":"citations_delta","citation":{"url":"https://b.example/"}}}`),
		event(`{"type":"content_block_stop"}`),
		event(`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":7,"server_tool_use":{"web_search_requests":1}}}`),
		event(`{"type":"message_stop"}`),
	))
	m := anthropic.New(anthropic.Options{Client: s.Client, Name: "m", BaseURL: s.URL})
	reply, err := m.Stream(context.Background(), llmtest.Request(), func(string) error { return nil })
	want := &llm.Grounding{Queries: []string{"how tall"}, Sources: []llm.WebPage{{URL: "https://a.example/", Title: "A"}, {URL: "https://b.example/", Title: "B"}},
		Supports: []llm.Support{{Start: 0, End: 5, Sources: []int{1}}}}
	if diff := cmp.Diff(want, reply.Grounding); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestASchemaThatIsRefused(t *testing.T) {
	s := llmtest.NewServer(t, wire, llmtest.InTurn(
		llmtest.Status(400, nil, wire.Failure(400, "invalid_request_error", "output_config: Extra inputs are not permitted")),
		llmtest.Body(wire.Answer(`{"queries":["a b"]}`)),
	))
	m := wire.New(t, s.Client, s.URL)
	r := llmtest.Request()
	r.Schema = llmtest.Schema
	for range 2 {
		if _, err := m.Generate(context.Background(), r); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(s.Asked()); n != 3 {
		t.Errorf("two answers took %d requests, want 3: the refusal is remembered", n)
	}
}

func TestThinkingLeavesRoom(t *testing.T) {
	s := llmtest.NewServer(t, wire, llmtest.Body(wire.Answer("x")))
	m := wire.New(t, s.Client, s.URL)
	temperature := 0.5
	for _, c := range []struct {
		thinking llm.Thinking
		limit    int
		budget   int64
	}{{llm.HighThinking, 40000, 16384}, {llm.HighThinking, 8192, 4096}, {llm.HighThinking, 1000, 0}, {llm.NoThinking, 8192, 0}, {"", 8192, 0}} {
		r := llmtest.Request()
		r.Thinking, r.MaxOutput, r.Temperature = c.thinking, c.limit, &temperature
		if _, err := m.Generate(context.Background(), r); err != nil {
			t.Fatal(err)
		}
		asked := s.Asked()
		body := gjson.ParseBytes(asked[len(asked)-1])
		if body.Get("thinking.budget_tokens").Int() != c.budget || body.Get("temperature").Exists() == (c.budget > 0) {
			t.Errorf("%s within %d: %s", c.thinking, c.limit, body.Raw)
		}
	}
}
