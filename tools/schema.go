package tools

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
)

// kind is what a value of an argument is. Each is one JSON type.
type kind string

const (
	kindText      kind = "string"
	kindWhole     kind = "integer"
	kindDecimal   kind = "number"
	kindFlag      kind = "boolean"
	kindList      kind = "array"     // of strings
	kindDocuments kind = "documents" // an array of named texts
)

// field is one argument of a tool. Everything comes from the tags of the struct
// that the tool takes:
//
//	json      the name
//	about     what it means, for a model
//	oneof     the values that a text may have
//	min, max  bounds of a number, or of a length in characters or entries;
//	          lengths are not in the schema, which costs every conversation its
//	          tokens: who breaks one is told
//	default   the value when it is left out
//	required  "true" when it may not be left out
//	sep       "none" when commas do not separate the entries of a list
type field struct {
	name, about string
	kind        kind
	oneOf       []string
	min, max    float64
	bounded     bool
	byDefault   string
	required    bool
	whole       bool // a list written as one string is one entry
	index       int
}

// handedIn is a document given as text.
type handedIn struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

func fieldsOf(t reflect.Type) []field {
	out := make([]field, 0, t.NumField())
	for i := range t.NumField() {
		of := t.Field(i)
		tag := of.Tag.Get
		f := field{
			name: tag("json"), about: tag("about"), kind: kindOf(of.Type), byDefault: tag("default"),
			required: tag("required") == "true", whole: tag("sep") == "none", index: i,
		}
		if v := tag("oneof"); v != "" {
			f.oneOf = strings.Split(v, ",")
		}
		if v := tag("max"); v != "" {
			f.bounded = true
			f.min, _ = strconv.ParseFloat(tag("min"), 64)
			f.max, _ = strconv.ParseFloat(v, 64)
		}
		out = append(out, f)
	}
	return out
}

func kindOf(t reflect.Type) kind {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == reflect.TypeFor[[]string]():
		return kindList
	case t == reflect.TypeFor[[]handedIn]():
		return kindDocuments
	case t.Kind() == reflect.Int:
		return kindWhole
	case t.Kind() == reflect.Float64:
		return kindDecimal
	case t.Kind() == reflect.Bool:
		return kindFlag
	}
	return kindText
}

// inputSchema writes the schema of an input: flat, closed and in the order of
// the fields, which is the order of weight.
func inputSchema(fields []field) json.RawMessage {
	var o object
	o.add("type", "object")
	var props object
	var required []string
	for _, f := range fields {
		props.raw(f.name, f.schema())
		if f.required {
			required = append(required, f.name)
		}
	}
	o.raw("properties", props.bytes())
	if required != nil {
		o.add("required", required)
	}
	o.add("additionalProperties", false)
	return o.bytes()
}

func (f field) schema() json.RawMessage {
	var o object
	typ := string(f.kind)
	if f.kind == kindDocuments {
		typ = "array"
	}
	o.add("type", typ)
	o.add("description", f.about)
	if f.oneOf != nil {
		o.add("enum", f.oneOf)
	}
	switch f.kind {
	case kindList:
		o.raw("items", json.RawMessage(`{"type":"string"}`))
	case kindDocuments:
		o.raw("items", json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"},"text":{"type":"string"}},"required":["name","text"],"additionalProperties":false}`))
	}
	if f.bounded && (f.kind == kindWhole || f.kind == kindDecimal) {
		o.add("minimum", f.min)
		o.add("maximum", f.max)
	}
	if f.byDefault != "" {
		o.raw("default", f.defaultJSON())
	}
	return o.bytes()
}

func (f field) defaultJSON() json.RawMessage {
	if f.kind == kindText {
		return encode(f.byDefault)
	}
	return json.RawMessage(f.byDefault)
}

// object writes a JSON object whose keys keep their order.
type object struct{ buf bytes.Buffer }

func (o *object) raw(key string, value json.RawMessage) {
	if o.buf.Len() > 0 {
		o.buf.WriteByte(',')
	}
	o.buf.Write(encode(key))
	o.buf.WriteByte(':')
	o.buf.Write(value)
}

func (o *object) add(key string, value any) { o.raw(key, encode(value)) }

func (o *object) bytes() json.RawMessage {
	return json.RawMessage("{" + o.buf.String() + "}")
}

// encode is json.Marshal of values that always have a JSON form.
func encode(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("null")
	}
	return b
}
