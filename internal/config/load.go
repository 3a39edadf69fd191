package config

import (
	"encoding"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
)

const envPrefix = "DEEPRESEARCH_"

// Sources is what [Load] reads from. The zero value gives the defaults.
type Sources struct {
	// Flags are the values of the flags that were given, by setting.
	Flags map[string][]string
	// Env is the environment as os.Environ returns it.
	Env []string
	// OS is the operating system by Go's name; empty means this one.
	OS string
	// Engines are the search engines there are; empty means that their names
	// are not checked.
	Engines []string
}

// Settings is a checked configuration that knows where each value comes from.
type Settings struct {
	Config
	// Path is the configuration file that was read; empty means none.
	Path string
	// Warnings are sentences about what is odd but can be worked with.
	Warnings []string

	from map[string]place // by setting
}

// place is where a value was found.
type place struct {
	origin Origin
	where  string // as the user wrote it
	texts  []string
}

// Load reads flags, environment and file, in that order of strength, over the
// defaults. The error is [Problems] and names everything that is wrong at once;
// of a setting that several sources give only the strongest is looked at.
func Load(s Sources) (*Settings, error) {
	if s.OS == "" {
		s.OS = runtime.GOOS
	}
	l := loader{Sources: s, env: environment(s.Env), settings: &Settings{from: map[string]place{}}}
	file := l.readFile()
	for _, f := range allFields() {
		l.load(f, file)
	}
	l.engineURLs(file)
	l.weights(file)
	l.check()
	l.warnOfUnknown()
	if l.settings.General.DataDir == "" {
		l.settings.General.DataDir = stateFolder(s.OS, l.getenv)
	}
	if len(l.problems) > 0 {
		rank := map[Origin]int{FromFlag: 0, FromEnv: 1, FromFile: 2}
		slices.SortStableFunc(l.problems, func(a, b Problem) int { return rank[a.Origin] - rank[b.Origin] })
		return nil, l.problems
	}
	return l.settings, nil
}

type loader struct {
	Sources
	env      map[string]string
	settings *Settings
	problems Problems
}

// environment drops what is empty: an empty variable is as good as none.
func environment(env []string) map[string]string {
	out := map[string]string{}
	for _, entry := range env {
		if name, value, ok := strings.Cut(entry, "="); ok && value != "" {
			out[name] = value
		}
	}
	return out
}

func (l *loader) getenv(name string) string { return l.env[name] }

func (l *loader) problem(at place, format string, args ...any) {
	l.problems = append(l.problems, Problem{Where: at.where, Origin: at.origin, Reason: fmt.Sprintf(format, args...)})
}

// load sets one field from the strongest source that names it.
func (l *loader) load(f Field, file map[string]place) {
	if f.Kind == Table {
		return
	}
	at, ok := l.find(f, file)
	if !ok {
		return
	}
	if err := f.set(&l.settings.Config, at.texts); err != nil {
		l.problem(at, "%v", err)
		return
	}
	l.settings.from[f.Name] = at
}

func (l *loader) find(f Field, file map[string]place) (place, bool) {
	if texts, ok := l.Flags[f.Name]; ok {
		if f.Kind == List && !f.whole {
			texts = split(strings.Join(texts, ","))
		}
		return place{FromFlag, "--" + f.Name, texts}, len(texts) > 0
	}
	for _, name := range f.Env {
		if text := l.getenv(name); text != "" {
			return place{FromEnv, name, f.texts(text)}, true
		}
	}
	if at, ok := file[f.Name]; ok {
		return at, len(at.texts) > 0
	}
	return place{FromDefault, f.Name, f.texts(f.Default)}, f.Default != ""
}

// texts cuts a value that is written in one piece.
func (f Field) texts(text string) []string {
	if f.Kind == List {
		return split(text)
	}
	return []string{text}
}

// engineURLs gathers DEEPRESEARCH_<ENGINE>_URL over the table of the file.
func (l *loader) engineURLs(file map[string]place) {
	found := entries(file, "engine-urls")
	for name, value := range l.env {
		if engine, ok := engineOfURL(name); ok {
			found[engine] = place{FromEnv, name, []string{value}}
		}
	}
	l.settings.Search.EngineURLs = readTable[URL](l, "engine-urls", found, l.checkEngine)
}

// weights gathers DEEPRESEARCH_SOURCES_WEIGHTS, written host=N,host=N, over the
// table of the file.
func (l *loader) weights(file map[string]place) {
	const setting, variable = "sources.weights", envPrefix + "SOURCES_WEIGHTS"
	found := entries(file, setting)
	for _, entry := range split(l.getenv(variable)) {
		host, weight, _ := strings.Cut(entry, "=")
		found[strings.ToLower(strings.TrimSpace(host))] = place{FromEnv, variable, []string{weight}}
	}
	l.settings.Search.Weights = readTable[Weight](l, setting, found, func(at place, host string) {
		if err := checkHost(host); err != nil {
			l.problem(at, "%v", err)
		}
	})
}

// entries are the values of a table of the file, by key.
func entries(file map[string]place, setting string) map[string]place {
	found := map[string]place{}
	for name, at := range file {
		if key, ok := strings.CutPrefix(name, setting+"."); ok {
			found[key] = at
		}
	}
	return found
}

// readTable reads the entries of a setting that is a table; nil when there are
// none.
func readTable[T any, P interface {
	*T
	encoding.TextUnmarshaler
}](l *loader, setting string, found map[string]place, check func(at place, key string)) map[string]T {
	var table map[string]T
	for _, key := range slices.Sorted(maps.Keys(found)) {
		at := found[key]
		var value T
		if err := P(&value).UnmarshalText([]byte(at.texts[0])); err != nil {
			l.problem(at, "%v", err)
			continue
		}
		check(at, key)
		if table == nil {
			table = map[string]T{}
		}
		table[key] = value
		if l.settings.from[setting].origin != FromEnv {
			l.settings.from[setting] = at
		}
	}
	return table
}

// engineOfURL returns the engine of a variable like DEEPRESEARCH_TAVILY_URL.
func engineOfURL(name string) (engine string, ok bool) {
	engine, prefixed := strings.CutPrefix(name, envPrefix)
	engine, suffixed := strings.CutSuffix(engine, "_URL")
	return strings.ToLower(engine), prefixed && suffixed && engine != ""
}

// check holds the rules that no single value can tell.
func (l *loader) check() {
	c := &l.settings.Config
	for _, engine := range c.Search.Engines {
		l.checkEngine(l.settings.from["engines"], engine)
	}
	none, model := l.settings.from["no-model"], l.settings.from["model"]
	named := c.Models.All.BackEnd != "" && c.Models.All.BackEnd != NoBackEnd
	if c.Models.NoModel && named && none.origin == model.origin {
		l.problem(none, "it contradicts %s: leave one of the two out", model.where)
	}
}

func (l *loader) checkEngine(at place, engine string) {
	if len(l.Engines) > 0 && !slices.Contains(l.Engines, engine) {
		l.problem(at, "there is no engine %q: use %s", engine, oneOf(engine, l.Engines))
	}
}

// warnOfUnknown finds variables that were probably meant for us. Others by our
// prefix may belong to tests or scripts and are nobody's business.
func (l *loader) warnOfUnknown() {
	var names []string
	for _, f := range allFields() {
		for _, name := range f.Env {
			if own, ok := strings.CutPrefix(name, envPrefix); ok {
				names = append(names, own)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(l.env)) {
		own, ours := strings.CutPrefix(name, envPrefix)
		_, isURL := engineOfURL(name)
		if !ours || isURL || slices.Contains(names, own) {
			continue
		}
		if near := Nearest(own, names); near != "" {
			l.settings.Warnings = append(l.settings.Warnings, fmt.Sprintf("%s is no setting and was ignored; did you mean %s?", name, envPrefix+near))
		}
	}
}
