// Package answer reads what a language model said. Start with [Parse], which
// finds the JSON value of a schema in a text however it is wrapped, misquoted or
// cut; [Spoken] takes the thinking out of a text; [Lines] reads a list of texts
// where there is no JSON at all.
//
// The package invents nothing: what was cut off is missing, and a value that
// only echoes the schema is refused. It calls no model and knows no back end.
package answer

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// Value is what Parse found.
type Value struct {
	JSON json.RawMessage // fits the schema, its properties in the schema's order
	// Cost grows with everything that had to be repaired, guessed or dropped; 0
	// means that the model kept to the schema.
	Cost int
}

// errNothing says that there is no JSON in a text.
var errNothing = errors.New("there is no JSON value in the answer")

// Parse returns the JSON value in text that fits the schema best: the one that
// needs the least repair, and the last of several. The error says, in words for
// the model that wrote the text, what is wrong with it.
func Parse(text string, schema json.RawMessage) (Value, error) {
	s := parseSchema(schema)
	text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
	if json.Valid([]byte(text)) {
		return s.fit([]byte(text), 0)
	}
	spoken, tail := split(text)
	best, err := s.best(spoken)
	// When the thinking never ended, what follows its last blank line may be the answer.
	i := strings.LastIndex(tail, "\n\n")
	if err == nil || i < 0 {
		return best, err
	}
	if late, lateErr := s.best(tail[i:]); lateErr == nil {
		late.Cost++
		return late, nil
	}
	return best, err
}

// best tries every candidate of the text. Without any that fits, the error is
// the one of the candidate that came nearest, the last of equals.
func (s *schema) best(text string) (Value, error) {
	var best Value
	err, found := errNothing, false
	for _, c := range find(text) {
		raw, cost := c.text, c.cost
		if !c.valid {
			raw, cost = repair(c.text)
			if raw == nil {
				continue
			}
			cost += c.cost
		}
		v, fitErr := s.fit(raw, cost)
		switch {
		case fitErr == nil && (!found || v.Cost <= best.Cost):
			best, found = v, true
		case fitErr != nil && (errors.Is(err, errNothing) || c.whole):
			err = fitErr
		}
	}
	if found {
		return best, nil
	}
	return Value{}, err
}

// fit coerces and checks one JSON text.
func (s *schema) fit(raw []byte, cost int) (Value, error) {
	v, err := decode(raw)
	if err != nil {
		return Value{}, err
	}
	if s == nil {
		return Value{JSON: raw, Cost: cost}, nil
	}
	f := fitting{cost: cost}
	v, err = f.coerce(v, s, "", 0)
	if err != nil {
		return Value{}, err
	}
	if blank(v) {
		return Value{}, errors.New("every value in the answer is empty")
	}
	var out bytes.Buffer
	if err := s.encode(&out, v); err != nil {
		return Value{}, err
	}
	return Value{JSON: out.Bytes(), Cost: f.cost}, nil
}

func decode(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, errors.New("the answer is not valid JSON")
	}
	return v, nil
}

// blank reports whether nothing was said: texts, and every one of them empty.
// Numbers and booleans say something, and so does an empty list that stands
// alone: a page that says nothing on a question has no findings.
func blank(v any) bool {
	texts, spoken := false, false
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case nil:
			texts = true
		case string:
			texts, spoken = true, spoken || v != ""
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			texts = texts || len(v) == 0
			for _, e := range v {
				walk(e)
			}
		default:
			spoken = true
		}
	}
	walk(v)
	return texts && !spoken
}
