package config

import (
	"encoding"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
)

// Kind says how a setting is written.
type Kind string

// The kinds of setting.
const (
	Text    Kind = "text"
	Switch  Kind = "switch" // true, false, 1, 0, yes, no
	Number  Kind = "number"
	Decimal Kind = "decimal"
	Seconds Kind = "seconds" // a number of seconds, or a duration such as 2m
	List    Kind = "list"    // separated by commas, or a flag given several times
	Table   Kind = "table"   // a table of the file; in the environment one variable an entry
)

// The kinds of command that take a setting as a flag.
const (
	OnEvery  = "every"
	OnAsk    = "ask"    // research, search, crawl, plan and the servers
	OnReport = "report" // the same without crawl, which has flags of its own by these names
	OnSearch = "search"
	OnCrawl  = "crawl"
	OnResult = "result" // prints a stored result
	OnServer = "server" // stdio and http
	OnHTTP   = "http"
)

// Field describes one setting.
type Field struct {
	Name    string   // max-loops
	Group   string   // the struct of [Config] it stands in, such as Limits
	Kind    Kind     //
	Help    string   // one sentence without a full stop
	On      []string // the kinds of command that take it as a flag; none: no flag
	Env     []string // names in the environment, the one that wins first
	InFile  bool     // it may stand in the configuration file
	Default string   // as it would be written; empty: see Means
	Means   string   // what an empty value stands for; may be empty
	OneOf   []string // the values a text may have; empty: any
	Secret  bool     // never shown
	Like    string   // what a text must be written as, a key of likes; empty: anything

	index    []int // in Config
	min, max float64
	bounded  bool
	whole    bool // commas do not separate values of the flag
}

// Fields returns every setting in the order of [Config].
func Fields() []Field { return slices.Clone(allFields()) }

var allFields = sync.OnceValue(func() []Field {
	var fields []Field
	root := reflect.TypeFor[Config]()
	for i := range root.NumField() {
		group := root.Field(i)
		for j := range group.Type.NumField() {
			fields = append(fields, newField(group.Name, group.Type.Field(j), []int{i, j}))
		}
	}
	return fields
})

var secretTypes = []reflect.Type{
	reflect.TypeFor[Secret](), reflect.TypeFor[[]Secret](), reflect.TypeFor[[]Phrase](), reflect.TypeFor[map[string]MCPServer](),
}

func newField(group string, of reflect.StructField, index []int) Field {
	tag := of.Tag.Get
	f := Field{
		Name: tag("name"), Group: group, Kind: kindOf(of.Type), Help: tag("help"), On: split(tag("on")),
		Env: split(tag("env")), InFile: tag("name") != "config", Default: tag("default"), Means: tag("means"), OneOf: split(tag("oneof")),
		Secret: slices.Contains(secretTypes, of.Type), Like: tag("like"),
		index: index, whole: tag("sep") == "none",
	}
	switch {
	case tag("env") == "none":
		f.Env = nil
	case len(f.Env) == 0:
		f.Env = []string{envPrefix + strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(f.Name))}
	}
	f.min, f.max, f.bounded = bounds(tag("min"), tag("max"))
	return f
}

func kindOf(t reflect.Type) Kind {
	switch {
	case t == reflect.TypeFor[time.Duration]():
		return Seconds
	case reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		return Text
	}
	switch t.Kind() {
	case reflect.Bool:
		return Switch
	case reflect.Int:
		return Number
	case reflect.Float64:
		return Decimal
	case reflect.Slice:
		return List
	case reflect.Map:
		return Table
	default:
		return Text
	}
}

// split cuts a list at its commas and drops what is empty.
func split(s string) []string {
	var out []string
	for part := range strings.SplitSeq(s, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}
