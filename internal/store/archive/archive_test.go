package archive_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"deepresearch/internal/graph"
	"deepresearch/internal/store"
	"deepresearch/internal/store/archive"
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

func put(t testing.TB, a *archive.Archive, text string) string {
	t.Helper()
	sha, err := a.Put(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	return sha
}

func addRun(t testing.TB, s *runs.Store, id string) {
	t.Helper()
	r := graph.Run{ID: id, Graph: "g", Version: "1", Status: graph.StatusDone, Created: time.Now(), Updated: time.Now()}
	if _, _, err := s.Create(t.Context(), r, graph.StepRow{Frontier: []byte(`{}`), State: []byte(`{}`)}, graph.Reuse{}); err != nil {
		t.Fatal(err)
	}
}

func TestTextsComeBackByteForByte(t *testing.T) {
	dir := t.TempDir()
	a := archive.New(open(t, dir))
	var long strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&long, "line %d of a page\n", i)
	}
	for _, text := range []string{"", "plain", "umlauts äöü, 中文, \x00 and \xff", long.String()} {
		sha := put(t, a, text)
		if sum := sha256.Sum256([]byte(text)); sha != fmt.Sprintf("%x", sum) {
			t.Errorf("sum %s", sha)
		}
		if again := put(t, a, text); again != sha {
			t.Errorf("put again: %s", again)
		}
		if got, err := a.Get(t.Context(), sha); err != nil || got != text {
			t.Errorf("%.20q came back as %.20q, %v", text, got, err)
		}
	}
	var size int64
	for _, name := range []string{store.FileName, store.FileName + "-wal"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil {
			size += info.Size()
		}
	}
	if size > int64(long.Len()) {
		t.Errorf("the file has %d bytes for %d of text", size, long.Len())
	}
}

func TestUnknownTexts(t *testing.T) {
	a := archive.New(open(t, t.TempDir()))
	for _, sha := range []string{"", "xyz", strings.Repeat("a", 64)} {
		if _, err := a.Get(t.Context(), sha); !errors.Is(err, archive.ErrNotFound) {
			t.Errorf("%q: %v", sha, err)
		}
	}
}

// Deleting a run takes the texts that nobody else cites.
func TestCitationsKeepTexts(t *testing.T) {
	db := open(t, t.TempDir())
	a, s := archive.New(db), runs.New(db)
	addRun(t, s, "r1")
	addRun(t, s, "r2")
	own, shared, free := put(t, a, "own"), put(t, a, "shared"), put(t, a, "free")
	cite := func(run string, shas ...string) error { return a.Cite(t.Context(), run, shas...) }
	for _, err := range []error{cite("r1", own, shared), cite("r1", shared), cite("r2", shared)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, err := range []error{cite("none", own), cite("r2", own, strings.Repeat("0", 64)), cite("r2", "x")} {
		if !errors.Is(err, archive.ErrNotFound) {
			t.Errorf("err = %v", err)
		}
	}
	cited, err := a.Cited(t.Context(), "r2")
	if diff := cmp.Diff([]string{shared}, cited); err != nil || diff != "" {
		t.Errorf("a refused citation left something: %s, %v", diff, err)
	}
	if err := s.Delete(t.Context(), "r1"); err != nil {
		t.Fatal(err)
	}
	for sha, want := range map[string]bool{own: false, shared: true, free: true} {
		if _, err := a.Get(t.Context(), sha); (err == nil) != want {
			t.Errorf("after deleting r1: %v", err)
		}
	}
}

func Example() {
	dir, err := os.MkdirTemp("", "archive")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	db, err := store.Open(ctx, store.Options{Dir: dir})
	if err != nil {
		panic(err)
	}
	defer db.Close()
	a := archive.New(db)
	sha, err := a.Put(ctx, "A sentence to cite.")
	if err != nil {
		panic(err)
	}
	text, err := a.Get(ctx, sha)
	fmt.Println(sha[:8], text[2:10], err)
	// Output: ec565ab4 sentence <nil>
}
