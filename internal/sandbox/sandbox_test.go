package sandbox_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"deepresearch/internal/sandbox"
)

func TestMain(m *testing.M) {
	if sandbox.Child(jobs) || middle() {
		return
	}
	os.Exit(m.Run())
}

var jobs = map[string]sandbox.Job{
	"upper": func(_ context.Context, in io.Reader, out io.Writer) error {
		text, err := io.ReadAll(in)
		if err != nil {
			return err
		}
		_, err = out.Write(bytes.ToUpper(text))
		return err
	},
	"refuse": func(context.Context, io.Reader, io.Writer) error {
		return errors.New("the input\x1b[31m has\nno end")
	},
	"panic": func(context.Context, io.Reader, io.Writer) error { panic("index of nothing") },
	"exit": func(context.Context, io.Reader, io.Writer) error {
		fmt.Fprintln(os.Stderr, "some words\nlast words")
		os.Exit(7)
		return nil
	},
	"wait": func(_ context.Context, in io.Reader, _ io.Writer) error {
		_, err := io.Copy(io.Discard, in)
		return err
	},
	"spin":    func(context.Context, io.Reader, io.Writer) error { spin(); return nil },
	"patient": func(ctx context.Context, _ io.Reader, _ io.Writer) error { <-ctx.Done(); return ctx.Err() },
	"flood": func(_ context.Context, _ io.Reader, out io.Writer) error {
		for {
			if _, err := out.Write(make([]byte, 1000)); err != nil {
				return err
			}
		}
	},
	"grow": func(context.Context, io.Reader, io.Writer) error {
		for all := []byte("a"); ; {
			all = append(all, all...)
		}
	},
	"many": func(context.Context, io.Reader, io.Writer) error {
		type link struct{ next *link }
		var all *link
		for {
			all = &link{all}
		}
	},
	"huge": func(_ context.Context, _ io.Reader, out io.Writer) error {
		_, err := fmt.Fprint(out, len(make([]byte, 8<<30)))
		return err
	},
	"deep": func(_ context.Context, _ io.Reader, out io.Writer) error {
		_, err := fmt.Fprint(out, deep(1))
		return err
	},
	"garbage": func(_ context.Context, _ io.Reader, out io.Writer) error {
		for range 100 {
			if len(bytes.Repeat([]byte{1}, 8<<20)) == 0 {
				return errors.New("nothing")
			}
		}
		_, err := io.WriteString(out, "done")
		return err
	},
	"look": look,
}

func spin() {
	for n := 0; ; n++ {
		if n < 0 {
			return
		}
	}
}

func deep(n int) int {
	if n < 0 {
		return 0
	}
	return deep(n+1) + 1
}

// look reports what a child can reach.
func look(ctx context.Context, _ io.Reader, out io.Writer) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "env=%d dir=%s", len(os.Environ()), dir)
	itself := os.Args[0]
	_, opened := os.Open(itself)
	_, dialled := (&net.Dialer{}).DialContext(ctx, "udp", "127.0.0.1:9")
	started := exec.CommandContext(ctx, itself).Start()
	fmt.Fprintf(out, " open=%t dial=%t start=%t", opened == nil, dialled == nil, started == nil)
	return nil
}

const mib = 1 << 20

func TestRun(t *testing.T) {
	var runner sandbox.Runner
	for _, test := range []struct {
		job    string
		limits sandbox.Limits
		want   error
		text   string
	}{
		{job: "refuse", want: sandbox.ErrJob, text: "refuse: the input[31m has no end"},
		{job: "panic", want: sandbox.ErrCrash, text: "panic: it crashed: panic: index of nothing"},
		{job: "exit", want: sandbox.ErrCrash, text: "exit: it crashed: last words"},
		{job: "nosuch", want: sandbox.ErrUnknownJob, text: "nosuch: this program has no such job"},
		{job: "spin", limits: sandbox.Limits{Time: 200 * time.Millisecond}, want: sandbox.ErrTime, text: "spin: it took longer than it may (200ms)"},
		{job: "patient", limits: sandbox.Limits{Time: 200 * time.Millisecond}, want: sandbox.ErrTime, text: "patient: it took longer than it may (200ms)"},
		{job: "flood", limits: sandbox.Limits{Output: mib}, want: sandbox.ErrOutput, text: "flood: it wrote more than it may (1048576 bytes)"},
		{job: "grow", limits: sandbox.Limits{Memory: 64 * mib}, want: sandbox.ErrMemory, text: "grow: it needed more memory than it may have (64 MiB)"},
		{job: "many", limits: sandbox.Limits{Memory: 64 * mib}, want: sandbox.ErrMemory, text: "many: it needed more memory than it may have (64 MiB)"},
		{job: "huge", limits: sandbox.Limits{Memory: 64 * mib}, want: sandbox.ErrMemory},
		{job: "deep", limits: sandbox.Limits{Memory: 64 * mib}, want: sandbox.ErrCrash, text: "deep: it crashed: fatal error: stack overflow"},
	} {
		t.Run(test.job, func(t *testing.T) {
			t.Parallel()
			if underRace && errors.Is(test.want, sandbox.ErrMemory) {
				t.Skip("the race detector needs memory of its own")
			}
			out, err := runner.Run(t.Context(), test.job, strings.NewReader("input"), test.limits)
			var failure *sandbox.Failure
			if !errors.As(err, &failure) || !errors.Is(err, test.want) || out != nil {
				t.Fatalf("Run = %q, %v; want a Failure with %v", out, err, test.want)
			}
			if test.text != "" && err.Error() != test.text {
				t.Errorf("says %q, want %q", err, test.text)
			}
		})
	}
}

func TestRunReturnsTheOutput(t *testing.T) {
	var runner sandbox.Runner
	input := strings.Repeat("text ", mib)
	out, err := runner.Run(t.Context(), "upper", strings.NewReader(input), sandbox.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if string(out) != strings.ToUpper(input) {
		t.Errorf("%d bytes came back, want %d in upper case", len(out), len(input))
	}
}

// Memory that was freed does not count: 800 MB pass through 64 MiB.
func TestGarbageIsNoMemory(t *testing.T) {
	if underRace {
		t.Skip("the race detector needs memory of its own")
	}
	var runner sandbox.Runner
	out, err := runner.Run(t.Context(), "garbage", strings.NewReader(""), sandbox.Limits{Memory: 64 * mib})
	if err != nil || string(out) != "done" {
		t.Errorf("Run = %q, %v; want done", out, err)
	}
}

func TestOutputMayFillItsLimit(t *testing.T) {
	var runner sandbox.Runner
	out, err := runner.Run(t.Context(), "upper", strings.NewReader("four"), sandbox.Limits{Output: 4})
	if err != nil || string(out) != "FOUR" {
		t.Errorf("Run = %q, %v; want FOUR", out, err)
	}
}

// onRead is an input that never ends; it calls do when it is first asked,
// which is when the child runs.
type onRead struct {
	ctx context.Context
	do  func()
}

func (r onRead) Read([]byte) (int, error) {
	r.do()
	<-r.ctx.Done()
	return 0, r.ctx.Err()
}

func TestRunEndsWithItsContext(t *testing.T) {
	var runner sandbox.Runner
	ctx, cancel := context.WithCancelCause(t.Context())
	changed := errors.New("the user changed their mind")
	in := onRead{ctx: ctx, do: func() { cancel(changed) }}
	var failure *sandbox.Failure
	if _, err := runner.Run(ctx, "wait", in, sandbox.Limits{}); !errors.Is(err, changed) || !errors.As(err, &failure) {
		t.Errorf("Run = %v, want a Failure with the cause", err)
	}
}

func TestRunWithoutSuchABinary(t *testing.T) {
	runner := sandbox.Runner{Path: "/nonexistent/binary"}
	if _, err := runner.Run(t.Context(), "upper", strings.NewReader(""), sandbox.Limits{}); err == nil {
		t.Error("a missing binary is no error")
	}
}

func TestRunManyAtOnce(t *testing.T) {
	var runner sandbox.Runner
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			want := fmt.Sprint("CHILD ", n)
			out, err := runner.Run(t.Context(), "upper", strings.NewReader(strings.ToLower(want)), sandbox.Limits{})
			if err != nil || string(out) != want {
				t.Errorf("Run = %q, %v; want %q", out, err, want)
			}
		})
	}
	all.Wait()
}

func TestOrdinaryProcessIsNoChild(t *testing.T) {
	args := os.Args
	t.Cleanup(func() { os.Args = args })
	for _, as := range [][]string{{"x"}, {"x", "run", "job"}, {"x", "--become-sandboxed-child"}} {
		os.Args = slices.Clone(as)
		if sandbox.Child(jobs) {
			t.Errorf("%q became a child", as)
		}
	}
}

func ExampleRunner_Run() {
	// In main, before anything else:
	//
	//	if sandbox.Child(map[string]sandbox.Job{"upper": upper}) {
	//		return
	//	}
	var runner sandbox.Runner
	out, err := runner.Run(context.Background(), "upper", strings.NewReader("shout"), sandbox.Limits{Memory: 64 << 20})
	fmt.Println(string(out), err)
	_, err = runner.Run(context.Background(), "grow", strings.NewReader(""), sandbox.Limits{Memory: 64 << 20})
	fmt.Println(err, errors.Is(err, sandbox.ErrMemory))
	// Output:
	// SHOUT <nil>
	// grow: it needed more memory than it may have (64 MiB) true
}

func BenchmarkRun(b *testing.B) {
	var runner sandbox.Runner
	b.ReportAllocs()
	for b.Loop() {
		if _, err := runner.Run(b.Context(), "upper", strings.NewReader("x"), sandbox.Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}
