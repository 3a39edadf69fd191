package tools

import (
	"context"
	"io"
	"time"

	"deepresearch/crawl"
	"deepresearch/internal/search"
	"deepresearch/research"
)

// Engine runs research: *research.Engine.
type Engine interface {
	Runner
	Shelf
	Printer
	Planner
}

// Runner starts runs, holds them and stops them. A caller sees its own runs
// only; for others each method returns research.ErrNoRun.
type Runner interface {
	// Start makes a run durable and returns its id; the same caller asking the
	// same again gets the same run. A mistake in q is a *research.InputError.
	Start(ctx context.Context, caller string, q research.Question, fresh bool) (id string, err error)
	// Follow attaches to a run and reports its progress until it is at rest or
	// wait is over. The end of ctx only detaches.
	Follow(ctx context.Context, caller, id string, wait time.Duration, tell func(research.Progress)) (research.Result, error)
	// Answer gives a run what it waits for. An answer that cannot be taken is a
	// *research.InputError.
	Answer(ctx context.Context, caller, id, text string) error
	// Cancel aborts a run for good.
	Cancel(ctx context.Context, caller, id, reason string) error
}

// Shelf shows runs without attaching to them.
type Shelf interface {
	Result(ctx context.Context, caller, id string) (research.Result, error)
	List(ctx context.Context, caller string, limit int) ([]research.Summary, error)
	// Source returns the archived text of source n, byte for byte.
	Source(ctx context.Context, caller, id string, n int) (string, error)
}

// Printer gives whole files about a run.
type Printer interface {
	// HTML is the report as one self-contained page; a *research.InputError when
	// the run has none.
	HTML(ctx context.Context, caller, id string) ([]byte, error)
	// Trace writes the events of the run so far as JSON lines.
	Trace(ctx context.Context, caller, id string, w io.Writer) error
}

// Planner says how a question would be researched, without researching it.
type Planner interface {
	Plan(ctx context.Context, q research.Question) (research.Plan, error)
}

// Searcher asks search engines: *search.Searcher.
type Searcher interface {
	Search(ctx context.Context, q search.Query, engines []string) (search.Answer, error)
}

// Reader turns addresses into pages: *crawl.Reader. What went wrong is part of
// the page.
type Reader interface {
	Read(ctx context.Context, req crawl.Request) crawl.Page
	// Walk begins a crawl of a site; an error begins with the field at fault.
	Walk(site crawl.Site) (*crawl.Walk, error)
}
