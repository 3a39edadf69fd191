package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"deepresearch/internal/compute"
	"deepresearch/internal/config"
	"deepresearch/internal/graph/mem"
	"deepresearch/internal/library"
	"deepresearch/internal/llm"
	"deepresearch/research"
	"deepresearch/research/extract"
	"deepresearch/research/write"
)

// exportRecord prints all that running a run again needs.
func (p *process) exportRecord(made *product, settings *config.Settings, id string) error {
	record, err := made.engine.Record(p.ctx, everyCaller, id)
	if err != nil {
		return err
	}
	if record.Private() {
		p.say("The record holds texts of your own documents: whoever has the file can read them.")
	}
	return p.write(settings, func(w io.Writer) error { return printJSON(w, record) })
}

// replay runs a record again, without network, models and stored runs, and
// prints what the recorded run printed.
func (p *process) replay(settings *config.Settings, file string) (err error) {
	record, err := readRecord(file)
	if err != nil {
		return err
	}
	e, err := research.NewReplay(record, recordedMethod(record), mem.New())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Close(context.WithoutCancel(p.ctx))) }()
	result, err := e.Replay(p.ctx, record)
	if err != nil {
		return err
	}
	return p.printRun(e, settings, result)
}

func readRecord(file string) (record research.Record, err error) {
	f, err := os.Open(file)
	if err != nil {
		return record, usageError(fmt.Sprintf("--replay: %v", err))
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return research.ReadRecord(f)
}

// recordedMethod is the method of a recorded run over its texts.
func recordedMethod(r research.Record) research.Method {
	quoting := extract.New(r.Archive(), &library.Cache{})
	if !r.Models {
		return quoting
	}
	return write.New(write.Options{Models: noModel{}, Extract: quoting, Archive: r.Archive(), Now: r.Day, Sandbox: &compute.Sandbox{}})
}

// noModel stands where the models of a recorded run stood, whose answers are in
// the record.
type noModel struct{}

func (noModel) Generate(context.Context, llm.Request) (llm.Reply, error) {
	return llm.Reply{}, errors.New("a replay asks no model")
}
