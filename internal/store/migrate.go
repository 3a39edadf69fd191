package store

import (
	"context"
	"database/sql"
	_ "embed"
	"fmt"
)

//go:embed schema/001.sql
var schema001 string

//go:embed schema/002.sql
var schema002 string

// migrations lead from each schema version to the next. One that was released is never changed.
var migrations = []string{schema001, schema002}

// applicationID marks a file as ours: "drsh" in ASCII, https://www.sqlite.org/pragma.html#pragma_application_id.
const applicationID = 0x64727368

// inspect reads the schema version of a file without changing it, and refuses what is not ours to change.
func inspect(ctx context.Context, db *sql.DB) (version int, err error) {
	var app, tables int
	err = db.QueryRowContext(ctx, `SELECT (SELECT user_version FROM pragma_user_version), (SELECT application_id FROM pragma_application_id),
		(SELECT count(*) FROM sqlite_schema)`).Scan(&version, &app, &tables)
	switch {
	case err != nil:
		return 0, err
	case app != applicationID && (app != 0 || tables > 0):
		return 0, ErrForeign
	case version > len(migrations):
		return 0, fmt.Errorf("%w (schema %d, known %d)", ErrNewer, version, len(migrations))
	}
	return version, nil
}

// migrate brings the file to the newest schema, in one transaction.
func migrate(ctx context.Context, db *sql.DB) error {
	version, err := inspect(ctx, db)
	if err != nil || version == len(migrations) {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, m := range migrations[version:] {
		if _, err := tx.ExecContext(ctx, m); err != nil {
			return fmt.Errorf("migrating from schema %d: %w", version, err)
		}
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf(`PRAGMA application_id=%d; PRAGMA user_version=%d`, applicationID, len(migrations))); err != nil {
		return err
	}
	return tx.Commit()
}
