// Package library keeps named libraries of documents: a [Shelf] is a library.Shelf.
//
// Begin with [New]. A library is rows of documents, whose bodies are compressed,
// and an index in buckets, both by segments that are written once and go as a
// whole. What index and bodies mean is the other package's business.
package library

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"deepresearch/internal/library"
	"deepresearch/internal/store"
)

// Shelf is the libraries of a store.
type Shelf struct{ db *store.DB }

// New returns the libraries of a store.
func New(db *store.DB) *Shelf { return &Shelf{db} }

// Version changes with every change of a library.
func (s *Shelf) Version(ctx context.Context, name string) (int64, error) {
	var version int64
	err := s.db.Reader().QueryRowContext(ctx, `SELECT version FROM library WHERE name=?`, name).Scan(&version)
	return version, missing(name, err)
}

// missing gives an error about a library its name.
func missing(name string, err error) error {
	switch {
	case err == nil:
		return nil
	case store.IsNoRows(err):
		return fmt.Errorf("%w: %q", library.ErrNoLibrary, name)
	}
	return fmt.Errorf("reading the library %s: %w", name, err)
}

// listed selects what an entry says.
const listed = `SELECT l.name, l.description, l.paths, l.updated, l.version, count(d.id), coalesce(sum(d.size), 0)
	FROM library l LEFT JOIN segment g ON g.library=l.id LEFT JOIN document d ON d.segment=g.id`

func scanEntry(row interface{ Scan(...any) error }, version *int64) (library.Entry, error) {
	var e library.Entry
	var paths string
	var updated int64
	if err := row.Scan(&e.Name, &e.Description, &paths, &updated, version, &e.Documents, &e.Bytes); err != nil {
		return e, err
	}
	e.Updated = time.UnixMicro(updated).UTC()
	return e, json.Unmarshal([]byte(paths), &e.Paths)
}

// List lists all libraries by name.
func (s *Shelf) List(ctx context.Context) ([]library.Entry, error) {
	rows, err := s.db.Reader().QueryContext(ctx, listed+` GROUP BY l.id ORDER BY l.name`)
	if err != nil {
		return nil, fmt.Errorf("listing the libraries: %w", err)
	}
	defer rows.Close()
	entries := []library.Entry{}
	for rows.Next() {
		var version int64
		e, err := scanEntry(rows, &version)
		if err != nil {
			return nil, fmt.Errorf("listing the libraries: %w", err)
		}
		entries = append(entries, e)
	}
	return entries, rows.Err()
}

// Catalog is all of a library but texts and index, as it was at one moment.
func (s *Shelf) Catalog(ctx context.Context, name string) (c *library.Catalog, err error) {
	tx, err := s.db.Reader().BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, missing(name, err)
	}
	defer func() { err = errors.Join(err, ignoreDone(tx.Rollback())) }()
	c = &library.Catalog{}
	if c.Entry, err = scanEntry(tx.QueryRowContext(ctx, listed+` WHERE l.name=? GROUP BY l.id`, name), &c.Version); err != nil {
		return nil, missing(name, err)
	}
	if err := s.segments(ctx, tx, c); err != nil {
		return nil, missing(name, err)
	}
	return c, missing(name, s.records(ctx, tx, c))
}

// ignoreDone: a read transaction whose context ended is over by itself.
func ignoreDone(err error) error {
	if errors.Is(err, sql.ErrTxDone) {
		return nil
	}
	return err
}

func (s *Shelf) segments(ctx context.Context, tx *sql.Tx, c *library.Catalog) error {
	rows, err := tx.QueryContext(ctx, `SELECT g.id, g.shape FROM segment g JOIN library l ON l.id=g.library WHERE l.name=? ORDER BY g.id`, c.Name)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var t library.SegmentTable
		if err := rows.Scan(&t.ID, &t.Table); err != nil {
			return err
		}
		c.Segments = append(c.Segments, t)
	}
	return rows.Err()
}

func (s *Shelf) records(ctx context.Context, tx *sql.Tx, c *library.Catalog) error {
	rows, err := tx.QueryContext(ctx, `SELECT d.id, d.segment, d.name, d.url, d.title, d.sum, d.size, d.modified
		FROM document d JOIN segment g ON g.id=d.segment JOIN library l ON l.id=g.library WHERE l.name=? ORDER BY d.id`, c.Name)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var r library.Record
		if err := rows.Scan(&r.ID, &r.Segment, &r.Name, &r.URL, &r.Title, &r.Sum, &r.Size, &r.Modified); err != nil {
			return err
		}
		c.Records = append(c.Records, r)
	}
	return rows.Err()
}

// Buckets reads a bucket of the index of several segments; nil for an empty one.
func (s *Shelf) Buckets(ctx context.Context, segments []int64, bucket int) ([][]byte, error) {
	ids, err := json.Marshal(segments)
	if err != nil {
		return nil, err
	}
	rows, err := s.db.Reader().QueryContext(ctx, `SELECT segment, body FROM bucket WHERE segment IN (SELECT value FROM json_each(?)) AND number=?`, string(ids), bucket)
	if err != nil {
		return nil, fmt.Errorf("reading the index of a library: %w", err)
	}
	defer rows.Close()
	bodies := make([][]byte, len(segments))
	for rows.Next() {
		var id int64
		var body []byte
		if err := rows.Scan(&id, &body); err != nil {
			return nil, fmt.Errorf("reading the index of a library: %w", err)
		}
		if i := slices.Index(segments, id); i >= 0 {
			bodies[i] = body
		}
	}
	return bodies, rows.Err()
}

// Body is the body of a document, as it was saved.
func (s *Shelf) Body(ctx context.Context, document int64) ([]byte, error) {
	var packed []byte
	if err := s.db.Reader().QueryRowContext(ctx, `SELECT body FROM document WHERE id=?`, document).Scan(&packed); err != nil {
		return nil, fmt.Errorf("reading a document of a library, which may just have changed: %w", err)
	}
	return s.db.Unpack(packed)
}

// Save makes or changes a library, all of it or nothing.
func (s *Shelf) Save(ctx context.Context, e library.Entry, version int64, add []*library.Segment, drop []int64) (int64, error) {
	paths, err := json.Marshal(e.Paths)
	if err != nil {
		return version, err
	}
	packed := make([][][]byte, len(add)) // outside the transaction, which others wait for
	for i, seg := range add {
		for _, d := range seg.Documents {
			packed[i] = append(packed[i], s.db.Pack(d.Body))
		}
	}
	now := version
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		if err := tx.QueryRow(`SELECT coalesce(max(version), 0) FROM library WHERE name=?`, []any{e.Name}, &now); err != nil {
			return err
		}
		if now != version {
			return library.ErrChanged
		}
		now++
		if _, err := tx.Exec(`INSERT INTO library(name, description, paths, version, updated) VALUES (?,?,?,1,?)
			ON CONFLICT(name) DO UPDATE SET description=excluded.description, paths=excluded.paths, version=version+1, updated=excluded.updated`,
			e.Name, e.Description, string(paths), s.db.Now().UnixMicro()); err != nil {
			return err
		}
		for _, id := range drop {
			if _, err := tx.Exec(`DELETE FROM segment WHERE id=? AND library=(SELECT id FROM library WHERE name=?)`, id, e.Name); err != nil {
				return err
			}
		}
		for i, seg := range add {
			if err := insert(tx, e.Name, seg, packed[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return version, fmt.Errorf("saving the library %s: %w", e.Name, err)
	}
	return now, nil
}

func insert(tx *store.Tx, name string, seg *library.Segment, bodies [][]byte) error {
	var id int64
	if err := tx.QueryRow(`INSERT INTO segment(library, shape) VALUES ((SELECT id FROM library WHERE name=?), ?) RETURNING id`, []any{name, seg.Table}, &id); err != nil {
		return err
	}
	for i, d := range seg.Documents {
		if _, err := tx.Exec(`INSERT INTO document(segment, name, url, title, sum, size, modified, body) VALUES (?,?,?,?,?,?,?,?)`,
			id, d.Name, d.URL, d.Title, d.Sum, d.Size, d.Modified, bodies[i]); err != nil {
			return err
		}
	}
	for number := range library.Buckets {
		body := seg.Index[number]
		if body == nil {
			continue
		}
		if _, err := tx.Exec(`INSERT INTO bucket(segment, number, body) VALUES (?,?,?)`, id, number, body); err != nil {
			return err
		}
	}
	return nil
}

// Remove removes a library with all that it holds.
func (s *Shelf) Remove(ctx context.Context, name string) error {
	var n int64
	err := s.db.Write(ctx, func(tx *store.Tx) (err error) {
		n, err = tx.Exec(`DELETE FROM library WHERE name=?`, name)
		return err
	})
	switch {
	case err != nil:
		return fmt.Errorf("removing the library %s: %w", name, err)
	case n == 0:
		return fmt.Errorf("%w: %q", library.ErrNoLibrary, name)
	}
	return nil
}
