//go:build unix

package mcpserver

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestNoProcessStaysBehind(t *testing.T) {
	note := filepath.Join(t.TempDir(), "pid")
	opt := Options{Name: "tides", Tool: "search", Command: []string{"/bin/sh", "-c", `sleep 60 & echo $! >"$0.new" && mv "$0.new" "$0"; wait`, note}, Env: []string{"PATH=" + os.Getenv("PATH")}}
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	if _, err := mustNew(t, opt).Search(ctx, aboutTides); err == nil {
		t.Error("a silent server answered")
	}
	b, err := os.ReadFile(note)
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(5 * time.Second); ; {
		err := syscall.Kill(child, 0)
		state, _ := os.ReadFile("/proc/" + strconv.Itoa(child) + "/stat")
		if errors.Is(err, syscall.ESRCH) || strings.Contains(string(state), ") Z ") { // gone, or only its entry is left
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the child of the server still runs: %v", err)
		}
	}
}
