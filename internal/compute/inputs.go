package compute

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"
)

// inputs is the value a program knows under that name: a read-only dict that
// notes which inputs were read.
type inputs struct {
	dict *starlark.Dict
	read map[string]bool
}

var _ starlark.IterableMapping = (*inputs)(nil)

func newInputs(list []Input) (*inputs, error) {
	in := &inputs{dict: starlark.NewDict(len(list)), read: map[string]bool{}}
	for _, i := range list {
		value, err := fromJSON(i.Value)
		if err != nil {
			return nil, fmt.Errorf("input %q: %w", i.Name, err)
		}
		if err := in.dict.SetKey(starlark.String(i.Name), value); err != nil {
			return nil, err
		}
	}
	in.dict.Freeze()
	return in, nil
}

func (in *inputs) String() string        { return "inputs" }
func (in *inputs) Type() string          { return "inputs" }
func (in *inputs) Freeze()               {}
func (in *inputs) Truth() starlark.Bool  { return in.dict.Truth() }
func (in *inputs) Hash() (uint32, error) { return 0, fmt.Errorf("unhashable: inputs") }
func (in *inputs) Len() int              { return in.dict.Len() }

// Get is inputs[name].
func (in *inputs) Get(key starlark.Value) (starlark.Value, bool, error) {
	value, found, err := in.dict.Get(key)
	if err != nil {
		return nil, false, err
	}
	if !found {
		return nil, false, fmt.Errorf("there is no input %v: the inputs are %s", key, in.names())
	}
	in.note(key)
	return value, true, nil
}

// Iterate gives names, which reads no input.
func (in *inputs) Iterate() starlark.Iterator { return in.dict.Iterate() }

func (in *inputs) Items() []starlark.Tuple {
	in.noteAll()
	return in.dict.Items()
}

func (in *inputs) AttrNames() []string { return []string{"get", "items", "keys", "values"} }

// Attr lets inputs be used like a dict.
func (in *inputs) Attr(name string) (starlark.Value, error) {
	switch name {
	case "get":
		return starlark.NewBuiltin("get", in.get), nil
	case "keys":
		return in.dict.Attr(name)
	case "items", "values":
		in.noteAll()
		return in.dict.Attr(name)
	}
	if _, found, err := in.dict.Get(starlark.String(name)); found && err == nil {
		return nil, starlark.NoSuchAttrError(fmt.Sprintf("inputs is a dict: write inputs[%q]", name))
	}
	return nil, nil
}

func (in *inputs) get(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var key, otherwise starlark.Value = nil, starlark.None
	if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 1, &key, &otherwise); err != nil {
		return nil, err
	}
	value, found, err := in.dict.Get(key)
	if err != nil || !found {
		return otherwise, err
	}
	in.note(key)
	return value, nil
}

func (in *inputs) note(key starlark.Value) {
	if name, ok := starlark.AsString(key); ok {
		in.read[name] = true
	}
}

func (in *inputs) noteAll() {
	for _, key := range in.dict.Keys() {
		in.note(key)
	}
}

// order lists the wanted names in the order in which they were given.
func (in *inputs) order(wanted func(name string) bool) []string {
	names := []string{}
	for _, key := range in.dict.Keys() {
		if name, _ := starlark.AsString(key); wanted(name) {
			names = append(names, name)
		}
	}
	return names
}

func (in *inputs) names() string {
	all := in.order(func(string) bool { return true })
	if len(all) == 0 {
		return "none"
	}
	return quoteList(all)
}

func quoteList(names []string) string {
	const most = 30
	more := ""
	if len(names) > most {
		more = fmt.Sprintf(" and %d more", len(names)-most)
		names = names[:most]
	}
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = fmt.Sprintf("%q", name)
	}
	return strings.Join(quoted, ", ") + more
}
