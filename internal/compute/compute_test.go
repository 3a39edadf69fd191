package compute_test

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"deepresearch/internal/compute"
	"deepresearch/internal/sandbox"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestMain(m *testing.M) {
	if sandbox.Child(map[string]sandbox.Job{compute.JobName: compute.Job}) {
		return
	}
	os.Exit(m.Run())
}

// gdp is a small table as findings bring it.
var gdp = compute.Input{
	Name: "gdp",
	Value: []any{
		map[string]any{"country": "France", "year": 2020, "value": 2.6},
		map[string]any{"country": "France", "year": 2022, "value": 2.8},
		map[string]any{"country": "Spain", "year": 2020, "value": 1.3},
		map[string]any{"country": "Spain", "year": 2022, "value": 1.4},
	},
	Cites: []string{"S1.q1", "S2.q4"},
}

func TestRun(t *testing.T) {
	var box compute.Sandbox
	got, err := box.Run(t.Context(), compute.Program{
		Inputs: []compute.Input{gdp, {Name: "population", Value: 68, Cites: []string{"S2.q4"}}, {Name: "idle", Value: "x"}},
		Code: `
france = rows.select(inputs["gdp"], where=lambda r: r["country"] == "France")
values = rows.column(france, "value")
result("growth", round(100 * statistics.cagr(values[0], values[-1], 2), 3), unit="%")
result("people", inputs["population"] * 1000000)
table("by year", ["year", "France", "Spain"], rows.pivot(inputs["gdp"], "year", "country", "value"))
bar("GDP", rows.column(france, "year"), {"France": values}, unit="trillion USD")
print("checked", len(values))
`})
	if err != nil {
		t.Fatal(err)
	}
	want := compute.Result{
		Values: []compute.Named{
			{Name: "growth", Value: number("3.775"), Unit: "%", Uses: []string{"gdp"}},
			{Name: "people", Value: number("68000000"), Uses: []string{"population"}},
		},
		Tables: []compute.Table{{
			Name: "by year", Columns: []string{"year", "France", "Spain"}, Uses: []string{"gdp"},
			Rows: [][]any{{number("2020"), number("2.6"), number("1.3")}, {number("2022"), number("2.8"), number("1.4")}},
		}},
		Charts: []compute.Chart{{
			Kind: compute.Bar, Title: "GDP", Unit: "trillion USD", Labels: []string{"2020", "2022"}, Uses: []string{"gdp"},
			Series: []compute.Series{{Name: "France", Values: []float64{2.6, 2.8}}},
		}},
		Printed: "checked 2\n",
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(compute.Result{}, "Steps", "Seconds")); diff != "" {
		t.Error(diff)
	}
	if got.Steps == 0 || got.Seconds <= 0 {
		t.Errorf("it took %d steps and %v seconds", got.Steps, got.Seconds)
	}
}

// number is a JSON number as it comes out of a child.
func number(s string) json.Number { return json.Number(s) }

func TestCites(t *testing.T) {
	p := compute.Program{Inputs: []compute.Input{gdp, {Name: "b", Cites: []string{"S2.q4", "S3.q1"}}, {Name: "c", Cites: []string{"S9.q9"}}}}
	if diff := cmp.Diff([]string{"S1.q1", "S2.q4", "S3.q1"}, p.Cites([]string{"b", "gdp"})); diff != "" {
		t.Error(diff)
	}
}

func TestRunRefuses(t *testing.T) {
	var box compute.Sandbox
	for name, p := range map[string]compute.Program{
		"two inputs of one name":    {Inputs: []compute.Input{{Name: "a"}, {Name: "a"}}},
		"an input without name":     {Inputs: []compute.Input{{}}},
		"an input that is not JSON": {Inputs: []compute.Input{{Name: "a", Value: func() {}}}},
		"inputs beyond the size":    {Inputs: []compute.Input{{Name: "a", Value: strings.Repeat("x", 17<<20)}}},
		"a program beyond the size": {Code: strings.Repeat("x = 1\n", 20_000)},
	} {
		if _, err := box.Run(t.Context(), p); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestRunIsDeterministic(t *testing.T) {
	var box compute.Sandbox
	p := compute.Program{Inputs: []compute.Input{gdp}, Code: `
counts = {}
for r in inputs["gdp"]:
    counts[r["country"]] = counts.get(r["country"], 0) + r["value"]
result("counts", counts)
result("keys", list(set(counts.keys())))
result("hash", hash("text"))
result("row", inputs["gdp"][0].keys())
`}
	first, err := box.Run(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		again, err := box.Run(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(first, again, cmpopts.IgnoreFields(compute.Result{}, "Seconds")); diff != "" {
			t.Fatal(diff)
		}
	}
}

func TestStepsAreExact(t *testing.T) {
	p := compute.Program{Code: "x = 0\nwhile True:\n    x += 1\n"}
	box := compute.Sandbox{Steps: 1000}
	_, err := box.Run(t.Context(), p)
	var wrong *compute.ProgramError
	if !errors.As(err, &wrong) || !strings.Contains(wrong.Message, "too many steps") {
		t.Errorf("Run = %v, want a ProgramError about steps", err)
	}
}
