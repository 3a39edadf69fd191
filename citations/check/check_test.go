package check

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
)

const pageA = "Steel output rose 4.2% in March. It had fallen before."
const pageB = "钢产量增长4.2%。"

func sum(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:])
}

// good is a report that keeps every promise.
func good() map[string]any {
	return map[string]any{
		"status": "done",
		"report": "# Steel\n\nOutput rose 4.2% [[1]](https://a.example/x#:~:text=Steel). It grew in China too [2]. Text may say \\[7\\] and code may say `a[ 9 ]`.\n\n## Sources\n\n[1] Page A. <https://a.example/x>\n\n[2] Page B. <https://b.example/(b)>\n",
		"claims": []any{
			map[string]any{"text": "Output rose 4.2%.", "marks": []any{1}, "label": "quoted"},
			map[string]any{"text": "It grew in China too.", "marks": []any{2}, "label": "unchecked"},
			map[string]any{"text": "Nothing is cited in 2024.", "marks": []any{}, "label": "unchecked"},
		},
		"sources": []any{
			map[string]any{"n": 1, "id": "S1", "url": "https://a.example/x", "sha256": sum(pageA), "quotes": []any{
				map[string]any{"text": "Steel output rose 4.2% in March.", "start": 0, "end": 32, "link": "https://a.example/x#:~:text=Steel"}}},
			map[string]any{"n": 2, "id": "S2", "url": "https://b.example/(b)", "sha256": sum(pageB), "quotes": []any{
				map[string]any{"text": "钢产量增长4.2%。", "start": 0, "end": 22, "link": ""}}},
		},
	}
}

func archive(n int) ([]byte, error) {
	switch n {
	case 1:
		return []byte(pageA), nil
	case 2:
		return []byte(pageB), nil
	}
	return nil, errors.New("nothing archived")
}

func run(t *testing.T, r map[string]any, opt Options) []Violation {
	t.Helper()
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return Result(b, archive, opt)
}

func TestGoodReport(t *testing.T) {
	for _, v := range run(t, good(), Options{Allowed: []string{"https://a.example/x", "https://b.example/(b)"}}) {
		t.Error(v)
	}
}

// field walks into the result: "sources", 0, "url".
func field(r map[string]any, path ...any) (parent map[string]any, key string) {
	at := any(r)
	for _, p := range path[:len(path)-1] {
		switch p := p.(type) {
		case string:
			at = at.(map[string]any)[p]
		case int:
			at = at.([]any)[p]
		}
	}
	return at.(map[string]any), path[len(path)-1].(string)
}

// TestPlantedViolations breaks one promise at a time and expects it by name.
func TestPlantedViolations(t *testing.T) {
	set := func(value any, path ...any) func(map[string]any) {
		return func(r map[string]any) {
			parent, key := field(r, path...)
			parent[key] = value
		}
	}
	replace := func(old, by string) func(map[string]any) {
		return func(r map[string]any) {
			report := r["report"].(string)
			if !strings.Contains(report, old) {
				t.Fatalf("the report does not hold %q", old)
			}
			r["report"] = strings.Replace(report, old, by, 1)
		}
	}
	drop := func(name string, i int) func(map[string]any) {
		return func(r map[string]any) {
			list := r[name].([]any)
			r[name] = slices.Delete(slices.Clone(list), i, i+1)
		}
	}
	for _, c := range []struct {
		name  string
		plant func(map[string]any)
		opt   Options
		want  Kind
	}{
		{"cited address not given", set("https://evil.example/", "sources", 0, "url"), Options{Allowed: []string{"https://a.example/x", "https://b.example/(b)"}}, ForeignURL},
		{"address in the text not given", replace("too [2]", "too, see https://evil.example/ [2]"), Options{}, ForeignURL},
		{"script address", replace("too [2]", "too [x](javascript:alert) [2]"), Options{}, ForeignURL},
		{"link leads elsewhere", set("https://evil.example/#x", "sources", 0, "quotes", 0, "link"), Options{}, ForeignURL},
		{"quote altered", set("Steel output rose 5.2% in March.", "sources", 0, "quotes", 0, "text"), Options{}, QuoteDiffers},
		{"quote moved", set(1, "sources", 0, "quotes", 0, "start"), Options{}, QuoteDiffers},
		{"quote outside", set(1000, "sources", 0, "quotes", 0, "end"), Options{}, QuoteDiffers},
		{"quote before the text", set(-1, "sources", 0, "quotes", 0, "start"), Options{}, QuoteDiffers},
		{"other hash", set(sum("x"), "sources", 1, "sha256"), Options{}, HashDiffers},
		{"no archive", set(3, "sources", 1, "n"), Options{}, NoArchive},
		{"dangling mark", replace("too [2]", "too [2][3]"), Options{}, DanglingMark},
		{"dangling mark of a claim", set([]any{1, 5}, "claims", 0, "marks"), Options{}, DanglingMark},
		{"same mark twice", replace("too [2]", "too [2][2]"), Options{}, DuplicateMark},
		{"same linked mark twice", replace("[[1]](https://a.example/x#:~:text=Steel)", "[[1]](https://a.example/x)[1]"), Options{}, DuplicateMark},
		{"same mark twice in a claim", set([]any{1, 1}, "claims", 0, "marks"), Options{}, DuplicateMark},
		{"gap", func(r map[string]any) { replace("too [2]", "too [3]")(r); replace("[2] Page B", "[3] Page B")(r) }, Options{}, Gap},
		{"order of first use", func(r map[string]any) {
			replace("[[1]](https://a.example/x#:~:text=Steel)", "[2]")(r)
			replace("too [2]", "too [1]")(r)
		}, Options{}, Gap},
		{"gap in sources", set(4, "sources", 1, "n"), Options{}, Gap},
		{"listed twice", replace("[2] Page B", "[1] Page A again\n\n[2] Page B"), Options{}, DuplicateEntry},
		{"id twice", set("S1", "sources", 1, "id"), Options{}, DuplicateEntry},
		{"listed, not used", replace(" It grew in China too [2].", ""), Options{}, UnusedSource},
		{"not listed", replace("[2] Page B. <https://b.example/(b)>\n", ""), Options{}, ListMismatch},
		{"listed, not a source", drop("sources", 1), Options{}, ListMismatch},
		{"listed with another address", func(r map[string]any) { replace("<https://a.example/x>", "<https://b.example/(b)>")(r) }, Options{}, ListMismatch},
		{"no list", replace("## Sources", "Sources"), Options{}, NoSourceList},
		{"list not last", replace("[2] Page B.", "## More\n\n[2] Page B."), Options{}, NoSourceList},
		{"no quote", set([]any{}, "sources", 0, "quotes"), Options{}, NoQuote},
		{"claim's mark not in the report", func(r map[string]any) { replace("too [2]", "too")(r) }, Options{}, ClaimMark},
		{"mark of no claim", drop("claims", 1), Options{}, ClaimMark},
		{"number of a quoted claim", set("Output rose 4.3%.", "claims", 0, "text"), Options{}, ClaimNumber},
		{"unknown label", set("true", "claims", 0, "label"), Options{}, BadJSON},
		{"token left", replace("too [2]", "too [[S123.q4]] [2]"), Options{}, LeftoverToken},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := good()
			c.plant(r)
			found := run(t, r, c.opt)
			if !slices.ContainsFunc(found, func(v Violation) bool { return v.Kind == c.want }) {
				t.Errorf("found %v, want a %s", found, c.want)
			}
		})
	}
}

func TestCutListsAreNotHeldAgainstTheReport(t *testing.T) {
	r := good()
	r["claims"] = r["claims"].([]any)[:1]
	r["sources"] = r["sources"].([]any)[:1]
	r["omitted"] = map[string]int{"claims": 2, "sources": 1}
	for _, v := range run(t, r, Options{Allowed: []string{"https://a.example/x", "https://b.example/(b)"}}) {
		t.Error(v)
	}
}

func TestNotJSON(t *testing.T) {
	if found := Result([]byte("no"), archive, Options{}); len(found) != 1 || found[0].Kind != BadJSON {
		t.Errorf("found %v", found)
	}
}

func FuzzResult(f *testing.F) {
	b, err := json.Marshal(good())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte(`{"report":"[1][","sources":[{"n":-1,"quotes":[{"start":9,"end":2}]}],"claims":[{"marks":[0,99]}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		Result(b, archive, Options{})
	})
}
