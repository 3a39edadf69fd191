package config

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// set writes texts, the values that one source gave, into the field of to.
func (f Field) set(to *Config, texts []string) error {
	target := reflect.ValueOf(to).Elem().FieldByIndex(f.index)
	if f.Kind != List {
		return f.parse(target, texts[len(texts)-1])
	}
	list := reflect.MakeSlice(target.Type(), 0, len(texts))
	for _, text := range texts {
		entry := reflect.New(target.Type().Elem()).Elem()
		if err := f.parse(entry, text); err != nil {
			return err
		}
		list = reflect.Append(list, entry)
	}
	target.Set(list)
	return nil
}

// parse reads one value.
func (f Field) parse(target reflect.Value, text string) error {
	if reader, ok := reflect.TypeAssert[encoding.TextUnmarshaler](target.Addr()); ok {
		return reader.UnmarshalText([]byte(text))
	}
	switch target.Interface().(type) {
	case time.Duration:
		return f.parseSeconds(target, text)
	case bool:
		value, err := parseSwitch(text)
		target.SetBool(value)
		return err
	case int:
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || !f.within(float64(n)) {
			return fmt.Errorf("%q is not a whole number%s", text, f.advice())
		}
		target.SetInt(int64(n))
		return nil
	case float64:
		n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil || !f.within(n) {
			return fmt.Errorf("%q is not a number%s", text, f.advice())
		}
		target.SetFloat(n)
		return nil
	}
	if len(f.OneOf) > 0 && !slices.Contains(f.OneOf, text) {
		return fmt.Errorf("%q is not one of its values: use %s", text, oneOf(text, f.OneOf))
	}
	target.SetString(text)
	return nil
}

func (f Field) parseSeconds(target reflect.Value, text string) error {
	text = strings.TrimSpace(text)
	d, err := time.ParseDuration(text)
	if n, notNumber := strconv.ParseFloat(text, 64); notNumber == nil {
		d, err = time.Duration(n*float64(time.Second)), nil
	}
	if err != nil || !f.within(d.Seconds()) {
		return fmt.Errorf("%q is not a number of seconds%s", text, f.advice())
	}
	target.SetInt(int64(d))
	return nil
}

func parseSwitch(text string) (bool, error) {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "true", "1", "yes":
		return true, nil
	case "false", "0", "no":
		return false, nil
	}
	return false, fmt.Errorf("%q is neither yes nor no: use true or false", text)
}

// bounds reads the tags min and max; without both a number has no bounds.
func bounds(low, high string) (lowest, highest float64, bounded bool) {
	lowest, errLow := strconv.ParseFloat(low, 64)
	highest, errHigh := strconv.ParseFloat(high, 64)
	return lowest, highest, errLow == nil && errHigh == nil
}

func (f Field) within(n float64) bool { return !f.bounded || n >= f.min && n <= f.max }

// advice ends a message about a number.
func (f Field) advice() string {
	if !f.bounded {
		return ""
	}
	return fmt.Sprintf(" from %s to %s", decimal(f.min), decimal(f.max))
}

func decimal(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// show writes the value of the field as it would be configured, secrets masked.
func (f Field) show(of *Config) string {
	value := reflect.ValueOf(of).Elem().FieldByIndex(f.index)
	switch f.Kind {
	case List:
		parts := make([]string, value.Len())
		for i := range parts {
			parts[i] = fmt.Sprint(value.Index(i).Interface())
		}
		return strings.Join(parts, ",")
	case Table:
		var parts []string
		for _, key := range value.MapKeys() {
			parts = append(parts, fmt.Sprintf("%v=%v", key, value.MapIndex(key)))
		}
		slices.Sort(parts)
		return strings.Join(parts, ",")
	case Switch:
		return strconv.FormatBool(value.Bool())
	}
	if value.IsZero() {
		return ""
	}
	if d, ok := reflect.TypeAssert[time.Duration](value); ok {
		return decimal(d.Seconds())
	}
	return fmt.Sprint(value.Interface())
}
