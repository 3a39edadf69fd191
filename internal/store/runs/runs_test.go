package runs_test

import (
	"testing"

	"deepresearch/internal/graph"
	"deepresearch/internal/graph/storetest"
	"deepresearch/internal/store"
	"deepresearch/internal/store/runs"
)

func open(t testing.TB, dir string) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), store.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Process {
		dir := t.TempDir()
		return func(t *testing.T) (graph.Store, func()) {
			db := open(t, dir)
			return runs.New(db), func() { db.Close() }
		}
	})
}
