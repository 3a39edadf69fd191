package store

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
)

// Check reads the whole file and returns an error that matches [ErrCorrupt] when it is damaged.
func (db *DB) Check(ctx context.Context) error {
	var found string
	err := db.reader.QueryRowContext(ctx, `PRAGMA quick_check(1)`).Scan(&found)
	if err == nil && found != "ok" {
		err = fmt.Errorf("%w (%s)", ErrCorrupt, found)
	}
	return db.Explain(err)
}

// Explain adds to an error that comes from the file which file it is and what to do. Writes have what to do already.
func (db *DB) Explain(err error) error {
	known := explain(err)
	for _, cause := range []error{ErrFull, ErrCorrupt, ErrUnwritable, ErrBusy} {
		if errors.Is(known, cause) {
			return fmt.Errorf("the store %s: %w", filepath.Join(db.dir, FileName), known)
		}
	}
	return err
}
