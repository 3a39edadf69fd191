package config

import (
	"encoding"
	"fmt"
	"net"
	"net/netip"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/language"
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
	if check := likes[f.Like]; check != nil {
		if err := check(text); err != nil {
			return err
		}
	}
	target.SetString(text)
	return nil
}

// likes are the forms that a text may have to keep to.
var likes = map[string]func(string) error{"host": checkHost, "language": checkLanguage}

// checkHost accepts a host as users write it: alone, with a leading *. or dot,
// or as the address of a page.
func checkHost(text string) error {
	host := strings.ToLower(strings.TrimSpace(text))
	if _, rest, ok := strings.Cut(host, "://"); ok {
		host = rest
	}
	if i := strings.IndexAny(host, "/?#"); i >= 0 {
		host = host[:i]
	}
	host = strings.TrimPrefix(strings.TrimPrefix(host, "*"), ".")
	if name, port, err := net.SplitHostPort(host); err == nil && validPort(port) {
		host = name
	}
	_, notAddress := netip.ParseAddr(strings.Trim(host, "[]"))
	if notAddress != nil && (strings.ContainsFunc(host, inNoName) || slices.Contains(strings.Split(host, "."), "")) {
		return fmt.Errorf("%q is not a host: write it like example.org, or .org for all below it", text)
	}
	return nil
}

// inNoName reports whether a letter stands in no name of a host.
func inNoName(r rune) bool {
	return !unicode.In(r, unicode.L, unicode.M, unicode.N) && !strings.ContainsRune("-_.", r)
}

// checkLanguage accepts a well-formed tag of a language that there is (BCP 47).
func checkLanguage(text string) error {
	if _, err := language.Parse(strings.TrimSpace(text)); err != nil {
		return fmt.Errorf("%q is not the tag of a language: write it like en, pt-BR or zh-Hans", text)
	}
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
	case "true", "1", "yes", "on":
		return true, nil
	case "false", "0", "no", "off":
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
