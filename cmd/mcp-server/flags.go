package main

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"deepresearch/internal/config"
)

// settingFlags are the flags of a command that come from [config.Fields]: one
// structure that kong fills with what was given, unread. Reading is config's.
type settingFlags struct{ kong.Plugins }

// newSettingFlags returns flags for every setting that commands of the given
// kinds take.
func newSettingFlags(kinds ...string) settingFlags {
	var fields []reflect.StructField
	for _, f := range config.Fields() {
		taken := func(kind string) bool { return kind == config.OnEvery || slices.Contains(kinds, kind) }
		if slices.ContainsFunc(f.On, taken) {
			fields = append(fields, flagField(len(fields), f))
		}
	}
	return settingFlags{kong.Plugins{reflect.New(reflect.StructOf(fields)).Interface()}}
}

// flagField describes a setting to kong. Pointers and lists tell a flag that
// was not given from one that was given its default.
func flagField(i int, f config.Field) reflect.StructField {
	tag := fmt.Sprintf("name:%q help:%q group:%q", f.Name, flagHelp(f), f.Group)
	field := reflect.StructField{Name: fmt.Sprintf("F%d", i), Type: reflect.TypeFor[*string]()}
	switch f.Kind {
	case config.Switch:
		field.Type = reflect.TypeFor[*bool]()
	case config.List:
		field.Type = reflect.TypeFor[[]string]()
		tag += ` sep:"none" placeholder:"TEXT"`
	case config.Number, config.Decimal, config.Seconds:
		tag += ` placeholder:"N"`
	default:
		tag += ` placeholder:"TEXT"`
	}
	field.Tag = reflect.StructTag(tag)
	return field
}

func flagHelp(f config.Field) string {
	help := f.Help
	if len(f.OneOf) > 0 {
		help += ": " + strings.Join(f.OneOf, ", ")
	}
	switch {
	case f.Default != "":
		help += " [" + f.Default + "]"
	case f.Means != "":
		help += " [" + f.Means + "]"
	}
	return help
}

// given returns the flags that stood on the command line, by name.
func (s settingFlags) given() map[string][]string {
	given := map[string][]string{}
	for _, plugin := range s.Plugins {
		v := reflect.ValueOf(plugin).Elem()
		for i := range v.NumField() {
			value := v.Field(i)
			if value.IsNil() {
				continue
			}
			name := v.Type().Field(i).Tag.Get("name")
			switch value := value.Interface().(type) {
			case []string:
				given[name] = value
			case *string:
				given[name] = []string{*value}
			case *bool:
				given[name] = []string{fmt.Sprint(*value)}
			}
		}
	}
	return given
}
