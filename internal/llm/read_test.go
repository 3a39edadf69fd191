package llm_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"deepresearch/internal/llm"
)

func TestJSON(t *testing.T) {
	const good = `{"queries":["a b"]}`
	for _, c := range []struct {
		name  string
		steps []step
		edit  func(*llm.Request)
		want  string // of Reply.JSON
		kind  llm.Kind
		asked int
		warns string
	}{
		{"as asked", says(good), nil, good, "", 1, ""},
		{"the mistake is pointed out", says("Sure.", good), nil, good, "", 2, ""},
		{"placeholder, then an answer", says(`{"queries":["string"]}`, good), nil, good, "", 2, ""},
		{"cut, then whole", sequence(cut(`{"queries":[`), says(good)), nil, good, "", 2, ""},
		{"cut but readable", cut(`{"queries":["a b","c`), nil, good, "", 1, "cut"},
		{"lines", says("Hm.", "1. a b\n2. c d"), nil, `{"queries":["a b","c d"]}`, "", 2, "lines"},
		{"never", says("Hm.", "Hm."), nil, "", llm.BrokenOutput, 2, ""},
		{"never, with a fallback", says("Hm.", "Hm."), func(r *llm.Request) { r.Fallback = json.RawMessage(good) }, good, "", 2, "fixed one"},
		{"nothing, with a fallback", says("", ""), func(r *llm.Request) { r.Fallback = json.RawMessage(good) }, good, "", 2, "fixed one"},
		{"refusal", says("I'm sorry, I cannot do that."), nil, "", llm.Blocked, 1, ""},
		{"refusal, with a fallback", says("I'm sorry, I cannot do that."), func(r *llm.Request) { r.Fallback = json.RawMessage(good) }, good, "", 1, "fixed one"},
		{"one attempt only", says("Hm."), func(r *llm.Request) { r.Attempts = 1 }, "", llm.BrokenOutput, 1, ""},
		{"failures are not replaced", fails(fail(llm.Auth)), func(r *llm.Request) { r.Fallback = json.RawMessage(good) }, "", llm.Auth, 1, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := &steps{name: "test:m", steps: c.steps}
			r := llm.Request{Messages: llm.Ask("q"), Schema: schema}
			if c.edit != nil {
				c.edit(&r)
			}
			reply, err := newModels(t, llm.Options{}, m).Generate(context.Background(), r)
			if string(reply.JSON) != c.want || llm.KindOf(err) != c.kind || len(m.asked) != c.asked {
				t.Errorf("got %s, %v after %d requests", reply.JSON, err, len(m.asked))
			}
			if w := strings.Join(reply.Warnings, " "); !strings.Contains(w, c.warns) || c.warns == "" && w != "" {
				t.Errorf("warnings %q, want %q", w, c.warns)
			}
		})
	}
}

func TestAskingAgain(t *testing.T) {
	m := &steps{name: "test:m", steps: sequence(cut(""), says("<think>x</think>no "+strings.Repeat("é", 600), `{"queries":["a b"]}`))}
	r := llm.Request{Messages: llm.Ask("q"), Schema: schema, MaxOutput: 100, Thinking: llm.HighThinking}
	reply, err := newModels(t, llm.Options{}, m).Generate(context.Background(), r)
	if err != nil || len(m.asked) != 3 || reply.Usage.Calls != 3 {
		t.Fatalf("got %+v, %v after %d requests", reply, err, len(m.asked))
	}
	longer, pointed := m.asked[1], m.asked[2]
	if longer.Thinking != llm.MediumThinking || longer.MaxOutput <= 100 || len(longer.Messages) != 1 {
		t.Errorf("the longer request is %+v", longer)
	}
	if longer.Form != llm.ObjectForm || pointed.Form != llm.TextForm || len(pointed.Messages) != 3 || !strings.Contains(pointed.Messages[2].Text, "no JSON value") ||
		len(pointed.Messages[1].Text) > 500 || strings.Contains(pointed.Messages[1].Text, "think") {
		t.Errorf("the request that points out the mistake is %+v", pointed)
	}
	if longer.MaxOutput != 8192 || pointed.MaxOutput > 8192 {
		t.Errorf("output limits %d, %d, want 8192 and what is left of it", longer.MaxOutput, pointed.MaxOutput)
	}
}

func TestCutTextIsKept(t *testing.T) {
	m := &steps{name: "test:m", steps: sequence(cut("half a sen"), fails(fail(llm.Auth)))}
	reply, err := newModels(t, llm.Options{}, m).Generate(context.Background(), llm.Request{Messages: llm.Ask("q")})
	if err != nil || reply.Text != "half a sen" || len(reply.Warnings) != 1 {
		t.Errorf("got %+v, %v", reply, err)
	}
}

// TestLooserThanTheServersOwn: a server that knows no schemas was already asked
// in a looser form, so the next attempt must go beyond that.
func TestLooserThanTheServersOwn(t *testing.T) {
	m := &steps{name: "test:m", steps: says("", `{"queries":["a b"]}`)}
	m.steps[0].reply.Form = llm.ObjectForm
	_, err := newModels(t, llm.Options{}, m).Generate(context.Background(), llm.Request{Messages: llm.Ask("q"), Schema: schema})
	if err != nil || m.asked[1].Form != llm.TextForm {
		t.Errorf("%v, the second form is %q", err, m.asked[1].Form)
	}
}

// TestPlacesMoveWithTheText: what surrounds an answer is cut off, and the places
// in it follow.
func TestPlacesMoveWithTheText(t *testing.T) {
	for _, c := range []struct{ before, after string }{{"", ""}, {"\n\n", "\n"}, {"<think>hm</think>\n", ""}} {
		m := &steps{name: "test:m", steps: says(c.before + "Zürich is big. It is old." + c.after)}
		start := len(c.before)
		m.steps[0].reply.Grounding = &llm.Grounding{Sources: []llm.WebPage{{URL: "https://a.example/"}}, Supports: []llm.Support{
			{Start: start, End: start + len("Zürich is big."), Sources: []int{0}}, {Start: start + len("Zürich is big. "), End: start + len("Zürich is big. It is old."), Sources: []int{0}}}}
		reply, err := newModels(t, llm.Options{}, m).Generate(context.Background(), llm.Request{Messages: llm.Ask("q"), Grounding: true})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range reply.Grounding.Supports {
			got = append(got, reply.Text[p.Start:p.End])
		}
		if diff := cmp.Diff([]string{"Zürich is big.", "It is old."}, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.before, diff)
		}
	}
}
