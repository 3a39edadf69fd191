// Package engines lists the search engines there are and builds those that a
// configuration asks for. Start with [Choose]. Adding an engine is one folder
// next to this one and one line in all.
package engines

import (
	"fmt"
	"net/http"
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
	"deepresearch/internal/search/gemini"
	"deepresearch/internal/search/github"
	"deepresearch/internal/search/hackernews"
	"deepresearch/internal/search/iqs"
	"deepresearch/internal/search/jina"
	"deepresearch/internal/search/mcpserver"
	"deepresearch/internal/search/openalex"
	"deepresearch/internal/search/opentripmap"
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

// builder makes one engine of what the user said about it.
type builder func(Config, wire.Options) search.Engine

// over is the builder of an engine over HTTP.
func over(build func(wire.Options) search.Engine) builder {
	return func(_ Config, opt wire.Options) search.Engine { return build(opt) }
}

// switched is an engine that waits for something to be set.
type switched interface {
	On() search.On
	Ready() bool
	KeyName() string
}

// all are the engines in order of preference.
var all = []builder{
	over(searxng.New),
	over(tavily.New),
	over(brave.New),
	over(perplexity.New),
	over(exa.New),
	over(serper.New),
	over(serpapi.New),
	over(jina.New),
	over(iqs.New),
	over(perplexity.Sonar),
	func(c Config, _ wire.Options) search.Engine { return gemini.New(c.Model) },
	over(duckduckgo.New),
	over(wikipedia.New),
	over(arxiv.New),
	over(crossref.New),
	over(openalex.New),
	over(europepmc.New),
	over(stackexchange.New),
	over(github.New),
	over(hackernews.New),
	over(worldbank.New),
	over(wikivoyage.New),
	over(opentripmap.New),
	over(wayback.New),
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
	// Model searches for the engine gemini; nil leaves that off.
	Model gemini.Model
	// Servers are MCP servers with a search tool. They come before all engines
	// of ours: the user wrote them down. A server that has a URL needs no client.
	Servers []mcpserver.Options
	// Offline keeps servers that are processes from being started. All other
	// engines are held by the guard.
	Offline bool
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
			return nil, fmt.Errorf("there is no engine %q: use %s", name, strings.Join(namesOf(built), ", "))
		}
		if !slices.Contains(chosen, built[i]) {
			chosen = append(chosen, built[i])
		}
	}
	return chosen, nil
}

// ready reports whether the engine is asked although nobody named it. Servers
// that the user configured always are.
func ready(e search.Engine) bool {
	s, ok := e.(switched)
	return !ok || s.Ready()
}

func namesOf(engines []search.Engine) []string {
	var names []string
	for _, e := range engines {
		names = append(names, e.Name())
	}
	return names
}

// build returns all engines, configured servers first. One reaches public
// addresses only, unless the user wrote its address: then it reaches that and no
// other.
func (c Config) build(g *guard.Guard) ([]search.Engine, error) {
	built, err := c.servers(g)
	if err != nil {
		return nil, err
	}
	client := g.Client(guard.Web())
	for _, build := range all {
		name := build(c, wire.Options{}).Name()
		opt := wire.Options{Client: client, BaseURL: c.URLs[name], Key: c.Keys[name], Contact: c.Contact}
		if opt.BaseURL != "" {
			if opt.Client, err = only(g, name, opt.BaseURL); err != nil {
				return nil, err
			}
		}
		built = append(built, build(c, opt))
	}
	return built, nil
}

// only returns a client that reaches one address.
func only(g *guard.Guard, name, address string) (*http.Client, error) {
	policy, err := guard.Configured(address)
	if err != nil {
		return nil, fmt.Errorf("address of engine %s: %w", name, err)
	}
	return g.Client(policy), nil
}

// servers returns the engines of MCP servers.
func (c Config) servers(g *guard.Guard) ([]search.Engine, error) {
	var built []search.Engine
	taken := Names()
	for _, opt := range c.Servers {
		if slices.Contains(taken, opt.Name) {
			return nil, fmt.Errorf("MCP server %q: another engine has this name", opt.Name)
		}
		taken = append(taken, opt.Name)
		opt.Offline = opt.Offline || c.Offline
		if opt.URL != "" {
			client, err := only(g, opt.Name, opt.URL)
			if err != nil {
				return nil, err
			}
			opt.Client = client
		}
		e, err := mcpserver.New(opt)
		if err != nil {
			return nil, err
		}
		built = append(built, e)
	}
	return built, nil
}
