package main

import (
	"errors"

	"github.com/alecthomas/kong"

	"deepresearch/internal/config"
	"deepresearch/internal/library"
	"deepresearch/research"
)

// Exit codes are part of the contract with scripts.
const (
	exitDone       = 0 // also a partial report
	exitFailed     = 1 // anything that has no code of its own
	exitUsage      = 2 // bad usage or input
	exitNoEvidence = 3
	exitConfig     = 4 // configuration or model missing
	exitPaused     = 5 // paused, or waiting for an answer
)

// codedError is an error that knows its exit code. An empty sentence is not
// printed: the result on stdout says it all.
type codedError struct {
	code     int
	sentence string
}

func (e *codedError) Error() string { return e.sentence }

func usageError(sentence string) error { return &codedError{exitUsage, sentence} }

// exitCode is the one place where errors become exit codes.
func exitCode(err error) int {
	if err == nil {
		return exitDone
	}
	if coded, ok := errors.AsType[*codedError](err); ok {
		return coded.code
	}
	if _, ok := errors.AsType[*kong.ParseError](err); ok {
		return exitUsage
	}
	if problems, ok := errors.AsType[config.Problems](err); ok {
		if problems.OnlyFlags() {
			return exitUsage
		}
		return exitConfig
	}
	if _, ok := errors.AsType[*research.InputError](err); ok {
		return exitUsage
	}
	if _, ok := errors.AsType[*library.PathError](err); ok {
		return exitUsage
	}
	if errors.Is(err, library.ErrNoLibrary) {
		return exitUsage
	}
	return exitFailed
}
