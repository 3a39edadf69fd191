package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"
)

func executable() (string, error) { return running("/proc/self/exe") }

func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// dataSlack is above the limit, because Go asks for private memory in arenas
// of 64 MiB of which it may use a part; one is mapped before main.
const dataSlack = 64 << 20

// confine limits private writable memory. RLIMIT_AS would not do: Go reserves
// hundreds of megabytes of addresses that it never touches. RLIMIT_DATA counts
// only what is writable (since Linux 4.7, setrlimit(2)), so it starts from
// what the runtime has mapped already. The kernel lets one mapping through
// that replaces a reservation, however large, and refuses the next: Go makes
// one before it touches the first.
func confine(limits Limits) error {
	mapped, err := dataSize()
	if err != nil {
		return err
	}
	if err := setLimit("data", syscall.RLIMIT_DATA, uint64(mapped+limits.Memory+dataSlack)); err != nil {
		return err
	}
	return lower(limits)
}

// dataSize is the private writable memory of this process in bytes.
func dataSize() (int64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	_, after, _ := bytes.Cut(status, []byte("VmData:"))
	fields := bytes.Fields(after)
	if len(fields) == 0 {
		return 0, errors.New("/proc/self/status has no VmData")
	}
	kib, err := strconv.ParseInt(string(fields[0]), 10, 64)
	return kib << 10, err
}

// watch kills the child when what it has to itself outgrows its memory, until
// ctx ends.
func watch(ctx context.Context, p *os.Process, memory int64, stop context.CancelCauseFunc) {
	path := fmt.Sprintf("/proc/%d/statm", p.Pid)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		private, err := privatePages(path)
		if err != nil {
			return // the child is gone
		}
		if private*int64(os.Getpagesize()) > memory {
			stop(ErrMemory)
			return
		}
	}
}

// privatePages is resident less shared memory (proc_pid_statm(5)): what the
// process has to itself, without the pages of its binary.
func privatePages(statm string) (int64, error) {
	text, err := os.ReadFile(statm)
	if err != nil {
		return 0, err
	}
	var size, resident, shared int64
	if _, err := fmt.Sscan(string(text), &size, &resident, &shared); err != nil {
		return 0, err
	}
	return resident - shared, nil
}
