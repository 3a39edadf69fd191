package answer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// schema is the part of a JSON schema that answers are held to.
type schema struct {
	kind        string // object, array, string, integer, number, boolean; "" for any
	nullable    bool
	properties  []property
	items       *schema
	enum        []string
	description string
	minItems    int
	maxItems    int // 0: any number
	minLength   int
	min, max    *float64
}

type property struct {
	name     string
	required bool
	schema   *schema
}

// parseSchema returns nil for no schema, which anything fits.
func parseSchema(raw json.RawMessage) *schema {
	if len(raw) == 0 || !gjson.ValidBytes(raw) {
		return nil
	}
	return newSchema(gjson.ParseBytes(raw), 0)
}

func newSchema(g gjson.Result, depth int) *schema {
	if depth > deepest {
		return &schema{}
	}
	if any := g.Get("anyOf"); any.IsArray() {
		return union(any, depth)
	}
	s := &schema{description: g.Get("description").Str, minItems: int(g.Get("minItems").Int()),
		maxItems: int(g.Get("maxItems").Int()), minLength: int(g.Get("minLength").Int())}
	s.setType(g.Get("type"))
	for _, e := range g.Get("enum").Array() {
		if e.Type == gjson.String {
			s.enum = append(s.enum, e.Str)
		}
	}
	var required []string
	for _, r := range g.Get("required").Array() {
		required = append(required, r.Str)
	}
	g.Get("properties").ForEach(func(k, v gjson.Result) bool {
		s.properties = append(s.properties, property{k.Str, slices.Contains(required, k.Str), newSchema(v, depth+1)})
		return true
	})
	if items := g.Get("items"); items.IsObject() {
		s.items = newSchema(items, depth+1)
		if s.items.description == "" {
			s.items.description = s.description
		}
	}
	s.min, s.max = bound(g.Get("minimum")), bound(g.Get("maximum"))
	s.guessType()
	return s
}

// union reads anyOf as its first branch that is not null.
func union(branches gjson.Result, depth int) *schema {
	out, nullable := &schema{}, false
	for _, b := range slices.Backward(branches.Array()) {
		if b.Get("type").Str == "null" {
			nullable = true
			continue
		}
		out = newSchema(b, depth+1)
	}
	out.nullable = out.nullable || nullable
	return out
}

func (s *schema) setType(t gjson.Result) {
	for _, one := range t.Array() {
		switch name := strings.ToLower(one.Str); name {
		case "null":
			s.nullable = true
		default:
			s.kind = name
		}
	}
}

func (s *schema) guessType() {
	switch {
	case s.kind != "":
	case len(s.properties) > 0:
		s.kind = "object"
	case s.items != nil:
		s.kind = "array"
	case len(s.enum) > 0:
		s.kind = "string"
	}
}

func bound(g gjson.Result) *float64 {
	if g.Type != gjson.Number {
		return nil
	}
	return &g.Num
}

// property returns the property of that name, or of the name that differs only
// in case, hyphens and underscores; -1 for none.
func (s *schema) property(name string) int {
	if i := slices.IndexFunc(s.properties, func(p property) bool { return p.name == name }); i >= 0 {
		return i
	}
	name = plainName(name)
	return slices.IndexFunc(s.properties, func(p property) bool { return plainName(p.name) == name })
}

var nameSigns = strings.NewReplacer("_", "", "-", "", " ", "", "*", "", "\"", "")

func plainName(s string) string { return strings.ToLower(nameSigns.Replace(s)) }

// only returns the one property of the wanted kind of which the required ones
// hold none but it; nil when there are several or none.
func (s *schema) only(wanted func(*schema) bool) *property {
	var found *property
	for i := range s.properties {
		p := &s.properties[i]
		switch {
		case wanted(p.schema):
			if found != nil {
				return nil
			}
			found = p
		case p.required:
			return nil
		}
	}
	return found
}

// encode writes v with the properties in the schema's order, and without those
// that the schema does not know.
func (s *schema) encode(out *bytes.Buffer, v any) error {
	switch v := v.(type) {
	case map[string]any:
		if s == nil || len(s.properties) == 0 {
			break
		}
		out.WriteByte('{')
		comma := ""
		for _, p := range s.properties {
			one, ok := v[p.name]
			if !ok {
				continue
			}
			name, err := json.Marshal(p.name)
			if err != nil {
				return fmt.Errorf("encoding a name: %w", err)
			}
			out.WriteString(comma)
			out.Write(name)
			out.WriteByte(':')
			if err := p.schema.encode(out, one); err != nil {
				return err
			}
			comma = ","
		}
		out.WriteByte('}')
		return nil
	case []any:
		out.WriteByte('[')
		for i, e := range v {
			if i > 0 {
				out.WriteByte(',')
			}
			var of *schema
			if s != nil {
				of = s.items
			}
			if err := of.encode(out, e); err != nil {
				return err
			}
		}
		out.WriteByte(']')
		return nil
	}
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("encoding a value: %w", err)
	}
	out.Truncate(out.Len() - 1) // Encode adds a line break
	return nil
}
