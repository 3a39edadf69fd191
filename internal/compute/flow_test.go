package compute

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestUses runs programs over inputs a, b, c and d, each with one answer "x".
func TestUses(t *testing.T) {
	for _, test := range []struct {
		name, code string
		want       []string
	}{
		{"direct", `result("x", inputs["a"][0])`, []string{"a"}},
		{"none", `result("x", 1)`, []string{}},
		{"by get", `result("x", inputs.get("b"))`, []string{"b"}},
		{"of two variables one", "p = inputs[\"a\"]\nq = inputs[\"b\"]\nresult(\"x\", q)\nresult(\"y\", p)", []string{"b"}},
		{"through variables", "p = inputs[\"a\"]\nq = p[0] + 1\nr = q * 2\nresult(\"x\", r)", []string{"a"}},
		{"through unpacking", "p, q = inputs[\"a\"][0], inputs[\"b\"][0]\nresult(\"x\", p)", []string{"a", "b"}},
		{"through a helper, by call", "def f(v):\n    w = v[0]\n    return w * 2\nresult(\"y\", f(inputs[\"b\"]))\nresult(\"x\", f(inputs[\"a\"]))", []string{"a"}},
		{"through what a helper reads", "p = inputs[\"c\"]\ndef f(v):\n    return v[0] + p[0]\nresult(\"x\", f(inputs[\"a\"]))", []string{"a", "c"}},
		{"through a helper's default", "p = inputs[\"c\"]\ndef f(v, w=p):\n    return v[0] + w[0]\nresult(\"x\", f(inputs[\"a\"]))", []string{"a", "c"}},
		{"through a nested helper", "def f(v):\n    def g():\n        return v[0] + inputs[\"b\"][0]\n    return g()\nresult(\"x\", f(inputs[\"a\"]))", []string{"a", "b"}},
		{"answer within a helper", "def f(name, v):\n    result(name, v)\nf(\"x\", inputs[\"a\"][0])", []string{"a"}},
		{"answer within a helper that is a value", "def f(name, v):\n    result(name, v)\ng = f\ng(\"x\", inputs[\"a\"][0])", []string{"a"}},
		{"answer within a lambda", "f = lambda v: result(\"x\", v)\nf(inputs[\"a\"][0])", []string{"a"}},
		{"condition", "p = inputs[\"a\"][0]\nif inputs[\"b\"][0] > 0:\n    q = p\nelse:\n    q = 0\nresult(\"x\", q)", []string{"a", "b"}},
		{"condition around the answer", "if inputs[\"b\"][0] > 0:\n    result(\"x\", 1)", []string{"b"}},
		{"condition around a call", "def f():\n    result(\"x\", 1)\nif inputs[\"b\"][0] > 0:\n    f()", []string{"b"}},
		{"loop", "t = 0\nfor v in inputs[\"a\"]:\n    t += v\nresult(\"x\", t)", []string{"a"}},
		{"loop that only counts", "t = 0\nfor v in inputs[\"a\"]:\n    t += 1\nresult(\"x\", t)", []string{"a"}},
		{"loop that breaks", "t = 0\nfor i in range(9):\n    t += 1\n    if i > inputs[\"b\"][0]:\n        break\nresult(\"x\", t)", []string{"b"}},
		{"while", "t = 0\nwhile t < inputs[\"b\"][0]:\n    t += 1\nresult(\"x\", t)", []string{"b"}},
		{"return in between", "def f():\n    if inputs[\"b\"][0] > 99:\n        return\n    result(\"x\", 1)\nf()", []string{"b"}},
		{"append", "p = []\nfor v in inputs[\"a\"]:\n    p.append(v)\nresult(\"x\", p)", []string{"a"}},
		{"append after the alias", "p = []\nq = p\nq.append(inputs[\"a\"][0])\nresult(\"x\", p)", []string{"a"}},
		{"append by a helper", "def f(to, v):\n    to.append(v)\np = []\nf(p, inputs[\"a\"][0])\nresult(\"x\", p)", []string{"a"}},
		{"entry of a dict", "p = {}\np[\"k\"] = inputs[\"a\"][0]\nresult(\"x\", p)", []string{"a"}},
		{"entry of a row in a loop", "p = [dict(r) for r in [{}]]\nfor r in p:\n    r[\"k\"] = inputs[\"a\"][0]\nresult(\"x\", p)", []string{"a"}},
		{"entry of a sorted row", "p = [{\"n\": 1}]\nfor r in sorted(p, key=lambda r: r[\"n\"]):\n    r[\"k\"] = inputs[\"a\"][0]\nresult(\"x\", p)", []string{"a"}},
		{"the list that is read stays", "p = list(inputs[\"a\"])\nq = []\nfor v in p:\n    q.append(v + inputs[\"b\"][0])\nresult(\"y\", q)\nresult(\"x\", p)", []string{"a"}},
		{"comprehension", "p = [v for v in inputs[\"a\"] if v > inputs[\"b\"][0]]\nresult(\"x\", p)", []string{"a", "b"}},
		{"key function", "p = inputs[\"b\"][0]\nresult(\"x\", sorted(inputs[\"a\"], key=lambda v: v * p))", []string{"a", "b"}},
		{"any name", "for n in [\"a\", \"c\"]:\n    p = inputs[n]\nq = inputs[\"d\"]\nresult(\"x\", p)", []string{"a", "c", "d"}},
		{"all by items", "p = [v for n, v in inputs.items()]\nresult(\"x\", p)", []string{"a", "b", "c", "d"}},
		{"only what was read by then", "def f(n):\n    return inputs[n][0]\nresult(\"x\", f(\"a\"))\nresult(\"y\", f(\"b\"))", []string{"a"}},
		{"stated", `result("x", 1, uses=["d", "b"])`, []string{"b", "d"}},
		{"stated as nothing", `result("x", inputs["a"][0], uses=[])`, []string{}},
		{"aggregate by name of argument", "result(\"x\", rows.group([{\"k\": 1, \"v\": v} for v in inputs[\"a\"]], \"k\", s=(\"v\", \"sum\")))", []string{"a"}},
		{"a name that shadows inputs", "def f(inputs):\n    return inputs[\"b\"]\nresult(\"x\", f({\"b\": inputs[\"a\"][0]}))", []string{"a"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := evaluate(t.Context(), Program{Code: test.code, Inputs: abcd()}, 1e6)
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range got.Values {
				if v.Name == "x" {
					if diff := cmp.Diff(test.want, v.Uses); diff != "" {
						t.Error(diff)
					}
					return
				}
			}
			t.Fatal("there is no answer")
		})
	}
}

func abcd() []Input {
	var all []Input
	for _, name := range []string{"a", "b", "c", "d"} {
		all = append(all, Input{Name: name, Value: []any{number1, number1}})
	}
	return all
}
