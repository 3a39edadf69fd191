// Package engines lists the search engines there are and builds those that a
// configuration asks for. Start with [Choose]. Adding an engine is one folder
// next to this one and one line in all.
package engines

import (
	"fmt"
	"slices"
	"strings"

	"deepresearch/internal/guard"
	"deepresearch/internal/search"
	"deepresearch/internal/search/arxiv"
	"deepresearch/internal/search/brave"
	"deepresearch/internal/search/crossref"
	"deepresearch/internal/search/duckduckgo"
	"deepresearch/internal/search/europepmc"
	"deepresearch/internal/search/exa"
	"deepresearch/internal/search/github"
	"deepresearch/internal/search/hackernews"
	"deepresearch/internal/search/iqs"
	"deepresearch/internal/search/jina"
	"deepresearch/internal/search/openalex"
	"deepresearch/internal/search/perplexity"
	"deepresearch/internal/search/searxng"
	"deepresearch/internal/search/serpapi"
	"deepresearch/internal/search/serper"
	"deepresearch/internal/search/stackexchange"
	"deepresearch/internal/search/tavily"
	"deepresearch/internal/search/wayback"
	"deepresearch/internal/search/wikipedia"
	"deepresearch/internal/search/wikivoyage"
	"deepresearch/internal/search/wire"
	"deepresearch/internal/search/worldbank"
)

// all are the engines in order of preference.
var all = []func(wire.Options) search.Engine{
	searxng.New,
	tavily.New,
	brave.New,
	perplexity.New,
	exa.New,
	serper.New,
	serpapi.New,
	jina.New,
	iqs.New,
	perplexity.Sonar,
	duckduckgo.New,
	wikipedia.New,
	arxiv.New,
	crossref.New,
	openalex.New,
	europepmc.New,
	stackexchange.New,
	github.New,
	hackernews.New,
	worldbank.New,
	wikivoyage.New,
	wayback.New,
}

// Config is what the user said about engines.
type Config struct {
	// Names are exactly the engines to ask, in order; empty means those that
	// need no key or have one.
	Names []string
	// Keys by the name of the engine; [KeyNames] says where they come from.
	Keys map[string]string
	// URLs by the name of the engine replace its scheme and host. The address
	// of a SearXNG instance switches it on.
	URLs map[string]string
	// Contact is an e-mail address or URL of the operator for services that
	// ask for one.
	Contact string
}

// Names returns the names of all engines in order of preference.
func Names() []string {
	var names []string
	for _, build := range all {
		names = append(names, build(wire.Options{}).Name())
	}
	return names
}

// KeyNames returns the environment variables of keys by the name of the engine.
// Engines that take no key are left out.
func KeyNames() map[string]string {
	keys := map[string]string{}
	for _, build := range all {
		e := build(wire.Options{})
		if k, ok := e.(interface{ KeyName() string }); ok && k.KeyName() != "" {
			keys[e.Name()] = k.KeyName()
		}
	}
	return keys
}

// Choose builds the engines that the configuration asks for. With nothing
// configured these are DuckDuckGo, Wikipedia and the engines of single
// subjects that need no key. A named engine without its key is built all the
// same: it says what is missing when it is asked.
func Choose(c Config, g *guard.Guard) ([]search.Engine, error) {
	built, err := c.build(g)
	if err != nil {
		return nil, err
	}
	var chosen []search.Engine
	if len(c.Names) == 0 {
		for _, e := range built {
			if ready(e) {
				chosen = append(chosen, e)
			}
		}
		return chosen, nil
	}
	for _, name := range c.Names {
		i := slices.IndexFunc(built, func(e search.Engine) bool { return e.Name() == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no engine %q: use %s", name, strings.Join(Names(), ", "))
		}
		if !slices.Contains(chosen, built[i]) {
			chosen = append(chosen, built[i])
		}
	}
	return chosen, nil
}

// ready reports whether the engine is asked although nobody named it.
func ready(e search.Engine) bool {
	r, ok := e.(interface{ Ready() bool })
	return !ok || r.Ready()
}

// build returns all engines. One reaches public addresses only, unless the user
// wrote its address: then it reaches that and no other.
func (c Config) build(g *guard.Guard) ([]search.Engine, error) {
	client := g.Client(guard.Web())
	var built []search.Engine
	for _, build := range all {
		name := build(wire.Options{}).Name()
		opt := wire.Options{Client: client, BaseURL: c.URLs[name], Key: c.Keys[name], Contact: c.Contact}
		if opt.BaseURL != "" {
			policy, err := guard.Configured(opt.BaseURL)
			if err != nil {
				return nil, fmt.Errorf("address of engine %s: %w", name, err)
			}
			opt.Client = g.Client(policy)
		}
		built = append(built, build(opt))
	}
	return built, nil
}
