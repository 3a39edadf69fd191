// Package compute runs small programs over the numbers and tables of a
// research run: what a model would get wrong in its head, it writes down as a
// program, and the program's answers say which inputs they came from.
//
// Start with [Sandbox.Run]. A program is written in Starlark, a small dialect
// of Python without files, network, clock, randomness or imports; [Guide]
// tells a model what it may call. It runs in a child process (package sandbox)
// under limits of steps, memory, time and output, so the same program over the
// same inputs always gives the same answer or the same error.
//
// [Chart.SVG] and [Table.Markdown] render what a program drew. The package
// knows nothing of models, quotes or reports: an input carries the ids of the
// quotes it came from, and [Program.Cites] leads from an answer back to them.
package compute

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"deepresearch/internal/sandbox"
)

// Guide tells a model how to write a program: the dialect, the inputs, every
// function there is. It is Markdown of about 600 words.
//
//go:embed guide.md
var Guide string

// JobName is the name under which main hands [Job] to sandbox.Child.
const JobName = "compute"

// Input is a number, text or table that a program may read by its name.
type Input struct {
	Name  string   `json:"name"`
	Value any      `json:"value"`           // a JSON value; a table is a list of objects
	Cites []string `json:"cites,omitempty"` // ids of the quotes it comes from
}

// Program is what to run, and over what.
type Program struct {
	Code   string  `json:"code"` // at most 64 KiB
	Inputs []Input `json:"inputs,omitempty"`
}

// Cites are the ids of the quotes behind the named inputs, in the order of the
// inputs and each once.
func (p Program) Cites(inputs []string) []string {
	var ids []string
	for _, in := range p.Inputs {
		if !slices.Contains(inputs, in.Name) {
			continue
		}
		for _, id := range in.Cites {
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// Named is one answer of a program. Uses names the inputs it was computed
// from: those the program stated, or else those that its value can depend on.
type Named struct {
	Name  string   `json:"name"`
	Value any      `json:"value"` // a JSON value; its numbers are json.Number and finite
	Unit  string   `json:"unit,omitempty"`
	Uses  []string `json:"uses"`
}

// Table is rows under named columns; each row has a cell for each column.
type Table struct {
	Name    string   `json:"name"`
	Columns []string `json:"columns"`
	Rows    [][]any  `json:"rows"` // cells are json.Number, string, bool or nil
	Uses    []string `json:"uses"`
}

// Kinds of charts.
const (
	Bar  = "bar"
	Line = "line"
)

// Chart is one or more series over the same labels.
type Chart struct {
	Kind   string   `json:"kind"` // Bar or Line
	Title  string   `json:"title"`
	Unit   string   `json:"unit,omitempty"`
	Labels []string `json:"labels"`
	Series []Series `json:"series"`
	Uses   []string `json:"uses"`
}

// Series is one finite value for each label of its chart.
type Series struct {
	Name   string    `json:"name"`
	Values []float64 `json:"values"`
}

// Result is all that a program answered, in its order.
type Result struct {
	Values  []Named `json:"values,omitempty"`
	Tables  []Table `json:"tables,omitempty"`
	Charts  []Chart `json:"charts,omitempty"`
	Printed string  `json:"printed,omitempty"` // what it printed, at most 16 KiB
	Steps   uint64  `json:"steps"`             // Starlark's own count
	Seconds float64 `json:"seconds"`           // of evaluation, without the start of the child
}

// Sandbox runs programs. The zero value runs this binary as the child.
type Sandbox struct {
	Runner sandbox.Runner
	// Limits of the child; a zero field means 224 MiB (which with the pages of
	// the binary stays below 256 MiB), 4 s, 2 MiB of output.
	Limits sandbox.Limits
	// Steps a program may take; zero means 20 million, a second or two.
	Steps uint64
}

const (
	codeSize     = 64 << 10
	inputSize    = 16 << 20
	defaultSteps = 20_000_000
)

// task and answer are what parent and child say to each other.
type task struct {
	Program Program
	Steps   uint64
}

type answer struct {
	Result Result        `json:"result"`
	Error  *ProgramError `json:"error,omitempty"`
}

// Run runs a program in a child. The error is a [*ProgramError] when the
// program is wrong, which a model can repair, a [*sandbox.Failure] when it
// broke a limit (sandbox.ErrMemory, ErrTime, ErrOutput, or ErrCrash for
// nesting that is too deep), or the cause of ctx.
func (s *Sandbox) Run(ctx context.Context, p Program) (Result, error) {
	if err := check(p); err != nil {
		return Result{}, err
	}
	in, err := json.Marshal(task{Program: p, Steps: cmp.Or(s.Steps, defaultSteps)})
	if err != nil {
		return Result{}, fmt.Errorf("writing the inputs of a program: %w", err)
	}
	if len(in) > inputSize {
		return Result{}, fmt.Errorf("the program's inputs are %d bytes, at most %d are allowed: give it fewer rows", len(in), inputSize)
	}
	limits := sandbox.Limits{
		Memory: cmp.Or(s.Limits.Memory, 224<<20),
		Output: cmp.Or(s.Limits.Output, 2<<20),
		Time:   cmp.Or(s.Limits.Time, 4*time.Second),
	}
	out, err := s.Runner.Run(ctx, JobName, bytes.NewReader(in), limits)
	if err != nil {
		return Result{}, err
	}
	var a answer
	if err := decode(bytes.NewReader(out), &a); err != nil {
		return Result{}, fmt.Errorf("reading a program's answer: %w", err)
	}
	if a.Error != nil {
		return Result{}, a.Error
	}
	return a.Result, nil
}

func check(p Program) error {
	if len(p.Code) > codeSize {
		return &ProgramError{Message: fmt.Sprintf("the program has %d bytes, at most %d are allowed", len(p.Code), codeSize)}
	}
	if strings.ContainsRune(p.Code, 0) {
		return &ProgramError{Message: "the program contains a null byte"}
	}
	seen := map[string]bool{}
	for _, in := range p.Inputs {
		if in.Name == "" || seen[in.Name] {
			return fmt.Errorf("input %q: a name must not be empty or given twice", in.Name)
		}
		seen[in.Name] = true
	}
	return nil
}

// Job is the child's side of [Sandbox.Run].
func Job(ctx context.Context, in io.Reader, out io.Writer) error {
	var t task
	if err := decode(in, &t); err != nil {
		return fmt.Errorf("reading a program: %w", err)
	}
	result, err := evaluate(ctx, t.Program, t.Steps)
	a := answer{Result: result}
	if err != nil && !errors.As(err, &a.Error) {
		return err
	}
	return json.NewEncoder(out).Encode(a)
}

// decode keeps whole numbers apart from others.
func decode(r io.Reader, into any) error {
	d := json.NewDecoder(r)
	d.UseNumber()
	return d.Decode(into)
}
