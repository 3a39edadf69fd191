package compute_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"deepresearch/internal/compute"
)

// golden compares text with a file of testdata, or writes it with -update.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s:\n%s", path, diff)
	}
}

// TestErrors keeps what a model reads when its program is wrong.
func TestErrors(t *testing.T) {
	var box compute.Sandbox
	var all strings.Builder
	for _, code := range []string{
		"x = 1\ny = x +\n",
		"x = 1\nif x:\ny = 2\n",
		"result(\"x\", valeu)\n",
		"import math\n",
		"from math import sqrt\n",
		"load(\"os\", \"system\")\n",
		"try:\n    x = 1\nexcept:\n    x = 2\n",
		"class A:\n    pass\n",
		"raise ValueError(\"x\")\n",
		"x = 2 ** 3\n",
		"x = 3\nresult(\"x\", f\"{x}\")\n",
		"x = \"%.2f\" % 3.14159\n",
		"def f(n):\n    return f(n - 1)\nf(3)\n",
		"def mean(xs):\n    return sum(xs) / len(xs)\nresult(\"x\", mean([]))\n",
		"x = [1, 2]\n\tresult(\"x\", x[2])\n",
		"x = [1, 2]\nresult(\"x\", x[2])\n",
		"x = {\"a\": 1}\nresult(\"x\", x[\"b\"])\n",
		"result(\"Größe\", \"Größe\" + 1)\n",
		"inputs[\"gdp\"].append(1)\n",
		"result(\"x\", inputs[\"gpd\"])\n",
		"result(\"x\", 1e308 * 10)\n",
		"result(\"x\", statistics.mean([1, None]))\n",
		"result(\"x\")\n",
		"rows = inputs[\"gdp\"]\nx = rows.sort(rows, \"year\")\n",
		"fail(\"the years differ\")\n",
	} {
		_, err := box.Run(t.Context(), compute.Program{Code: code, Inputs: []compute.Input{gdp}})
		var wrong *compute.ProgramError
		if !errors.As(err, &wrong) || wrong.Line == 0 {
			t.Errorf("%q: %v, want a ProgramError with a line", code, err)
			continue
		}
		fmt.Fprintf(&all, "%s\n\n", wrong)
	}
	golden(t, "errors.txt", all.String())
}

func FuzzRunRefusesInOneSentence(f *testing.F) {
	for _, seed := range []string{"x = 1", "result(\"x\", [1, {\"a\": None}])", "def f(x): return x\nf(1)", "(", "x = \"\\xff\"", "[x for x in range(3) if x]", "\t\r\n\"\"\"", "a.b[c:d](*e, **f)", "lambda *a, b=1, **c: a"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, code string) {
		compute.CheckEvaluates(t, code)
	})
}
