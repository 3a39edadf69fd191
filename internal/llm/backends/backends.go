// Package backends lists the back ends there are and builds the models that a
// configuration asks for. Start with [Choose]. Adding a back end is one folder
// next to this one and one line in kinds.
package backends

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"deepresearch/internal/guard"
	"deepresearch/internal/llm"
	"deepresearch/internal/llm/anthropic"
	"deepresearch/internal/llm/gemini"
	"deepresearch/internal/llm/ollama"
	"deepresearch/internal/llm/openai"
	"deepresearch/internal/llm/wire"
	"deepresearch/internal/safe"
)

// Choice names a model as it is configured: BackEnd is gemini, openai, ollama,
// anthropic or none. The zero value leaves the choice to Choose.
type Choice struct{ BackEnd, Name string }

// None chooses to work without a model.
const None = "none"

func (c Choice) String() string { return c.BackEnd + ":" + c.Name }

// Config is what the user said about models.
type Config struct {
	All   Choice
	Roles map[llm.Role]Choice // a role that is missing or zero has All
	// Keys are by the environment variable that holds them: GEMINI_API_KEY,
	// OPENAI_API_KEY, ANTHROPIC_API_KEY, OPENROUTER_API_KEY, DASHSCOPE_API_KEY,
	// DEEPSEEK_API_KEY.
	Keys map[string]string
	// URLs are base URLs by back end; one that is missing is the vendor's. That of
	// openai includes its /v1.
	URLs map[string]string
	// Offline allows models on this machine only.
	Offline bool
	// MaxContext caps the context asked of Ollama, in tokens; 0: its default.
	MaxContext int

	// Options are the policy; their chains are filled in by Choose.
	Options llm.Options
}

// Chosen are the models, and why it was these.
type Chosen struct {
	Models *llm.Models // nil: none, the run is extractive
	Why    string      // a clause, such as "GEMINI_API_KEY is set"
}

// Missing says that a model was named which cannot work: its key is missing, or
// the rules forbid its server. It is known before anything is spent.
type Missing struct {
	Model  string
	Reason string // a clause
	Hint   string // a sentence
}

func (e *Missing) Error() string { return fmt.Sprintf("model %s: %s", e.Model, e.Reason) }

// kind is how one back end is reached.
type kind struct {
	name, key, base string
	keyless         bool // it also works without a key
	make            func(place) (llm.Model, error)
}

// place is everything that a back end needs to make a model.
type place struct {
	name, base, key, keyName string
	client, pages            *http.Client
	redactor                 *safe.Redactor
	maxContext               int
}

var kinds = []kind{
	{"gemini", "GEMINI_API_KEY", gemini.BaseURL, false, func(p place) (llm.Model, error) {
		return gemini.New(gemini.Options{Client: p.client, Name: p.name, BaseURL: p.base, Key: p.key, Redactor: p.redactor, Redirects: p.pages})
	}},
	{"openai", "OPENAI_API_KEY", openai.BaseURL, false, func(p place) (llm.Model, error) {
		return openai.New(openai.Options{Client: p.client, Name: p.name, BaseURL: p.base, Key: p.key, KeyName: p.keyName, Redactor: p.redactor}), nil
	}},
	{"anthropic", "ANTHROPIC_API_KEY", anthropic.BaseURL, false, func(p place) (llm.Model, error) {
		return anthropic.New(anthropic.Options{Client: p.client, Name: p.name, BaseURL: p.base, Key: p.key, Redactor: p.redactor}), nil
	}},
	{"ollama", "", ollama.BaseURL, true, func(p place) (llm.Model, error) {
		return ollama.New(ollama.Options{Client: p.client, Name: p.name, BaseURL: p.base, MaxContext: p.maxContext, Redactor: p.redactor}), nil
	}},
}

// Choose builds the models of every role: those that were named, else those of
// the first key there is, else those of a server found on this machine, else
// none. probe says which models a server has; nil asks the servers.
func Choose(ctx context.Context, c Config, g *guard.Guard, probe Prober) (Chosen, error) {
	if c.Options.Redactor == nil {
		var keys []string
		for _, k := range c.Keys {
			keys = append(keys, k)
		}
		c.Options.Redactor = safe.NewRedactor(keys...)
	}
	b := &building{config: c, guard: g, made: map[string]llm.Model{}}
	if probe == nil {
		probe = b.ask
	}
	chains := map[llm.Role][]llm.Model{}
	var why []string
	auto := &automatic{building: b, probe: probe}
	for _, role := range llm.Roles {
		choice := c.Roles[role]
		if choice == (Choice{}) {
			choice = c.All
		}
		chain, reason, err := auto.chain(ctx, role, choice)
		if err != nil {
			return Chosen{}, err
		}
		chains[role] = chain
		if !slices.Contains(why, reason) {
			why = append(why, reason)
		}
	}
	chosen := Chosen{Why: strings.Join(why, "; ")}
	if !slices.ContainsFunc(llm.Roles[:], func(r llm.Role) bool { return len(chains[r]) > 0 }) {
		return chosen, nil
	}
	c.Options.Chains, c.Options.Default = chains, nil
	var err error
	chosen.Models, err = llm.New(c.Options)
	return chosen, err
}

// building makes each model once, so that roles share its limits.
type building struct {
	config Config
	guard  *guard.Guard
	made   map[string]llm.Model
}

// named makes a model that the user named.
func (b *building) named(c Choice) (llm.Model, error) {
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == c.BackEnd })
	if i < 0 {
		return nil, &Missing{c.String(), "there is no such back end", "Use gemini, openai, anthropic, ollama or none."}
	}
	k := kinds[i]
	base, own := b.config.URLs[k.name]
	if !own || base == "" {
		base, own = k.base, false
	}
	if b.config.Keys[k.key] == "" && !k.keyless && !(own && k.name == "openai") {
		return nil, &Missing{c.String(), k.key + " is not set", fmt.Sprintf("Set %s, or name a model that needs no key, such as one of Ollama.", k.key)}
	}
	return b.model(k, place{name: c.Name, base: base, key: b.config.Keys[k.key], keyName: k.key})
}

func (b *building) model(k kind, p place) (llm.Model, error) {
	id := k.name + " " + p.base + " " + p.name
	if m := b.made[id]; m != nil {
		return m, nil
	}
	var err error
	if p.client, err = b.client(p.base); err != nil {
		return nil, &Missing{k.name + ":" + p.name, err.Error(), "Name a model on this machine, or drop --offline."}
	}
	p.pages, p.redactor, p.maxContext = b.guard.Client(guard.Web()), b.config.Options.Redactor, b.config.MaxContext
	m, err := k.make(p)
	if err != nil {
		return nil, fmt.Errorf("preparing model %s:%s: %w", k.name, p.name, err)
	}
	b.made[id] = m
	return m, nil
}

// client returns one that reaches base and nothing else.
func (b *building) client(base string) (*http.Client, error) {
	if wire.Loopback(base) {
		return b.guard.Client(guard.Loopback()), nil
	}
	if b.config.Offline {
		return nil, errors.New("offline: its server is not on this machine")
	}
	policy, err := guard.Configured(base)
	if err != nil {
		return nil, err
	}
	return b.guard.Client(policy), nil
}
