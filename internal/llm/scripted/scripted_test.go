package scripted_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"deepresearch/internal/llm"
	"deepresearch/internal/llm/scripted"
)

func Example() {
	m := scripted.New(scripted.Options{})
	reply, err := m.Generate(context.Background(), llm.Request{
		Role:     llm.Plan,
		Messages: llm.Ask("How tall is the Eiffel Tower?"),
		Schema:   json.RawMessage(`{"type":"object","properties":{"queries":{"type":"array","items":{"type":"string"}}}}`),
	})
	fmt.Println(reply.Text, err)

	reply, err = m.Generate(context.Background(), llm.Request{
		Role:     llm.Write,
		Messages: llm.Ask("How tall is it?\n\nS1.q1: It is 330 metres tall.\nS2.q4: It was opened in 1889."),
	})
	fmt.Println(reply.Text, err)
	// Output:
	// {"queries":["How tall is the Eiffel Tower","How tall is the Eiffel Tower overview","How tall is the Eiffel Tower figures"]} <nil>
	// It is 330 metres tall [S1.q1]. It was opened in 1889 [S2.q4]. <nil>
}

var schema = json.RawMessage(`{"type":"object","properties":{"enough":{"type":"boolean"},"gap":{"type":"string"},"ids":{"type":"array","items":{"type":"string"}},"n":{"type":"integer"},"kind":{"enum":["a","b"]}}}`)

func TestAnswersDependOnTheRequestAlone(t *testing.T) {
	for _, p := range scripted.Personas {
		a, b := scripted.New(scripted.Options{Persona: p}), scripted.New(scripted.Options{Persona: p})
		one := llm.Request{Messages: llm.Ask("What is it?\nS1.q1: 12 apples."), Schema: schema}
		two := llm.Request{Messages: llm.Ask("Where is it?")}
		texts := func(m *scripted.Model, rs ...llm.Request) map[string]string {
			out := map[string]string{}
			for _, r := range rs {
				reply, err := m.Generate(context.Background(), r)
				out[r.Messages[0].Text] = fmt.Sprint(reply.Text, err)
			}
			return out
		}
		if x, y := fmt.Sprint(texts(a, one, two)), fmt.Sprint(texts(b, two, one)); x != y {
			t.Errorf("%s: the order of requests matters:\n%s\n%s", p, x, y)
		}
	}
}

func TestPersonas(t *testing.T) {
	ask := func(p scripted.Persona, r llm.Request) (llm.Reply, error) {
		return scripted.New(scripted.Options{Persona: p}).Generate(context.Background(), r)
	}
	r := llm.Request{Messages: llm.Ask("How many?\nS1.q1: 12 apples.\nS1.q2: 30 pears.")}
	if got, err := ask(scripted.Lying, r); err != nil || got.Text != "19 apples [S1.q1]. 37 pears [S99.q99]." {
		t.Errorf("lying: %q, %v", got.Text, err)
	}
	if got, err := ask(scripted.Mute, r); err != nil || got.Text != "" {
		t.Errorf("empty: %q, %v", got.Text, err)
	}
	if got, err := ask(scripted.Sloppy, r); err != nil || !strings.Contains(got.Text, "12 apples") {
		t.Errorf("sloppy: %q, %v", got.Text, err)
	}
	m := scripted.New(scripted.Options{Persona: scripted.RateLimited})
	for i := range 3 {
		if _, err := m.Generate(context.Background(), r); (err == nil) != (i == 2) || err != nil && llm.KindOf(err) != llm.Rate {
			t.Errorf("rate-limited, attempt %d: %v", i+1, err)
		}
	}
}

func TestWindow(t *testing.T) {
	m := scripted.New(scripted.Options{Window: 1000})
	_, err := m.Generate(context.Background(), llm.Request{Messages: llm.Ask(strings.Repeat("word ", 2000)), MaxOutput: 100})
	if llm.KindOf(err) != llm.ContextTooLong {
		t.Errorf("got %v, want a context that is too long", err)
	}
	reply, err := m.Generate(context.Background(), llm.Request{Messages: llm.Ask("S1.q1: " + strings.Repeat("word ", 100)), MaxOutput: 10})
	if err != nil || reply.Finish != llm.Length || len(reply.Text) > 40 {
		t.Errorf("got %+v, %v, want an answer cut at its limit", reply, err)
	}
}
