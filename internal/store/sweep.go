package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Limits of what is kept. The zero value keeps all but what has expired by itself.
type Limits struct {
	Events   time.Duration // the event logs of runs at rest
	Runs     time.Duration // runs at rest, since they were last updated
	Uncited  time.Duration // texts that no run cites; at least an hour, since they are stored before they are cited
	MaxBytes int64         // of the file: the oldest cached bodies go first, then the oldest finished runs
}

// Swept is what a sweep removed.
type Swept struct {
	Events, Runs, Texts, Cached int64
	Bytes                       int64 // the file's size afterwards
}

// sweepRows bounds a sweep's transaction, so that it never keeps other writers waiting long and can be killed anywhere.
const sweepRows = 200

// Sweep removes what is older than the limits, then what is too much. It never touches a run that a live process works
// on. Several processes may sweep at once.
func (db *DB) Sweep(ctx context.Context, l Limits) (Swept, error) {
	var done Swept
	now := db.now()
	before := func(age time.Duration) int64 { return now.Add(-age).UnixMicro() }
	var errs []error
	repeat := func(total *int64, sql string, args ...any) {
		n, err := db.repeat(ctx, sql, args...)
		*total += n
		errs = append(errs, err)
	}
	var facts int64
	repeat(&done.Cached, `DELETE FROM cache WHERE rowid IN (SELECT rowid FROM cache WHERE dropped<? LIMIT ?)`, now.UnixMicro())
	repeat(&facts, `DELETE FROM fact WHERE name IN (SELECT name FROM fact WHERE until<? LIMIT ?)`, now.UnixMicro())
	if l.Events > 0 {
		repeat(&done.Events, `DELETE FROM event WHERE (run, seq) IN (SELECT run, seq FROM event JOIN run ON run.n=event.run
			WHERE run.owner='' AND event.at<? LIMIT ?)`, before(l.Events))
	}
	if l.Runs > 0 {
		n, err := db.dropRuns(ctx, func() bool { return false }, `updated<?`, before(l.Runs))
		done.Runs, errs = n, append(errs, err)
	}
	if l.Uncited > 0 {
		repeat(&done.Texts, `DELETE FROM page WHERE rowid IN (SELECT rowid FROM page WHERE stored<?
			AND NOT EXISTS (SELECT 1 FROM citation WHERE citation.sha256=page.sha256) LIMIT ?)`, before(max(l.Uncited, time.Hour)))
	}
	errs = append(errs, db.sweepOwners())
	if l.MaxBytes > 0 {
		errs = append(errs, db.shrink(ctx, l.MaxBytes, &done))
	}
	err := db.Write(ctx, func(tx *Tx) error {
		_, err := tx.Exec(`PRAGMA incremental_vacuum`)
		return err
	})
	done.Bytes = db.size(ctx)
	if err := errors.Join(append(errs, err)...); err != nil {
		return done, fmt.Errorf("sweeping the store: %w", explain(err))
	}
	return done, nil
}

// repeat runs a bounded DELETE until it finds nothing more.
func (db *DB) repeat(ctx context.Context, sql string, args ...any) (total int64, err error) {
	args = append(args, sweepRows)
	for {
		var n int64
		err := db.Write(ctx, func(tx *Tx) (err error) {
			n, err = tx.Exec(sql, args...)
			return err
		})
		total += n
		if err != nil || n < sweepRows {
			return total, err
		}
	}
}

// dropRuns deletes the oldest runs that match and that no live process works on, until none is left or enough says so.
func (db *DB) dropRuns(ctx context.Context, enough func() bool, where string, args ...any) (total int64, err error) {
	for after := int64(0); !enough(); {
		found := false
		err := db.Write(ctx, func(tx *Tx) error {
			var n int64
			var owner string
			err := tx.QueryRow(`SELECT n, owner FROM run WHERE n>? AND `+where+` ORDER BY n LIMIT 1`, append([]any{after}, args...), &n, &owner)
			if IsNoRows(err) {
				return nil
			}
			if err != nil {
				return err
			}
			found, after = true, n
			if db.Alive(owner) {
				return nil
			}
			total++
			return DeleteRun(tx, n)
		})
		if err != nil || !found {
			return total, err
		}
	}
	return total, nil
}

// shrink removes cached bodies and then finished runs, the oldest first, until what the file holds is small enough.
func (db *DB) shrink(ctx context.Context, most int64, done *Swept) error {
	for db.size(ctx) > most {
		var n int64
		err := db.Write(ctx, func(tx *Tx) (err error) {
			n, err = tx.Exec(`DELETE FROM cache WHERE rowid IN (SELECT rowid FROM cache ORDER BY stored LIMIT ?)`, sweepRows)
			return err
		})
		if done.Cached += n; err != nil {
			return err
		}
		if n == 0 {
			break
		}
	}
	n, err := db.dropRuns(ctx, func() bool { return db.size(ctx) <= most }, `status IN ('done', 'failed', 'cancelled')`)
	done.Runs += n
	return err
}

// size is what the file holds, pages that are free for reuse not counted.
func (db *DB) size(ctx context.Context) (bytes int64) {
	_ = db.reader.QueryRowContext(ctx, `SELECT (page_count-freelist_count)*page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size`).Scan(&bytes)
	return bytes
}

// DeleteRun removes a run by its number, with the archived texts that nobody else cites.
func DeleteRun(tx *Tx, n int64) error {
	clear(tx.Known)
	_, err := tx.Exec(`DELETE FROM page WHERE sha256 IN (SELECT sha256 FROM citation WHERE run=?1)
		AND NOT EXISTS (SELECT 1 FROM citation WHERE citation.sha256=page.sha256 AND run<>?1)`, n)
	if err == nil {
		_, err = tx.Exec(`DELETE FROM run WHERE n=?`, n)
	}
	return err
}
