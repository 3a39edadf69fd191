package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"deepresearch/crawl"
	"deepresearch/internal/config"
	"deepresearch/internal/guard"
	"deepresearch/internal/library"
	"deepresearch/internal/search"
	"deepresearch/internal/search/engines"
	"deepresearch/internal/store"
	"deepresearch/internal/store/archive"
	"deepresearch/internal/store/cache"
	"deepresearch/internal/store/facts"
	"deepresearch/internal/store/runs"
	"deepresearch/research"
	"deepresearch/research/extract"
)

// product is everything that commands work with, over one store.
type product struct {
	engine    *research.Engine
	searcher  *search.Searcher
	reader    *crawl.Reader
	libraries *library.Cache

	db *store.DB
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
	chosen, err := engines.Choose(engineConfig(c), g)
	if err != nil {
		return nil, err
	}
	db, err := store.Open(ctx, store.Options{Dir: folder.Path})
	if err != nil {
		return nil, err
	}
	p := &product{db: db, libraries: &library.Cache{}}
	p.searcher = search.New(search.Options{Engines: chosen, Notes: notes{facts.New(db)}, Cache: answers{cache.New(db, "search")}})
	p.reader = crawl.NewReader(crawl.NewFetcher(crawl.Options{Guard: g, Cache: pages{cache.New(db, "page")}}))
	texts := texts{archive.New(db)}
	p.engine, err = research.New(research.Ports{
		Method: extract.New(texts, p.libraries), Searcher: p.searcher, Reader: p.reader, Archive: texts, Libraries: p.libraries, Now: time.Now,
	}, runs.New(db))
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return p, nil
}

// close pauses the runs of this process and closes the store. ctx may have
// ended already.
func (p *product) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), pausing)
	defer cancel()
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
