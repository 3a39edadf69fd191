package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"time"

	"deepresearch/crawl"
	"deepresearch/internal/store/archive"
	"deepresearch/internal/store/cache"
	"deepresearch/internal/store/facts"
	"deepresearch/research"
)

// The store knows tables and not meanings; these few types say what each
// consumer's interface means in them.

// notes remember engines to leave alone, across processes: a search.Memory.
type notes struct{ facts *facts.Facts }

func (n notes) Get(ctx context.Context, key string) ([]byte, time.Time, error) {
	value, until, ok, err := n.facts.Get(ctx, key)
	if err != nil || !ok {
		return nil, time.Time{}, err
	}
	return []byte(value), until, nil
}

func (n notes) Put(ctx context.Context, key string, value []byte, until time.Time) error {
	return n.facts.Set(ctx, key, string(value), until)
}

// answers cache what engines said: a search.Memory. An old answer is kept for a
// week, for a time when the engine fails.
type answers struct{ cache *cache.Cache }

const staleAnswer = 7 * 24 * time.Hour

// An entry is the end of its freshness as 8 bytes, then the value.
func (a answers) Get(ctx context.Context, key string) ([]byte, time.Time, error) {
	e, ok, err := a.cache.Get(ctx, key)
	if err != nil || !ok || len(e.Body) < 8 {
		return nil, time.Time{}, err
	}
	until := int64(binary.BigEndian.Uint64(e.Body))
	return e.Body[8:], time.UnixMicro(until), nil
}

func (a answers) Put(ctx context.Context, key string, value []byte, until time.Time) error {
	body := append(binary.BigEndian.AppendUint64(nil, uint64(until.UnixMicro())), value...)
	return a.cache.Put(ctx, key, body, max(time.Until(until), 0), staleAnswer)
}

// pages cache fetched pages: a crawl.Cache. The page's own headers say how long
// it is fresh; here it is kept for its validators.
type pages struct{ cache *cache.Cache }

const keptPage = 30 * 24 * time.Hour

func (p pages) Get(ctx context.Context, key string) (crawl.Fetched, bool, error) {
	var f crawl.Fetched
	e, ok, err := p.cache.Get(ctx, key)
	if err != nil || !ok {
		return f, false, err
	}
	if err := json.Unmarshal(e.Body, &f); err != nil {
		return f, false, fmt.Errorf("reading a cached page: %w", err)
	}
	return f, true, nil
}

func (p pages) Put(ctx context.Context, key string, f crawl.Fetched) error {
	body, err := json.Marshal(f)
	if err != nil {
		return fmt.Errorf("caching a page: %w", err)
	}
	return p.cache.Put(ctx, key, body, keptPage, 0)
}

// plans keep plans until tomorrow: a research.Plans.
type plans struct{ cache *cache.Cache }

const keptPlan = 24 * time.Hour

func (p plans) Keep(ctx context.Context, plan research.Plan) error {
	body, err := json.Marshal(plan)
	if err != nil {
		return fmt.Errorf("keeping a plan: %w", err)
	}
	return p.cache.Put(ctx, plan.ID, body, keptPlan, 0)
}

func (p plans) Kept(ctx context.Context, id string) (research.Plan, bool, error) {
	var plan research.Plan
	e, ok, err := p.cache.Get(ctx, id)
	if err != nil || !ok || !e.Fresh {
		return plan, false, err
	}
	if err := json.Unmarshal(e.Body, &plan); err != nil {
		return plan, false, fmt.Errorf("reading a kept plan: %w", err)
	}
	return plan, true, nil
}

// texts keep what reports cite: a research.Archive.
type texts struct{ archive *archive.Archive }

func (t texts) Put(ctx context.Context, run, text string) (string, error) {
	sha, err := t.archive.Put(ctx, text)
	if err != nil || run == "" {
		return sha, err
	}
	return sha, t.archive.Cite(ctx, run, sha)
}

func (t texts) Text(ctx context.Context, sha256 string) (string, error) {
	return t.archive.Get(ctx, sha256)
}
