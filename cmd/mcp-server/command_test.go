package main

import (
	"bytes"
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
	var o, e bytes.Buffer
	p := process{ctx: t.Context(), in: strings.NewReader(""), out: &o, err: &e, env: c.env, exit: func(int) {}}
	code = p.run(args)
	return code, o.String(), e.String()
}

// What names or questions contain never steers the terminal that shows them.
func TestTerminalIsNotSteered(t *testing.T) {
	const evil = "\x1b[2J\u009b31m\r\u202e\u200b\x07"
	folder := filepath.Join(t.TempDir(), "notes")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	text := "# Reno\n\nTCP Reno halves its congestion window when three duplicate acknowledgements arrive.\n"
	if err := os.WriteFile(filepath.Join(folder, "reno.md"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c := newCommandLine(t)
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
