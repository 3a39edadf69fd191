package compute

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"go.starlark.net/starlark"
)

// fromJSON is a decoded JSON value as a program sees it.
func fromJSON(v any) (starlark.Value, error) {
	switch v := v.(type) {
	case nil:
		return starlark.None, nil
	case bool:
		return starlark.Bool(v), nil
	case string:
		return starlark.String(v), nil
	case json.Number:
		return numberFromJSON(v)
	case []any:
		list := make([]starlark.Value, len(v))
		for i, e := range v {
			var err error
			if list[i], err = fromJSON(e); err != nil {
				return nil, err
			}
		}
		return starlark.NewList(list), nil
	case map[string]any:
		return dictFromJSON(v)
	}
	return nil, fmt.Errorf("a %T is no JSON value", v)
}

func numberFromJSON(n json.Number) (starlark.Value, error) {
	if i, ok := new(big.Int).SetString(n.String(), 10); ok {
		return starlark.MakeBigInt(i), nil
	}
	f, err := n.Float64()
	if err != nil {
		return nil, fmt.Errorf("the number %s is out of range", n)
	}
	return starlark.Float(f), nil
}

// dictFromJSON sorts the keys, which JSON leaves without order.
func dictFromJSON(m map[string]any) (starlark.Value, error) {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	dict := starlark.NewDict(len(m))
	for _, key := range keys {
		value, err := fromJSON(m[key])
		if err != nil {
			return nil, err
		}
		if err := dict.SetKey(starlark.String(key), value); err != nil {
			return nil, err
		}
	}
	return dict, nil
}

// wholeLimit is the largest whole number that every JSON reader keeps exact
// (RFC 8259, section 6).
const wholeLimit = 1<<53 - 1

// toJSON is a program's value as a JSON value, or a sentence why it is none.
func toJSON(v starlark.Value) (any, error) {
	w := jsonWriter{left: 10_000}
	return w.value(v, 0)
}

// jsonWriter bounds what it writes: lists that hold each other twice grow
// without memory.
type jsonWriter struct{ left int }

func (w *jsonWriter) value(v starlark.Value, depth int) (any, error) {
	if depth > 20 {
		return nil, errors.New("it is nested more than 20 deep")
	}
	if w.left--; w.left < 0 {
		return nil, errors.New("it has more than 10000 parts")
	}
	switch v := v.(type) {
	case starlark.NoneType:
		return nil, nil
	case starlark.Bool:
		return bool(v), nil
	case starlark.String:
		return textToJSON(string(v))
	case starlark.Int:
		if i, ok := v.Int64(); ok && -wholeLimit <= i && i <= wholeLimit {
			return i, nil
		}
		return nil, fmt.Errorf("it is a whole number beyond %d: use float(x)", int64(wholeLimit))
	case starlark.Float:
		if math.IsInf(float64(v), 0) || math.IsNaN(float64(v)) {
			return nil, fmt.Errorf("%v is not a finite number: test the divisor or the range before you use it", v)
		}
		return float64(v), nil
	case *starlark.Dict:
		return w.object(v, depth)
	case starlark.Iterable:
		return w.array(v, depth)
	}
	return nil, fmt.Errorf("a %s is no number, text, list or dict", v.Type())
}

const textSize = 10_000

func textToJSON(s string) (any, error) {
	if len(s) > textSize {
		return nil, fmt.Errorf("its text has %d bytes, at most %d are allowed", len(s), textSize)
	}
	return strings.ToValidUTF8(s, "\ufffd"), nil
}

func (w *jsonWriter) object(d *starlark.Dict, depth int) (any, error) {
	object := make(map[string]any, d.Len())
	for _, pair := range d.Items() {
		key, ok := starlark.AsString(pair[0])
		if !ok {
			return nil, fmt.Errorf("its key %s is no text: use str(key)", short(pair[0]))
		}
		value, err := w.value(pair[1], depth+1)
		if err != nil {
			return nil, err
		}
		object[key] = value
	}
	return object, nil
}

func (w *jsonWriter) array(list starlark.Iterable, depth int) (any, error) {
	array := []any{}
	for element := range starlark.Elements(list) {
		value, err := w.value(element, depth+1)
		if err != nil {
			return nil, err
		}
		array = append(array, value)
	}
	return array, nil
}

// short is a value in at most 40 characters, for a sentence.
func short(v starlark.Value) string {
	switch v.(type) {
	case starlark.String, starlark.Int, starlark.Float, starlark.Bool, starlark.NoneType:
		if s := firstRunes(v.String(), 40); s != "" {
			return s
		}
	}
	return "a " + v.Type()
}
