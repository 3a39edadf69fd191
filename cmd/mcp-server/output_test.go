package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestOutWritesThroughLinks(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target.md"), filepath.Join(dir, "link.md")
	if err := os.Symlink(target, link); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	if err := replaceFile(link, []byte("report")); err != nil {
		t.Fatal(err)
	}
	st, err := os.Lstat(link)
	if got, rerr := os.ReadFile(target); err != nil || rerr != nil || string(got) != "report" || st.Mode().IsRegular() {
		t.Errorf("target holds %q (%v), the link is %v (%v)", got, rerr, st, err)
	}
}
