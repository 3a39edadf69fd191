package search

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Count is what an engine was asked in one calendar month, by UTC.
type Count struct {
	Searches int `json:"searches"`
	// Cost is an estimate in US dollars.
	Cost float64 `json:"cost"`
}

// Counts returns what each of the engines was asked in the month of now,
// searches of all processes that share the memory. Engines that were not asked
// are left out. Two processes that count in the same instant may lose a search:
// the counts warn of a plan that runs out, they bill nobody.
func Counts(ctx context.Context, notes Memory, engines []string, now time.Time) (map[string]Count, error) {
	counts := map[string]Count{}
	for _, engine := range engines {
		c, err := countOf(ctx, notes, engine, now)
		if err != nil {
			return nil, err
		}
		if c.Searches > 0 {
			counts[engine] = c
		}
	}
	return counts, nil
}

func countKey(engine string, now time.Time) string {
	return "search/count/" + engine + "/" + now.UTC().Format("2006-01")
}

func countOf(ctx context.Context, notes Memory, engine string, now time.Time) (c Count, err error) {
	b, _, err := notes.Get(ctx, countKey(engine, now))
	if err != nil {
		return c, fmt.Errorf("reading how often %s was asked: %w", engine, err)
	}
	if b == nil || json.Unmarshal(b, &c) != nil { // written by another version: begin anew
		return Count{}, nil
	}
	return c, nil
}

// remember adds searches to the count of the month.
func (l *lane) remember(ctx context.Context, searches int, cost float64) error {
	if searches == 0 {
		return nil
	}
	l.counting.Lock()
	defer l.counting.Unlock()
	ctx, now := context.WithoutCancel(ctx), l.now().UTC()
	c, err := countOf(ctx, l.notes, l.engine.Name(), now)
	if err != nil {
		return err
	}
	b, err := json.Marshal(Count{c.Searches + searches, c.Cost + cost})
	if err != nil {
		return fmt.Errorf("counting the searches of %s: %w", l.engine.Name(), err)
	}
	end := time.Date(now.Year(), now.Month()+1, 1, 0, 0, 0, 0, time.UTC)
	if err := l.notes.Put(ctx, countKey(l.engine.Name(), now), b, end); err != nil {
		return fmt.Errorf("counting the searches of %s: %w", l.engine.Name(), err)
	}
	return nil
}
