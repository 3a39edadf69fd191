package compute

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// ProgramError is what is wrong with a program, said so that its author can
// repair it.
type ProgramError struct {
	Line    int    `json:"line"`   // from 1; 0 when it is no one line's fault
	Column  int    `json:"column"` // in characters, from 1
	Message string `json:"message"`
	Source  string `json:"source"` // the line
}

// Error is a sentence and, below it, the line with the place marked.
func (e *ProgramError) Error() string {
	if e.Line == 0 {
		return e.Message
	}
	number := fmt.Sprint(e.Line)
	mark := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, firstRunes(e.Source, e.Column-1))
	return fmt.Sprintf("line %d, column %d: %s\n  %s | %s\n  %*s | %s^",
		e.Line, e.Column, e.Message, number, e.Source, len(number), "", mark)
}

const sourceFile = "program"

// explain makes a ProgramError of what the interpreter reports; any other
// error stays as it is.
func explain(err error, code string) error {
	var (
		parsing   syntax.Error
		resolving resolve.ErrorList
		running   *starlark.EvalError
		e         ProgramError
		isRunning bool
	)
	switch {
	case errors.As(err, &parsing):
		e = at(parsing.Pos, parsing.Msg)
	case errors.As(err, &resolving) && len(resolving) > 0:
		e = at(resolving[0].Pos, resolving[0].Msg)
	case errors.As(err, &running):
		e, isRunning = at(ownFrame(running.CallStack), running.Msg), true
	default:
		return err
	}
	lines := strings.Split(code, "\n")
	if e.Line >= 1 && e.Line <= len(lines) {
		e.Source = firstRunes(strings.TrimRight(lines[e.Line-1], "\r"), 200)
		e.Column = min(e.Column, utf8.RuneCountInString(e.Source)+1)
	}
	e.Message = firstRunes(e.Message, 1000)
	if hint := hintFor(&e, isRunning); hint != "" {
		e.Message += ": " + hint
	}
	return &e
}

func at(pos syntax.Position, message string) ProgramError {
	return ProgramError{Line: int(pos.Line), Column: max(int(pos.Col), 1), Message: message}
}

// ownFrame is the innermost place in the program itself, not in a built-in.
func ownFrame(stack starlark.CallStack) syntax.Position {
	for _, frame := range slices.Backward(stack) {
		if frame.Pos.Filename() == sourceFile {
			return frame.Pos
		}
	}
	return syntax.Position{}
}

// hints answer what people and models who know Python run into. The first that
// fits is said. One that looks at the source is for programs that did not
// start.
var hints = []struct{ inMessage, inSource, hint string }{
	{"too many steps", "", "do less in loops, or aggregate with rows and statistics"},
	{"called recursively", "", "recursion is off: use a loop"},
	{"load not implemented", "", noImport},
	{"unknown conversion %.", "", "write \"%s\" % fixed(x, 2)"},
	{"frozen", "", "inputs are read-only: copy with list(x) or dict(x)"},
	{"list has no .", "", "there are sorted(x) and the module rows, which a variable of that name hides"},
	{"undefined: open", "", "there are no files: read inputs[\"name\"]"},
	{"got '**'", "", "write math.pow(x, y)"},
	{"", "import ", noImport},
	{"", "try:", noTry},
	{"", "except", noTry},
	{"", "raise ", "write fail(\"why\")"},
	{"", "class ", "there are no classes: use dicts"},
	{"", "f\"", noFormat},
	{"", "f'", noFormat},
}

const (
	noImport = "nothing can be imported or loaded: math, statistics, dates, rows and json are already there"
	noTry    = "there are no exceptions: test the value before you use it"
	noFormat = "there are no f-strings: use \"%s\" % fixed(x, 2)"
)

func hintFor(e *ProgramError, isRunning bool) string {
	for _, h := range hints {
		if isRunning && h.inSource != "" {
			continue
		}
		if strings.Contains(e.Message, h.inMessage) && strings.Contains(e.Source, h.inSource) {
			return h.hint
		}
	}
	return ""
}

func firstRunes(s string, n int) string {
	for i := range s {
		if n <= 0 {
			return s[:i]
		}
		n--
	}
	return s
}
