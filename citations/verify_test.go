package citations

import (
	"context"
	"errors"
	"testing"
)

// memory is an archive in memory, as a run without a store keeps it.
type memory map[string]string

func (m memory) Text(_ context.Context, sha string) (string, error) {
	s, ok := m[sha]
	if !ok {
		return "", errors.New("nothing is archived under this sha256")
	}
	return s, nil
}

func (m memory) add(t testing.TB, l *Ledger, s Source, page string) string {
	t.Helper()
	id, err := l.AddSource(s, page)
	if err != nil {
		t.Fatal(err)
	}
	m[Hash(page)] = page
	return id
}
