package ollama_test

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
	"deepresearch/internal/llm/llmtest"
	"deepresearch/internal/llm/ollama"
	"deepresearch/internal/safe"
)

func quote(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func message(text, reason string) string {
	return fmt.Sprintf(`{"model":"m","message":{"role":"assistant","content":%s,"thinking":"hm"},"done":true,"done_reason":%q,"prompt_eval_count":12,"eval_count":7}`, quote(text), reason)
}

// show is what a server tells of a model, as version 0.17.4 does.
const show = `{"model_info":{"general.architecture":"llama","llama.context_length":40960},"capabilities":["completion","thinking"]}`

func aside(show string) func(w http.ResponseWriter, r *http.Request) bool {
	return func(w http.ResponseWriter, r *http.Request) bool {
		switch r.URL.Path {
		case "/api/show":
			llmtest.Body(show)(w, r)
		case "/api/tags":
			llmtest.Body(`{"models":[{"name":"qwen3:8b"},{"name":"m:latest"}]}`)(w, r)
		default:
			return false
		}
		return true
	}
}

func wireOf(show string) llmtest.Wire {
	return llmtest.Wire{
		New: func(_ *testing.T, c *http.Client, base string) llm.Model {
			return ollama.New(ollama.Options{Client: c, Name: "m", BaseURL: base, Redactor: safe.NewRedactor(llmtest.Key)})
		},
		Keyless: true,
		Answer:  func(text string) string { return message(text, "stop") },
		Cut:     func(text string) string { return message(text, "length") },
		Stream: func(texts ...string) []string {
			var out []string
			for _, s := range texts {
				out = append(out, `{"message":{"role":"assistant","content":`+quote(s)+`},"done":false}`+"\n")
			}
			return append(out, message("", "stop")+"\n")
		},
		Failure: func(_ int, _, message string) string { return `{"error":` + quote(message) + `}` },
		Aside:   aside(show),
		Asked: func(body []byte) (system string, texts []string, bound bool) {
			for _, m := range gjson.GetBytes(body, "messages").Array() {
				if m.Get("role").Str == "system" {
					system = m.Get("content").Str
				} else {
					texts = append(texts, m.Get("content").Str)
				}
			}
			return system, texts, gjson.GetBytes(body, "format").Exists()
		},
	}
}

var wire = wireOf(show)

// TestSuite leaves the rows about keys and quotas in: a proxy before Ollama may
// answer so.
func TestSuite(t *testing.T) {
	w := wire
	w.Failure = func(_ int, code, message string) string {
		return `{"error":` + quote(strings.TrimSpace(code+" "+message)) + `}`
	}
	llmtest.Run(t, w)
}

func TestContextIsChosen(t *testing.T) {
	s := llmtest.NewServer(t, wire, llmtest.Body(message("x", "stop")))
	m := wire.New(t, s.Client, s.URL)
	for _, c := range []struct {
		words, limit int
		want         int64
	}{{10, 1000, 8192}, {8000, 1000, 16384}, {10, 1000, 16384}, {30000, 8192, 40960}} {
		r := llm.Request{Messages: llm.Ask(strings.Repeat("word ", c.words)), MaxOutput: c.limit}
		if _, err := m.Generate(context.Background(), r); err != nil {
			t.Fatal(err)
		}
		asked := s.Asked()
		body := gjson.ParseBytes(asked[len(asked)-1])
		if got := body.Get("options.num_ctx").Int(); got != c.want || body.Get("options.num_predict").Int() != int64(c.limit) ||
			body.Get("truncate").Raw != "false" || body.Get("shift").Raw != "false" || body.Get("keep_alive").Str == "" {
			t.Errorf("%d words: context %d, want %d, in %.200s", c.words, got, c.want, body.Raw)
		}
	}
	_, err := m.Generate(context.Background(), llm.Request{Messages: llm.Ask(strings.Repeat("word ", 40000))})
	if llm.KindOf(err) != llm.ContextTooLong || len(s.Asked()) != 4 {
		t.Errorf("a prompt longer than the model's context: %v after %d requests", err, len(s.Asked()))
	}
}

func TestSilentCutIsSeen(t *testing.T) {
	s := llmtest.NewServer(t, wire, llmtest.Body(strings.Replace(message("x", "stop"), `"prompt_eval_count":12`, `"prompt_eval_count":16384`, 1)))
	if _, err := wire.New(t, s.Client, s.URL).Generate(context.Background(), llmtest.Request()); llm.KindOf(err) != llm.ContextTooLong {
		t.Errorf("got %v, want a context that is too long", err)
	}
}

func TestThinking(t *testing.T) {
	for _, c := range []struct {
		name, show string
		first      http.HandlerFunc
		level      llm.Thinking
		want       string // raw JSON of think in the last request
	}{
		{"off", show, nil, llm.NoThinking, "false"},
		{"high", show, nil, llm.HighThinking, "true"},
		{"left alone", show, nil, "", ""},
		{"a model that cannot", `{"model_info":{"llama.context_length":8192},"capabilities":["completion"]}`, nil, llm.HighThinking, ""},
		{"a model that says so late", show, llmtest.Status(400, nil, `{"error":"\"m\" does not support thinking"}`), llm.HighThinking, ""},
		{"a model with levels", show, llmtest.Status(400, nil, `{"error":"think must be one of low, medium, high"}`), llm.HighThinking, `"high"`},
		{"a model with levels, off", show, llmtest.Status(400, nil, `{"error":"think must be one of low, medium, high"}`), llm.NoThinking, `"low"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := wireOf(c.show)
			answers := []http.HandlerFunc{llmtest.Body(message("x", "stop"))}
			if c.first != nil {
				answers = append([]http.HandlerFunc{c.first}, answers...)
			}
			s := llmtest.NewServer(t, w, llmtest.InTurn(answers...))
			r := llmtest.Request()
			r.Thinking = c.level
			if _, err := w.New(t, s.Client, s.URL).Generate(context.Background(), r); err != nil {
				t.Fatal(err)
			}
			asked := s.Asked()
			if got := gjson.GetBytes(asked[len(asked)-1], "think").Raw; got != c.want {
				t.Errorf("think is %s, want %s", got, c.want)
			}
		})
	}
}

func TestFormatThatIsRefused(t *testing.T) {
	s := llmtest.NewServer(t, wire, llmtest.InTurn(llmtest.Status(500, nil, `{"error":"invalid format: no grammar"}`), llmtest.Body(message(`{"queries":["a b"]}`, "stop"))))
	r := llmtest.Request()
	r.Schema = llmtest.Schema
	if _, err := wire.New(t, s.Client, s.URL).Generate(context.Background(), r); err != nil {
		t.Fatal(err)
	}
	if got := gjson.GetBytes(s.Asked()[1], "format").Raw; got != `"json"` {
		t.Errorf("the second request asks for %s", got)
	}
}

func TestMissingModel(t *testing.T) {
	s := llmtest.NewServer(t, wire, llmtest.Status(404, nil, `{"error":"model 'm' not found"}`))
	_, err := wire.New(t, s.Client, s.URL).Generate(context.Background(), llmtest.Request())
	e, ok := err.(*llm.Error) //nolint:errorlint // the type is what is tested
	if !ok || e.Kind != llm.NotFound || !strings.Contains(e.Hint, "ollama pull m") || !strings.Contains(e.Hint, "m:latest, qwen3:8b") {
		t.Errorf("got %+v", err)
	}
}

func TestErrorInTheStream(t *testing.T) {
	s := llmtest.NewServer(t, wire, llmtest.Pieces(`{"message":{"content":"half"},"done":false}`+"\n", `{"error":"the runner died"}`+"\n"))
	m, ok := wire.New(t, s.Client, s.URL).(llm.Streamer)
	if !ok {
		t.Fatal("it does not stream")
	}
	if _, err := m.Stream(context.Background(), llmtest.Request(), func(string) error { return nil }); llm.KindOf(err) != llm.Overloaded {
		t.Errorf("got %v", err)
	}
}

func TestCloudModelsAreNotFree(t *testing.T) {
	for name, free := range map[string]bool{"qwen3:8b": true, "gpt-oss:120b-cloud": false, "m": true} {
		if got := ollama.New(ollama.Options{Name: name}).Traits().Free; got != free {
			t.Errorf("%s: free %v", name, got)
		}
	}
}

func TestEmbedAndContext(t *testing.T) {
	s := llmtest.NewServer(t, wire, llmtest.Body(`{"embeddings":[[1,2],[3,4]]}`))
	m := ollama.New(ollama.Options{Client: s.Client, Name: "m", BaseURL: s.URL})
	got, err := m.Embed(context.Background(), []string{"a", "b"})
	if diff := cmp.Diff([][]float32{{1, 2}, {3, 4}}, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if n, err := m.ContextLength(context.Background()); err != nil || n != 40960 {
		t.Errorf("context %d, %v", n, err)
	}
}
