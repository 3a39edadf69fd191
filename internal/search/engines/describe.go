package engines

import (
	"strings"

	"deepresearch/internal/search"
	"deepresearch/internal/search/wire"
)

// Names returns the names of all engines in order of preference.
func Names() []string {
	var names []string
	for _, d := range Describe() {
		names = append(names, d.Name)
	}
	return names
}

// KeyNames returns the environment variables of keys by the name of the engine.
// Engines that take no key are left out.
func KeyNames() map[string]string {
	keys := map[string]string{}
	for _, d := range Describe() {
		if d.Key != "" {
			keys[d.Name] = d.Key
		}
	}
	return keys
}

// Description is what there is to know about an engine before it is asked.
type Description struct {
	Name string
	// On is what switches the engine on.
	On search.On
	// Key is the environment variable of its key, empty for none. An engine
	// that is always on allows more with its key.
	Key string
	// Address is the environment variable of its address, for engines that an
	// address switches on.
	Address string
	search.Capabilities
}

// listed is what an engine needs that is asked only when it is named.
const listed = "its name in DEEPRESEARCH_SEARCH"

// Needs returns what would switch the engine on, in words for a person; empty
// when it is always on.
func (d Description) Needs() string {
	switch d.On {
	case search.OnKey:
		return d.Key
	case search.OnAddress:
		return d.Address
	case search.OnName:
		if d.Key == "" {
			return listed
		}
		return d.Key + " and " + listed
	}
	return ""
}

// Describe returns every engine of ours in order of preference.
func Describe() []Description {
	descriptions := make([]Description, len(all))
	for i, build := range all {
		e := build(Config{}, wire.Options{})
		d := Description{Name: e.Name(), On: search.OnAlways, Capabilities: e.Capabilities()}
		if s, ok := e.(switched); ok {
			d.On, d.Key = s.On(), s.KeyName()
		}
		if d.On == search.OnAddress {
			d.Address = strings.ToUpper(d.Name) + "_URL"
		}
		descriptions[i] = d
	}
	return descriptions
}
