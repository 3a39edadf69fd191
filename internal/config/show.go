package config

import (
	"fmt"
	"strings"
)

// Setting is one line of the effective configuration.
type Setting struct {
	Name   string `json:"name"`
	Value  string `json:"value"` // as it would be written; secrets are asterisks
	Origin Origin `json:"origin"`
	From   string `json:"from,omitempty"` // the flag, variable or key and file
	Means  string `json:"means,omitempty"`
}

// Effective returns every setting with its value and where that comes from, in
// the order of [Config].
func (s *Settings) Effective() []Setting {
	var out []Setting
	for _, f := range allFields() {
		line := Setting{Name: f.Name, Value: f.show(&s.Config), Origin: s.Origin(f.Name)}
		if line.Origin != FromDefault {
			line.From = s.from[f.Name].where
		}
		if line.Value == "" {
			line.Means = f.Means
		}
		out = append(out, line)
	}
	return out
}

// Origin returns where the value of a setting comes from.
func (s *Settings) Origin(name string) Origin {
	if at, ok := s.from[name]; ok {
		return at.origin
	}
	return FromDefault
}

// Differs reports whether a setting has another value than its default.
func (s *Settings) Differs(name string) bool {
	var standing Config
	for _, f := range allFields() {
		if f.Name == name {
			return f.show(&s.Config) != f.Default && f.show(&s.Config) != f.show(&standing)
		}
	}
	return false
}

// Where returns who set a setting, as the user wrote it: a flag, a variable, a
// key and its file.
func (s *Settings) Where(name string) string { return orElse(s.from[name].where, name) }

func orElse(s, fallback string) string {
	if s == "" {
		return fallback
	}
	return s
}

// Markdown returns the tables of all settings for the README.
func Markdown() string {
	var b strings.Builder
	group := ""
	for _, f := range allFields() {
		if f.Group != group {
			group = f.Group
			fmt.Fprintf(&b, "\n**%s**\n\n| key | flag | environment | default | meaning |\n| --- | --- | --- | --- | --- |\n", group)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", f.key(), f.flag(), f.variables(), f.standing(), f.meaning())
	}
	return strings.TrimLeft(b.String(), "\n")
}

func (f Field) key() string {
	if !f.InFile {
		return ""
	}
	return code(f.Name)
}

func (f Field) flag() string {
	if len(f.On) == 0 {
		return ""
	}
	return code("--" + f.Name)
}

func (f Field) variables() string {
	if len(f.Env) == 0 {
		return ""
	}
	return code(strings.Join(f.Env, "`, `"))
}

func (f Field) standing() string {
	switch {
	case f.Default != "":
		return code(f.Default)
	case f.Kind == Switch:
		return code("false")
	}
	return f.Means
}

func (f Field) meaning() string {
	if len(f.OneOf) == 0 {
		return f.Help
	}
	return f.Help + ": `" + strings.Join(f.OneOf, "`, `") + "`"
}

func code(s string) string { return "`" + s + "`" }
