package library_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"deepresearch/internal/library"
	"deepresearch/internal/store"
	shelf "deepresearch/internal/store/library"
)

func open(t testing.TB) *shelf.Shelf {
	t.Helper()
	db, err := store.Open(t.Context(), store.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return shelf.New(db)
}

func write(t testing.TB, folder string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func add(t testing.TB, s *shelf.Shelf, name string, paths ...string) library.Added {
	t.Helper()
	added, err := library.Add(t.Context(), s, library.Addition{Name: name, Paths: paths})
	if err != nil {
		t.Fatal(err)
	}
	return added
}

func search(t testing.TB, l *library.Library, query string) []library.Hit {
	t.Helper()
	hits, err := l.Search(t.Context(), query, 5)
	if err != nil {
		t.Fatal(err)
	}
	return hits
}

// words are as common as in a language: the nth comes once for n times the first.
func words(r *rand.Rand, n int) string {
	var b strings.Builder
	zipf := rand.NewZipf(r, 1.1, 4, 60_000)
	for i := range n {
		if i%12 == 11 {
			b.WriteString(". ")
		} else if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(word(int(zipf.Uint64())))
	}
	return b.String() + "."
}

// word spells a number in syllables.
func word(n int) string {
	const vowels, consonants = "aeiou", "bdfgklmnprstvz"
	s := ""
	for n += 70; n > 0; n /= 70 {
		s += string(consonants[n%14]) + string(vowels[n/14%5])
	}
	return s
}

func page(r *rand.Rand, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Page %d on %s\n\n", n, word(n))
	for b.Len() < n {
		fmt.Fprintf(&b, "## %s\n\n%s\n\n", words(r, 3), words(r, 120))
	}
	return b.String()
}

// A named library ranks as the same files in memory do: by score, by passage and
// by the titles that lead from one to the other.
func TestNamedRanksAsInMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	folder, files := t.TempDir(), map[string]string{"zh.md": "# 武汉长江大桥\n\n武汉长江大桥建成于1957年，连接武昌和汉阳。\n", "table.csv": "port,range\nNorth Quay,3.2\nMill Lock,2.7\n"}
	for i := range 300 {
		files[fmt.Sprintf("%03d.md", i)] = page(r, 900+i*5)
	}
	write(t, folder, files)
	s := open(t)
	if got := add(t, s, "all", folder); got.Documents != len(files) || got.Read != len(files) {
		t.Fatalf("%+v", got)
	}
	cache := library.Cache{Shelf: s}
	inMemory, err := cache.Open(t.Context(), library.Request{Paths: []string{folder}})
	if err != nil {
		t.Fatal(err)
	}
	named, err := cache.Open(t.Context(), library.Request{Names: []string{"all"}})
	if err != nil {
		t.Fatal(err)
	}
	queries := []string{"武汉长江大桥哪一年建成", "range of Mill Lock", "page on " + word(17), "nothing zzzz"}
	for range 60 {
		queries = append(queries, words(r, 6))
	}
	type ranked struct {
		URL, Text string
		Score     float64
		Passages  any
	}
	rankedBy := func(l *library.Library, q string) (out []ranked) {
		for _, h := range search(t, l, q) {
			out = append(out, ranked{h.URL, h.Text, h.Score, h.Passages})
		}
		return out
	}
	near := cmp.Comparer(func(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 })
	for _, q := range queries {
		want, got := rankedBy(inMemory, q), rankedBy(named, q)
		// Segments are written as files come from the parsers, so equal scores may
		// come in another order.
		byURL := func(a, b ranked) int { return strings.Compare(a.URL, b.URL) }
		slices.SortFunc(want, byURL)
		slices.SortFunc(got, byURL)
		if diff := cmp.Diff(want, got, near); diff != "" {
			t.Errorf("%q:\n%s", q, diff)
		}
	}
	linked, err := named.Linked(t.Context(), "see Page 17 on "+word(17)+" there", 3)
	if err != nil {
		t.Fatal(err)
	}
	memory, err := inMemory.Linked(t.Context(), "see Page 17 on "+word(17)+" there", 3)
	if err != nil {
		t.Fatal(err)
	}
	if len(linked) != len(memory) {
		t.Errorf("%d documents are linked, %d in memory", len(linked), len(memory))
	}
	both, err := cache.Open(t.Context(), library.Request{Paths: []string{folder}, Names: []string{"all"}})
	if err != nil {
		t.Fatal(err)
	}
	if hits := search(t, both, "武汉长江大桥"); len(hits) != 1 {
		t.Errorf("one file by two ways is %d hits", len(hits))
	}
}

func TestAddReadsWhatChanged(t *testing.T) {
	s, folder := open(t), t.TempDir()
	write(t, folder, map[string]string{"a.md": "The alpha bridge.", "b.md": "The beta tower.", "c.md": "The gamma tunnel.", "d.png": "\x89PNG\r\n"})
	got := add(t, s, "works", folder)
	if got.Read != 3 || len(got.Skipped) != 1 || got.Skipped[0].Path != "d.png" {
		t.Fatalf("%+v", got)
	}
	before, err := s.Version(t.Context(), "works")
	if err != nil {
		t.Fatal(err)
	}
	if got = add(t, s, "works"); got.Read != 0 || got.Unchanged != 3 {
		t.Errorf("again: %+v", got)
	}
	if after, _ := s.Version(t.Context(), "works"); after != before {
		t.Error("nothing changed but the version did")
	}
	write(t, folder, map[string]string{"b.md": "The beta lighthouse.", "e.md": "The delta weir."})
	if err := os.Remove(filepath.Join(folder, "c.md")); err != nil {
		t.Fatal(err)
	}
	touched := filepath.Join(folder, "a.md")
	if err := os.Chtimes(touched, time.Now(), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if got = add(t, s, "works"); got.Read != 2 || got.Unchanged != 1 || got.Removed != 1 || got.Documents != 3 {
		t.Errorf("after the change: %+v", got)
	}
	lib, err := (&library.Cache{Shelf: s}).Open(t.Context(), library.Request{Names: []string{"works"}})
	if err != nil {
		t.Fatal(err)
	}
	for query, hits := range map[string]int{"alpha": 1, "tower": 0, "lighthouse": 1, "gamma": 0, "weir": 1} {
		if got := search(t, lib, query); len(got) != hits {
			t.Errorf("%s: %d hits, want %d", query, len(got), hits)
		}
	}
	list, err := s.List(t.Context())
	if err != nil || len(list) != 1 || list[0].Documents != 3 {
		t.Errorf("%+v, %v", list, err)
	}
	if err := s.Remove(t.Context(), "works"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Catalog(t.Context(), "works"); !errors.Is(err, library.ErrNoLibrary) {
		t.Errorf("after its removal: %v", err)
	}
}

func TestAddRefuses(t *testing.T) {
	s := open(t)
	for name, a := range map[string]library.Addition{
		"bad name":   {Name: "../x", Paths: []string{t.TempDir()}},
		"no path":    {Name: "x"},
		"no such":    {Name: "x", Paths: []string{"/no/such/folder"}},
		"nothing in": {Name: "x", Paths: []string{t.TempDir()}},
	} {
		_, err := library.Add(t.Context(), s, a)
		if bad := (*library.PathError)(nil); !errors.As(err, &bad) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if list, err := s.List(t.Context()); err != nil || len(list) > 0 {
		t.Errorf("%+v, %v", list, err)
	}
}

// corpus writes 8,000 pages of 100 MB in all.
func corpus(b *testing.B) string {
	b.Helper()
	r, folder := rand.New(rand.NewPCG(3, 4)), b.TempDir()
	for i := range 8000 {
		text := page(r, 12_000)
		write(b, folder, map[string]string{fmt.Sprintf("%02d/%04d.md", i%40, i): strings.Replace(text, "Page 12000", fmt.Sprint("Page ", i), 1)})
	}
	return folder
}

// BenchmarkAdd reads 8,000 pages, 100 MB, into a new library.
func BenchmarkAdd(b *testing.B) {
	folder := corpus(b)
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		s := open(b)
		b.StartTimer()
		b.ReportMetric(float64(add(b, s, "corpus", folder).Documents), "documents")
	}
}

// BenchmarkSearch searches a library of 8,000 pages, with the texts of the ten best.
func BenchmarkSearch(b *testing.B) {
	s := open(b)
	add(b, s, "corpus", corpus(b))
	r := rand.New(rand.NewPCG(5, 6))
	cache := library.Cache{Shelf: s}
	var times []time.Duration
	b.ReportAllocs()
	for b.Loop() {
		query, began := words(r, 6), time.Now()
		lib, err := cache.Open(b.Context(), library.Request{Names: []string{"corpus"}})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := lib.Search(b.Context(), query, 10); err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(began))
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(times[len(times)*95/100].Microseconds()), "p95-µs")
}

// TestSaveFromAnOldVersion: of two who change a library at the same time the
// second is told, and nothing stands in it twice.
func TestSaveFromAnOldVersion(t *testing.T) {
	s := open(t)
	e := library.Entry{Name: "notes", Paths: []string{"/notes"}}
	version, err := s.Save(t.Context(), e, 0, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Save(t.Context(), e, version, nil, nil); err != nil {
		t.Fatal(err)
	}
	for _, old := range []int64{0, version} {
		if _, err := s.Save(t.Context(), e, old, nil, nil); !errors.Is(err, library.ErrChanged) {
			t.Errorf("saved from version %d: %v, want ErrChanged", old, err)
		}
	}
}
