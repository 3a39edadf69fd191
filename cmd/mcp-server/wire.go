package main

import (
	"deepresearch/internal/config"
	"deepresearch/internal/guard"
	"deepresearch/internal/search"
	"deepresearch/internal/search/engines"
)

// newGuard returns what builds every HTTP client of this process.
func newGuard(c config.Config) (*guard.Guard, error) {
	allow := make([]string, len(c.Crawl.AllowHosts))
	for i, h := range c.Crawl.AllowHosts {
		allow[i] = string(h)
	}
	return guard.New(guard.Options{AllowHosts: allow, Proxy: string(c.Crawl.Proxy), Offline: c.Ask.Offline})
}

// chooseEngines builds the engines that the configuration asks for.
func chooseEngines(c config.Config, g *guard.Guard) ([]search.Engine, error) {
	return engines.Choose(engineConfig(c), g)
}

func engineConfig(c config.Config) engines.Config {
	out := engines.Config{Names: c.Search.Engines, Keys: map[string]string{}, URLs: map[string]string{}}
	for engine, variable := range engines.KeyNames() {
		if key, ok := c.Key(variable); ok {
			out.Keys[engine] = key.Reveal()
		}
	}
	if c.Search.SearXNG != "" {
		out.URLs["searxng"] = string(c.Search.SearXNG)
	}
	for engine, u := range c.Search.EngineURLs {
		out.URLs[engine] = string(u)
	}
	return out
}

// newSearcher returns a searcher over the chosen engines. Close it.
func newSearcher(c config.Config, g *guard.Guard, notes, cache search.Memory) (*search.Searcher, error) {
	chosen, err := chooseEngines(c, g)
	if err != nil {
		return nil, err
	}
	return search.New(search.Options{Engines: chosen, Notes: notes, Cache: cache}), nil
}
