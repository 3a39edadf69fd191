package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// byteOrderMark is what some editors begin a file with (Unicode, chapter 23.8).
var byteOrderMark = []byte("\ufeff")

// maxFile is the largest configuration file that is read, in bytes.
const maxFile = 1 << 20

// readFile returns what the configuration file says, by setting; entries of a
// table by setting.entry. A file that was named must exist, the one in the
// user's folder need not.
func (l *loader) readFile() map[string]place {
	path, at := l.filePath()
	if path == "" {
		return nil
	}
	text, mode, err := readSmall(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && at.origin == FromDefault:
		return nil
	case err != nil:
		l.problem(at, "reading the configuration: %v; name a readable file", err)
		return nil
	}
	l.settings.Path = path
	var tree map[string]any
	if err := toml.Unmarshal(bytes.TrimPrefix(text, byteOrderMark), &tree); err != nil {
		l.problem(place{origin: FromFile, where: path}, "%s", tomlReason(err))
		return nil
	}
	found := l.flatten(path, tree)
	if mode.Perm()&0o077 != 0 && l.OS != "windows" && holdsSecret(found) {
		l.settings.Warnings = append(l.settings.Warnings, fmt.Sprintf("%s holds keys and other users can read it: run chmod 600 on it", path))
	}
	return found
}

// filePath says which file to read, and who said so.
func (l *loader) filePath() (string, place) {
	if texts := l.Flags["config"]; len(texts) > 0 {
		return texts[len(texts)-1], place{origin: FromFlag, where: "--config"}
	}
	if path := l.getenv(envPrefix + "CONFIG"); path != "" {
		return path, place{origin: FromEnv, where: envPrefix + "CONFIG"}
	}
	folder := configFolder(l.OS, l.getenv)
	if folder == "" {
		return "", place{}
	}
	path := filepath.Join(folder, "deepresearch", "config.toml")
	return path, place{origin: FromDefault, where: path}
}

func readSmall(path string) ([]byte, fs.FileMode, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	stat, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("%s is larger than %d bytes", path, maxFile)
	}
	return text, stat.Mode(), err
}

// tomlReason says where the syntax breaks without quoting the file, which may
// hold keys.
func tomlReason(err error) string {
	if syntax, ok := errors.AsType[*toml.DecodeError](err); ok {
		row, column := syntax.Position()
		return fmt.Sprintf("line %d, column %d is not TOML: %s", row, column, strings.TrimPrefix(syntax.Error(), "toml: "))
	}
	return "it is not TOML: " + err.Error()
}

// flatten turns the tree of the file into texts by setting.
func (l *loader) flatten(path string, tree map[string]any) map[string]place {
	found := map[string]place{}
	tree = unfold(tree)
	for _, key := range sortedKeys(tree) {
		at := place{origin: FromFile, where: key + " in " + path}
		f, ok := fileField(key)
		if !ok {
			l.problem(at, "there is no such setting%s", didYouMean(key, fileKeys()))
			continue
		}
		if f.Kind == Table {
			l.flattenTable(found, at, f, tree[key])
			continue
		}
		texts, err := fileTexts(f, tree[key])
		if err != nil {
			l.problem(at, "%v", err)
			continue
		}
		at.texts = texts
		found[f.Name] = at
	}
	return found
}

// unfold lifts settings whose name has a dot, such as sources.weights, out of
// the table that TOML makes of the dot.
func unfold(tree map[string]any) map[string]any {
	out := map[string]any{}
	for key, value := range tree {
		inner, ok := value.(map[string]any)
		if !ok || !slices.ContainsFunc(fileKeys(), func(name string) bool { return strings.HasPrefix(name, key+".") }) {
			out[key] = value
			continue
		}
		for below, value := range inner {
			out[key+"."+below] = value
		}
	}
	return out
}

func (l *loader) flattenTable(found map[string]place, at place, f Field, value any) {
	entries, ok := value.(map[string]any)
	if !ok {
		l.problem(at, "it is not a table: write [%s] and its entries below", f.Name)
		return
	}
	if f.Name == serversSetting {
		l.servers(at, entries)
		for _, server := range l.settings.Search.Servers {
			if len(server.Env)+len(server.Headers) > 0 {
				found[f.Name] = at
			}
		}
		return
	}
	l.flattenEntries(found, at, f, "", entries)
}

// flattenEntries takes a dot in a key that stands without quotes for part of
// the key: TOML makes a table of it, hosts are full of them.
func (l *loader) flattenEntries(found map[string]place, at place, f Field, prefix string, entries map[string]any) {
	for _, key := range sortedKeys(entries) {
		if inner, ok := entries[key].(map[string]any); ok {
			l.flattenEntries(found, at, f, prefix+key+".", inner)
			continue
		}
		name := f.Name + "." + strings.ToLower(prefix+key)
		here := place{origin: FromFile, where: prefix + key + " of " + at.where}
		texts, err := fileTexts(f.entry(), entries[key])
		if err != nil {
			l.problem(here, "%v", err)
			continue
		}
		here.texts = texts
		found[name] = here
	}
}

// entry is the field of a single value of a table.
func (f Field) entry() Field { return Field{Name: f.Name, Kind: Text} }

// fileField finds a setting by its key; max_loops is as good as max-loops.
func fileField(key string) (Field, bool) {
	name := strings.ReplaceAll(key, "_", "-")
	i := slices.IndexFunc(allFields(), func(f Field) bool { return f.InFile && f.Name == name })
	if i < 0 {
		return Field{}, false
	}
	return allFields()[i], true
}

func fileKeys() []string {
	var keys []string
	for _, f := range allFields() {
		if f.InFile {
			keys = append(keys, f.Name)
		}
	}
	return keys
}

// fileTexts writes a TOML value as texts, so that one parser reads every source.
func fileTexts(f Field, value any) ([]string, error) {
	switch v := value.(type) {
	case string:
		return f.texts(v), nil
	case bool:
		return []string{strconv.FormatBool(v)}, nil
	case int64:
		return []string{strconv.FormatInt(v, 10)}, nil
	case float64:
		return []string{strconv.FormatFloat(v, 'f', -1, 64)}, nil
	case []any:
		if f.Kind != List {
			return nil, errors.New("it takes one value, not a list")
		}
		texts := make([]string, len(v))
		for i, entry := range v {
			text, ok := entry.(string)
			if !ok {
				return nil, fmt.Errorf("entry %d of the list is not a text: put it in quotes", i+1)
			}
			texts[i] = text
		}
		return texts, nil
	}
	return nil, errors.New("it is neither text, number, true, false nor a list of texts")
}

func holdsSecret(found map[string]place) bool {
	return slices.ContainsFunc(allFields(), func(f Field) bool {
		_, ok := found[f.Name]
		return ok && f.Secret
	})
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func didYouMean(word string, names []string) string {
	if near := Nearest(strings.ReplaceAll(word, "_", "-"), names); near != "" {
		return fmt.Sprintf(": did you mean %s?", near)
	}
	return ": leave it out"
}
