package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// commandLine is a person's terminal: a home folder and commands in it.
type commandLine struct{ env []string }

func newCommandLine(t *testing.T, env ...string) commandLine {
	t.Helper()
	return commandLine{append([]string{"HOME=" + t.TempDir()}, env...)}
}

// run runs a command to its end.
func (c commandLine) run(t *testing.T, args ...string) (code int, out, complaints string) {
	t.Helper()
	return c.runUntil(t, t.Context(), args...)
}

// runUntil runs a command that the end of ctx interrupts.
func (c commandLine) runUntil(t *testing.T, ctx context.Context, args ...string) (code int, out, complaints string) { //nolint:revive // t comes first
	t.Helper()
	var o, e bytes.Buffer
	p := process{ctx: ctx, in: strings.NewReader(""), out: &o, err: &e, env: c.env, exit: func(int) {}}
	code = p.run(args)
	return code, o.String(), e.String()
}

// someNotes is a folder with one document.
func someNotes(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	text := "# Reno\n\nTCP Reno halves its congestion window when three duplicate acknowledgements arrive.\n"
	if err := os.WriteFile(filepath.Join(folder, "reno.md"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}

// What names or questions contain never steers the terminal that shows them.
func TestTerminalIsNotSteered(t *testing.T) {
	const evil = "\x1b[2J\u009b31m\r\u202e\u200b\x07"
	c, folder := newCommandLine(t), someNotes(t)
	ask := []string{"research", "What does " + evil + "TCP Reno do?", "--offline", "--effort", "quick", "--files"}
	for _, args := range [][]string{
		append(ask, folder), append(ask, folder+evil), append(ask, folder, "--json"), {"runs", "list"}, {"runs", "list", "--json"},
		{"runs", "show", "r_" + evil}, {"plan", "How " + evil + "is TCP?"}, {"search", "window " + evil, "--offline", "--files", folder},
		{"search", "x", "--effort", evil}, {"--" + evil}, {evil}, {"research", evil}, {"doctor", "--data-dir", folder + evil},
		{"config", "--contact", evil},
	} {
		_, out, complaints := c.run(t, args...)
		for _, printed := range []string{out, complaints} {
			if i := strings.IndexAny(printed, "\x1b\u009b\r\u202e\u200b\x07"); i >= 0 {
				t.Errorf("%q prints %q", args, printed[max(0, i-40):min(len(printed), i+40)])
			}
		}
	}
	code, out, _ := c.run(t, "runs", "list")
	if code != 0 || !strings.Contains(out, "TCP Reno do?") {
		t.Errorf("runs list ends with %d and prints %q", code, out)
	}
}

func TestOutIsCheckedFirst(t *testing.T) {
	c := newCommandLine(t)
	for out, want := range map[string]string{t.TempDir(): "is a folder", filepath.Join(t.TempDir(), "none", "report.md"): "there is no folder"} {
		code, _, complaints := c.run(t, "plan", "How is TCP?", "--out", out)
		if code != exitUsage || !strings.Contains(complaints, want) {
			t.Errorf("--out %s: exit code %d, %q", out, code, complaints)
		}
		if code, runs, _ := c.run(t, "runs", "list"); code != 0 || runs != "" {
			t.Errorf("something was begun: %s", runs)
		}
	}
}

func TestInterruptedBeforeARunBegins(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("interrupt signal received"))
	code, out, complaints := newCommandLine(t).runUntil(t, ctx, "research", "What does TCP Reno do?", "--offline", "--files", someNotes(t))
	if code != exitPaused || out != "" || !strings.Contains(complaints, "interrupted before a run began") {
		t.Errorf("exit code %d, %q, %q", code, out, complaints)
	}
}

// A damaged store is said to be one, by its name and with what to do.
func TestDamagedStore(t *testing.T) {
	c, dir := newCommandLine(t), t.TempDir()
	ask := []string{"research", "What does TCP Reno do?", "--offline", "--fresh", "--quiet", "--files", someNotes(t), "--data-dir", dir}
	if code, _, complaints := c.run(t, ask...); code != 0 {
		t.Fatal(complaints)
	}
	damage(t, filepath.Join(dir, "deepresearch.db"), "branch")
	for _, args := range [][]string{ask, {"doctor", "--data-dir", dir}, {"doctor", "--json", "--data-dir", dir}} {
		code, _, complaints := c.run(t, args...)
		if code != exitFailed || !strings.Contains(complaints, filepath.Join(dir, "deepresearch.db")) || !strings.Contains(complaints, "move it away") {
			t.Errorf("%s: exit code %d, %q", args[0], code, complaints)
		}
	}
}

// damage overwrites the first page of a table.
func damage(t *testing.T, file, table string) {
	t.Helper()
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	var page, size int64
	if err := db.QueryRow(`SELECT rootpage, page_size FROM sqlite_master, pragma_page_size WHERE name = ?`, table).Scan(&page, &size); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(bytes.Repeat([]byte{0xa5}, int(size)), (page-1)*size); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestMistakesOfTheCommandLine(t *testing.T) {
	c := newCommandLine(t)
	for _, m := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"http", "--listen", "0.0.0.0:0"}, exitConfig, "DEEPRESEARCH_HTTP_TOKEN"},
		{[]string{"research", "x", "--queries", "-1"}, exitUsage, `"-1" is not a whole number from 1 to 20`},
		{[]string{"research", "x", "--max-tokens", "-5"}, exitUsage, `"-5" is not a whole number from 1`},
		{[]string{"research", "x", "--offline"}, exitUsage, "name documents or a folder with --files"},
		{[]string{"stdio", "--files-root", "/no/such/folder"}, exitDone, "--files-root: /no/such/folder is no folder"},
	} {
		if code, _, complaints := c.run(t, m.args...); code != m.code || !strings.Contains(complaints, m.want) {
			t.Errorf("%q: exit code %d, %q, want %d and %q", m.args, code, complaints, m.code, m.want)
		}
	}
}

// The folder that stands in for one that cannot be written goes with the command.
func TestTemporaryFolderIsRemoved(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	file := filepath.Join(someNotes(t), "reno.md")
	c := newCommandLine(t)
	for _, args := range [][]string{
		{"research", "What does TCP Reno do?", "--offline", "--files", file}, {"runs", "list"}, {"doctor"}, {"plan", "x"},
	} {
		code, _, complaints := c.run(t, append(args, "--data-dir", filepath.Join(file, "below"))...)
		left, err := os.ReadDir(temporary)
		if code != 0 || err != nil || len(left) != 0 {
			t.Errorf("%s: exit code %d, left %v, %v: %s", args[0], code, left, err, complaints)
		}
	}
}

func TestRunsByTheBeginningOfTheirIDs(t *testing.T) {
	c, folder := newCommandLine(t), someNotes(t)
	var ids []string
	for range 2 {
		_, out, _ := c.run(t, "research", "What does TCP Reno do?", "--offline", "--fresh", "--json", "--files", folder)
		var run struct {
			ID string `json:"run_id"`
		}
		if err := json.Unmarshal([]byte(out), &run); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, run.ID)
	}
	short := ids[0][:len("r_")+12]
	for _, args := range [][]string{{"show", short}, {"show", strings.ToLower(short)}, {"show", short[2:]}, {"export", short}, {"source", short, "1"}, {"resume", short}} {
		if code, out, complaints := c.run(t, append([]string{"runs"}, args...)...); code != 0 || !strings.Contains(out, "congestion window") {
			t.Errorf("%q: exit code %d, %q, %q", args, code, out, complaints)
		}
	}
	for _, m := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"show", "r_"}, exitFailed, "no such run"}, {[]string{"show", ids[0] + "A"}, exitFailed, "no such run"},
		{[]string{"answer", short, "approve"}, exitUsage, "waits for no answer"}, {[]string{"cancel", short}, exitFailed, "is done already"}, {[]string{"delete", short}, exitDone, "deleted " + ids[0]},
	} {
		if code, _, complaints := c.run(t, append([]string{"runs"}, m.args...)...); code != m.code || !strings.Contains(complaints, m.want) {
			t.Errorf("%q: exit code %d, %q", m.args, code, complaints)
		}
	}
}
