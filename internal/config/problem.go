package config

import (
	"fmt"
	"strings"
)

// Origin is where a value comes from.
type Origin string

// The origins, weakest first.
const (
	FromDefault Origin = "default"
	FromFile    Origin = "file"
	FromEnv     Origin = "env"
	FromFlag    Origin = "flag"
)

// Problem is one setting that cannot be used.
type Problem struct {
	Where  string // as the user wrote it: --max-loops, DEEPRESEARCH_MAX_LOOPS, a key in a file
	Origin Origin
	Reason string // what is wrong with the value and what to do
}

// Error is one sentence.
func (p Problem) Error() string { return p.Where + ": " + p.Reason }

// Problems is the error of [Load]: everything that is wrong, in the order flags,
// environment, file.
type Problems []Problem

// Error writes one sentence for one problem and a line each for more.
func (p Problems) Error() string {
	if len(p) == 1 {
		return p[0].Error()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d settings cannot be used:", len(p))
	for _, problem := range p {
		b.WriteString("\n  " + problem.Error())
	}
	return b.String()
}

// OnlyFlags reports whether every problem is one of flags, so that the command
// line is wrong and not the configuration.
func (p Problems) OnlyFlags() bool {
	for _, problem := range p {
		if problem.Origin != FromFlag {
			return false
		}
	}
	return true
}
