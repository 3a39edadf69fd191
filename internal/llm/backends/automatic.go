package backends

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"deepresearch/internal/llm"
	"deepresearch/internal/llm/gemini"
	"deepresearch/internal/llm/ollama"
	"deepresearch/internal/llm/openai"
	"deepresearch/internal/llm/wire"
)

// Prober says which models the server of a back end at base has, the preferred
// one first; none when nothing answers there.
type Prober func(ctx context.Context, backEnd, base string) []string

// vendor is a service that is used when its key is there and nothing was named.
type vendor struct {
	key, kind, base string
	quick, thorough string // models for many small questions, and for judgement and prose
}

// vendors in order of preference. Names as of November 2026; a vendor that has
// retired one says so in an error that lists the others.
var vendors = []vendor{
	{"GEMINI_API_KEY", "gemini", "", gemini.Quick, gemini.Thorough},
	{"OPENAI_API_KEY", "openai", "", "gpt-5.6-luna", "gpt-5.6-terra"},
	{"ANTHROPIC_API_KEY", "anthropic", "", "claude-haiku-5-5", "claude-sonnet-5-5"},
	{"OPENROUTER_API_KEY", "openai", "https://openrouter.ai/api/v1", "google/gemini-3.5-flash-lite", "google/gemini-3.8-flash"},
	{"DASHSCOPE_API_KEY", "openai", "https://dashscope.aliyuncs.com/compatible-mode/v1", "qwen-flash", "qwen-plus"},
	{"DEEPSEEK_API_KEY", "openai", "https://api.deepseek.com/v1", "deepseek-v4-flash", "deepseek-v4-pro"},
}

// lmStudio is where LM Studio listens; source: its documentation.
const lmStudio = "http://127.0.0.1:1234/v1"

// automatic chooses for the roles that nothing was named for, once for all.
type automatic struct {
	*building
	probe  Prober
	found  bool
	quick  []llm.Model
	deep   []llm.Model
	reason string
}

// chain returns the models of a role, and why it is these.
func (a *automatic) chain(ctx context.Context, role llm.Role, c Choice) ([]llm.Model, string, error) {
	switch c {
	case Choice{}:
		if err := a.find(ctx); err != nil {
			return nil, "", err
		}
		if role == llm.Reflect || role == llm.Write {
			return a.deep, a.reason, nil
		}
		return a.quick, a.reason, nil
	case Choice{BackEnd: None}:
		return nil, "no model was asked for", nil
	}
	m, err := a.named(c)
	if err != nil {
		return nil, "", err
	}
	return []llm.Model{m}, c.String() + " was named", nil
}

// find looks for keys, then for servers on this machine.
func (a *automatic) find(ctx context.Context) error {
	if a.found {
		return nil
	}
	a.found = true
	for _, v := range vendors {
		if ok, err := a.use(v); ok || err != nil {
			return err
		}
	}
	if a.config.URLs["openai"] != "" { // a server of the user's own needs no key
		if a.serve(ctx, "openai", a.config.URLs["openai"], "the server at "+a.config.URLs["openai"]) {
			return nil
		}
	}
	base := a.config.URLs["ollama"]
	if base == "" {
		base = ollama.BaseURL
	}
	if a.serve(ctx, "ollama", base, "Ollama") || a.serve(ctx, "openai", lmStudio, "LM Studio") {
		return nil
	}
	a.reason = "no key is set and no model server answers on this machine"
	return nil
}

// use takes a vendor whose key is there.
func (a *automatic) use(v vendor) (bool, error) {
	key := a.config.Keys[v.key]
	k := kindNamed(v.kind)
	base := v.base
	if base == "" {
		base = k.base
		if own := a.config.URLs[v.kind]; own != "" {
			base = own
		}
	}
	switch {
	case key == "" || a.config.Offline && !wire.Loopback(base):
		return false, nil
	case v.kind == "openai" && base != openai.BaseURL && v.base == "":
		return false, nil // the names of another server's models are its own; find asks it
	}
	quick, err := a.model(k, place{name: v.quick, base: base, key: key, keyName: v.key})
	if err != nil {
		return false, err
	}
	deep, err := a.model(k, place{name: v.thorough, base: base, key: key, keyName: v.key})
	if err != nil {
		return false, err
	}
	a.quick, a.deep, a.reason = []llm.Model{quick, deep}, []llm.Model{deep, quick}, v.key+" is set"
	return true, nil
}

// serve takes the first model of a server that answers.
func (a *automatic) serve(ctx context.Context, backEnd, base, who string) bool {
	if a.config.Offline && !wire.Loopback(base) {
		return false
	}
	names := slices.DeleteFunc(a.probe(ctx, backEnd, base), func(n string) bool { return strings.Contains(strings.ToLower(n), "embed") })
	if len(names) == 0 {
		return false
	}
	k := kindNamed(backEnd)
	m, err := a.model(k, place{name: names[0], base: base, key: a.config.Keys[k.key], keyName: k.key})
	if err != nil {
		return false
	}
	a.quick, a.deep, a.reason = []llm.Model{m}, []llm.Model{m}, fmt.Sprintf("%s answers and has %s", who, names[0])
	return true
}

func kindNamed(name string) kind {
	return kinds[slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })]
}

// probeWait bounds how long a server on this machine may take to answer.
const probeWait = 2 * time.Second

// lists are where servers list their models.
var lists = map[string]struct{ path, at string }{"ollama": {"/api/tags", "models.#.name"}, "openai": {"/models", "data.#.id"}}

// ask is the prober that asks the servers.
func (b *building) ask(ctx context.Context, backEnd, base string) []string {
	client, err := b.client(base)
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, probeWait)
	defer cancel()
	s := wire.Server{Client: client, Base: strings.TrimRight(base, "/"), BackEnd: backEnd, Redactor: b.config.Options.Redactor}
	if key := b.config.Keys[kindNamed(backEnd).key]; key != "" {
		s.Header = map[string]string{"Authorization": "Bearer " + key}
	}
	return s.Names(ctx, lists[backEnd].path, lists[backEnd].at)
}
