// Package sandbox runs jobs in a child process that is this same binary, under
// limits of memory, time and output, so that hostile input costs a child and
// never the server.
//
// Start with [Runner.Run], which hands a job its input and returns its output.
// The binary's main (in tests: TestMain) calls [Child] before anything else
// with the jobs it knows; in an ordinary process that does nothing.
//
// A child gets three pipes, no environment, and the root folder to work in. On
// Linux and macOS it opens no files, no connections and no processes, because
// the kernel gives it no further descriptor. What is enforced where:
//
//	                        Linux              macOS          Windows       elsewhere
//	memory, by the kernel   RLIMIT_DATA        -              job object    -
//	memory, by the parent   every 5 ms         -              -             -
//	memory, by the child    every 2 ms         every 2 ms     every 2 ms    every 2 ms
//	time, by the parent     yes                yes            yes           yes
//	time, by the child      yes, RLIMIT_CPU    same           yes           yes
//	no descriptors          RLIMIT_NOFILE      same           -             -
//	ends with its parent    Pdeathsig          within 2 ms    job object    at its time limit
//
// Memory is what a process has to itself; the binary's own pages are not
// counted. Between two looks a child may exceed its limit, on Linux by at most
// the 64 MiB step in which Go asks for address space.
//
// The package guards against code that is hungry, not against code that is
// malicious at the level of system calls: jobs are our own Go code at work on
// input from outside. It does not bound how many children run at once.
package sandbox

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"time"
)

// Job is what a child does: it reads all of in and writes out. The context
// ends with the time limit. An error becomes a [Failure] with [ErrJob] in the
// parent; a panic one with [ErrCrash].
type Job func(ctx context.Context, in io.Reader, out io.Writer) error

// Limits bound one child. A zero field takes its default.
type Limits struct {
	Memory int64         // bytes the child has to itself, its Go runtime included; default 256 MiB
	Output int64         // bytes it may write; default 16 MiB
	Time   time.Duration // wall clock from start to end; default 10 s
}

func (l Limits) orDefault() Limits {
	return Limits{
		Memory: cmp.Or(l.Memory, 256<<20),
		Output: cmp.Or(l.Output, 16<<20),
		Time:   cmp.Or(l.Time, 10*time.Second),
	}
}

// childArg is the first argument of a child; its second is a request. Both
// have to be there, so nobody becomes a child by accident.
const childArg = "--become-sandboxed-child"

// request tells a child what to do.
type request struct {
	Job    string
	Folder string `json:",omitempty"`
	Limits Limits
}

// Runner starts children. The zero value runs this binary. It holds no state:
// one serves any number of goroutines.
type Runner struct {
	// Path is the binary to run: one whose main calls [Child]. Empty means the
	// running one.
	Path string
	// Folder is handed to the child, which learns it from [Asked] and may use it
	// until [Child] confines the process.
	Folder string
}

// Run starts a child for the named job, feeds it in, and returns all that it
// wrote. Every error about the child is a [*Failure]; when ctx ends, the child
// is killed and the failure wraps the cause. Run returns when the child is
// gone and a Read of in that is under way has come back: a reader that may
// block has to end with ctx.
func (r *Runner) Run(ctx context.Context, job string, in io.Reader, limits Limits) ([]byte, error) {
	limits = limits.orDefault()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	ctx, cancel := context.WithTimeoutCause(ctx, limits.Time, ErrTime)
	defer cancel()

	out := &capped{left: limits.Output, over: func() { stop(ErrOutput) }}
	var complaint tail
	cmd, err := r.command(ctx, request{Job: job, Folder: r.Folder, Limits: limits})
	if err != nil {
		return nil, fmt.Errorf("starting a child for %s: %w", job, err)
	}
	// Hiding the reader's type keeps a file from being handed down as it is.
	cmd.Stdin, cmd.Stdout, cmd.Stderr = struct{ io.Reader }{in}, out, &complaint

	// Pdeathsig follows the thread that started the child, so it has to live.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting a child for %s: %w", job, err)
	}
	var watching sync.WaitGroup
	watching.Go(func() { watch(ctx, cmd.Process, limits.Memory, stop) })
	err = cmd.Wait()
	ended := context.Cause(ctx)
	stop(nil)
	watching.Wait()

	switch {
	case err == nil:
		return out.Bytes(), nil
	case ended != nil:
		return nil, &Failure{Job: job, Limits: limits, cause: ended}
	}
	return nil, failure(job, limits, err, complaint.String())
}

// command is the child, not yet started.
func (r *Runner) command(ctx context.Context, asked request) (*exec.Cmd, error) {
	path := r.Path
	if path == "" {
		var err error
		if path, err = executable(); err != nil {
			return nil, err
		}
	}
	arg, err := json.Marshal(asked)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, path, childArg, string(arg)) //nolint:gosec // our own binary
	cmd.Env = []string{}                                         // not nil: nil would hand down ours, keys included
	cmd.Dir = filepath.VolumeName(path) + string(filepath.Separator)
	cmd.SysProcAttr = attributes()
	cmd.Cancel = func() error { return kill(cmd.Process) }
	return cmd, nil
}

// running is the path of this binary, or on Linux of the very file that runs,
// which an upgrade may have replaced at its path.
func running(itself string) (string, error) {
	if _, err := os.Stat(itself); itself != "" && err == nil {
		return itself, nil
	}
	return os.Executable()
}

// capped keeps up to left bytes and calls over when there are more.
type capped struct {
	bytes.Buffer
	left int64
	over func()
}

func (c *capped) Write(p []byte) (int, error) {
	if c.left -= int64(len(p)); c.left < 0 {
		c.over()
		return 0, errors.New("too much output")
	}
	return c.Buffer.Write(p)
}

// ReadFrom keeps io.Copy from writing past the cap by way of the buffer's.
func (c *capped) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(struct{ io.Writer }{c}, r)
}

// tail keeps the last bytes written: a crash says at its end what happened.
type tail struct{ kept []byte }

const tailSize = 64 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	if over := len(t.kept) - tailSize; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	return len(p), nil
}

func (t *tail) String() string { return string(t.kept) }
