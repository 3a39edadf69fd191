package compute

import (
	"context"
	"maps"
	"strings"
	"time"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// dialect allows what Python programmers write at the top of a file. Recursion
// stays off, so with the limit of steps every program ends.
var dialect = syntax.FileOptions{Set: true, While: true, TopLevelControl: true, GlobalReassign: true}

const printedSize = 16 << 10

// evaluate runs a program in this process. Only steps bound it here: memory
// and time are the child's business.
func evaluate(ctx context.Context, p Program, steps uint64) (Result, error) {
	started := time.Now()
	inputs, err := newInputs(p.Inputs)
	if err != nil {
		return Result{}, err
	}
	var printed strings.Builder
	thread := &starlark.Thread{Name: sourceFile, Print: func(_ *starlark.Thread, line string) {
		if room := printedSize - printed.Len(); room > 0 {
			printed.WriteString(strings.ToValidUTF8(line[:min(len(line), room-1)], "") + "\n")
		}
	}}
	thread.SetMaxExecutionSteps(steps)
	defer context.AfterFunc(ctx, func() { thread.Cancel("the time is up") })()

	out := &collector{inputs: inputs}
	names := predeclared(inputs, out)
	file, err := dialect.Parse(sourceFile, p.Code, 0)
	if err != nil {
		return Result{}, explain(err, p.Code)
	}
	program, err := starlark.FileProgram(file, names.Has)
	if err != nil {
		return Result{}, explain(err, p.Code)
	}
	out.flow = readFlow(file)
	if _, err := program.Init(thread, names); err != nil {
		return Result{}, explain(err, p.Code)
	}
	result := out.result
	result.Printed = printed.String()
	result.Steps = thread.ExecutionSteps()
	result.Seconds = time.Since(started).Seconds()
	return result, nil
}

// predeclared is what a program finds beside Starlark's own functions.
func predeclared(inputs *inputs, out *collector) starlark.StringDict {
	names := starlark.StringDict{
		"inputs":     inputs,
		"math":       mathModule,
		"statistics": statisticsModule,
		"dates":      datesModule,
		"rows":       rowsModule,
		"json":       jsonModule,
	}
	maps.Copy(names, numberFunctions)
	maps.Copy(names, out.functions())
	return names
}
