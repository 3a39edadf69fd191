// Package write is the method that uses language models.
//
// Start with [New]; the result is a research.Method that plans queries
// (queries.go) and tasks (plan.go), reads pages closely (read.go), looks for gaps
// (reflect.go), keeps a running summary (roll.go), computes (compute.go) and writes a report section by section from quotes (report.go). A model never
// writes an address or a number of a source: it chooses sentences by number and
// cites quotes by short names, and whatever it says beyond that is dropped and
// counted. Every sentence is then verified against the archived texts and
// repaired once.
//
// Each step falls back on the extractive method that it is given: no run is lost
// because of a model. The package fetches nothing, stores nothing and keeps
// nothing between two questions.
package write

import (
	"time"

	"deepresearch/crawl/document"
	"deepresearch/prompts"
	"deepresearch/research"
)

// Options configure [New]. Models, Extract and Archive are needed.
type Options struct {
	Models  research.Model
	Extract research.Method // does without a model what a model did not do
	Archive research.Archive
	Prompts *prompts.Set     // nil: the embedded ones
	Now     func() time.Time // for the day in the first prompts; nil is the clock
	NoJudge bool             // check claims by words and figures alone
	Sandbox Sandbox          // runs programs of compute tasks; nil: they cannot be done
}

// Method answers questions with language models. It is safe for concurrent use.
type Method struct{ opt Options }

var (
	_ research.Method     = (*Method)(nil)
	_ research.PageReader = (*Method)(nil)
	_ research.Spender    = (*Method)(nil)
	_ research.Planner    = (*Method)(nil)
	_ research.Roller     = (*Method)(nil)
	_ research.Computer   = (*Method)(nil)
)

// New returns the method.
func New(opt Options) *Method {
	if opt.Prompts == nil {
		opt.Prompts = prompts.Embedded()
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	return &Method{opt}
}

// Choose offers sentences of a page, as the extractive method does.
func (m *Method) Choose(s research.State, d *document.Document) []research.Excerpt {
	return m.opt.Extract.Choose(s, d)
}
