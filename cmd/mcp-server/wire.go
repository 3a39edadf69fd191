package main

import (
	"fmt"

	"deepresearch/internal/config"
	"deepresearch/internal/guard"
	"deepresearch/internal/search"
	"deepresearch/internal/search/duckduckgo"
	"deepresearch/internal/search/searxng"
	"deepresearch/internal/search/wikipedia"
	"deepresearch/internal/search/wire"
)

// engineKind is one search engine that there is.
type engineKind struct {
	name string
	new  func(wire.Options) search.Engine
	// key and its variable; nil for an engine that takes none.
	key      func(config.Search) config.Secret
	variable string
	keyless  bool // works without the key, too
	// address of an engine that the user runs; nil for the others. Without an
	// address the engine is off.
	address func(config.Search) config.URL
}

// engineKinds are the engines in order of preference.
var engineKinds = []engineKind{
	{name: "searxng", new: searxng.New, variable: "SEARXNG_URL", address: func(c config.Search) config.URL { return c.SearXNG }},
	{name: "wikipedia", new: wikipedia.New, keyless: true},
	{name: "duckduckgo", new: duckduckgo.New, keyless: true},
}

func engineNames() []string {
	names := make([]string, len(engineKinds))
	for i, k := range engineKinds {
		names[i] = k.name
	}
	return names
}

// ready reports whether the engine can be asked with this configuration.
func (k engineKind) ready(c config.Search) bool {
	if k.address != nil {
		return k.baseURL(c) != ""
	}
	return k.keyless || k.hasKey(c)
}

func (k engineKind) hasKey(c config.Search) bool { return k.key != nil && k.key(c).IsSet() }

// baseURL is what replaces the engine's own scheme and host, if anything does.
func (k engineKind) baseURL(c config.Search) string {
	if u := c.EngineURLs[k.name]; u != "" || k.address == nil {
		return string(u)
	}
	return string(k.address(c))
}

// options are what the engine gets of the configuration. An address that the
// user configured may be private; any other is of the public internet.
func (k engineKind) options(c config.Search, g *guard.Guard) (wire.Options, error) {
	opt := wire.Options{BaseURL: k.baseURL(c)}
	if k.key != nil {
		opt.Key = k.key(c).Reveal()
	}
	policy := guard.Web()
	if opt.BaseURL != "" {
		var err error
		if policy, err = guard.Configured(opt.BaseURL); err != nil {
			return opt, fmt.Errorf("engine %s: %w", k.name, err)
		}
	}
	opt.Client = g.Client(policy)
	return opt, nil
}

// newGuard returns what builds every HTTP client of this process.
func newGuard(c config.Config) (*guard.Guard, error) {
	allow := make([]string, len(c.Crawl.AllowHosts))
	for i, h := range c.Crawl.AllowHosts {
		allow[i] = string(h)
	}
	return guard.New(guard.Options{AllowHosts: allow, Proxy: string(c.Crawl.Proxy), Offline: c.Ask.Offline})
}

// newSearcher returns a searcher over the engines that are ready or were named;
// a named one that lacks its key says so when it is asked. Close it.
func newSearcher(c config.Config, g *guard.Guard, notes, cache search.Memory) (*search.Searcher, error) {
	var engines []search.Engine
	for _, k := range chosen(c.Search) {
		opt, err := k.options(c.Search, g)
		if err != nil {
			return nil, err
		}
		engines = append(engines, k.new(opt))
	}
	return search.New(search.Options{Engines: engines, Notes: notes, Cache: cache}), nil
}

// chosen are the kinds that the configuration names, in its order, or else
// those that are ready.
func chosen(c config.Search) []engineKind {
	var kinds []engineKind
	for _, name := range c.Engines {
		for _, k := range engineKinds {
			if k.name == name {
				kinds = append(kinds, k)
			}
		}
	}
	if len(kinds) > 0 {
		return kinds
	}
	for _, k := range engineKinds {
		if k.ready(c) {
			kinds = append(kinds, k)
		}
	}
	return kinds
}
