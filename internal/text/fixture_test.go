package text_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// fixtures returns the rows of a data set that lives outside the repository, and
// skips the test when it is absent.
func fixtures[T any](t testing.TB, name string) []T {
	t.Helper()
	root := os.Getenv("DEEPRESEARCH_FIXTURES")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared", "fixtures")
	}
	return rows[T](t, filepath.Join(root, name))
}

// rows reads a file of one JSON value a line.
func rows[T any](t testing.TB, path string) []T {
	t.Helper()
	f, err := os.Open(path)
	if os.IsNotExist(err) {
		t.Skipf("data set %s is not here: set DEEPRESEARCH_FIXTURES", path)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []T
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var row T
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		out = append(out, row)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}
