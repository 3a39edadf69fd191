package sandbox

import (
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"unicode"
)

// What a [Failure] can wrap, besides the cause of an ended context.
var (
	ErrMemory     = errors.New("it needed more memory than it may have")
	ErrTime       = errors.New("it took longer than it may")
	ErrOutput     = errors.New("it wrote more than it may")
	ErrCrash      = errors.New("it crashed")
	ErrJob        = errors.New("it reported an error") // the job's own, in Failure.Text
	ErrUnknownJob = errors.New("this program has no such job")
)

// Failure is why a child gave no output. Errors.Is finds one of the errors
// above in it, or the cause of the caller's context.
type Failure struct {
	Job    string
	Limits Limits // those that held
	Text   string // the job's own error, or the line that says why it crashed; printable, at most 500 bytes
	cause  error
}

// Error is one sentence that names the job, the limit and what it was.
func (f *Failure) Error() string {
	if errors.Is(f, ErrJob) {
		return f.Job + ": " + f.Text
	}
	text := f.Job + ": " + f.cause.Error()
	switch {
	case errors.Is(f, ErrMemory):
		text += fmt.Sprintf(" (%d MiB)", f.Limits.Memory>>20)
	case errors.Is(f, ErrTime):
		text += fmt.Sprintf(" (%v)", f.Limits.Time)
	case errors.Is(f, ErrOutput):
		text += fmt.Sprintf(" (%d bytes)", f.Limits.Output)
	}
	if f.Text != "" {
		text += ": " + f.Text
	}
	return text
}

func (f *Failure) Unwrap() error { return f.cause }

// Exit codes of a child, far from those of Go's runtime (2) and of shells.
const (
	exitJob = 40 + iota
	exitMemory
	exitTime
	exitUnknownJob
	exitConfine // a limit could not be set
	exitOrphan  // the parent is gone: nobody reads this one
)

var causes = map[int]error{
	exitJob:        ErrJob,
	exitMemory:     ErrMemory,
	exitTime:       ErrTime,
	exitUnknownJob: ErrUnknownJob,
}

// failure reads how a child ended from its exit code and what it printed.
func failure(job string, limits Limits, err error, printed string) *Failure {
	f := &Failure{Job: job, Limits: limits, cause: ErrCrash, Text: err.Error()}
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return f
	}
	if line := lastWords(printed); line != "" {
		f.Text = line
	}
	if cause, known := causes[exit.ExitCode()]; known {
		f.cause = cause
		if errors.Is(cause, ErrJob) {
			f.Text = printable(printed)
		} else {
			f.Text = ""
		}
		return f
	}
	if outOfMemory(f.Text) {
		f.cause, f.Text = ErrMemory, ""
	}
	return f
}

// verdicts begin the line in which Go's runtime says why it ends.
var verdicts = []string{"panic: ", "fatal error: ", "SIGSEGV: "}

// lastWords is the line in which a crashed Go program says why; for anything
// else its last one.
func lastWords(printed string) string {
	last := ""
	for line := range strings.Lines(printed) {
		line = strings.TrimSpace(line)
		for _, verdict := range verdicts {
			if strings.HasPrefix(line, verdict) {
				return printable(line)
			}
		}
		if line != "" {
			last = line
		}
	}
	return printable(last)
}

// refusals are how Go's runtime puts it when the kernel refuses it memory. A
// segmentation violation that is no panic is one of them: it happens in the
// runtime itself, whose collector uses what it was not given (measured with
// Go 1.26; a fault in Go code is a panic).
var refusals = []string{
	"fatal error: runtime: out of memory",
	"fatal error: out of memory",
	"fatal error: runtime: cannot ",
	"fatal error: failed to ",
	"fatal error: unexpected signal during runtime execution",
	"fatal error: newosproc",
	"SIGSEGV: ",
}

func outOfMemory(line string) bool {
	return slices.ContainsFunc(refusals, func(refusal string) bool { return strings.HasPrefix(line, refusal) })
}

const textSize = 500

// printable is s in one line without control characters, cut to size.
func printable(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsPrint(r):
			return r
		}
		return -1
	}, strings.ToValidUTF8(strings.TrimSpace(s), ""))
	if len(s) > textSize {
		s = strings.ToValidUTF8(s[:textSize], "")
	}
	return s
}
