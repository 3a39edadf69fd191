package openai_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"deepresearch/internal/llm"
	"deepresearch/internal/llm/llmtest"
	"deepresearch/internal/llm/openai"
)

func quote(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

const usage = `"usage":{"prompt_tokens":12,"completion_tokens":7}`

func choice(text, finish string) string {
	return fmt.Sprintf(`{"choices":[{"message":{"role":"assistant","content":%s},"finish_reason":%q}],%s}`, quote(text), finish, usage)
}

var wire = llmtest.Wire{
	New: func(_ *testing.T, c *http.Client, base string) llm.Model {
		return openai.New(openai.Options{Client: c, Name: "m", BaseURL: base + "/v1", Key: llmtest.Key})
	},
	Answer:  func(text string) string { return choice(text, "stop") },
	Cut:     func(text string) string { return choice(text, "length") },
	Blocked: func() string { return choice("", "content_filter") },
	Stream: func(texts ...string) []string {
		var out []string
		for _, s := range texts {
			out = append(out, fmt.Sprintf("data: {\"choices\":[{\"delta\":{\"content\":%s}}]}\n\n", quote(s)))
		}
		return append(out, "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n", "data: {\"choices\":[],"+usage+"}\n\n", "data: [DONE]\n\n")
	},
	Failure: func(_ int, code, message string) string {
		return fmt.Sprintf(`{"error":{"message":%s,"type":"error","code":%s}}`, quote(message), quote(code))
	},
	Aside: func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/v1/models" {
			return false
		}
		llmtest.Body(`{"data":[{"id":"other"},{"id":"m-2","max_model_len":32768}]}`)(w, r)
		return true
	},
	Asked: func(body []byte) (system string, texts []string, bound bool) {
		for _, m := range gjson.GetBytes(body, "messages").Array() {
			if m.Get("role").Str == "system" {
				system = m.Get("content").Str
			} else {
				texts = append(texts, m.Get("content").Str)
			}
		}
		return system, texts, gjson.GetBytes(body, "response_format").Exists()
	},
}

func TestSuite(t *testing.T) { llmtest.Run(t, wire) }

// ladder answers 400 in the words of a server until the request is as it wants.
func ladder(t *testing.T, refuse func(body gjson.Result) string) (*llmtest.Server, llm.Model) {
	s := llmtest.NewServer(t, wire, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if words := refuse(gjson.ParseBytes(body)); words != "" {
			llmtest.Status(400, nil, wire.Failure(400, "", words))(w, r)
			return
		}
		llmtest.Body(wire.Answer(`{"queries":["a b"]}`))(w, r)
	})
	return s, wire.New(t, s.Client, s.URL)
}

// TestLadder holds the ways of real servers: what they refuse, in their words,
// and that they are asked right from then on.
func TestLadder(t *testing.T) {
	temperature := 0.2
	for _, c := range []struct {
		name   string
		refuse func(body gjson.Result) string
		first  int // requests for the first answer
	}{
		{"LM Studio takes no json_object", func(b gjson.Result) string {
			if b.Get("response_format.type").Str == "json_object" {
				return "'response_format.type' must be 'json_schema' or 'text'"
			}
			return ""
		}, 1},
		{"a server without schemas", func(b gjson.Result) string {
			if b.Get("response_format.type").Str == "json_schema" {
				return "response_format json_schema is not supported"
			}
			return ""
		}, 2},
		{"a server without any JSON mode", func(b gjson.Result) string {
			if b.Get("response_format").Exists() {
				return "Unknown parameter: response_format"
			}
			return ""
		}, 3},
		{"a reasoning model", func(b gjson.Result) string {
			switch {
			case b.Get("max_tokens").Exists():
				return "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
			case b.Get("temperature").Exists():
				return "Unsupported value: 'temperature' does not support 0.2 with this model."
			}
			return ""
		}, 3},
		{"a server that refuses everything it can", func(b gjson.Result) string {
			switch {
			case b.Get("chat_template_kwargs").Exists():
				return "unexpected field chat_template_kwargs"
			case b.Get("response_format").Exists():
				return "grammar: too many states"
			case b.Get("temperature").Exists():
				return "temperature is fixed"
			}
			return ""
		}, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, m := ladder(t, c.refuse)
			r := llmtest.Request()
			r.Schema, r.Temperature, r.Thinking = llmtest.Schema, &temperature, llm.NoThinking
			for i, want := range []int{c.first, c.first + 1} {
				if _, err := m.Generate(context.Background(), r); err != nil {
					t.Fatal(err)
				}
				if n := len(s.Asked()); n != want {
					t.Errorf("answer %d took %d requests in all, want %d", i+1, n, want)
				}
			}
		})
	}
}

// TestARefusedFormIsNotTheLastWord: a request in a looser form that the server
// refuses says nothing about the firmer one.
func TestARefusedFormIsNotTheLastWord(t *testing.T) {
	s, m := ladder(t, func(b gjson.Result) string {
		if b.Get("response_format.type").Str == "json_object" {
			return "'response_format.type' must be 'json_schema' or 'text'"
		}
		return ""
	})
	var got []string
	for _, form := range []llm.Form{"", llm.ObjectForm, ""} {
		r := llmtest.Request()
		r.Schema, r.Form = llmtest.Schema, form
		if _, err := m.Generate(context.Background(), r); err != nil {
			t.Fatal(err)
		}
	}
	for _, body := range s.Asked() {
		got = append(got, gjson.GetBytes(body, "response_format.type").Str)
	}
	if diff := cmp.Diff([]string{"json_schema", "json_object", "", "json_schema"}, got); diff != "" {
		t.Errorf("forms that were asked for (-want +got):\n%s", diff)
	}
}

func TestServersThatNeverAgree(t *testing.T) {
	s, m := ladder(t, func(gjson.Result) string {
		return "response_format max_tokens temperature reasoning are all wrong"
	})
	r := llmtest.Request()
	r.Schema = llmtest.Schema
	if _, err := m.Generate(context.Background(), r); llm.KindOf(err) != llm.BadRequest || len(s.Asked()) > 8 {
		t.Errorf("got %v after %d requests", err, len(s.Asked()))
	}
}

func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		name, body string
		schema     bool
		text       string
		kind       llm.Kind
	}{
		{"an answer inside the thinking", `{"choices":[{"message":{"content":"","reasoning_content":"so {\"queries\":[\"a b\"]}"},"finish_reason":"stop"}]}`, true, `{"queries":["a b"]}`, ""},
		{"thinking alone", `{"choices":[{"message":{"content":null,"reasoning_content":"hm"},"finish_reason":"stop"}]}`, true, "", ""},
		{"thinking beside the answer", `{"choices":[{"message":{"content":"said","reasoning":"hm"},"finish_reason":"stop"}]}`, false, "said", ""},
		{"content in parts", `{"choices":[{"message":{"content":[{"type":"text","text":"sa"},{"type":"image"},{"type":"text","text":"id"}]},"finish_reason":"stop"}]}`, false, "said", ""},
		{"a refusal", `{"choices":[{"message":{"content":null,"refusal":"I can't."},"finish_reason":"stop"}]}`, false, "", llm.Blocked},
		{"no choices", `{"choices":null}`, false, "", llm.Network},
		{"an error with status 200", `{"error":{"code":429,"message":"Provider returned error","metadata":{"raw":"upstream is rate limited"}},"user_id":"u"}`, false, "", llm.Rate},
		{"an error in a word", `{"error":"model exploded"}`, false, "", llm.Overloaded},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := llmtest.NewServer(t, wire, llmtest.Body(c.body))
			r := llmtest.Request()
			if c.schema {
				r.Schema = llmtest.Schema
			}
			reply, err := wire.New(t, s.Client, s.URL).Generate(context.Background(), r)
			if reply.Text != c.text || llm.KindOf(err) != c.kind {
				t.Errorf("got %q, %v", reply.Text, err)
			}
		})
	}
}

func TestMissingModelListsOthers(t *testing.T) {
	s := llmtest.NewServer(t, wire, llmtest.Status(404, nil, wire.Failure(404, "model_not_found", "no such model")))
	_, err := wire.New(t, s.Client, s.URL).Generate(context.Background(), llmtest.Request())
	if e, ok := err.(*llm.Error); !ok || !strings.Contains(e.Hint, "m-2, other") { //nolint:errorlint // the type is what is tested
		t.Errorf("got %+v", err)
	}
}

func TestContextLength(t *testing.T) {
	s := llmtest.NewServer(t, wire, func(w http.ResponseWriter, r *http.Request) {
		llmtest.Body(`{"default_generation_settings":{"n_ctx":4096}}`)(w, r)
	})
	for name, want := range map[string]int{"m-2": 32768, "other": 4096} {
		m := openai.New(openai.Options{Client: s.Client, Name: name, BaseURL: s.URL + "/v1"})
		if n, err := m.ContextLength(context.Background()); err != nil || n != want {
			t.Errorf("%s: %d, %v, want %d", name, n, err, want)
		}
	}
}

func TestEmbed(t *testing.T) {
	s := llmtest.NewServer(t, wire, llmtest.Body(`{"data":[{"index":1,"embedding":[3,4]},{"index":0,"embedding":[1,2]}]}`))
	m := openai.New(openai.Options{Client: s.Client, Name: "m", BaseURL: s.URL + "/v1"})
	got, err := m.Embed(context.Background(), []string{"a", "b"})
	if diff := cmp.Diff([][]float32{{1, 2}, {3, 4}}, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if _, err := m.Embed(context.Background(), []string{"a", "b", "c"}); err == nil {
		t.Error("a missing vector was accepted")
	}
}

func TestRecordedSearchOfOpenAI(t *testing.T) {
	raw := llmtest.Fixture(t, "search/openai/web-search.json")
	s := llmtest.NewServer(t, wire, llmtest.Body(gjson.GetBytes(raw, "response").Raw))
	// The way to OpenAI itself is taken by the address, so the loopback server stands in for it.
	m := openai.New(openai.Options{Client: &http.Client{Transport: redirect{s}}, Name: "gpt-5", Key: llmtest.Key})
	r := llmtest.Request()
	r.Grounding = true
	reply, err := m.Generate(context.Background(), r)
	if err != nil || !strings.HasPrefix(reply.Text, "Today (Tuesday, September 16, 2025)") {
		t.Fatalf("got %+v, %v", reply, err)
	}
	want := llm.Usage{Calls: 1, In: 9299, Out: 577, Thinking: 512, Cached: 8448, Searches: 1}
	if diff := cmp.Diff(want, reply.Usage); diff != "" {
		t.Errorf("usage (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(&llm.Grounding{Queries: []string{"weather: San Francisco, CA"}}, reply.Grounding); diff != "" {
		t.Errorf("grounding (-want +got):\n%s", diff)
	}
	if path := s.Seen()[0].URL.Path; path != "/v1/responses" {
		t.Errorf("asked at %s", path)
	}
}

// redirect sends every request to a loopback server instead.
type redirect struct{ to *llmtest.Server }

func (d redirect) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host = "http", strings.TrimPrefix(d.to.URL, "http://")
	return d.to.Client.Transport.RoundTrip(r)
}

func TestRecordedSearchOfOpenRouter(t *testing.T) {
	raw := llmtest.Fixture(t, "search/openrouter/web-search-annotations.json")
	s := llmtest.NewServer(t, wire, llmtest.Body(gjson.GetBytes(raw, "response").Raw))
	m := openai.New(openai.Options{Client: &http.Client{Transport: redirect{s}}, Name: "deepseek/deepseek-chat", BaseURL: "https://openrouter.ai/api/v1", Key: llmtest.Key})
	r := llmtest.Request()
	r.Grounding = true
	reply, err := m.Generate(context.Background(), r)
	if err != nil || reply.Text != "https://github.com/pydantic/pydantic-ai" || reply.Grounding == nil {
		t.Fatalf("got %+v, %v", reply, err)
	}
	if g := reply.Grounding; len(g.Sources) == 0 || g.Sources[0].URL != "https://github.com/pydantic/pydantic-ai" || len(g.Supports) != 0 {
		t.Errorf("grounding %+v", g)
	}
	if u := reply.Usage; u.In != 2315 || u.Out != 40 || u.Searches != 1 || u.Cost == nil || *u.Cost != 0.007637029 {
		t.Errorf("usage %+v", u)
	}
	if body := gjson.ParseBytes(s.Asked()[0]); body.Get("tools.0.type").Str != "openrouter:web_search" || !body.Get("usage.include").Bool() {
		t.Errorf("asked %s", body.Raw)
	}
}

func TestCitationsCountCharacters(t *testing.T) {
	body := `{"choices":[{"message":{"content":"Zürich is big.","annotations":[{"type":"url_citation","url_citation":{"url":"https://a.example/","start_index":0,"end_index":6}}]},"finish_reason":"stop"}]}`
	s := llmtest.NewServer(t, wire, llmtest.Body(body))
	reply, err := wire.New(t, s.Client, s.URL).Generate(context.Background(), llmtest.Request())
	if err != nil || len(reply.Grounding.Supports) != 1 {
		t.Fatalf("got %+v, %v", reply, err)
	}
	if p := reply.Grounding.Supports[0]; reply.Text[p.Start:p.End] != "Zürich" {
		t.Errorf("the citation is tied to %q", reply.Text[p.Start:p.End])
	}
}
