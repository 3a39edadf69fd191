package facts_test

import (
	"testing"
	"time"

	"deepresearch/internal/store"
	"deepresearch/internal/store/facts"
)

// A fact is seen by another process until its time.
func TestFacts(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	dir := t.TempDir()
	open := func() *facts.Facts {
		db, err := store.Open(t.Context(), store.Options{Dir: dir, Now: func() time.Time { return now }})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		return facts.New(db)
	}
	a, b := open(), open()
	until := now.Add(time.Hour)
	for _, v := range []string{"first", "challenged"} {
		if err := a.Set(t.Context(), "duckduckgo", v, until); err != nil {
			t.Fatal(err)
		}
	}
	if v, at, found, err := b.Get(t.Context(), "duckduckgo"); v != "challenged" || !at.Equal(until) || !found || err != nil {
		t.Errorf("%q until %s, %v, %v", v, at, found, err)
	}
	if _, _, found, err := b.Get(t.Context(), "brave"); found || err != nil {
		t.Errorf("%v, %v", found, err)
	}
	now = until
	if _, _, found, err := b.Get(t.Context(), "duckduckgo"); found || err != nil {
		t.Errorf("after its time: %v, %v", found, err)
	}
}
