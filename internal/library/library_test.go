package library

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// write puts files into a new folder.
func write(t testing.TB, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, body := range files {
		p := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func names(docs []Document) []string {
	out := make([]string, len(docs))
	for i, d := range docs {
		out[i] = d.Name
	}
	return out
}

func documents(t *testing.T, l *Library) []Document {
	t.Helper()
	docs, err := l.Documents(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return docs
}

func search(t *testing.T, l *Library, query string, k int) []Hit {
	t.Helper()
	hits, err := l.Search(t.Context(), query, k)
	if err != nil {
		t.Fatal(err)
	}
	return hits
}

func skippedFor(l *Library, name string) string {
	for _, s := range l.Skipped {
		if s.Path == name {
			return s.Reason
		}
	}
	return ""
}

func TestOpenReadsWhatItMayAndSaysWhatItLeftOut(t *testing.T) {
	folder := write(t, map[string]string{
		"a.md": "# Alpha\n\nThe alpha bridge was built in 1931.", "sub/b.txt": "The beta tower stands in Oldby and is tall.",
		"c.html": "<title>Gamma</title><main><p>The gamma tunnel runs below the river Varn.</p></main>",
		".env":   "KEY=secret", "id_rsa": "secret", "server.pem": "secret", ".git/config": "secret",
		"image.png": "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "empty.md": "  \n",
	})
	lib, err := Open(t.Context(), []string{folder}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := names(documents(t, lib)), []string{"a.md", "c.html", "sub/b.txt"}; !cmp.Equal(got, want) {
		t.Errorf("documents %q, want %q", got, want)
	}
	for name, want := range map[string]string{"id_rsa": "keys", "server.pem": "keys", "image.png": "format", "empty.md": "no readable text"} {
		if reason := skippedFor(lib, name); !strings.Contains(reason, want) {
			t.Errorf("%s was left out because %q, want a reason with %q", name, reason, want)
		}
	}
	for _, d := range documents(t, lib) {
		if strings.Contains(d.Text, "secret") || !strings.HasPrefix(d.URL, "file://") {
			t.Errorf("document %s at %s: %q", d.Name, d.URL, d.Text)
		}
	}
}

func TestLeftOutNamesReasons(t *testing.T) {
	files := map[string]string{"a.md": "# Alpha\n\nThe alpha bridge was built in 1931.", "server.key": "x", "photo.png": "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"}
	lib, err := Open(t.Context(), []string{write(t, files)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := lib.LeftOut()
	for _, want := range []string{"2 files were not read", "server.key: files that hold keys are never read", "photo.png: it is not a text format"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
	for i := range maxReported + 50 {
		files[fmt.Sprintf("empty%03d.md", i)] = " "
	}
	if lib, err = Open(t.Context(), []string{write(t, files)}, nil); err != nil {
		t.Fatal(err)
	}
	if got := lib.LeftOut(); !strings.HasPrefix(got, "252 files were not read (empty") || !strings.Contains(got, "52 further ones") {
		t.Errorf("of 252 files: %q", got)
	}
	delete(files, "server.key")
	lib, err = Open(t.Context(), nil, []Handed{{"a.md", files["a.md"]}})
	if err != nil || lib.LeftOut() != "" {
		t.Errorf("nothing was left out: %q, %v", lib.LeftOut(), err)
	}
}

func TestHandedInNamesMayRepeat(t *testing.T) {
	lib, err := Open(t.Context(), nil, []Handed{
		{"a/notes.md", "The alpha bridge was built in 1931."}, {`b\notes.md`, "The beta tower stands in Oldby."}, {"notes.md", "The gamma tunnel is long."},
	})
	if err != nil {
		t.Fatal(err)
	}
	for url, want := range map[string]string{"document:notes.md": "alpha", "document:notes.md#2": "beta", "document:notes.md#3": "gamma"} {
		if d, ok, _ := lib.Document(t.Context(), url); !ok {
			t.Errorf("there is no %s", url)
		} else if !strings.Contains(d.Text, want) {
			t.Errorf("%s is %q, want the text of %s", url, d.Text, want)
		}
	}
	if hits := search(t, lib, "beta tower", 3); len(hits) != 1 || !strings.Contains(hits[0].Text, "Oldby") {
		t.Errorf("the beta tower is in %+v", hits)
	}
}

func TestEncodingsOfFiles(t *testing.T) {
	folder := write(t, map[string]string{
		"latin.txt": "The caf\xe9 of Oldby opened in 1931 and serves cr\xe8me br\xfbl\xe9e every day.",
		"gbk.txt":   "\xce\xe4\xba\xba\xb3\xa4\xbd\xad\xb4\xf3\xc7\xc5\xd3\xda1957\xc4\xea\xbd\xa8\xb3\xc9\xcd\xa8\xb3\xb5\xa1\xa3", // 武汉长江大桥于1957年建成通车。
		"utf16.txt": "\xff\xfeT\x00h\x00e\x00 \x00t\x00o\x00w\x00e\x00r\x00 \x00i\x00s\x00 \x00t\x00a\x00l\x00l\x00.\x00",
		"noise.bin": "\x01\x02\x03\x80\x81\x00\x05\x06\x07",
	})
	lib, err := Open(t.Context(), []string{folder}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"武汉长江大桥", "café of Oldby", "The tower is tall."} {
		if got := documents(t, lib)[i]; !strings.Contains(got.Text, want) {
			t.Errorf("%s reads %q, want %q in it", got.Name, got.Text, want)
		}
	}
	if reason := skippedFor(lib, "noise.bin"); !strings.Contains(reason, "format") {
		t.Errorf("noise.bin was left out because %q", reason)
	}
}

func TestLinksDoNotLeadOut(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("symbolic links need a privilege on Windows")
	}
	outside := write(t, map[string]string{"private.txt": "This must not be read by anybody at all."})
	folder := write(t, map[string]string{"a.txt": "The alpha bridge was built in 1931 by hand."})
	for name, target := range map[string]string{"file.txt": filepath.Join(outside, "private.txt"), "folder": outside, "inside.txt": "a.txt"} {
		if err := os.Symlink(target, filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	lib, err := Open(t.Context(), []string{folder}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range documents(t, lib) {
		if strings.Contains(d.Text, "must not be read") {
			t.Errorf("%s leads out of the folder and was read", d.Name)
		}
	}
	if !slices.Contains(names(documents(t, lib)), "inside.txt") {
		t.Errorf("a link within the folder was not read: %q, left out %v", names(documents(t, lib)), lib.Skipped)
	}
}

func TestPathsThatGiveNothing(t *testing.T) {
	empty := t.TempDir()
	binary := write(t, map[string]string{"a.bin": "\x00\x01\x02\x03\x04\x05\x06\x07"})
	key := write(t, map[string]string{"id_ed25519": "secret"})
	for name, path := range map[string]string{
		"missing": filepath.Join(empty, "none"), "empty folder": empty, "binary only": binary, "a key": filepath.Join(key, "id_ed25519"),
	} {
		_, err := Open(t.Context(), []string{path}, nil)
		bad := (*PathError)(nil)
		if !errors.As(err, &bad) || bad.Reason == "" {
			t.Errorf("%s: error %v, want a *PathError with its reason", name, err)
		}
	}
}

func TestSearchFindsThePassage(t *testing.T) {
	filler := strings.Repeat("Nothing of interest stands in this paragraph about weather and wind. ", 40)
	lib, err := Open(t.Context(), nil, []Handed{
		{"long.md", "# Manual\n\n" + filler + "\n\n## Valves\n\nThe relief valve opens at 7 bar.\n\n" + filler},
		{"short.md", "# Notes\n\nValves are cleaned every spring."},
		{"zh.md", "# 长江大桥\n\n武汉长江大桥于1957年建成通车。"},
	})
	if err != nil {
		t.Fatal(err)
	}
	hits := search(t, lib, "At which pressure does the relief valve open?", 2)
	if len(hits) == 0 || hits[0].Name != "long.md" || !strings.Contains(hits[0].Passages[0].In(hits[0].Text), "7 bar") {
		t.Errorf("hits %+v, want the valve passage of long.md first", hits)
	}
	if hits := search(t, lib, "武汉长江大桥哪一年建成", 1); len(hits) != 1 || hits[0].Name != "zh.md" {
		t.Errorf("Chinese hits %+v", hits)
	}
	if hits := search(t, lib, "the of and", 3); len(hits) != 0 {
		t.Errorf("a query of stop words found %d documents", len(hits))
	}
}

func TestLinkedFollowsTitles(t *testing.T) {
	lib, err := Open(t.Context(), nil, []Handed{
		{"a.md", "# Ed Wood (film)\n\nEd Wood is a film of 1994 about a director."},
		{"b.md", "# Tim Burton\n\nTim Burton is a director of films from Burbank."},
		{"c.md", "# The\n\nA document whose title is a stop word only."},
	})
	if err != nil {
		t.Fatal(err)
	}
	linked, err := lib.Linked(t.Context(), "The film Ed Wood was directed by Tim Burton, not by Ed Wood.", 5)
	if err != nil {
		t.Fatal(err)
	}
	got := names(linked)
	if want := []string{"a.md", "b.md"}; !cmp.Equal(got, want) {
		t.Errorf("linked %q, want %q", got, want)
	}
}

func TestCacheSeesChanges(t *testing.T) {
	folder := write(t, map[string]string{"a.txt": "The alpha bridge was built in 1931 by hand."})
	var c Cache
	open := func() *Library {
		t.Helper()
		lib, err := c.Open(t.Context(), Request{Paths: []string{folder}})
		if err != nil {
			t.Fatal(err)
		}
		return lib
	}
	first := open()
	if open() != first {
		t.Error("an unchanged folder was read again")
	}
	if err := os.WriteFile(filepath.Join(folder, "b.txt"), []byte("The beta tower was built in 1940 by machine."), 0o600); err != nil {
		t.Fatal(err)
	}
	if second := open(); second == first || second.Fingerprint() == first.Fingerprint() {
		t.Error("a new file was not seen")
	}
	if lib, err := c.Open(t.Context(), Request{}); lib != nil || err != nil {
		t.Errorf("nothing gave %v, %v", lib, err)
	}
}

func TestOpenStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	cancel(why)
	folder := write(t, map[string]string{"a.txt": "The alpha bridge was built in 1931 by hand."})
	if _, err := Open(ctx, []string{folder}, nil); !errors.Is(err, why) {
		t.Errorf("error %v, want the cause of the context", err)
	}
}

// BenchmarkOpen reads the documents that come with the Go toolchain.
func BenchmarkOpen(b *testing.B) {
	folder := filepath.Join(runtime.GOROOT(), "doc")
	if _, err := os.Stat(filepath.Join(folder, "go_spec.html")); err != nil {
		b.Skip("the toolchain has no doc folder")
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Open(b.Context(), []string{folder}, nil); err != nil {
			b.Fatal(err)
		}
	}
}
