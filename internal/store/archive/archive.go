// Package archive keeps the texts that reports cite, each once, under the SHA-256 of the text.
//
// [Archive.Put] a text, then [Archive.Cite] it for a run: texts that no run cites are swept in time, and go with the
// last run that cites them. [Archive.Get] returns it byte for byte. The package does not sanitise or split texts.
package archive

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"deepresearch/internal/store"
)

// ErrNotFound is returned for a text that is not (or no longer) kept.
var ErrNotFound = errors.New("the text is not in the archive")

// Archive is the texts of a store.
type Archive struct{ db *store.DB }

// New returns the archive of a store.
func New(db *store.DB) *Archive { return &Archive{db} }

// Put keeps a text and returns its SHA-256 in lower-case hexadecimal. Putting it again only makes it young again.
func (a *Archive) Put(ctx context.Context, text string) (string, error) {
	sum := sha256.Sum256([]byte(text))
	body := a.db.Pack([]byte(text))
	err := a.db.Write(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(`INSERT INTO page(sha256, body, stored) VALUES (?,?,?) ON CONFLICT(sha256) DO UPDATE SET stored=excluded.stored`,
			sum[:], body, a.db.Now().UnixMicro())
		return err
	})
	if err != nil {
		return "", fmt.Errorf("archiving a text: %w", err)
	}
	return hex.EncodeToString(sum[:]), nil
}

// Get returns a text. Its bytes are checked against the sum.
func (a *Archive) Get(ctx context.Context, sha string) (string, error) {
	sum, err := decode(sha)
	if err != nil {
		return "", err
	}
	var body []byte
	err = a.db.Reader().QueryRowContext(ctx, `SELECT body FROM page WHERE sha256=?`, sum).Scan(&body)
	if store.IsNoRows(err) {
		return "", fmt.Errorf("%w: %s", ErrNotFound, sha)
	}
	if err != nil {
		return "", fmt.Errorf("reading archived text %s: %w", sha, err)
	}
	text, err := a.db.Unpack(body)
	if err != nil {
		return "", fmt.Errorf("reading archived text %s: %w", sha, err)
	}
	if got := sha256.Sum256(text); !slices.Equal(got[:], sum) {
		return "", fmt.Errorf("reading archived text %s: %w", sha, store.ErrCorrupt)
	}
	return string(text), nil
}

// Cite notes that a run cites texts, all of them or none: ErrNotFound when the run or one of the texts is gone.
func (a *Archive) Cite(ctx context.Context, run string, shas ...string) error {
	sums := make([][]byte, len(shas))
	for i, sha := range shas {
		sum, err := decode(sha)
		if err != nil {
			return err
		}
		sums[i] = sum
	}
	return a.db.Write(ctx, func(tx *store.Tx) error {
		for i, sum := range sums {
			n, err := tx.Exec(`INSERT INTO citation(run, sha256) SELECT run.n, page.sha256 FROM run, page WHERE run.id=? AND page.sha256=?
				ON CONFLICT DO UPDATE SET run=excluded.run`, run, sum)
			if err != nil {
				return fmt.Errorf("citing %s for run %s: %w", shas[i], run, err)
			}
			if n == 0 {
				return fmt.Errorf("citing %s for run %s: %w", shas[i], run, ErrNotFound)
			}
		}
		return nil
	})
}

// Cited returns the sums of the texts that a run cites, sorted.
func (a *Archive) Cited(ctx context.Context, run string) ([]string, error) {
	rows, err := a.db.Reader().QueryContext(ctx, `SELECT sha256 FROM citation JOIN run ON run.n=citation.run WHERE run.id=? ORDER BY sha256`, run)
	if err != nil {
		return nil, fmt.Errorf("listing what run %s cites: %w", run, err)
	}
	defer rows.Close()
	var shas []string
	for rows.Next() {
		var sum []byte
		if err := rows.Scan(&sum); err != nil {
			return nil, fmt.Errorf("listing what run %s cites: %w", run, err)
		}
		shas = append(shas, hex.EncodeToString(sum))
	}
	return shas, rows.Err()
}

func decode(sha string) ([]byte, error) {
	sum, err := hex.DecodeString(sha)
	if err != nil || len(sum) != sha256.Size {
		return nil, fmt.Errorf("%w: %q is not a SHA-256 in hexadecimal", ErrNotFound, sha)
	}
	return sum, nil
}
