package compute_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"deepresearch/internal/compute"
)

func ExampleSandbox_Run() {
	// In main: sandbox.Child(map[string]sandbox.Job{compute.JobName: compute.Job})
	program := compute.Program{
		Inputs: []compute.Input{{Name: "population", Value: []any{58.9, 67.4}, Cites: []string{"S1.q2"}}},
		Code: `
first, last = inputs["population"]
result("growth a year", round(100 * statistics.cagr(first, last, 24), 2), unit="%")
`,
	}
	var box compute.Sandbox
	got, err := box.Run(context.Background(), program)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range got.Values {
		fmt.Println(v.Name, v.Value, v.Unit, program.Cites(v.Uses))
	}
	// Output: growth a year 0.56 % [S1.q2]
}

func ExampleProgramError() {
	var box compute.Sandbox
	_, err := box.Run(context.Background(), compute.Program{Code: "total = 1\nresult(\"total\", totl)\n"})
	fmt.Println(err)
	// Output:
	// line 2, column 17: undefined: totl (did you mean total?)
	//   2 | result("total", totl)
	//     |                 ^
}

func ExampleChart_SVG() {
	chart := compute.Chart{
		Kind: compute.Bar, Title: "Output", Labels: []string{"2022", "2023"},
		Series: []compute.Series{{Name: "wind", Values: []float64{2, 3}}},
	}
	svg := chart.SVG()
	fmt.Println(strings.Count(svg, "<rect"), strings.Contains(svg, "currentColor"), strings.Contains(svg, "<script"))
	fmt.Print(chart.Table().Markdown())
	// Output:
	// 2 true false
	// **Output**
	//
	// |  | wind |
	// | --- | ---: |
	// | 2022 | 2 |
	// | 2023 | 3 |
}

func BenchmarkTrivialProgram(b *testing.B) {
	var box compute.Sandbox
	b.ReportAllocs()
	for b.Loop() {
		if _, err := box.Run(b.Context(), compute.Program{Code: `result("x", 1)`}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkThousandRows groups a table of a thousand rows in a child.
func BenchmarkThousandRows(b *testing.B) {
	var table []any
	for i := range 1000 {
		table = append(table, map[string]any{"country": fmt.Sprint("c", i%20), "year": 2000 + i/20, "value": float64(i)})
	}
	p := compute.Program{
		Inputs: []compute.Input{{Name: "t", Value: table}},
		Code: `
g = rows.group(inputs["t"], "country", total=("value", "sum"), mid=("value", "median"))
table("totals", ["country", "total", "mid"], rows.sort(g, "total", descending=True))
`,
	}
	var box compute.Sandbox
	b.ReportAllocs()
	for b.Loop() {
		if _, err := box.Run(b.Context(), p); err != nil {
			b.Fatal(err)
		}
	}
}
