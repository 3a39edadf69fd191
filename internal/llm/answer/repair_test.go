package answer

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestRepair(t *testing.T) {
	for in, want := range map[string]string{
		`{a:1}`:                                 `{"a":1}`,
		`{"a":1 "b":2}`:                         `{"a":1,"b":2}`,
		`{"a" = "x"; "b": "y"}`:                 `{"a":"x","b":"y"}`,
		`['a' 'b']`:                             `["a","b"]`,
		"[\"a\"\n\"b\"]":                        `["a","b"]`,
		`["a", ..., "b"]`:                       `["a","b"]`,
		`[1, 2.50, -3e2, 007]`:                  `[1,2.50,-3e2,"007"]`,
		`{"a": "x\q\"y\u00e9\u12"}`:             `{"a":"xq\"y` + "é" + `12"}`,
		`{"a": {"b": [1, 2}, "c": 3}`:           `{"a":{"b":[1,2]},"c":3}`,
		`[tru`:                                  `[]`,
		`{"a": [1, 2`:                           `{"a":[1]}`,
		`{"a": NaN, "b": undefined, "c": None}`: `{"a":null,"b":null,"c":null}`,
		`{`:                                     ``,
		`}`:                                     ``,
		``:                                      ``,
	} {
		got, _ := repair([]byte(in))
		if string(got) != want && !(want == "[]" && got == nil) {
			t.Errorf("repair(%s) = %s, want %s", in, got, want)
		}
	}
}

func TestRepairIsBounded(t *testing.T) {
	deep := strings.Repeat(`{"a":[`, 1000)
	if got, _ := repair([]byte(deep)); len(got) > 2000 {
		t.Errorf("%d bytes came of it", len(got))
	}
}

func FuzzRepair(f *testing.F) {
	for _, s := range []string{`{a:1}`, `["a" 'b`, `{"a":"x"y"}`, `[1,,2`, `{"a":{"b":[`, `[""a""]`, `{“a”:‘b’}`, `{"a":"\u12`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		raw, cost := repair([]byte(text))
		if raw == nil {
			return
		}
		if !json.Valid(raw) || cost == 0 {
			t.Errorf("repair(%q) = %s at cost %d", text, raw, cost)
		}
		// What was repaired needs no repair.
		if again, _ := repair(raw); !json.Valid(again) {
			t.Errorf("repair(%s) = %s", raw, again)
		}
	})
}
