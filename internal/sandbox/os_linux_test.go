package sandbox_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"deepresearch/internal/sandbox"
)

func TestChildReachesNothing(t *testing.T) {
	t.Setenv("SECRET_KEY", "value")
	var runner sandbox.Runner
	out, err := runner.Run(t.Context(), "look", strings.NewReader(""), sandbox.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if want := "env=0 dir=/ open=false dial=false start=false"; string(out) != want {
		t.Errorf("a child sees %s, want %s", out, want)
	}
}

const middleVariable = "SANDBOX_TEST_MIDDLE"

// middle runs a child that waits for ever, and says when it is there.
func middle() bool {
	if os.Getenv(middleVariable) == "" {
		return false
	}
	var runner sandbox.Runner
	in := onRead{ctx: context.Background(), do: func() { fmt.Println("ready") }}
	_, err := runner.Run(context.Background(), "wait", in, sandbox.Limits{Time: time.Minute})
	fmt.Println(err)
	return true
}

func TestNoChildOutlivesItsParent(t *testing.T) {
	itself, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	parent := exec.CommandContext(t.Context(), itself)
	parent.Env = append(os.Environ(), middleVariable+"=1")
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatalf("the parent said %q, %v", line, err)
	}
	child, err := unix.PidfdOpen(childOf(t, parent.Process.Pid), 0)
	if err != nil {
		t.Skipf("this kernel has no pidfd: %v", err)
	}
	defer unix.Close(child)
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	defer parent.Wait()
	ended, err := unix.Poll([]unix.PollFd{{Fd: int32(child), Events: unix.POLLIN}}, 5000)
	if err != nil || ended != 1 {
		t.Errorf("the child still runs after its parent was killed (%v)", err)
	}
}

// childOf is the process id of the one child of pid.
func childOf(t *testing.T, pid int) int {
	t.Helper()
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		t.Fatal(err)
	}
	var all []byte
	for _, list := range lists {
		text, err := os.ReadFile(list)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, text...)
	}
	child, err := strconv.Atoi(string(bytes.TrimSpace(all)))
	if err != nil {
		t.Skipf("this kernel does not list children: %v", err)
	}
	return child
}
