package scripted_test

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"deepresearch/internal/guard"
	"deepresearch/internal/llm"
	"deepresearch/internal/llm/openai"
	"deepresearch/internal/llm/scripted"
)

// TestHandler: over the wire every persona is what it is in the program.
func TestHandler(t *testing.T) {
	g, err := guard.New(guard.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range scripted.Personas {
		server := httptest.NewServer(scripted.Handler(scripted.New(scripted.Options{Persona: p, Wait: time.Millisecond})))
		models, err := llm.New(llm.Options{Default: []llm.Model{openai.New(openai.Options{Client: g.Client(guard.Loopback()), Name: "m", BaseURL: server.URL + "/v1"})}})
		if err != nil {
			t.Fatal(err)
		}
		reply, err := models.Generate(context.Background(), llm.Request{Messages: llm.Ask("How many?\nS1.q1: 12 apples."), Schema: schema})
		readable := p != scripted.Garbage && p != scripted.Mute
		if readable != (err == nil) || readable && !strings.Contains(string(reply.JSON), `"ids":["S1.q1"]`) {
			t.Errorf("%s: %s, %v", p, reply.JSON, err)
		}
		server.Close()
	}
}

func TestHandlerSaysWhatIsTooLong(t *testing.T) {
	server := httptest.NewServer(scripted.Handler(scripted.New(scripted.Options{Window: 500})))
	defer server.Close()
	g, err := guard.New(guard.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m := openai.New(openai.Options{Client: g.Client(guard.Loopback()), Name: "m", BaseURL: server.URL + "/v1"})
	if _, err := m.Generate(context.Background(), llm.Request{Messages: llm.Ask(strings.Repeat("word ", 1000))}); llm.KindOf(err) != llm.ContextTooLong {
		t.Errorf("got %v", err)
	}
}
