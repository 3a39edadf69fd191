package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func openTest(t testing.TB, o Options) *DB {
	t.Helper()
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	db, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func set(name, value string) func(*Tx) error {
	return func(tx *Tx) error {
		_, err := tx.Exec(`INSERT OR REPLACE INTO fact(name, value, until) VALUES (?,?,?)`, name, value, int64(1)<<60)
		return err
	}
}

func count(t testing.TB, db *DB, what string) (n int) {
	t.Helper()
	if err := db.Reader().QueryRow(`SELECT count(*) FROM ` + what).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestModesAndPragmas(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a folder with ? and #", "deep")
	db := openTest(t, Options{Dir: dir})
	if err := db.Write(t.Context(), set("a", "b")); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" {
		for path, want := range map[string]os.FileMode{
			dir: 0o700, filepath.Join(dir, "owners"): 0o700, filepath.Join(dir, FileName): 0o600, filepath.Join(dir, FileName+"-wal"): 0o600,
		} {
			info, err := os.Stat(path)
			if err != nil || info.Mode().Perm() != want {
				t.Errorf("%s: %v, %v", path, info, err)
			}
		}
	}
	for pragma, want := range map[string]string{"journal_mode": "wal", "auto_vacuum": "2", "synchronous": "2", "foreign_keys": "1"} {
		var got string
		if err := db.writerPragma(pragma, &got); err != nil || got != want {
			t.Errorf("%s = %s, %v", pragma, got, err)
		}
	}
	if _, err := db.Reader().Exec(`DELETE FROM fact`); err == nil {
		t.Error("the reader writes")
	}
}

func (db *DB) writerPragma(name string, into *string) error {
	return db.Write(context.Background(), func(tx *Tx) error { return tx.QueryRow(`PRAGMA `+name, nil, into) })
}

func TestOneFailureUndoesNothingOfOthers(t *testing.T) {
	db := openTest(t, Options{})
	gate, queued := make(chan struct{}), make(chan struct{})
	go db.Write(t.Context(), func(*Tx) error { close(queued); <-gate; return nil })
	<-queued // the writer is busy: what follows becomes one group
	broken := errors.New("broken")
	errs := make([]error, 20)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			errs[i] = db.Write(t.Context(), func(tx *Tx) error {
				if err := set(fmt.Sprint(i), "")(tx); err != nil {
					return err
				}
				switch i {
				case 5:
					return broken
				case 6:
					panic("also broken")
				}
				return nil
			})
		})
	}
	for len(db.queue) < len(errs) {
		runtime.Gosched()
	}
	close(gate)
	wg.Wait()
	for i, err := range errs {
		if (err != nil) != (i == 5 || i == 6) {
			t.Errorf("write %d: %v", i, err)
		}
	}
	if !errors.Is(errs[5], broken) || !strings.Contains(errs[6].Error(), "also broken") {
		t.Error(errs[5], errs[6])
	}
	if n := count(t, db, "fact"); n != 18 {
		t.Errorf("%d rows", n)
	}
}

func TestWriteGivesUpWithItsContext(t *testing.T) {
	db := openTest(t, Options{})
	gate, queued := make(chan struct{}), make(chan struct{})
	go db.Write(t.Context(), func(*Tx) error { close(queued); <-gate; return nil })
	<-queued
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := db.Write(ctx, set("a", "")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	close(gate)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := db.Write(t.Context(), set("b", "")); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

func TestSeveralProcessesWrite(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for p := range 3 {
		db := openTest(t, Options{Dir: dir})
		for i := range 20 {
			wg.Go(func() {
				if err := db.Write(t.Context(), set(fmt.Sprint(p, i), "")); err != nil {
					t.Error(err)
				}
			})
		}
	}
	wg.Wait()
	if n := count(t, openTest(t, Options{Dir: dir}), "fact"); n != 60 {
		t.Errorf("%d rows", n)
	}
}

func TestOwners(t *testing.T) {
	dir := t.TempDir()
	a, b := openTest(t, Options{Dir: dir}), openTest(t, Options{Dir: dir})
	for id, want := range map[string]bool{a.Owner(): true, b.Owner(): true, "": false, "nobody": false, "../owners": false} {
		if got := a.Alive(id); got != want {
			t.Errorf("alive(%q) = %v", id, got)
		}
	}
	b.Close()
	if a.Alive(b.Owner()) {
		t.Error("a closed owner lives")
	}
	stale := filepath.Join(dir, "owners", "stale.lock")
	if err := os.WriteFile(stale, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	past := time.Now().Add(-48 * time.Hour)
	for _, path := range []string{stale, filepath.Join(dir, "owners", a.Owner()+".lock")} {
		if err := os.Chtimes(path, past, past); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := a.Sweep(t.Context(), Limits{}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(stale); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the lock file of a dead owner is still there: %v", err)
	}
	if b := openTest(t, Options{Dir: dir}); !b.Alive(a.Owner()) {
		t.Error("sweeping took a live owner's lock")
	}
}

// raw opens the file without the store.
func raw(t *testing.T, dir string, statements string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, FileName))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statements); err != nil {
		t.Fatal(err)
	}
}

func TestOpenRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(t *testing.T, dir string)
		want error
	}{
		{"a newer schema", func(t *testing.T, dir string) {
			openTest(t, Options{Dir: dir}).Close()
			raw(t, dir, `PRAGMA user_version=99`)
		}, ErrNewer},
		{"another program's file", func(t *testing.T, dir string) { raw(t, dir, `CREATE TABLE theirs(x)`) }, ErrForeign},
		{"what is no database", func(t *testing.T, dir string) {
			if err := os.WriteFile(filepath.Join(dir, FileName), bytes.Repeat([]byte("not a database "), 1000), 0o600); err != nil {
				t.Fatal(err)
			}
		}, ErrCorrupt},
		{"a damaged file", func(t *testing.T, dir string) {
			openTest(t, Options{Dir: dir}).Close()
			f, err := os.OpenFile(filepath.Join(dir, FileName), os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if _, err := f.WriteAt(bytes.Repeat([]byte{0xff}, 3000), 100); err != nil {
				t.Fatal(err)
			}
		}, ErrCorrupt},
		{"a read-only folder", func(t *testing.T, dir string) {
			if os.Geteuid() == 0 {
				t.Skip("root may write anywhere")
			}
			if err := os.Chmod(dir, 0o500); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.Chmod(dir, 0o700) })
		}, ErrUnwritable},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			c.make(t, dir)
			before, _ := os.ReadFile(filepath.Join(dir, FileName))
			_, err := Open(t.Context(), Options{Dir: dir})
			if !errors.Is(err, c.want) {
				t.Errorf("err = %v", err)
			}
			if after, _ := os.ReadFile(filepath.Join(dir, FileName)); !bytes.Equal(before, after) {
				t.Error("the file was changed")
			}
		})
	}
	t.Run("a file in the folder's place", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(t.Context(), Options{Dir: path}); err == nil || !strings.Contains(err.Error(), path) {
			t.Error(err)
		}
	})
}

// An older schema is migrated and keeps its rows; a migration that fails changes nothing.
func TestMigrations(t *testing.T) {
	defer func(m []string) { migrations = m }(migrations)
	dir := t.TempDir()
	db := openTest(t, Options{Dir: dir})
	if err := db.Write(t.Context(), set("kept", "x")); err != nil {
		t.Fatal(err)
	}
	db.Close()

	released := slices.Clip(migrations)
	migrations = append(released, `CREATE TABLE extra(x); INSERT INTO extra VALUES (1)`, `NOT SQL`)
	if _, err := Open(t.Context(), Options{Dir: dir}); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("migrating from schema %d", len(released))) {
		t.Fatal(err)
	}
	migrations = append(released, `CREATE TABLE extra(x); INSERT INTO extra SELECT value FROM fact`)
	db = openTest(t, Options{Dir: dir})
	var x string
	if err := db.Reader().QueryRow(`SELECT x FROM extra`).Scan(&x); err != nil || x != "x" {
		t.Errorf("%s, %v", x, err)
	}
}

func TestFullKeepsWhatWasCommitted(t *testing.T) {
	dir := t.TempDir()
	db := openTest(t, Options{Dir: dir, MaxBytes: 400 << 10})
	var kept int
	var err error
	for ; err == nil && kept < 1000; kept++ {
		err = db.Write(t.Context(), set(fmt.Sprint(kept), strings.Repeat("x", 2000)))
	}
	kept--
	if !errors.Is(err, ErrFull) {
		t.Fatalf("after %d writes: %v", kept, err)
	}
	if n := count(t, db, "fact"); n != kept {
		t.Errorf("%d rows of %d", n, kept)
	}
	db.Close()
	db = openTest(t, Options{Dir: dir})
	if n := count(t, db, "fact"); n != kept {
		t.Errorf("%d rows of %d after opening again", n, kept)
	}
	if err := db.Write(t.Context(), set("more", "")); err != nil {
		t.Errorf("with room again: %v", err)
	}
}

func TestSweep(t *testing.T) {
	now := time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC)
	db := openTest(t, Options{Now: func() time.Time { return now }})
	day := 24 * time.Hour
	at := func(days int) int64 { return now.Add(-time.Duration(days) * day).UnixMicro() }
	body := strings.Repeat("b", 1000)
	err := db.Write(t.Context(), func(tx *Tx) error {
		exec := func(sql string, args ...any) {
			if _, err := tx.Exec(sql, args...); err != nil {
				t.Errorf("%s: %v", sql, err)
			}
		}
		for n, r := range []struct {
			days          int
			status, owner string
		}{{40, "done", ""}, {40, "running", db.Owner()}, {20, "done", ""}, {1, "paused", ""}} {
			exec(`INSERT INTO run(n, id, graph, version, key, caller, title, status, budget, owner, created, updated) VALUES (?,?,'','','','','',?,'{}',?,?,?)`,
				n+1, fmt.Sprint(n+1), r.status, r.owner, at(r.days), at(r.days))
			exec(`INSERT INTO event(run, seq, at, step, idx, node, kind) VALUES (?,1,?,0,0,'','')`, n+1, at(r.days))
		}
		for i := range 500 { // cited by nobody
			exec(`INSERT INTO page(sha256, body, stored) VALUES (?,?,?)`, fmt.Sprint("u", i), body, at(2))
		}
		for _, p := range []struct {
			sha  string
			runs []int
		}{{"old", []int{1}}, {"shared", []int{1, 3}}, {"kept", []int{4}}, {"new", nil}} {
			exec(`INSERT INTO page(sha256, body, stored) VALUES (?,?,?)`, p.sha, body, at(len(p.runs)*40))
			for _, r := range p.runs {
				exec(`INSERT INTO citation(run, sha256) VALUES (?,?)`, r, p.sha)
			}
		}
		for i := range 300 {
			exec(`INSERT INTO cache(kind, key, body, stored, expires, dropped) VALUES ('k',?,?,?,?,?)`, i, body, at(10), at(5), at(i%3-1))
		}
		exec(`INSERT INTO fact(name, value, until) VALUES ('past','',?), ('future','',?)`, at(1), at(-1))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := db.Sweep(t.Context(), Limits{Events: 10 * day, Runs: 30 * day, Uncited: day})
	if err != nil {
		t.Fatal(err)
	}
	if got.Bytes = 0; got != (Swept{Events: 2, Runs: 1, Texts: 500, Cached: 100}) {
		t.Errorf("swept %+v", got)
	}
	for what, want := range map[string]int{
		"run": 3, "event": 2, "cache": 200, "fact": 1, "page": 3, "page WHERE sha256='old'": 0, "citation": 2,
	} {
		if n := count(t, db, what); n != want {
			t.Errorf("%s: %d left, want %d", what, n, want)
		}
	}
	small, err := db.Sweep(t.Context(), Limits{MaxBytes: 1})
	if err != nil || small.Cached != 200 || small.Runs != 1 {
		t.Errorf("swept %+v for space, %v", small, err)
	}
	var free int
	if err := db.Reader().QueryRow(`SELECT freelist_count FROM pragma_freelist_count`).Scan(&free); err != nil || free > 0 {
		t.Errorf("%d free pages are kept, %v", free, err)
	}
}

func BenchmarkWrite(b *testing.B) {
	for _, c := range []struct {
		name   string
		normal bool
		par    int
	}{{"full", false, 1}, {"full, 64 writers", false, 32}, {"normal", true, 1}} {
		b.Run(c.name, func(b *testing.B) {
			db := openTest(b, Options{Normal: c.normal})
			b.ReportAllocs()
			b.SetParallelism(c.par)
			f := set("name", strings.Repeat("x", 1000))
			if c.par == 1 {
				for b.Loop() {
					if err := db.Write(b.Context(), f); err != nil {
						b.Fatal(err)
					}
				}
				return
			}
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if err := db.Write(b.Context(), f); err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}
