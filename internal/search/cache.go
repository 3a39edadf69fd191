package search

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
)

// How long an answer is good for, by what was asked.
const (
	keepNews    = 15 * time.Minute
	keepGeneral = 24 * time.Hour
	keepSettled = 7 * 24 * time.Hour // papers and encyclopaedias
	keepEmpty   = 5 * time.Minute
)

// cacheVersion changes when results of older versions must not be used.
const cacheVersion = "1"

// cached is an answer of one engine as the cache keeps it: results, or the
// message of an engine that found nothing. No other failure is kept.
type cached struct {
	Results []cachedResult `json:"results,omitempty"`
	Empty   string         `json:"empty,omitempty"`
	// Suggested belongs beside the results.
	Suggested *Suggestion `json:"suggested,omitempty"`
}

// cachedResult is a result with the text that its JSON form leaves out.
type cachedResult struct {
	Result
	Raw string `json:"raw,omitempty"`
}

// cacheKey names the answer of an engine to a shaped query.
func cacheKey(engine string, q Query) string {
	q.MaxCalls, q.Fresh = 0, false
	b, err := json.Marshal(q)
	if err != nil { // a Query holds strings and numbers only
		panic(err)
	}
	sum := sha256.Sum256(b)
	return "search/answer/" + engine + "/" + cacheVersion + "/" + hex.EncodeToString(sum[:16])
}

// keepFor returns how long to keep an answer to q.
func keepFor(q Query, empty bool) time.Duration {
	switch {
	case empty:
		return keepEmpty
	case q.Topic == News || q.Recency == "day":
		return keepNews
	case q.Recency == "" && (q.Topic == Academic || q.Topic == Medical || q.Topic == Encyclopedia):
		return keepSettled
	}
	return keepGeneral
}

// recall returns the kept answer under key; fresh reports whether its time has
// not passed yet. Nothing kept is a nil answer.
func (s *Searcher) recall(ctx context.Context, key string) (answer *cached, fresh bool, err error) {
	b, until, err := s.cache.Get(ctx, key)
	if err != nil {
		return nil, false, fmt.Errorf("reading the search cache: %w", err)
	}
	if b == nil {
		return nil, false, nil
	}
	answer = new(cached)
	if json.Unmarshal(b, answer) != nil {
		return nil, false, nil // written by another version: ask again
	}
	return answer, until.After(s.now()), nil
}

// keep puts the outcome of a request into the cache when it is worth keeping.
func (s *Searcher) keep(ctx context.Context, key string, q Query, found Found, failure *Failure) error {
	c := cached{Suggested: found.Suggested}
	switch {
	case failure == nil:
		for _, r := range found.Results {
			c.Results = append(c.Results, cachedResult{r, r.Raw})
		}
	case failure.Kind == Empty:
		c.Empty = failure.Message
	default:
		return nil
	}
	b, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("writing the search cache: %w", err)
	}
	until := s.now().Add(keepFor(q, failure != nil))
	if err := s.cache.Put(context.WithoutCancel(ctx), key, b, until); err != nil {
		return fmt.Errorf("writing the search cache: %w", err)
	}
	return nil
}

// restore returns what the cached answer says, as the engine said it.
func (c *cached) restore(engine string) ([]Result, *Failure) {
	if len(c.Results) == 0 {
		return nil, &Failure{Engine: engine, Kind: Empty, Message: c.Empty}
	}
	results := make([]Result, len(c.Results))
	for i, r := range c.Results {
		results[i] = r.Result
		results[i].Raw = r.Raw
	}
	return results, nil
}
