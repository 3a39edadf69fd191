package answer

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Costs of what a value was bent by.
const (
	costKind   = 1 // "3" for 3, "yes" for true, one text for a list of one
	costName   = 1 // a property under another spelling, an element that was dropped
	costUnwrap = 1 // the value stood in another
	costGuess  = 4 // a bare list or text for an object with one property
)

// maxReshapes bounds how often a value may be taken out of another.
const maxReshapes = 4

// fitting carries the cost of one value.
type fitting struct {
	cost     int
	reshapes int
}

// coerce bends v to the schema and checks it. name is where it stands, for the
// error.
func (f *fitting) coerce(v any, s *schema, name string, depth int) (any, error) {
	if s == nil || depth > deepest {
		return v, nil
	}
	if v == nil && s.nullable {
		return nil, nil
	}
	switch s.kind {
	case "object":
		return f.object(v, s, name, depth)
	case "array":
		return f.array(v, s, name, depth)
	case "string":
		return f.string(v, s, name)
	case "boolean":
		return f.boolean(v, name)
	case "integer", "number":
		return f.number(v, s, name)
	}
	return v, nil
}

func mismatch(name, format string, args ...any) error {
	if name == "" {
		name = "the answer"
	} else {
		name = strconv.Quote(name)
	}
	return fmt.Errorf("%s %s", name, fmt.Sprintf(format, args...))
}

// reshape counts one step of taking a value out of another, or of putting it
// into one; false when there were too many.
func (f *fitting) reshape(cost int) bool {
	f.cost += cost
	f.reshapes++
	return f.reshapes <= maxReshapes
}

func (f *fitting) object(v any, s *schema, name string, depth int) (any, error) {
	switch v := v.(type) {
	case map[string]any:
		return f.properties(v, s, name, depth)
	case []any:
		if len(v) == 1 && f.reshape(costUnwrap) {
			return f.object(v[0], s, name, depth+1)
		}
		if p := s.only(func(s *schema) bool { return s.kind == "array" }); p != nil && len(v) > 0 && f.reshape(costGuess) {
			return f.properties(map[string]any{p.name: v}, s, name, depth)
		}
	case string:
		if inner, err := decode([]byte(v)); err == nil && f.reshape(costUnwrap) {
			return f.object(inner, s, name, depth+1)
		}
		if p := s.only(func(s *schema) bool { return s.kind == "string" && len(s.enum) == 0 }); p != nil && f.reshape(costGuess) {
			return f.properties(map[string]any{p.name: v}, s, name, depth)
		}
	}
	return nil, mismatch(name, "must be an object, not %s", kindName(v))
}

// properties fits the properties of an object one by one.
func (f *fitting) properties(v map[string]any, s *schema, name string, depth int) (any, error) {
	if len(s.properties) == 0 {
		return v, nil
	}
	given := map[int]any{}
	var unknown []any
	for _, key := range keysOf(v) {
		i := s.property(key)
		switch {
		case i < 0:
			unknown = append(unknown, v[key])
		case s.properties[i].name == key:
			given[i] = v[key]
		default:
			f.cost += costName
			if _, taken := given[i]; !taken {
				given[i] = v[key]
			}
		}
	}
	if len(given) == 0 && len(unknown) == 1 && f.reshape(costUnwrap) {
		return f.object(unknown[0], s, name, depth+1)
	}
	f.adopt(given, unknown, s)
	out := map[string]any{}
	for i := range s.properties {
		p := &s.properties[i]
		value, ok := given[i]
		if !ok {
			if p.required {
				return nil, fmt.Errorf("required property %q is missing", p.name)
			}
			continue
		}
		fitted, err := f.coerce(value, p.schema, p.name, depth+1)
		switch {
		case err == nil:
			out[p.name] = fitted
		case p.required:
			return nil, err
		default:
			f.cost += costName
		}
	}
	return out, nil
}

// adopt gives the one unknown value to the one required property without any:
// small models translate names.
func (f *fitting) adopt(given map[int]any, unknown []any, s *schema) {
	if len(unknown) != 1 || len(given) == 0 {
		return
	}
	missing := -1
	for i, p := range s.properties {
		if _, ok := given[i]; ok || !p.required {
			continue
		}
		if missing >= 0 {
			return
		}
		missing = i
	}
	if missing >= 0 && s.properties[missing].schema.kind == kindOf(unknown[0]) {
		given[missing] = unknown[0]
		f.cost += costGuess
	}
}

// keysOf returns the keys in a fixed order.
func keysOf(v map[string]any) []string {
	keys := make([]string, 0, len(v))
	for k := range v {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func (f *fitting) array(v any, s *schema, name string, depth int) (any, error) {
	list, err := f.list(v, s, name, depth)
	if err != nil {
		return nil, err
	}
	out := make([]any, 0, len(list))
	var first error
	for _, e := range list {
		fitted, err := f.coerce(e, s.items, name, depth+1)
		if err == nil && blank(fitted) {
			err = mismatch(name, "holds an empty element")
		}
		if err != nil {
			f.cost += costName
			if first == nil {
				first = err
			}
			continue
		}
		out = append(out, fitted)
	}
	out = distinct(out)
	if s.maxItems > 0 && len(out) > s.maxItems {
		out = out[:s.maxItems]
		f.cost += costName
	}
	switch {
	case len(out) >= s.minItems && (len(out) > 0 || first == nil):
		return out, nil
	case first != nil:
		return nil, first
	}
	return nil, mismatch(name, "must have at least %d elements, not %d", s.minItems, len(out))
}

// list makes a list of what stands in its place.
func (f *fitting) list(v any, s *schema, name string, depth int) ([]any, error) {
	switch v := v.(type) {
	case []any:
		return v, nil
	case nil:
		return nil, nil
	case string:
		if inner, err := decode([]byte(v)); err == nil && kindOf(inner) == "array" && f.reshape(costUnwrap) {
			return f.list(inner, s, name, depth+1)
		}
		f.cost += costKind
		return elements(strings.Split(v, "\n")), nil
	case map[string]any:
		return f.listOf(v, s, name, depth)
	}
	f.cost += costKind
	return []any{v}, nil
}

// listOf makes a list of an object: of the list it wraps, of its numbered
// values, or of itself.
func (f *fitting) listOf(v map[string]any, s *schema, name string, depth int) ([]any, error) {
	keys := keysOf(v)
	if len(keys) == 1 && kindOf(v[keys[0]]) == "array" && f.reshape(costUnwrap) {
		return f.list(v[keys[0]], s, name, depth+1)
	}
	if numbered := numberedValues(v); numbered != nil {
		f.cost += costUnwrap
		return numbered, nil
	}
	if !f.reshape(costKind) {
		return nil, mismatch(name, "must be a list")
	}
	return []any{v}, nil
}

// numberedValues returns the values of {"1": ..., "2": ...} in their order.
func numberedValues(v map[string]any) []any {
	type pair struct {
		n int
		v any
	}
	var pairs []pair
	for k, e := range v {
		n, err := strconv.Atoi(k)
		if err != nil {
			return nil
		}
		pairs = append(pairs, pair{n, e})
	}
	slices.SortFunc(pairs, func(a, b pair) int { return a.n - b.n })
	var out []any
	for _, p := range pairs {
		out = append(out, p.v)
	}
	return out
}

func elements(texts []string) []any {
	var out []any
	for _, t := range texts {
		if t = strings.TrimSpace(t); t != "" {
			out = append(out, t)
		}
	}
	return out
}

// distinct drops texts that repeat an earlier one but for case and spaces.
func distinct(list []any) []any {
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(e any) bool {
		s, ok := e.(string)
		key := strings.ToLower(strings.Join(strings.Fields(s), " "))
		again := ok && seen[key]
		seen[key] = true
		return again
	})
}

func (f *fitting) string(v any, s *schema, name string) (any, error) {
	text, ok := f.asText(v)
	if !ok {
		return nil, mismatch(name, "must be a text, not %s", kindName(v))
	}
	text = strings.TrimSpace(strings.ToValidUTF8(text, "\ufffd"))
	if len(s.enum) > 0 {
		return f.choice(text, s, name)
	}
	if echoes(text, name, s) {
		return nil, mismatch(name, "holds the placeholder %q instead of an answer", text)
	}
	if len(text) < s.minLength {
		return nil, mismatch(name, "must not be empty")
	}
	return text, nil
}

// asText makes one text of what stands in its place.
func (f *fitting) asText(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case nil:
		f.cost += costKind
		return "", true
	case json.Number:
		f.cost += costKind
		return v.String(), true
	case bool:
		f.cost += costKind
		return strconv.FormatBool(v), true
	case []any:
		parts := make([]string, 0, len(v))
		for _, e := range v {
			s, ok := e.(string)
			if !ok {
				return "", false
			}
			parts = append(parts, s)
		}
		f.cost += costKind
		return strings.Join(parts, "\n"), true
	case map[string]any:
		if keys := keysOf(v); len(keys) == 1 {
			if s, ok := v[keys[0]].(string); ok {
				f.cost += costUnwrap
				return s, true
			}
		}
	}
	return "", false
}

// choice finds the value of an enum that text means: the same but for case, or
// the only one that is a word of it, as in "action-search".
func (f *fitting) choice(text string, s *schema, name string) (any, error) {
	if slices.Contains(s.enum, text) {
		return text, nil
	}
	f.cost += costKind
	var found []string
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return strings.ContainsRune(" -_.:/,\"'`*()[]<>", r) })
	for _, e := range s.enum {
		if plainName(e) == plainName(text) {
			return e, nil
		}
		if slices.Contains(words, strings.ToLower(e)) {
			found = append(found, e)
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	return nil, mismatch(name, "must be one of %s, not %q", strings.Join(s.enum, ", "), shortened(text))
}

// yesNo is what models write for booleans.
var yesNo = map[string]bool{
	"true": true, "yes": true, "y": true, "1": true, "是": true, "对": true,
	"false": false, "no": false, "n": false, "0": false, "否": false, "不是": false,
}

func (f *fitting) boolean(v any, name string) (any, error) {
	if b, ok := v.(bool); ok {
		return b, nil
	}
	f.cost += costKind
	if text, ok := f.asText(v); ok {
		if b, ok := yesNo[strings.ToLower(strings.Trim(text, " .!\"'"))]; ok {
			return b, nil
		}
	}
	return nil, mismatch(name, "must be true or false")
}

func (f *fitting) number(v any, s *schema, name string) (any, error) {
	text, ok := f.asText(v)
	if _, isBool := v.(bool); isBool || !ok {
		return nil, mismatch(name, "must be a number, not %s", kindName(v))
	}
	text = strings.Trim(text, " %")
	if i := strings.IndexAny(text, "/ "); i > 0 { // "4/5", "3 of 4"
		text = text[:i]
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
		return nil, mismatch(name, "must be a number, not %q", shortened(text))
	}
	if s.kind == "integer" && n != math.Trunc(n) {
		f.cost += costKind
		n = math.Round(n)
		text = strconv.FormatFloat(n, 'f', -1, 64)
	}
	if s.min != nil && n < *s.min || s.max != nil && n > *s.max {
		return nil, mismatch(name, "is %s, outside its bounds", text)
	}
	if s.kind == "integer" {
		return json.Number(strconv.FormatFloat(n, 'f', -1, 64)), nil
	}
	return json.Number(strconv.FormatFloat(n, 'g', -1, 64)), nil
}

// kindOf is the schema's word for the kind of v.
func kindOf(v any) string {
	switch v.(type) {
	case map[string]any:
		return "object"
	case []any:
		return "array"
	case string:
		return "string"
	case bool:
		return "boolean"
	case json.Number:
		return "number"
	}
	return "null"
}

func kindName(v any) string {
	return map[string]string{
		"object": "an object", "array": "a list", "string": "a text", "boolean": "a boolean", "number": "a number", "null": "nothing",
	}[kindOf(v)]
}

func shortened(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}
