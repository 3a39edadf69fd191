package tools

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"deepresearch/internal/safe"
	"deepresearch/research"
)

// decode reads arguments as models write them into the struct into. Where they
// slip without doubt the slip is mended: a list as one string, JSON inside a
// string, a number as a string, camelCase. Everything else is an error that
// joins one *research.InputError for each mistake.
func decode(raw json.RawMessage, fields []field, into reflect.Value) error {
	given, err := arguments(raw)
	if err != nil {
		return err
	}
	var mistakes []error
	found := map[string]bool{}
	for _, name := range sortedKeys(given) {
		at := slices.IndexFunc(fields, func(f field) bool { return f.name == name })
		if at < 0 {
			at = slices.IndexFunc(fields, func(f field) bool { return f.name == snake(name) })
		}
		if at < 0 {
			mistakes = append(mistakes, unknown(name, fields))
			continue
		}
		f := fields[at]
		value, present, err := f.read(given[name])
		if err != nil {
			mistakes = append(mistakes, err)
			continue
		}
		if present {
			found[f.name] = true
			set(into.Field(f.index), value)
		}
	}
	for _, f := range fields {
		if f.required && !found[f.name] && !mentioned(mistakes, f.name) {
			mistakes = append(mistakes, &research.InputError{Field: f.name, Reason: "it is missing", Fix: "give it: " + f.about})
		}
	}
	return errors.Join(mistakes...)
}

func mentioned(mistakes []error, name string) bool {
	return slices.ContainsFunc(mistakes, func(err error) bool {
		var e *research.InputError
		return errors.As(err, &e) && e.Field == name
	})
}

// arguments takes the object apart. A string may hold the object.
func arguments(raw json.RawMessage) (map[string]json.RawMessage, error) {
	raw = bytes.TrimSpace(raw)
	if inner, ok := quoted(raw); ok {
		raw = []byte(strings.TrimSpace(inner))
	}
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(raw, &given); err != nil {
		return nil, &research.InputError{Field: "arguments", Reason: "they are not a JSON object", Fix: `send an object such as {"question":"..."}`}
	}
	return given, nil
}

func quoted(raw json.RawMessage) (string, bool) {
	var s string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}

func sortedKeys(m map[string]json.RawMessage) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// snake is the name as our schemas write it: maxPages and max-pages are
// max_pages.
func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		switch {
		case r == '-' || r == ' ':
			b.WriteByte('_')
		case unicode.IsUpper(r):
			if i > 0 && !strings.HasSuffix(b.String(), "_") {
				b.WriteByte('_')
			}
			b.WriteRune(unicode.ToLower(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// set stores a value that [field.read] returned.
func set(into reflect.Value, value any) {
	v := reflect.ValueOf(value)
	if into.Kind() == reflect.Pointer {
		into.Set(reflect.New(into.Type().Elem()))
		into = into.Elem()
	}
	into.Set(v.Convert(into.Type()))
}

// read is the value of an argument. Null and the empty string are as good as
// nothing.
func (f field) read(raw json.RawMessage) (value any, present bool, err error) {
	raw = bytes.TrimSpace(raw)
	if string(raw) == "null" {
		return nil, false, nil
	}
	if s, ok := quoted(raw); ok && strings.TrimSpace(s) == "" && !f.required {
		return nil, false, nil
	}
	switch f.kind {
	case kindWhole, kindDecimal:
		value, err = f.number(raw)
	case kindFlag:
		value, err = f.truth(raw)
	case kindList:
		value, err = f.list(raw)
	case kindDocuments:
		value, err = f.records(raw)
	default:
		value, err = f.text(raw)
	}
	return value, err == nil, err
}

func (f field) text(raw json.RawMessage) (string, error) {
	s, ok := scalar(raw)
	if !ok {
		var one []string
		if json.Unmarshal(raw, &one) != nil || len(one) != 1 {
			return "", f.wrong(raw, "it is not a string", "give one string")
		}
		s = one[0]
	}
	if f.oneOf != nil {
		return f.choice(s)
	}
	// Characters that no reader sees would go into queries, reports and terminals.
	s, _ = safe.Text(s)
	n := float64(utf8.RuneCountInString(s))
	switch {
	case f.bounded && n > f.max:
		return "", f.mistake(fmt.Sprintf("it has %.0f characters", n), fmt.Sprintf("give at most %.0f", f.max))
	case f.required && strings.TrimSpace(s) == "":
		return "", f.mistake("it is empty", "give it: "+f.about)
	}
	return s, nil
}

func (f field) choice(s string) (string, error) {
	want := strings.ToLower(strings.TrimSpace(s))
	if slices.Contains(f.oneOf, want) {
		return want, nil
	}
	return "", f.mistake(fmt.Sprintf("%q is not one of its values", clip(s, 60)), "use "+orNearest(want, f.oneOf))
}

// scalar is the text of a string, a number or a truth value.
func scalar(raw json.RawMessage) (string, bool) {
	if s, ok := quoted(raw); ok {
		return s, true
	}
	if len(raw) > 0 && (raw[0] == '{' || raw[0] == '[') {
		return "", false
	}
	return string(raw), true
}

func (f field) number(raw json.RawMessage) (any, error) {
	s, _ := scalar(raw)
	n, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	switch {
	case err != nil || math.IsNaN(n) || math.IsInf(n, 0):
		return nil, f.wrong(raw, "it is not a number", f.bounds())
	case f.kind == kindWhole && n != math.Trunc(n):
		return nil, f.wrong(raw, "it is not a whole number", f.bounds())
	case f.bounded && (n < f.min || n > f.max):
		return nil, f.wrong(raw, "it is out of range", f.bounds())
	case f.kind == kindWhole:
		return int(n), nil
	}
	return n, nil
}

func (f field) bounds() string {
	return fmt.Sprintf("give a number from %s to %s, or leave it out", plain(f.min), plain(f.max))
}

func plain(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

func (f field) truth(raw json.RawMessage) (bool, error) {
	s, _ := scalar(raw)
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "true", "1", "yes":
		return true, nil
	case "false", "0", "no":
		return false, nil
	}
	return false, f.wrong(raw, "it is neither true nor false", "give true or false")
}

func (f field) list(raw json.RawMessage) ([]string, error) {
	entries := []string{}
	if s, ok := quoted(raw); ok {
		if inner := strings.TrimSpace(s); strings.HasPrefix(inner, "[") && json.Valid([]byte(inner)) {
			raw = json.RawMessage(inner)
		} else {
			entries = f.split(s)
		}
	}
	if raw[0] == '[' {
		var parts []json.RawMessage
		if err := json.Unmarshal(raw, &parts); err != nil {
			return nil, f.wrong(raw, "it is not a list", "give a list of strings")
		}
		for _, p := range parts {
			s, ok := scalar(bytes.TrimSpace(p))
			if !ok {
				return nil, f.wrong(p, "an entry is not a string", "give a list of strings")
			}
			if s = strings.TrimSpace(s); s != "" && s != "null" {
				entries = append(entries, s)
			}
		}
	} else if raw[0] != '"' {
		return nil, f.wrong(raw, "it is not a list", "give a list of strings")
	}
	switch {
	case f.bounded && float64(len(entries)) > f.max:
		return nil, f.mistake(fmt.Sprintf("it has %d entries", len(entries)), fmt.Sprintf("give at most %.0f", f.max))
	case f.required && len(entries) == 0:
		return nil, f.mistake("it is empty", "give it: "+f.about)
	}
	return entries, nil
}

// split takes a list that was written as one string apart.
func (f field) split(s string) []string {
	apart := func(r rune) bool { return r == '\n' || r == ',' && !f.whole }
	var out []string
	for part := range strings.FieldsFuncSeq(s, apart) {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

func (f field) records(raw json.RawMessage) ([]handedIn, error) {
	if s, ok := quoted(raw); ok && json.Valid([]byte(s)) {
		raw = json.RawMessage(strings.TrimSpace(s))
	}
	if len(raw) > 0 && raw[0] == '{' {
		raw = slices.Concat([]byte("["), raw, []byte("]"))
	}
	var out []handedIn
	if json.Unmarshal(raw, &out) != nil {
		return nil, f.mistake("it is not a list of documents", `give [{"name":"notes.md","text":"..."}]`)
	}
	if f.bounded && float64(len(out)) > f.max {
		return nil, f.mistake(fmt.Sprintf("it has %d entries", len(out)), fmt.Sprintf("give at most %.0f", f.max))
	}
	return out, nil
}

func (f field) mistake(reason, fix string) error {
	return &research.InputError{Field: f.name, Reason: reason, Fix: fix}
}

// wrong is a mistake that shows the value, as far as it is short.
func (f field) wrong(raw json.RawMessage, reason, fix string) error {
	return f.mistake(reason+": "+clip(string(raw), 60), fix)
}

func unknown(name string, fields []field) error {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	return &research.InputError{
		Field: cmp.Or(clip(name, 60), `""`), Reason: "there is no such argument", Fix: "use " + orNearest(snake(name), names),
	}
}

// clip cuts a text to n characters.
func clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	r := []rune(s)
	return string(r[:n-1]) + "…"
}
