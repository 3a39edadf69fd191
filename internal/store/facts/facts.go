// Package facts remembers small things across processes until a time, such as that an engine challenged us.
//
// [Facts.Set] and [Facts.Get] are all of it. Unlike a cache entry a fact is never evicted before its time.
package facts

import (
	"context"
	"fmt"
	"time"

	"deepresearch/internal/store"
)

// Facts are the remembered facts of a store.
type Facts struct{ db *store.DB }

// New returns the facts of a store.
func New(db *store.DB) *Facts { return &Facts{db} }

// Set remembers a value until a time, in place of what was remembered under the name.
func (f *Facts) Set(ctx context.Context, name, value string, until time.Time) error {
	err := f.db.Write(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(`INSERT OR REPLACE INTO fact(name, value, until) VALUES (?,?,?)`, name, value, until.UnixMicro())
		return err
	})
	if err != nil {
		return fmt.Errorf("remembering %s: %w", name, err)
	}
	return nil
}

// Get returns what is remembered, until when, and whether anything is.
func (f *Facts) Get(ctx context.Context, name string) (value string, until time.Time, ok bool, err error) {
	var us int64
	err = f.db.Reader().QueryRowContext(ctx, `SELECT value, until FROM fact WHERE name=? AND until>?`, name, f.db.Now().UnixMicro()).Scan(&value, &us)
	switch {
	case store.IsNoRows(err):
		return "", time.Time{}, false, nil
	case err != nil:
		return "", time.Time{}, false, fmt.Errorf("recalling %s: %w", name, err)
	}
	return value, time.UnixMicro(us).UTC(), true, nil
}
