package search

import (
	"context"
	"sync"
	"time"
)

// Memory keeps small values under a key until a time. The searcher caches
// answers in one and notes engines to leave alone in another, so that a
// challenge met by one process is known to the next.
//
// A value whose time has passed may be forgotten or returned, as suits the
// implementation: the searcher looks at the time, and falls back on an old
// answer when an engine fails. Both methods may be called by several
// goroutines at once.
type Memory interface {
	// Get returns the value under key with the time given to Put, or a nil
	// value when there is none.
	Get(ctx context.Context, key string) (value []byte, until time.Time, err error)
	// Put keeps the value under key, in place of an earlier one.
	Put(ctx context.Context, key string, value []byte, until time.Time) error
}

// NewMemory returns a Memory in this process that holds up to limit entries;
// at the limit the entry that ends first makes room.
func NewMemory(limit int) Memory { return &memory{limit: max(limit, 1), kept: map[string]entry{}} }

type memory struct {
	limit int
	mu    sync.Mutex
	kept  map[string]entry
}

type entry struct {
	value []byte
	until time.Time
}

func (m *memory) Get(_ context.Context, key string) ([]byte, time.Time, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.kept[key]
	return e.value, e.until, nil
}

func (m *memory) Put(_ context.Context, key string, value []byte, until time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, replaces := m.kept[key]; !replaces && len(m.kept) >= m.limit {
		m.forgetFirst()
	}
	m.kept[key] = entry{value, until}
	return nil
}

func (m *memory) forgetFirst() {
	var first string
	for key, e := range m.kept {
		if first == "" || e.until.Before(m.kept[first].until) {
			first = key
		}
	}
	delete(m.kept, first)
}
