package main

import (
	"fmt"
	"io/fs"
	"path"

	"deepresearch/examples"
	"deepresearch/research"
)

// demoQuestion is answered from the documents that ship inside the binary.
const demoQuestion = "How does Go's memory model differ from those of C++ and Java, and how has it changed since 2009?"

// demoCommand shows the product without keys, network or checkout.
type demoCommand struct {
	settingFlags
	Question string   `arg:"" optional:"" help:"A question of your own about memory models and data races"`
	Also     []string `name:"also" help:"Folders to research together with the embedded documents" placeholder:"DIR"`
}

func (demoCommand) Help() string { return example("demo") }

// Run researches the question in the embedded documents, offline.
func (c *demoCommand) Run(p *process) error {
	settings, err := p.load(c.settingFlags)
	if err != nil {
		return err
	}
	q := question(settings.Config, orElse(c.Question, demoQuestion))
	q.Offline, q.Files = true, c.Also
	if q.Documents, err = demoDocuments(); err != nil {
		return err
	}
	p.say(fmt.Sprintf("Researching in %d embedded documents, offline: %s", len(q.Documents), q.Text))
	return p.research(settings, q)
}

func demoDocuments() ([]research.Document, error) {
	var out []research.Document
	err := fs.WalkDir(examples.Documents, "documents", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := examples.Documents.ReadFile(name)
		out = append(out, research.Document{Name: path.Base(name), Text: string(text)})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading the embedded documents: %w", err)
	}
	return out, nil
}
