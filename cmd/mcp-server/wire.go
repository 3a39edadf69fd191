package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"deepresearch/crawl"
	"deepresearch/crawl/document"
	"deepresearch/internal/config"
	"deepresearch/internal/guard"
	"deepresearch/internal/library"
	"deepresearch/internal/llm/backends"
	"deepresearch/internal/safe"
	"deepresearch/internal/sandbox"
	"deepresearch/internal/search"
	"deepresearch/internal/search/engines"
	"deepresearch/internal/search/mcpserver"
	"deepresearch/internal/store"
	"deepresearch/internal/store/archive"
	"deepresearch/internal/store/cache"
	"deepresearch/internal/store/facts"
	shelf "deepresearch/internal/store/library"
	"deepresearch/internal/store/runs"
	"deepresearch/research"
)

// product is everything that commands work with, over one store.
type product struct {
	engine    *research.Engine
	searcher  *search.Searcher
	reader    *crawl.Reader
	libraries *library.Cache
	shelf     *shelf.Shelf
	pdf       *document.PDF
	models    backends.Chosen

	db     *store.DB
	ending context.CancelFunc // ends the sweeper
	swept  chan struct{}      // closed when it has ended
}

// pausing is how long calls in flight may finish and be committed when the process ends.
const pausing = 30 * time.Second

// open builds the product that the configuration asks for. Close it.
func open(ctx context.Context, c config.Config, warn func(string)) (*product, error) {
	folder, err := config.OpenFolder(c.General.DataDir)
	if err != nil {
		return nil, err
	}
	if folder.Warning != "" {
		warn(folder.Warning)
	}
	g, err := newGuard(c)
	if err != nil {
		return nil, err
	}
	templates, err := openPrompts(c.Models.PromptsDir)
	if err != nil {
		return nil, err
	}
	weights, err := siteWeights(c.Search.Weights)
	if err != nil {
		return nil, err
	}
	models, err := chooseModels(ctx, c, g)
	if err != nil {
		return nil, err
	}
	wanted := engineConfig(c)
	if models.Models != nil && slices.Contains(c.Search.Engines, "gemini") {
		wanted.Model = models.Models // a grounded search costs cents, so it is never chosen by itself
	}
	chosen, err := engines.Choose(wanted, g)
	if err != nil {
		return nil, &codedError{exitConfig, err.Error()}
	}
	db, err := store.Open(ctx, store.Options{Dir: folder.Path})
	if err != nil {
		return nil, err
	}
	pdf := document.NewPDF(&sandbox.Runner{Folder: filepath.Join(folder.Path, "compiled")})
	p := &product{db: db, shelf: shelf.New(db), pdf: pdf, models: models}
	p.libraries = &library.Cache{PDF: pdf, Shelf: p.shelf}
	p.searcher = search.New(search.Options{
		Engines: chosen, AskAll: len(c.Search.Engines) > 0, Notes: notes{facts.New(db)}, Cache: answers{cache.New(db, "search")},
		Weights: weights, Private: private(c),
	})
	p.reader = crawl.NewReader(crawl.NewFetcher(crawl.Options{Guard: g, Cache: pages{cache.New(db, "page")}}))
	p.reader.PDF = pdf
	texts := texts{archive.New(db)}
	p.engine, err = research.New(research.Ports{
		Method: method(models, templates, texts, p.libraries), Searcher: p.searcher, Reader: p.reader, Archive: texts, Libraries: p.libraries,
		Files: research.Files{Dir: filepath.Join(folder.Path, "reports")}, Filter: private(c), Plans: plans{cache.New(db, "plan")},
	}, runs.New(db))
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	p.sweep(ctx)
	return p, nil
}

// retention is how long runs at rest are kept, and sweeping how often what is
// older is looked for. A text outlives the run that cites it by a day.
const (
	retention = 30 * 24 * time.Hour
	sweeping  = time.Hour
)

// sweep keeps to the retention until the product is closed. What a sweep could
// not remove the next one will, so a failure is no news.
func (p *product) sweep(ctx context.Context) {
	ctx, p.ending = context.WithCancel(ctx)
	p.swept = make(chan struct{})
	go func() {
		defer close(p.swept)
		for {
			_, _ = p.db.Sweep(ctx, store.Limits{Events: retention, Runs: retention, Uncited: retention + 24*time.Hour})
			select {
			case <-ctx.Done():
				return
			case <-time.After(sweeping):
			}
		}
	}()
}

// close pauses the runs of this process and closes the store. ctx may have
// ended already.
func (p *product) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), pausing)
	defer cancel()
	p.ending()
	<-p.swept
	err := p.engine.Close(ctx)
	p.searcher.Close()
	if err := errors.Join(err, p.db.Close()); err != nil {
		return fmt.Errorf("closing: %w", err)
	}
	return nil
}

// newGuard returns what builds every HTTP client of this process.
func newGuard(c config.Config) (*guard.Guard, error) {
	allow := make([]string, len(c.Crawl.AllowHosts))
	for i, h := range c.Crawl.AllowHosts {
		allow[i] = string(h)
	}
	return guard.New(guard.Options{AllowHosts: allow, Proxy: string(c.Crawl.Proxy), Offline: c.Ask.Offline})
}

func engineConfig(c config.Config) engines.Config {
	out := engines.Config{Names: c.Search.Engines, Contact: c.Search.Contact, Offline: c.Ask.Offline, Keys: map[string]string{}, URLs: map[string]string{}}
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
	for _, name := range slices.Sorted(maps.Keys(c.Search.Servers)) {
		out.Servers = append(out.Servers, serverOptions(name, c.Search.Servers[name]))
	}
	return out
}

// inherited are the variables of our environment that a server needs to find
// its programs and folders. It sees no other, and so no key of ours.
var inherited = []string{
	"PATH", "HOME", "LANG", "TMPDIR", "USER", // and on Windows:
	"APPDATA", "COMSPEC", "LOCALAPPDATA", "PATHEXT", "SYSTEMROOT", "TEMP", "TMP", "USERPROFILE",
}

// serverOptions are an MCP server of the configuration as an engine wants it.
func serverOptions(name string, s config.MCPServer) mcpserver.Options {
	opt := mcpserver.Options{
		Name: name, URL: s.URL.Reveal(), Header: map[string]string{}, Tool: s.Tool, Topics: s.Topics,
		Arguments: map[string]any{orElse(s.Argument, "query"): "{query}"},
	}
	maps.Copy(opt.Arguments, s.Arguments)
	for header, value := range s.Headers {
		opt.Header[header] = value.Reveal()
	}
	if s.Command == "" {
		return opt
	}
	opt.Command = []string{s.Command}
	for _, arg := range s.Args {
		opt.Command = append(opt.Command, arg.Reveal())
	}
	for _, variable := range inherited {
		if value, ok := os.LookupEnv(variable); ok {
			opt.Env = append(opt.Env, variable+"="+value)
		}
	}
	for variable, value := range s.Env { // the last one of a name counts
		opt.Env = append(opt.Env, variable+"="+value.Reveal())
	}
	return opt
}

// siteWeights are the weights of the configuration as the searcher wants them.
func siteWeights(written map[string]config.Weight) (search.Weights, error) {
	plain := map[string]float64{}
	for host, weight := range written {
		plain[host] = float64(weight)
	}
	weights, err := search.ParseWeights(plain)
	if err != nil {
		return nil, &codedError{exitConfig, err.Error()}
	}
	return weights, nil
}

// private is the filter that queries go through before they leave; nil when none
// was asked for.
func private(c config.Config) *safe.Private {
	if !c.FiltersPrivate() {
		return nil
	}
	words := make([]string, len(c.Search.PrivateWords))
	for i, w := range c.Search.PrivateWords {
		words[i] = w.Reveal()
	}
	return safe.NewPrivate(words...)
}

// masked is a handler of log records without keys, and without what the filter
// of queries takes out.
func masked(c config.Config, h slog.Handler) slog.Handler {
	return safe.NewRedactor(c.Secrets()...).With(private(c)).Handler(h)
}
