package ollama_test

import (
	"os"
	"strings"
	"testing"

	"deepresearch/internal/guard"
	"deepresearch/internal/llm"
	"deepresearch/internal/llm/llmtest"
	"deepresearch/internal/llm/ollama"
)

// TestRealOllama asks a real Ollama whose models say fixed texts;
// scripts/ollama.sh --check starts one.
func TestRealOllama(t *testing.T) {
	base := os.Getenv("DEEPRESEARCH_OLLAMA")
	if base == "" {
		t.Skip("no Ollama: run scripts/ollama.sh --check")
	}
	g, err := guard.New(guard.Options{Offline: true})
	if err != nil {
		t.Fatal(err)
	}
	model := func(name string) *ollama.Model {
		return ollama.New(ollama.Options{Client: g.Client(guard.Loopback()), Name: name, BaseURL: base})
	}
	models, err := llm.New(llm.Options{Default: []llm.Model{model("tiny-plan")}, Chains: map[llm.Role][]llm.Model{llm.Write: {model("tiny-write")}}})
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()

	t.Run("prose", func(t *testing.T) {
		reply, err := models.Generate(ctx, llm.Request{Role: llm.Write, System: "Be brief.", Messages: llm.Ask("How tall is it?")})
		if err != nil || reply.Text != "The Eiffel Tower is 330 metres tall [S1.q1]. It was opened in 1889 [S2.q1]." || reply.Usage.In == 0 || reply.Usage.Out == 0 {
			t.Errorf("got %+v, %v", reply, err)
		}
	})
	t.Run("schema", func(t *testing.T) {
		schema := []byte(`{"type":"object","properties":{"queries":{"type":"array","items":{"type":"string"}},"rationale":{"type":"string"}},"required":["queries"]}`)
		reply, err := models.Generate(ctx, llm.Request{Role: llm.Plan, Messages: llm.Ask("How tall is it?"), Schema: schema})
		want := `{"queries":["how tall is the Eiffel Tower","when was the Eiffel Tower built"],"rationale":"height and age"}`
		if err != nil || string(reply.JSON) != want {
			t.Errorf("got %+v, %v", reply, err)
		}
	})
	t.Run("stream", func(t *testing.T) {
		var got strings.Builder
		reply, err := models.Stream(ctx, llm.Request{Role: llm.Write, Messages: llm.Ask("How tall is it?")}, func(s string) error { got.WriteString(s); return nil })
		if err != nil || got.String() != reply.Text || !strings.HasPrefix(reply.Text, "The Eiffel") {
			t.Errorf("got %+v, %v, handed out %q", reply, err, got.String())
		}
	})
	t.Run("output limit", func(t *testing.T) {
		reply, err := model("tiny-write").Generate(ctx, llm.Request{Messages: llm.Ask("How tall is it?"), MaxOutput: 3})
		if err != nil || reply.Finish != llm.Length || reply.Text == "" {
			t.Errorf("got %+v, %v", reply, err)
		}
	})
	// Left to itself Ollama would cut the prompt in silence.
	t.Run("context", func(t *testing.T) {
		_, err := models.Generate(ctx, llm.Request{Role: llm.Write, Messages: llm.Ask(strings.Repeat("many words ", 20000))})
		if llm.KindOf(err) != llm.ContextTooLong {
			t.Errorf("got %v, want a context that is too long", err)
		}
	})
	t.Run("missing model", func(t *testing.T) {
		_, err := model("tiny-nothing").Generate(ctx, llmtest.Request())
		if e, ok := err.(*llm.Error); !ok || e.Kind != llm.NotFound || !strings.Contains(e.Hint, "tiny-plan") { //nolint:errorlint // the type is what is tested
			t.Errorf("got %+v", err)
		}
	})
}
