// Package prompts holds the texts that language models are asked with. Start
// with [New], then call the method of the step that asks, such as
// [Set.Queries], with its typed input.
//
// There is one folder a role, one template a step. Everything that comes from
// the web or from files stands between marks that the caller made, and the
// template says that it is material and no instruction. A template that was
// changed can be laid over the embedded one from a folder of the same shape.
//
// The package calls no model and knows no schema of an answer. The prompts that
// MCP hosts show are in package tools.
package prompts

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"
	"text/template"
)

//go:embed shared.tmpl plan search reflect write judge
var embedded embed.FS

// The templates by their file, without the ending.
const (
	queries  = "plan/queries"
	tasks    = "plan/tasks"
	page     = "search/page"
	gaps     = "reflect/gaps"
	roll     = "reflect/roll"
	outline  = "write/outline"
	section  = "write/section"
	table    = "write/table"
	program  = "write/program"
	summary  = "write/summary"
	verdicts = "judge/verdicts"
)

// inputs has the input of every template, empty.
var inputs = map[string]any{
	queries: Queries{}, tasks: Plan{}, page: Page{}, gaps: Gaps{}, roll: Roll{}, outline: Outline{}, section: Section{}, table: Table{}, program: Program{}, summary: Summary{}, verdicts: Verdicts{},
}

const (
	shared = "shared.tmpl" // definitions that several templates use
	ending = ".tmpl"
)

// Prompt is a rendered template: who the model is and how it answers, and what
// it is asked.
type Prompt struct {
	System string
	User   string
}

// Set is a complete set of templates. It is safe for concurrent use.
type Set struct {
	templates map[string]*template.Template
}

// New returns the embedded templates, with those that over has laid over them;
// over may be nil. A file of over has the path of the one it replaces, such as
// write/section.tmpl. The error names the file that cannot be used: one that is
// no template, asks for what its input has not, or replaces nothing.
func New(over fs.FS) (*Set, error) {
	s := &Set{templates: map[string]*template.Template{}}
	if err := strays(over); err != nil {
		return nil, err
	}
	common, err := read(over, shared)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(inputs)) {
		body, err := read(over, name+ending)
		if err != nil {
			return nil, err
		}
		t := template.New(path.Base(name)).Funcs(functions).Option("missingkey=error")
		if _, err := t.Parse(common); err != nil {
			return nil, fmt.Errorf("reading the prompt %s: %w", shared, err)
		}
		if _, err := t.Parse(body); err != nil {
			return nil, fmt.Errorf("reading the prompt %s: %w", name+ending, err)
		}
		for _, part := range []string{"system", "user"} {
			if t.Lookup(part) == nil {
				return nil, fmt.Errorf("reading the prompt %s: it defines no %q", name+ending, part)
			}
		}
		s.templates[name] = t
		if err := s.try(name); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// strays refuses a template that replaces none: its name is misspelt, or its
// folder.
func strays(over fs.FS) error {
	if over == nil {
		return nil
	}
	return fs.WalkDir(over, ".", func(name string, _ fs.DirEntry, err error) error {
		switch known, isTemplate := strings.CutSuffix(name, ending); {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return fmt.Errorf("reading the prompt %s: %w", name, err)
		case isTemplate && name != shared && inputs[known] == nil:
			return fmt.Errorf("reading the prompt %s: it replaces none: use one of %s, %s", name, strings.Join(slices.Sorted(maps.Keys(inputs)), ", "), shared)
		}
		return nil
	})
}

// try renders a template with an input that has nothing and one that has one of
// everything, so that a mistake in it shows before a run has begun.
func (s *Set) try(name string) error {
	full := reflect.New(reflect.TypeOf(inputs[name])).Elem()
	fill(full)
	for _, input := range []any{inputs[name], full.Interface()} {
		if _, err := s.render(name, input); err != nil {
			return err
		}
	}
	return nil
}

// fill gives every field of an input a value.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Int:
		v.SetInt(1)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Struct:
		for _, field := range v.Fields() {
			fill(field)
		}
	}
}

func read(over fs.FS, name string) (string, error) {
	if over != nil {
		body, err := fs.ReadFile(over, name)
		if err == nil {
			return string(body), nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("reading the prompt %s: %w", name, err)
		}
	}
	body, err := embedded.ReadFile(name)
	return string(body), err
}

var functions = template.FuncMap{
	"inc":  func(i int) int { return i + 1 },
	"join": strings.Join,
}

// render fills a template. Blank lines that conditions leave behind are closed
// up, so that a prompt costs no tokens for what it does not say.
func (s *Set) render(name string, input any) (Prompt, error) {
	t := s.templates[name]
	var parts [2]string
	for i, part := range []string{"system", "user"} {
		var b strings.Builder
		if err := t.ExecuteTemplate(&b, part, input); err != nil {
			return Prompt{}, fmt.Errorf("writing the prompt %s: %w", name+ending, err)
		}
		parts[i] = tidy(b.String())
	}
	return Prompt{System: parts[0], User: parts[1]}, nil
}

func tidy(s string) string {
	for strings.Contains(s, "\n\n\n") {
		s = strings.ReplaceAll(s, "\n\n\n", "\n\n")
	}
	return strings.TrimSpace(s)
}

// Embedded returns the templates of the product, unchanged.
func Embedded() *Set {
	s, err := New(nil)
	if err != nil {
		panic(err) // the tests of this package render every embedded template
	}
	return s
}
