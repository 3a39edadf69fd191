package compute

import (
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

const number1 = json.Number("1")

// TestFunctions compares expressions with what they are, as JSON. Values of
// statistics are from R 4 (mean, sd, quantile type 7, lm, cor).
func TestFunctions(t *testing.T) {
	for expression, want := range map[string]string{
		`sum([1, 2, 3])`:                  `6`,
		`sum([1, 2.5])`:                   `3.5`,
		`sum([])`:                         `0`,
		`sum([0.1] * 10)`:                 `1`,
		`sum([1e16, 1.0, -1e16])`:         `1`,
		`round(2.5)`:                      `2`,
		`round(-2.6)`:                     `-3`,
		`round(2.675, 2)`:                 `2.67`,
		`round(1234.5, -2)`:               `1200`,
		`fixed(1234.5)`:                   `"1234.50"`,
		`fixed(2, 0)`:                     `"2"`,
		`math.sqrt(2)`:                    `1.4142135623730951`,
		`math.floor(-1.5)`:                `-2`,
		`math.ceil(1.2)`:                  `2`,
		`math.log(8, 2)`:                  `3`,
		`math.log(math.e)`:                `1`,
		`math.pow(2, 10)`:                 `1024`,
		`math.hypot(3, 4)`:                `5`,
		`statistics.mean([1, 2, 3, 4])`:   `2.5`,
		`statistics.median([3, 1, 2])`:    `2`,
		`statistics.median([4, 1, 2, 3])`: `2.5`,
		`round(statistics.stdev([2, 4, 4, 4, 5, 5, 7, 9]), 6)`:                 `2.13809`,
		`round(statistics.variance([1e9, 1e9 + 1, 1e9 + 2]), 6)`:               `1`,
		`statistics.quantile([1, 2, 3, 4], 0.25)`:                              `1.75`,
		`statistics.quantile([1, 2, 3, 4], 1)`:                                 `4`,
		`statistics.quantile([7], 0.3)`:                                        `7`,
		`round(statistics.correlation([1, 2, 3], [1, 2, 4]), 6)`:               `0.981981`,
		`statistics.linear([1, 2, 3], [3, 5, 7])`:                              `{"intercept":1,"n":3,"r2":1,"slope":2}`,
		`statistics.growth([100, 110, 99])`:                                    `[0.1,-0.1]`,
		`statistics.growth([-2, -1])`:                                          `[0.5]`,
		`round(statistics.cagr(100, 121, 2), 6)`:                               `0.1`,
		`dates.parse("March 1, 2024")`:                                         `"2024-03-01"`,
		`dates.parse("1 Mar 2024")`:                                            `"2024-03-01"`,
		`dates.parse("1.3.2024")`:                                              `"2024-03-01"`,
		`dates.parse("2024年3月1日")`:                                             `"2024-03-01"`,
		`dates.parse("2024-03-01T10:00:00Z")`:                                  `"2024-03-01"`,
		`dates.parse(2024)`:                                                    `"2024-01-01"`,
		`dates.difference("2024-02-01", "2024-03-01")`:                         `29`,
		`dates.difference("1500-01-01", "2000-01-01")`:                         `182621`,
		`dates.difference("2024-01-31", "2024-03-30", "months")`:               `1`,
		`dates.difference("2000-06-15", "2024-06-14", "years")`:                `23`,
		`dates.difference("2024-03-01", "2024-02-01", "weeks")`:                `-4`,
		`dates.add("2024-01-31", months=1)`:                                    `"2024-02-29"`,
		`dates.add("2024-02-29", years=1)`:                                     `"2025-02-28"`,
		`dates.add("2024-12-31", days=1)`:                                      `"2025-01-01"`,
		`dates.parts("2024-03-01")`:                                            `{"day":1,"month":3,"quarter":1,"weekday":5,"year":2024}`,
		`json.decode(json.encode({"a": [1, None]}))`:                           `{"a":[1,null]}`,
		`rows.make(["a", "b"], [[1, 2], (3, 4)])`:                              `[{"a":1,"b":2},{"a":3,"b":4}]`,
		`rows.column(T, "v")`:                                                  `[1,2,3,null]`,
		`rows.select(T, ["v"], lambda r: r["k"] == "x")`:                       `[{"v":1},{"v":3}]`,
		`rows.column(rows.sort(T, "v", descending=True), "v")`:                 `[3,2,1,null]`,
		`rows.column(rows.sort(T, ["k", "v"]), "v")`:                           `[1,3,2,null]`,
		`rows.column(rows.sort(T, lambda r: -(r["v"] or 9)), "v")`:             `[null,3,2,1]`,
		`rows.group(T, "k", s=("v", "sum"), n=("v", "count"), m=("v", "max"))`: `[{"k":"x","m":3,"n":2,"s":4},{"k":"y","m":2,"n":1,"s":2}]`,
		`rows.group(T, ["k"], f=("v", "first"), l=("v", "last"), a=("v", "mean"), d=("v", "median"), z=("v", "min"))`: `[{"a":2,"d":2,"f":1,"k":"x","l":3,"z":1},{"a":2,"d":2,"f":2,"k":"y","l":2,"z":2}]`,
		`rows.join(T[:1], [{"k": "x", "w": 9, "v": 8}], "k")`:                                                         `[{"k":"x","v":1,"w":9,"y":1}]`,
		`len(rows.join(T, [{"k": "x"}], "k"))`:                                                                        `2`,
		`len(rows.join(T, [{"k": "x"}], "k", how="left"))`:                                                            `4`,
		`rows.pivot(T, "k", "y", "v")`:                                                                                `[{"1":1,"2":3,"k":"x"},{"1":2,"2":null,"k":"y"}]`,
		`rows.pivot(T, "k", "k", "y", how="mean")`:                                                                    `[{"k":"x","x":1.5,"y":null},{"k":"y","x":null,"y":1.5}]`,
	} {
		got, err := value(t, expression)
		if err != nil {
			t.Errorf("%s: %v", expression, err)
		} else if got != want {
			t.Errorf("%s is %s, want %s", expression, got, want)
		}
	}
}

const tableT = `T = [
    {"k": "x", "y": 1, "v": 1}, {"k": "y", "y": 1, "v": 2},
    {"k": "x", "y": 2, "v": 3}, {"k": "y", "y": 2, "v": None},
]
`

// value evaluates an expression to JSON.
func value(t *testing.T, expression string) (string, error) {
	t.Helper()
	got, err := evaluate(t.Context(), Program{Code: tableT + `result("x", ` + expression + ")\n"}, 1e6)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(got.Values[0].Value)
	return string(text), err
}

// TestFunctionsRefuse gives each function what it cannot use: the sentence has
// to say what was wrong.
func TestFunctionsRefuse(t *testing.T) {
	for expression, want := range map[string]string{
		`sum(["a"])`:                                `element 0: got "a", want a number`,
		`sum([1e308, 1e308])`:                       "not a finite number",
		`round(1, 99)`:                              "digits is 99",
		`math.log(0)`:                               "math.log: the result is not a finite number",
		`math.sqrt(-1)`:                             "math.sqrt: the result is not a finite number",
		`math.floor("1")`:                           "want a number",
		`math.nosuch(1)`:                            "no .nosuch",
		`statistics.mean([])`:                       "got 0 numbers, want at least 1",
		`statistics.mean([1, None])`:                "element 1: got None, want a number",
		`statistics.mean(3)`:                        "want a list of numbers",
		`statistics.stdev([1])`:                     "want at least 2",
		`statistics.quantile([1], 2)`:               "q is 2, want 0 to 1",
		`statistics.correlation([1, 2], [1])`:       "want at least 2",
		`statistics.correlation([1, 2], [1, 1])`:    "one list is constant",
		`statistics.correlation([1, 2], [1,2,3])`:   "the lists have 2 and 3 numbers",
		`statistics.linear([1, 1], [1, 2])`:         "all x are the same",
		`statistics.growth([0, 1])`:                 "element 0 is 0",
		`statistics.cagr(0, 1, 1)`:                  "must be above 0",
		`dates.parse("3/1/2024")`:                   "no date that means one day",
		`dates.parse(None)`:                         "want a date",
		`dates.difference("2024", "2025", "hours")`: `unit is "hours", want days, weeks, months or years`,
		`dates.add("2024-01-01", years=9000)`:       "the date is in the year 11024",
		`dates.add("2024-01-01", days=99999999)`:    "at most 4000000 can be added",
		`rows.make(["a"], [[1, 2]])`:                "row 0 is no list of 1 cells",
		`rows.column(T, "nosuch")`:                  `a row has no column "nosuch": it has ["k" "y" "v"]`,
		`rows.select([1])`:                          "row 0 is 1, want a dict",
		`rows.sort([{"a": 1}, {"a": "x"}], "a")`:    "not implemented",
		`rows.sort(T, 5)`:                           "want the name of a column",
		`rows.group(T, "k", x=("v", "best"))`:       `there is no aggregate "best": use sum, mean`,
		`rows.group(T, "k", x="v")`:                 "want (column, how)",
		`rows.group(T, [])`:                         "got 0 columns",
		`rows.group([{"k": []}], "k")`:              "unhashable",
		`rows.join(T, T, "k", how="outer")`:         `how is "outer", want inner or left`,
		`{1: 2}`:                                    "its key 1 is no text",
		`len`:                                       "is no number, text, list or dict",
		`1 << 60`:                                   "use float(x)",
	} {
		if _, err := value(t, expression); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q in it", expression, err, want)
		}
	}
}

func TestResultsRefuse(t *testing.T) {
	for code, want := range map[string]string{
		`result("", 1)`:                               "its name has 0 bytes",
		"result(\"a\", 1)\nresult(\"a\", 2)":          `result "a" is given twice`,
		`result("a", 1, uses=["gpd"])`:                `there is no input "gpd": the inputs are "gdp"`,
		`result("a", 1, uses="gdp")`:                  "uses is a list",
		`result("a", inputs["gpd"])`:                  `there is no input "gpd": the inputs are "gdp"`,
		`result("a", inputs.gdp)`:                     `write inputs["gdp"]`,
		`inputs["gdp"].append(1)`:                     "inputs are read-only",
		`table("t", ["a", "b"], [[1]])`:               `row 1: it has 1 cells, the table has 2 columns`,
		`table("t", ["a"], [3])`:                      "row 1: it is 3, want a dict or a list",
		`table("t", ["a"], [[[1]]])`:                  `column "a": a list does not fit into a cell`,
		`table("t", [str(i) for i in range(60)], [])`: "at most 50 are allowed",
		`bar("c", ["a"], [1, 2])`:                     `series "c" has 2 values for 1 labels`,
		`bar("c", ["a"], {})`:                         "it has 0 series",
		`line("c", ["a"], [None])`:                    "element 0: got None",
		`line("c", [None], [1])`:                      "labels: None is no text",
	} {
		_, err := evaluate(t.Context(), Program{Code: code, Inputs: []Input{{Name: "gdp", Value: []any{number1}}}}, 1e6)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q in it", code, err, want)
		}
	}
}

var call = regexp.MustCompile("`(?:([a-z]+)\\.)?([a-z_0-9]+)\\(")

// TestGuide keeps what the guide names and what there is the same.
func TestGuide(t *testing.T) {
	inputs, err := newInputs(nil)
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for name, v := range predeclared(inputs, &collector{}) {
		switch v := v.(type) {
		case *starlarkstruct.Module:
			for member, f := range v.Members {
				if _, ok := f.(*starlark.Builtin); ok {
					there[name+"."+member] = true
				}
			}
		case *starlark.Builtin:
			there[name] = true
		}
	}
	for name, v := range starlark.Universe {
		if _, ok := v.(*starlark.Builtin); ok {
			there[name] = true
		}
	}
	named := map[string]bool{}
	for _, m := range call.FindAllStringSubmatch(Guide, -1) {
		name := m[2]
		if m[1] != "" {
			name = m[1] + "." + name
		}
		named[name] = true
	}
	_, builtIn, _ := strings.Cut(Guide, "## Built in")
	builtIn, _, _ = strings.Cut(builtIn, "##")
	for _, m := range regexp.MustCompile("`([a-z]+)`").FindAllStringSubmatch(builtIn, -1) {
		named[m[1]] = true
	}
	for _, notFunctions := range []string{"inputs.get", "inputs.keys", "list", "dict"} {
		if !there[notFunctions] {
			delete(named, notFunctions)
		}
	}
	if diff := cmp.Diff(sortedKeys(there), sortedKeys(named)); diff != "" {
		t.Errorf("the guide names (+) other functions than there are (-):\n%s", diff)
	}
}

func sortedKeys(set map[string]bool) (keys []string) {
	for k := range set {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// TestGuideExample runs the example of the guide.
func TestGuideExample(t *testing.T) {
	_, example, _ := strings.Cut(Guide, "```python\n")
	example, _, _ = strings.Cut(example, "```")
	got, err := evaluate(t.Context(), Program{Code: example, Inputs: []Input{{Name: "gdp", Value: []any{
		map[string]any{"year": json.Number("2021"), "value": json.Number("4.4")},
		map[string]any{"year": json.Number("2019"), "value": json.Number("3.9")},
	}}}}, 1e6)
	if err != nil {
		t.Fatal(err)
	}
	want := math.Round(10000*(math.Sqrt(4.4/3.9)-1)) / 100
	if len(got.Values) != 1 || got.Values[0].Value != want || len(got.Charts) != 1 {
		t.Errorf("the example answers %+v, want %v and a chart", got, want)
	}
}
