package backends_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"deepresearch/internal/guard"
	"deepresearch/internal/llm"
	"deepresearch/internal/llm/backends"
	"deepresearch/internal/llm/llmtest"
)

func newGuard(t testing.TB) *guard.Guard {
	t.Helper()
	g, err := guard.New(guard.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// servers are what a prober finds.
func servers(names map[string]string) backends.Prober {
	return func(_ context.Context, backEnd, base string) []string {
		return strings.Fields(names[backEnd+" "+base])
	}
}

const (
	ollamaHere = "ollama http://127.0.0.1:11434"
	lmStudio   = "openai http://127.0.0.1:1234/v1"
)

func TestChoose(t *testing.T) {
	gemini, openAI := map[string]string{"GEMINI_API_KEY": "k-gemini"}, map[string]string{"OPENAI_API_KEY": "k-openai"}
	both := map[string]string{"GEMINI_API_KEY": "k-gemini", "OPENAI_API_KEY": "k-openai"}
	for _, c := range []struct {
		name   string
		config backends.Config
		found  map[string]string
		plan   string // the chain, in order
		write  string
		why    string
	}{
		{"nothing", backends.Config{}, nil, "", "", "no key is set"},
		{"named", backends.Config{All: backends.Choice{BackEnd: "openai", Name: "x"}, Keys: both}, nil, "openai:x", "openai:x", "was named"},
		{"a role of its own", backends.Config{All: backends.Choice{BackEnd: "ollama", Name: "a:b"}, Roles: map[llm.Role]backends.Choice{llm.Write: {BackEnd: "gemini", Name: "g"}}, Keys: gemini}, nil, "ollama:a:b", "gemini:g", "was named"},
		{"none", backends.Config{All: backends.Choice{BackEnd: "none"}, Keys: both}, map[string]string{ollamaHere: "m"}, "", "", "asked for"},
		{"a key", backends.Config{Keys: gemini}, map[string]string{ollamaHere: "m"}, "gemini:gemini-3.5-flash-lite gemini:gemini-3.8-flash", "gemini:gemini-3.8-flash gemini:gemini-3.5-flash-lite", "GEMINI_API_KEY is set"},
		{"two keys", backends.Config{Keys: both}, nil, "gemini:gemini-3.5-flash-lite gemini:gemini-3.8-flash", "gemini:gemini-3.8-flash gemini:gemini-3.5-flash-lite", "GEMINI_API_KEY is set"},
		{"a key for another server", backends.Config{Keys: openAI, URLs: map[string]string{"openai": "https://models.example/v1"}}, map[string]string{"openai https://models.example/v1": "theirs"}, "openai:theirs", "openai:theirs", "answers"},
		{"a router's key", backends.Config{Keys: map[string]string{"OPENROUTER_API_KEY": "k"}}, nil, "openai:google/gemini-3.5-flash-lite openai:google/gemini-3.8-flash", "openai:google/gemini-3.8-flash openai:google/gemini-3.5-flash-lite", "OPENROUTER"},
		{"Ollama before LM Studio, no embeddings", backends.Config{}, map[string]string{ollamaHere: "nomic-embed-text:latest qwen3:8b", lmStudio: "m"}, "ollama:qwen3:8b", "ollama:qwen3:8b", "Ollama answers"},
		{"LM Studio", backends.Config{}, map[string]string{lmStudio: "m"}, "openai:m", "openai:m", "LM Studio"},
		{"Ollama elsewhere", backends.Config{URLs: map[string]string{"ollama": "http://10.0.0.2:11434"}}, map[string]string{"ollama http://10.0.0.2:11434": "m"}, "ollama:m", "ollama:m", "answers"},
		{"offline, a key is of no use", backends.Config{Offline: true, Keys: both}, map[string]string{ollamaHere: "m"}, "ollama:m", "ollama:m", "Ollama"},
		{"offline, a server elsewhere is of no use", backends.Config{Offline: true, URLs: map[string]string{"ollama": "http://10.0.0.2:11434"}}, map[string]string{"ollama http://10.0.0.2:11434": "m"}, "", "", "no key"},
	} {
		t.Run(c.name, func(t *testing.T) {
			chosen, err := backends.Choose(context.Background(), c.config, newGuard(t), servers(c.found))
			if err != nil {
				t.Fatal(err)
			}
			if got := chain(chosen.Models, llm.Plan); got != c.plan {
				t.Errorf("plan: %q, want %q", got, c.plan)
			}
			if got := chain(chosen.Models, llm.Write); got != c.write {
				t.Errorf("write: %q, want %q", got, c.write)
			}
			if !strings.Contains(chosen.Why, c.why) {
				t.Errorf("why: %q, want %q", chosen.Why, c.why)
			}
		})
	}
}

func chain(m *llm.Models, role llm.Role) string {
	if m == nil {
		return ""
	}
	var names []string
	for _, one := range m.For(role) {
		names = append(names, one.Name())
	}
	return strings.Join(names, " ")
}

func TestNamedButMissing(t *testing.T) {
	for _, c := range []struct {
		name   string
		config backends.Config
		hint   string
	}{
		{"no key", backends.Config{All: backends.Choice{BackEnd: "gemini", Name: "g"}}, "GEMINI_API_KEY"},
		{"no key for one role", backends.Config{All: backends.Choice{BackEnd: "ollama", Name: "m"}, Roles: map[llm.Role]backends.Choice{llm.Judge: {BackEnd: "anthropic", Name: "c"}}}, "ANTHROPIC_API_KEY"},
		{"no such back end", backends.Config{All: backends.Choice{BackEnd: "abacus", Name: "m"}}, "ollama"},
		{"offline", backends.Config{All: backends.Choice{BackEnd: "gemini", Name: "g"}, Keys: map[string]string{"GEMINI_API_KEY": "k"}, Offline: true}, "--offline"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := backends.Choose(context.Background(), c.config, newGuard(t), servers(nil))
			missing := (*backends.Missing)(nil)
			if !errors.As(err, &missing) || !strings.Contains(missing.Hint, c.hint) {
				t.Errorf("got %v", err)
			}
		})
	}
	own := backends.Config{All: backends.Choice{BackEnd: "openai", Name: "m"}, URLs: map[string]string{"openai": "http://127.0.0.1:1234/v1"}}
	if _, err := backends.Choose(context.Background(), own, newGuard(t), servers(nil)); err != nil {
		t.Errorf("a server of one's own needs no key: %v", err)
	}
}

// TestLoopbackNeedsNoProxy: a proxy in the environment must not stand before a
// server on this machine, and the real prober must find it.
func TestLoopbackNeedsNoProxy(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	t.Setenv("http_proxy", "http://127.0.0.1:1")
	s := llmtest.NewServer(t, llmtest.Wire{}, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/tags":
			llmtest.Body(`{"models":[{"name":"m"}]}`)(w, r)
		case "/api/show":
			llmtest.Body(`{"model_info":{"x.context_length":8192}}`)(w, r)
		default:
			llmtest.Body(`{"message":{"content":"hello"},"done":true,"done_reason":"stop","prompt_eval_count":3,"eval_count":1}`)(w, r)
		}
	})
	chosen, err := backends.Choose(context.Background(), backends.Config{URLs: map[string]string{"ollama": s.URL}}, newGuard(t), nil)
	if err != nil || chosen.Models == nil {
		t.Fatalf("%+v, %v", chosen, err)
	}
	reply, err := chosen.Models.Generate(context.Background(), llm.Request{Messages: llm.Ask("hi")})
	if err != nil || reply.Text != "hello" || reply.Usage.Cost == nil || *reply.Usage.Cost != 0 {
		t.Errorf("got %+v, %v", reply, err)
	}
}

func TestPricesOfVendors(t *testing.T) {
	chosen, err := backends.Choose(context.Background(), backends.Config{Keys: map[string]string{"GEMINI_API_KEY": "k"}}, newGuard(t), servers(nil))
	if err != nil {
		t.Fatal(err)
	}
	if u := chosen.Models.Ceiling(llm.Request{Messages: llm.Ask("q")}); u.Cost == nil || *u.Cost <= 0 {
		t.Errorf("the models chosen by default have no price: %+v", u)
	}
	other := backends.Config{All: backends.Choice{BackEnd: "openai", Name: "gpt-5.6-luna"}, URLs: map[string]string{"openai": "https://gateway.example/v1"}}
	if chosen, err = backends.Choose(context.Background(), other, newGuard(t), servers(nil)); err != nil {
		t.Fatal(err)
	}
	if u := chosen.Models.Ceiling(llm.Request{Messages: llm.Ask("q")}); u.Cost != nil {
		t.Errorf("the price at another server is unknown, not %v", *u.Cost)
	}
}

func Example() {
	g, err := guard.New(guard.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	chosen, err := backends.Choose(context.Background(), backends.Config{Keys: map[string]string{"GEMINI_API_KEY": "k"}}, g, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(chosen.Models.Name(), "because", chosen.Why)
	// Output:
	// gemini:gemini-3.5-flash-lite, gemini:gemini-3.8-flash because GEMINI_API_KEY is set
}

func BenchmarkChoose(b *testing.B) {
	g := newGuard(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := backends.Choose(context.Background(), backends.Config{Keys: map[string]string{"GEMINI_API_KEY": "k"}}, g, nil); err != nil {
			b.Fatal(err)
		}
	}
}
