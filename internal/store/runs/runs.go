// Package runs keeps graph runs in the store's file: a [graph.Store] that several processes share.
//
// Start with [New]. Every write of an owner checks its lease in the same statement that notes the run's usage, so a
// process that was taken over cannot write. A run's owner is a live process when its lock file is held; a dead one is
// taken over at once. [Store.Calls] reads the replay record. The package does not run anything.
package runs

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"deepresearch/internal/graph"
	"deepresearch/internal/store"
)

// Store is a [graph.Store] on a store's file.
type Store struct{ db *store.DB }

var _ graph.Store = (*Store)(nil)

// New returns the runs of a store.
func New(db *store.DB) *Store { return &Store{db} }

func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func moment(us int64) time.Time {
	if us == 0 {
		return time.Time{}
	}
	return time.UnixMicro(us).UTC()
}

const columns = `n, id, graph, version, key, caller, title, status, reason, budget, usage, asks, owner, created, updated`

// row is a run as the table has it.
type row struct {
	graph.Run
	n                   int64
	owner               string
	budget, usage, asks []byte
	created, updated    int64
}

func (r *row) into() []any {
	return []any{&r.n, &r.ID, &r.Graph, &r.Version, &r.Key, &r.Caller, &r.Title, &r.Status, &r.Reason,
		&r.budget, &r.usage, &r.asks, &r.owner, &r.created, &r.updated}
}

func (r *row) decode() error {
	r.Created, r.Updated = moment(r.created), moment(r.updated)
	for _, p := range []struct {
		from []byte
		to   any
	}{{r.budget, &r.Budget}, {r.usage, &r.Usage}, {r.asks, &r.Asks}} {
		if err := json.Unmarshal(p.from, p.to); err != nil {
			return fmt.Errorf("run %s: %w: %w", r.ID, store.ErrCorrupt, err)
		}
	}
	return nil
}

// find returns a run's row, or ErrNotFound.
func (s *Store) find(ctx context.Context, q queryer, id string) (*row, error) {
	r := &row{}
	err := q.QueryRowContext(ctx, `SELECT `+columns+` FROM run WHERE id=?`, id).Scan(r.into()...)
	if store.IsNoRows(err) {
		return nil, fmt.Errorf("%w: %s", graph.ErrNotFound, id)
	}
	if err != nil {
		return nil, err
	}
	return r, r.decode()
}

type queryer interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// number is a run's key in the other tables.
func number(tx *store.Tx, id string) (n int64, err error) {
	err = tx.QueryRow(`SELECT n FROM run WHERE id=?`, []any{id}, &n)
	if store.IsNoRows(err) {
		err = fmt.Errorf("%w: %s", graph.ErrNotFound, id)
	}
	return n, err
}

// Create implements [graph.Catalogue].
func (s *Store) Create(ctx context.Context, head graph.Run, first graph.StepRow, reuse graph.Reuse) (graph.Run, bool, error) {
	budget, err := json.Marshal(head.Budget)
	if err != nil {
		return graph.Run{}, false, err
	}
	var id string
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		if id, err = reusable(tx, head, reuse); err != nil || id != "" {
			return err
		}
		if _, err := tx.Exec(`INSERT INTO run(id, graph, version, key, caller, title, status, budget, step, created, updated) VALUES (?,?,?,?,?,?,?,?,?,?,?)`,
			head.ID, head.Graph, head.Version, head.Key, head.Caller, head.Title, head.Status, budget, first.Step, micros(head.Created), micros(head.Updated)); err != nil {
			return err
		}
		n, err := number(tx, head.ID)
		if err != nil {
			return err
		}
		return putStep(tx, n, first)
	})
	if err != nil {
		return graph.Run{}, false, err
	}
	if id != "" {
		r, err := s.Get(ctx, id)
		return r, false, err
	}
	r, err := s.Get(ctx, head.ID)
	return r, true, err
}

// reusable finds the newest run that a key leads back to.
func reusable(tx *store.Tx, head graph.Run, reuse graph.Reuse) (string, error) {
	if head.Key == "" || reuse.Never {
		return "", nil
	}
	for below := int64(math.MaxInt64); ; {
		r := row{}
		err := tx.QueryRow(`SELECT `+columns+` FROM run WHERE key=? AND key<>'' AND caller=? AND n<? ORDER BY n DESC LIMIT 1`,
			[]any{head.Key, head.Caller, below}, r.into()...)
		if store.IsNoRows(err) {
			return "", nil
		}
		if err == nil {
			err = r.decode()
		}
		if err != nil || reuse.Allows(r.Run, head.Created) {
			return r.ID, err
		}
		below = r.n
	}
}

// Get implements [graph.Catalogue].
func (s *Store) Get(ctx context.Context, id string) (graph.Run, error) {
	r, err := s.find(ctx, s.db.Reader(), id)
	if err != nil {
		return graph.Run{}, err
	}
	var state []byte
	err = s.db.Reader().QueryRowContext(ctx, `SELECT state FROM snapshot WHERE run=?`, r.n).Scan(&state)
	if err != nil {
		return graph.Run{}, fmt.Errorf("run %s: %w: its state: %w", id, store.ErrCorrupt, err)
	}
	r.State = state
	r.Owned = s.db.Alive(r.owner)
	return r.Run, s.answers(ctx, s.db.Reader(), r)
}

// answers completes the questions of a run.
func (s *Store) answers(ctx context.Context, q queryer, r *row) error {
	if len(r.Asks) == 0 {
		return nil
	}
	rows, err := q.QueryContext(ctx, `SELECT ask, value FROM answer WHERE run=?`, r.n)
	return each(rows, err, func() error {
		var ask string
		var value []byte
		if err := rows.Scan(&ask, &value); err != nil {
			return err
		}
		for i := range r.Asks {
			if r.Asks[i].ID == ask {
				r.Asks[i].Answer = value
			}
		}
		return nil
	})
}

// each calls f for every row of a query.
func each(rows *sql.Rows, err error, f func() error) error {
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := f(); err != nil {
			return err
		}
	}
	return rows.Err()
}

// List implements [graph.Catalogue].
func (s *Store) List(ctx context.Context, f graph.Filter) ([]graph.Run, error) {
	if f.Limit <= 0 {
		f.Limit = -1
	}
	alive := map[string]bool{"": false}
	var found []*row
	rows, err := s.db.Reader().QueryContext(ctx, `SELECT `+columns+` FROM run WHERE ?1='' OR caller=?1 ORDER BY n DESC LIMIT ?2`, f.Caller, f.Limit)
	err = each(rows, err, func() error {
		r := &row{}
		if err := rows.Scan(r.into()...); err != nil {
			return err
		}
		found = append(found, r)
		return r.decode()
	})
	if err != nil {
		return nil, err
	}
	list := make([]graph.Run, len(found))
	for i, r := range found {
		if _, known := alive[r.owner]; !known {
			alive[r.owner] = s.db.Alive(r.owner)
		}
		r.Owned = alive[r.owner]
		if err := s.answers(ctx, s.db.Reader(), r); err != nil {
			return nil, err
		}
		list[i] = r.Run
	}
	return list, nil
}

// Events implements [graph.Catalogue].
func (s *Store) Events(ctx context.Context, id string, after int64, limit int) ([]graph.Event, error) {
	var events []graph.Event
	rows, err := s.db.Reader().QueryContext(ctx, `SELECT seq, at, step, idx, node, kind, body FROM event
		WHERE run=(SELECT n FROM run WHERE id=?) AND seq>? ORDER BY seq LIMIT ?`, id, after, limit)
	err = each(rows, err, func() error {
		var e graph.Event
		var at int64
		var body []byte
		err := rows.Scan(&e.Seq, &at, &e.Step, &e.Index, &e.Node, &e.Kind, &body)
		e.Time, e.Body = moment(at), body
		events = append(events, e)
		return err
	})
	if err == nil && len(events) == 0 {
		_, err = s.find(ctx, s.db.Reader(), id)
	}
	return events, err
}

// Delete implements [graph.Catalogue]. Archived texts that nobody else cites go with the run.
func (s *Store) Delete(ctx context.Context, id string) error {
	return s.db.Write(ctx, func(tx *store.Tx) error {
		n, err := number(tx, id)
		if err != nil {
			return err
		}
		var owner string
		if err := tx.QueryRow(`SELECT owner FROM run WHERE n=?`, []any{n}, &owner); err != nil {
			return err
		}
		if s.db.Alive(owner) {
			return fmt.Errorf("deleting run %s: %w", id, graph.ErrOwned)
		}
		return store.DeleteRun(tx, n)
	})
}
