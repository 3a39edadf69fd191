package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
)

// Tx is the transaction of one Write. It must not be kept.
type Tx struct {
	ctx   context.Context
	conn  *sql.Conn
	stmts map[string]*sql.Stmt

	// Known is what earlier writes of the same transaction have found out, so that writes that share it need not ask
	// again. Whoever makes it untrue clears it.
	Known map[any]int64
}

// Exec runs a statement and returns how many rows it changed.
func (tx *Tx) Exec(query string, args ...any) (int64, error) {
	s, err := tx.stmt(query)
	if err != nil {
		return 0, err
	}
	res, err := s.ExecContext(tx.ctx, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// QueryRow runs a statement that gives one row.
func (tx *Tx) QueryRow(query string, args []any, into ...any) error {
	s, err := tx.stmt(query)
	if err != nil {
		return err
	}
	return s.QueryRowContext(tx.ctx, args...).Scan(into...)
}

// stmt prepares a statement once for the life of the store: the texts are constants of this program.
func (tx *Tx) stmt(query string) (*sql.Stmt, error) {
	if s := tx.stmts[query]; s != nil {
		return s, nil
	}
	s, err := tx.conn.PrepareContext(tx.ctx, query)
	if err == nil {
		tx.stmts[query] = s
	}
	return s, err
}

// write is a queued Write.
type write struct {
	f       func(*Tx) error
	claimed atomic.Bool // by the writer, or by a caller that gave up
	done    chan error
}

// maxGroup bounds how many writes share a transaction, so that none waits long for the others.
const maxGroup = 256

// Write runs f in a transaction that is durable when Write returns nil. Writes of several goroutines share a
// transaction, but one that fails undoes nothing of the others. F may be called twice and must only use its Tx.
func (db *DB) Write(ctx context.Context, f func(*Tx) error) error {
	w := &write{f: f, done: make(chan error, 1)}
	db.mu.RLock()
	if !db.open {
		db.mu.RUnlock()
		return ErrClosed
	}
	select {
	case db.queue <- w:
		db.mu.RUnlock()
	case <-ctx.Done():
		db.mu.RUnlock()
		return context.Cause(ctx)
	}
	select {
	case err := <-w.done:
		return err
	case <-ctx.Done():
		if w.claimed.CompareAndSwap(false, true) {
			return context.Cause(ctx)
		}
		return <-w.done // already being written
	}
}

// commitLoop is the one writer.
func (db *DB) commitLoop() {
	defer close(db.closed)
	tx := &Tx{ctx: context.Background(), stmts: map[string]*sql.Stmt{}, Known: map[any]int64{}}
	for w := range db.queue {
		db.commitGroup(tx, db.gather(w))
	}
	for _, s := range tx.stmts {
		_ = s.Close() // everything is committed, and the file is closed next
	}
	if tx.conn != nil {
		_ = tx.conn.Close()
	}
}

// gather takes what else is queued without waiting.
func (db *DB) gather(w *write) []*write {
	var group []*write
	for {
		if w.claimed.CompareAndSwap(false, true) {
			group = append(group, w)
		}
		if len(group) == maxGroup {
			return group
		}
		select {
		case next, ok := <-db.queue:
			if !ok {
				return group
			}
			w = next
		default:
			return group
		}
	}
}

// commitGroup commits a group together, or each write by itself when that fails.
func (db *DB) commitGroup(tx *Tx, group []*write) {
	err := tx.commit(db.writer, group)
	for _, w := range group {
		if err != nil && len(group) > 1 {
			w.done <- explain(tx.commit(db.writer, []*write{w}))
			continue
		}
		w.done <- explain(err)
	}
}

func (tx *Tx) commit(db *sql.DB, group []*write) (err error) {
	if tx.conn == nil {
		if tx.conn, err = db.Conn(tx.ctx); err != nil {
			return err
		}
	}
	clear(tx.Known)
	if _, err := tx.Exec(`BEGIN IMMEDIATE`); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			// SQLite has rolled back by itself after some errors; then there is nothing left to undo.
			_, _ = tx.Exec(`ROLLBACK`)
		}
	}()
	for _, w := range group {
		if err := run(tx, w.f); err != nil {
			return err
		}
	}
	_, err = tx.Exec(`COMMIT`)
	return err
}

func run(tx *Tx, f func(*Tx) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("writing to the store: panic: %v\n%s", p, debug.Stack())
		}
	}()
	return f(tx)
}

// IsNoRows reports whether a query gave no row.
func IsNoRows(err error) bool { return errors.Is(err, sql.ErrNoRows) }
