package cache_test

import (
	"testing"
	"time"

	"deepresearch/internal/store"
	"deepresearch/internal/store/cache"
)

func TestEntryAges(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	began := now
	db, err := store.Open(t.Context(), store.Options{Dir: t.TempDir(), Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	pages, robots := cache.New(db, "page"), cache.New(db, "robots")
	if err := pages.Put(t.Context(), "key", []byte("body"), time.Hour, time.Hour); err != nil {
		t.Fatal(err)
	}
	if _, found, err := robots.Get(t.Context(), "key"); found || err != nil {
		t.Errorf("another kind has it: %v, %v", found, err)
	}
	for _, c := range []struct {
		age          time.Duration
		found, fresh bool
	}{{0, true, true}, {59 * time.Minute, true, true}, {time.Hour, true, false}, {119 * time.Minute, true, false}, {2 * time.Hour, false, false}} {
		now = began.Add(c.age)
		e, found, err := pages.Get(t.Context(), "key")
		if err != nil || found != c.found || e.Fresh != c.fresh || (found && (string(e.Body) != "body" || !e.Stored.Equal(began))) {
			t.Errorf("after %s: %+v, %v, %v", c.age, e, found, err)
		}
	}
	if err := pages.Put(t.Context(), "key", nil, time.Hour, 0); err != nil {
		t.Fatal(err)
	}
	if e, found, err := pages.Get(t.Context(), "key"); !found || len(e.Body) != 0 || err != nil {
		t.Errorf("replaced: %+v, %v, %v", e, found, err)
	}
	if err := pages.Delete(t.Context(), "key"); err != nil {
		t.Fatal(err)
	}
	if _, found, err := pages.Get(t.Context(), "key"); found || err != nil {
		t.Errorf("deleted: %v, %v", found, err)
	}
}
