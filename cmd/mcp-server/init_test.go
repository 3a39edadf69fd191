package main_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// What a package may allocate before main, in bytes. Hosts start the server for
// every conversation, and some wait 1.5 s for its first word. Ours have tables of
// words and no more: patterns are compiled when they are first used.
const (
	maxInit    = 2 << 20
	maxInitOwn = 512 << 10
)

// initLine is a line that GODEBUG=inittrace=1 prints; source: the documentation
// of package runtime.
var initLine = regexp.MustCompile(`(?m)^init (\S+) @.* clock, (\d+) bytes`)

func TestNoPackageWorksBeforeMain(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the server")
	}
	server := filepath.Join(t.TempDir(), "mcp-server")
	if runtime.GOOS == "windows" {
		server += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", server, ".").CombinedOutput(); err != nil {
		t.Fatalf("building: %v\n%s", err, out)
	}
	run := exec.Command(server, "version")
	run.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var trace bytes.Buffer
	run.Stderr = &trace
	if err := run.Run(); err != nil {
		t.Fatalf("running: %v\n%s", err, &trace)
	}
	lines := initLine.FindAllStringSubmatch(trace.String(), -1)
	if len(lines) < 10 {
		t.Fatalf("only %d packages in the trace:\n%s", len(lines), &trace)
	}
	for _, line := range lines {
		most := maxInit
		if line[1] == "main" || strings.HasPrefix(line[1], "deepresearch/") {
			most = maxInitOwn
		}
		if n, err := strconv.Atoi(line[2]); err != nil || n > most {
			t.Errorf("the init of %s allocates %s bytes, more than %d: link something else, or work on first use", line[1], line[2], most)
		}
	}
}
