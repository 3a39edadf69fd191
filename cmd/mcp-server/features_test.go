package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestFeaturesNameTestsThatExist keeps docs/features.md from promising what no
// test shows: each test that it names is in the package that it names.
func TestFeaturesNameTestsThatExist(t *testing.T) {
	root := filepath.Join("..", "..")
	table, err := os.ReadFile(filepath.Join(root, "docs", "features.md"))
	if err != nil {
		t.Fatal(err)
	}
	folder := regexp.MustCompile("`([a-z][a-z/-]+)`")
	named := regexp.MustCompile(`\bTest[A-Z]\w+`)
	checked := 0
	for line := range strings.Lines(string(table)) {
		cells := strings.Split(line, "|")
		if len(cells) < 3 {
			continue
		}
		in := ""
		for part := range strings.SplitSeq(cells[len(cells)-2], ", ") {
			if m := folder.FindStringSubmatch(part); m != nil {
				in = m[1]
			}
			for _, name := range named.FindAllString(part, -1) {
				checked++
				if !hasTest(t, filepath.Join(root, filepath.FromSlash(in)), name) {
					t.Errorf("docs/features.md names %s in %s, where it is not", name, in)
				}
			}
		}
	}
	if checked < 40 {
		t.Errorf("only %d tests were found in docs/features.md", checked)
	}
}

func hasTest(t *testing.T, dir, name string) bool {
	t.Helper()
	files, err := fs.Glob(os.DirFS(dir), "*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		body, err := os.ReadFile(filepath.Join(dir, f))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(body), "func "+name+"(") {
			return true
		}
	}
	return false
}
