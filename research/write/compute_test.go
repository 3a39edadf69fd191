package write_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"deepresearch/citations"
	"deepresearch/internal/compute"
	"deepresearch/internal/llm"
	"deepresearch/internal/llm/scripted"
	"deepresearch/internal/sandbox"
	"deepresearch/research"
)

// TestMain lets this binary be its own child.
func TestMain(m *testing.M) {
	if sandbox.Child(map[string]sandbox.Job{compute.JobName: compute.Job}) {
		return
	}
	os.Exit(m.Run())
}

const costQuestion = "What did the Varn Bridge cost, how long is it and what did a metre of it cost?"

// costPlan computes from what one research task finds; compute stands first, as
// models put it.
var costPlan = onSchema(`"depends_on"`, `{"title":"Cost of a metre","enough":false,"tasks":[
{"id":"c","kind":"PROCESSING","title":"Cost of a metre of the Varn Bridge","detail":"Crowns for each metre.","depends_on":["r"]},
{"id":"r","kind":"research","title":"Cost and length of the Varn Bridge","queries":["Varn Bridge cost crowns length metres"]}]}`)

// named is the name of the first passage of a prompt that holds all words.
func named(user string, words ...string) string {
	for _, p := range passages(user) {
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(p[2], w) }) {
			return p[1]
		}
	}
	return "S99.q9"
}

type input struct {
	Name  string   `json:"name"`
	Value string   `json:"value"`
	From  []string `json:"from"`
}

// program answers the nth request for a program of a run by the nth text.
func program(texts ...func(user string) string) func(llm.Request) string {
	n := 0
	return func(r llm.Request) string {
		if !strings.Contains(string(r.Schema), `"code"`) {
			return ""
		}
		n++
		return texts[min(n, len(texts))-1](r.Messages[0].Text)
	}
}

// perMetre divides the cost by the length; the function changes what it says.
func perMetre(change func(inputs []input, code string) ([]input, string)) func(string) string {
	return func(user string) string {
		inputs := []input{{"cost", "3.2 million", []string{named(user, "3.2 million")}}, {"length", "412", []string{named(user, "412 metres")}}}
		code := "cost, length = inputs[\"cost\"], inputs[\"length\"]\n" +
			"result(\"Cost of a metre\", round(cost / length, 2), unit=\"crowns\")\n" +
			"table(\"Cost and length\", [\"Of what\", \"Figure\"], [[\"cost\", cost], [\"length\", length]])\n" +
			"bar(\"Cost by metre\", [\"one\", \"ten\"], [cost / length, 10 * cost / length], unit=\"crowns\")\n"
		if change != nil {
			inputs, code = change(inputs, code)
		}
		return asJSON(map[string]any{"inputs": inputs, "code": code})
	}
}

func TestComputed(t *testing.T) {
	r := newRig(t, setup{sandbox: &compute.Sandbox{}, answer: answering(costPlan, program(perMetre(nil)))})
	got := r.ask(t, research.Question{Text: costQuestion, Effort: research.Deep})
	if got.Status != research.Done || got.Mode != research.ByModel {
		t.Fatalf("status %s, mode %s, warnings %q", got.Status, got.Mode, got.Warnings)
	}
	for _, want := range []string{"## Calculations\n", "Cost of a metre: 7766.99 crowns [[", "| Of what | Figure |", "| cost | 3200000 |", "## How it was calculated\n", "| cost | 3200000 [[", "round(cost / length, 2)"} {
		if !strings.Contains(got.Report, want) {
			t.Errorf("the report lacks %q:\n%s", want, got.Report)
		}
	}
	at := slices.IndexFunc(got.Claims, func(c citations.Claim) bool { return strings.HasPrefix(c.Text, "Cost of a metre: ") })
	if at < 0 {
		t.Fatalf("no claim tells the cost: %+v", got.Claims)
	}
	c := got.Claims[at]
	if c.Label != citations.Unchecked || !strings.HasPrefix(c.Reason, "computed from") || len(c.Marks) < 1 || len(c.Cites) != 2 {
		t.Errorf("claim %+v", c)
	}
	html, err := r.HTML(t.Context(), "test", got.RunID)
	if err != nil || !strings.Contains(string(html), "<figure><svg") || strings.Contains(string(html), "<script") {
		t.Errorf("%v: the page has no figure, or a script", err)
	}
	if slices.Contains(got.Gaps, "Cost of a metre of the Varn Bridge") {
		t.Errorf("what was computed is a gap: %q", got.Gaps)
	}
	r.replayed(t, got)
}

// TestProgramsOfModels: each row is what a model says first, and what must come of
// it: nothing whose figures do not lead to passages.
func TestProgramsOfModels(t *testing.T) {
	change := func(f func([]input, string) ([]input, string)) func(string) string { return perMetre(f) }
	for name, test := range map[string]struct {
		first  func(string) string
		told   string // to the model in the second call; empty: there is none
		mended bool
	}{
		"figure that the passage has not": {change(func(in []input, code string) ([]input, string) { in[0].Value = "3.9 million"; return in, code }), "input cost: 3.9 million does not stand in", true},
		"figure of another size":          {change(func(in []input, code string) ([]input, string) { in[0].Value = "3.2"; return in, code }), "input cost: 3.2 does not stand in", true},
		"passage that is not there":       {change(func(in []input, code string) ([]input, string) { in[0].From = []string{"S77.q1"}; return in, code }), `there is no passage "S77.q1"`, true},
		"no passage":                      {change(func(in []input, code string) ([]input, string) { in[0].From = nil; return in, code }), "input cost: there is no passage", true},
		"figure in the program": {change(func(in []input, code string) ([]input, string) {
			return in, code + "result(\"In euros\", cost * 1.083)\n"
		}), "the program holds the figure 1.083", true},
		"error in the program": {change(func(in []input, code string) ([]input, string) { return in, code + "result(\"x\", cost / wrong)\n" }), "line 5", true},
		"endless loop":         {change(func(in []input, code string) ([]input, string) { return in, "x = 0\nwhile True:\n    x += 1\n" }), "What was wrong:", true},
		"answers nothing":      {change(func(in []input, _ string) ([]input, string) { return in, "x = 1\n" }), "it answers nothing", true},
		"names no input":       {change(func(in []input, _ string) ([]input, string) { return in, "result(\"Cost\", 7)\n" }), "it answers nothing", true},
		"gives up":             {func(string) string { return `{"inputs":[],"code":""}` }, "", false},
		"the schema": {func(string) string {
			return `{"inputs":[{"name":"string","value":"string","from":["string"]}],"code":"string"}`
		}, "", false},
	} {
		for _, mended := range []bool{true, false} {
			if mended && !test.mended {
				continue
			}
			answers := program(test.first)
			if mended {
				answers = program(test.first, perMetre(nil))
			}
			r := newRig(t, setup{sandbox: &compute.Sandbox{Steps: 100_000}, answer: answering(costPlan, answers)})
			got := r.ask(t, research.Question{Text: costQuestion, Effort: research.Deep})
			if has := strings.Contains(got.Report, "## Calculations"); has != mended || got.Status != research.Done {
				t.Errorf("%s (mended %v): status %s, computed %v, warnings %q", name, mended, got.Status, has, got.Warnings)
			}
			if !mended && (!slices.Contains(got.Gaps, "Cost of a metre of the Varn Bridge") || !slices.ContainsFunc(got.Warnings, func(w string) bool { return strings.Contains(w, "was not computed") })) {
				t.Errorf("%s: gaps %q, warnings %q do not tell of it", name, got.Gaps, got.Warnings)
			}
			calls := slices.DeleteFunc(r.prompted(llm.Write), func(q llm.Request) bool { return !strings.Contains(string(q.Schema), `"code"`) })
			if len(calls) > 2 || test.told != "" && (len(calls) != 2 || !strings.Contains(calls[1].Messages[0].Text, test.told)) {
				t.Errorf("%s: %d calls; the last is not told %q", name, len(calls), test.told)
			}
			for _, bad := range []string{"In euros", "3.9"} {
				if strings.Contains(got.Report, bad) {
					t.Errorf("%s: %q is in the report", name, bad)
				}
			}
		}
	}
}

// TestProgramSeesFindings: what it is to compute with, which others left out.
func TestProgramSeesFindings(t *testing.T) {
	r := newRig(t, setup{sandbox: &compute.Sandbox{}, answer: answering(costPlan, program(perMetre(nil)))})
	r.ask(t, research.Question{Text: costQuestion, Effort: research.Deep})
	calls := slices.DeleteFunc(r.prompted(llm.Write), func(q llm.Request) bool { return !strings.Contains(string(q.Schema), `"code"`) })
	if len(calls) != 1 {
		t.Fatalf("%d calls for a program", len(calls))
	}
	user := calls[0].Messages[0].Text
	for _, want := range []string{costQuestion, "Cost of a metre of the Varn Bridge. Crowns for each metre.", "3.2 million crowns", "412 metres"} {
		if !strings.Contains(user, want) {
			t.Errorf("the program is written without %q:\n%s", want, user)
		}
	}
}

// TestComputedFromComputed: a computation may go on from another, and its marks
// lead to the passages behind both.
func TestComputedFromComputed(t *testing.T) {
	chain := onSchema(`"depends_on"`, `{"enough":false,"tasks":[
{"id":"r","title":"Cost and length of the Varn Bridge","queries":["Varn Bridge cost crowns length metres"]},
{"id":"a","kind":"compute","title":"Cost of a metre","depends_on":["r"]},
{"id":"b","kind":"compute","title":"Cost of a span of 50 metres","depends_on":["a"]}]}`)
	second := func(user string) string {
		if !strings.Contains(user, "To be computed: Cost of a span") {
			return perMetre(nil)(user)
		}
		value := regexp.MustCompile(`\[R1\] Cost of a metre: (\S+)`).FindStringSubmatch(user)[1]
		return asJSON(map[string]any{"inputs": []input{{"metre", value, []string{"R1"}}}, "code": `result("Cost of a span", 50 * inputs["metre"], unit="crowns")`})
	}
	r := newRig(t, setup{sandbox: &compute.Sandbox{}, answer: answering(chain, program(second))})
	got := r.ask(t, research.Question{Text: costQuestion, Effort: research.Deep})
	at := slices.IndexFunc(got.Claims, func(c citations.Claim) bool { return strings.HasPrefix(c.Text, "Cost of a span: 388349") })
	if at < 0 || len(got.Claims[at].Cites) != 2 {
		t.Errorf("claims %+v, warnings %q\n%s", got.Claims, got.Warnings, got.Report)
	}
}

// TestComputingUnderEveryPersona: whatever the model does, the checker finds
// nothing.
func TestComputingUnderEveryPersona(t *testing.T) {
	for _, persona := range scripted.Personas {
		r := newRig(t, setup{sandbox: &compute.Sandbox{}, answer: answering(costPlan, program(perMetre(nil))), persona: persona})
		if got := r.ask(t, research.Question{Text: costQuestion, Effort: research.Deep}); got.Status != research.Done {
			t.Errorf("%s: status %s, warnings %q", persona, got.Status, got.Warnings)
		}
	}
}

// broken is a sandbox that fails.
type broken struct{ err error }

func (b broken) Run(context.Context, compute.Program) (compute.Result, error) {
	return compute.Result{}, b.err
}

func TestBrokenSandboxIsAGap(t *testing.T) {
	r := newRig(t, setup{sandbox: broken{errors.New("no child could be started")}, answer: answering(costPlan, program(perMetre(nil)))})
	got := r.ask(t, research.Question{Text: costQuestion, Effort: research.Deep})
	if got.Status != research.Done || !slices.Contains(got.Gaps, "Cost of a metre of the Varn Bridge") {
		t.Errorf("status %s, gaps %q, warnings %q", got.Status, got.Gaps, got.Warnings)
	}
}

// exact is a sandbox with an answer that a float64 would change.
type exact struct{}

func (exact) Run(context.Context, compute.Program) (compute.Result, error) {
	return compute.Result{Values: []compute.Named{{Name: "Grains", Value: json.Number("18446744073709551615"), Uses: []string{"cost"}}}}, nil
}

func TestLargeNumbersStayExact(t *testing.T) {
	r := newRig(t, setup{sandbox: exact{}, answer: answering(costPlan, program(perMetre(nil)))})
	got := r.ask(t, research.Question{Text: costQuestion, Effort: research.Deep})
	if want := fmt.Sprintf("Grains: %s", "18446744073709551615"); !strings.Contains(got.Report, want) {
		t.Errorf("the report lacks %q:\n%s", want, got.Report)
	}
}
