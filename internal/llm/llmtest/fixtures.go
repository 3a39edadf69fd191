package llmtest

import (
	"os"
	"path/filepath"
	"testing"
)

// Fixture reads a recorded answer of a real service, which is not part of the
// repository. Without it the test is skipped.
func Fixture(t *testing.T, name string) []byte {
	t.Helper()
	dir := os.Getenv("DEEPRESEARCH_FIXTURES")
	if dir == "" {
		dir = filepath.Join(root(t), "..", "shared", "fixtures")
	}
	raw, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		t.Skipf("the recorded answers are not here: %v; DEEPRESEARCH_FIXTURES names their folder", err)
	}
	return raw
}

// root is the folder of the module.
func root(t *testing.T) string {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if parent := filepath.Dir(dir); parent != dir {
			dir = parent
			continue
		}
		t.Fatal("there is no go.mod above this folder")
	}
}
