package config

import (
	"bytes"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the table of settings in README.md")

func TestFieldsAreWellFormed(t *testing.T) {
	names, env := map[string]bool{}, map[string]bool{}
	for _, f := range Fields() {
		if f.Name == "" || names[f.Name] {
			t.Errorf("name %q is empty or taken", f.Name)
		}
		names[f.Name] = true
		for _, name := range f.Env {
			if env[name] {
				t.Errorf("%s: the variable %s is taken", f.Name, name)
			}
			env[name] = true
		}
		if f.Help == "" || strings.HasSuffix(f.Help, ".") || strings.Contains(f.Help, "$") {
			t.Errorf("%s: help %q is empty, ends with a full stop or has a dollar sign", f.Name, f.Help)
		}
		if numeric := f.Kind == Number || f.Kind == Decimal || f.Kind == Seconds; numeric != f.bounded {
			t.Errorf("%s: a number has bounds and nothing else has", f.Name)
		}
		if f.Secret && len(f.On) > 0 {
			t.Errorf("%s: a secret in a flag shows in the list of processes", f.Name)
		}
		var c Config
		if f.Default != "" {
			if err := f.set(&c, f.texts(f.Default)); err != nil || f.show(&c) != f.Default {
				t.Errorf("%s: default %q reads as %q, %v", f.Name, f.Default, f.show(&c), err)
			}
		}
	}
}

// The README holds the table between these two lines.
const (
	tableBegin = "<!-- settings: begin, written by `make snap` -->\n"
	tableEnd   = "<!-- settings: end -->"
)

func TestTheReadmeListsEverySetting(t *testing.T) {
	path := filepath.Join("..", "..", "README.md")
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !bytes.Contains(text, []byte(tableBegin)) {
		t.Fatal("README.md has lost the two lines between which the table of settings stands")
	}
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(text), tableBegin)
	_, after, ok := strings.Cut(rest, tableEnd)
	if !ok {
		t.Fatalf("the line %s is missing", tableEnd)
	}
	want := before + tableBegin + Markdown() + tableEnd + after
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(text) != want {
		t.Error("the settings changed: run make snap")
	}
}

func TestNearest(t *testing.T) {
	names := []string{"gemini", "openai", "ollama", "max-loops", "max-calls"}
	for word, want := range map[string]string{"gemni": "gemini", "olama": "ollama", "opnai": "openai", "max-lops": "max-loops", "mistral": "", "x": "", "": "", "oepnai": "openai"} {
		if got := Nearest(word, names); got != want {
			t.Errorf("nearest to %q is %q, want %q", word, got, want)
		}
	}
}

func FuzzFile(f *testing.F) {
	f.Add("effort = \"deep\"\n[engine-urls]\nwikipedia = \"http://127.0.0.1:1\"\n")
	f.Add("max-loops = 3\nengines = [\"a\", \"b\"]\noffline = true\n")
	f.Add("http-token = [\"a\"]\nmax-cost = 1e400\ntimeout = -1")
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "config.toml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		settings, err := Load(Sources{Flags: map[string][]string{"config": {path}}, OS: "linux"})
		if (settings == nil) == (err == nil) {
			t.Fatalf("settings %v, error %v", settings, err)
		}
		if err == nil {
			settings.Effective()
		}
	})
}

func FuzzValues(f *testing.F) {
	for _, text := range []string{"", "a:b", "http://[::1", "127.0.0.1:1", "2026-01-31..", "1m", "NaN", "1e9", "yes", "x=y", "0]0"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, field := range Fields() {
			var c Config
			texts := field.texts(text)
			if field.Kind == Table || len(texts) == 0 {
				continue
			}
			if err := field.set(&c, texts); err != nil {
				continue
			}
			// What was read reads the same again from what is shown.
			shown := field.show(&c)
			if field.Secret || shown == "" || field.Kind == Seconds || field.Name == "proxy" {
				continue
			}
			var again Config
			if err := field.set(&again, field.texts(shown)); err != nil || field.show(&again) != shown {
				t.Errorf("%s: %q shows as %q and that as %q, %v", field.Name, text, shown, field.show(&again), err)
			}
		}
	})
}
