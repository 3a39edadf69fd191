//go:build linux || darwin

package sandbox

import (
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"
)

// kill ends the child and whatever is in its process group.
func kill(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGKILL) }

// orphaned reports whether the process that was the parent is gone: then
// another one has taken its place.
func orphaned(parent int) bool { return os.Getppid() != parent }

// lower sets limits that hold on every Unix: no new descriptor (so no file, no
// connection, no process), nothing written to files, no core dump, and
// processor time as the last resort behind the clocks.
func lower(limits Limits) error {
	seconds := uint64((limits.Time+time.Second)/time.Second) * uint64(runtime.NumCPU())
	for _, l := range []struct {
		name string
		what int
		most uint64
	}{
		{"core", syscall.RLIMIT_CORE, 0},
		{"fsize", syscall.RLIMIT_FSIZE, 0},
		{"cpu", syscall.RLIMIT_CPU, seconds},
		{"nofile", syscall.RLIMIT_NOFILE, 0},
	} {
		if err := setLimit(l.name, l.what, l.most); err != nil {
			return err
		}
	}
	return nil
}

func setLimit(name string, what int, most uint64) error {
	if err := syscall.Setrlimit(what, &syscall.Rlimit{Cur: most, Max: most}); err != nil {
		return fmt.Errorf("setting the limit %s to %d: %w", name, most, err)
	}
	return nil
}
