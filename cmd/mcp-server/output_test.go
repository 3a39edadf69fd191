package main

import (
	"encoding/json"
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

// JSON keeps every character, but shows those that a terminal would act on.
func TestJSONShowsWhatIsHidden(t *testing.T) {
	text := "a\x1b[31m\u009b\u202e\U000e0041\x7fé\n"
	var o output
	if err := printJSON(&o, text); err != nil {
		t.Fatal(err)
	}
	want := `"a\u001b[31m\u009b\u202e\udb40\udc41\u007fé\n"` + "\n"
	if got := string(o.text()); got != want {
		t.Errorf("printed %s, want %s", got, want)
	}
	var back string
	if err := json.Unmarshal(o.text(), &back); err != nil || back != text {
		t.Errorf("read back as %q, %v", back, err)
	}
}
