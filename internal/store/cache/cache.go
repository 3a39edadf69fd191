// Package cache keeps bodies under keys for a time: search results, fetched pages, robots files.
//
// A [Cache] has a kind, which separates it from others in the same store. An entry is fresh, then stale (good when
// nothing better can be had), then gone. The sweeper removes what is gone, and the oldest when the file is too large,
// so an entry can be missing at any time. Nothing that must not be lost belongs here.
package cache

import (
	"context"
	"fmt"
	"time"

	"deepresearch/internal/store"
)

// Cache is the entries of one kind.
type Cache struct {
	db   *store.DB
	kind string
}

// New returns the cache of a kind in a store.
func New(db *store.DB, kind string) *Cache { return &Cache{db, kind} }

// Entry is a cached body.
type Entry struct {
	Body   []byte
	Stored time.Time
	Fresh  bool // false: stale
}

// Get returns an entry, fresh or stale, and whether there is one.
func (c *Cache) Get(ctx context.Context, key string) (Entry, bool, error) {
	var packed []byte
	var stored, expires int64
	now := c.db.Now().UnixMicro()
	err := c.db.Reader().QueryRowContext(ctx, `SELECT body, stored, expires FROM cache WHERE kind=? AND key=? AND dropped>?`, c.kind, key, now).
		Scan(&packed, &stored, &expires)
	if store.IsNoRows(err) {
		return Entry{}, false, nil
	}
	if err != nil {
		return Entry{}, false, fmt.Errorf("reading the %s cache: %w", c.kind, err)
	}
	body, err := c.db.Unpack(packed)
	if err != nil {
		return Entry{}, false, fmt.Errorf("reading the %s cache: %w", c.kind, err)
	}
	return Entry{Body: body, Stored: time.UnixMicro(stored).UTC(), Fresh: expires > now}, true, nil
}

// Put keeps a body that is fresh for one time and stale for another after it. It replaces what was there.
func (c *Cache) Put(ctx context.Context, key string, body []byte, fresh, stale time.Duration) error {
	now := c.db.Now()
	packed := c.db.Pack(body)
	err := c.db.Write(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(`INSERT OR REPLACE INTO cache(kind, key, body, stored, expires, dropped) VALUES (?,?,?,?,?,?)`,
			c.kind, key, packed, now.UnixMicro(), now.Add(fresh).UnixMicro(), now.Add(fresh+stale).UnixMicro())
		return err
	})
	if err != nil {
		return fmt.Errorf("writing the %s cache: %w", c.kind, err)
	}
	return nil
}

// Delete removes an entry, if there is one.
func (c *Cache) Delete(ctx context.Context, key string) error {
	err := c.db.Write(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(`DELETE FROM cache WHERE kind=? AND key=?`, c.kind, key)
		return err
	})
	if err != nil {
		return fmt.Errorf("writing the %s cache: %w", c.kind, err)
	}
	return nil
}
