package research

import (
	"context"

	"deepresearch/citations"
	"deepresearch/crawl"
	"deepresearch/crawl/document"
	"deepresearch/internal/graph"
	"deepresearch/internal/library"
	"deepresearch/internal/llm"
	"deepresearch/internal/safe"
	"deepresearch/internal/search"
)

// Filter takes private data out of a query before it leaves the machine, and
// says what sorts it took out.
type Filter interface {
	Remove(query string) (clean string, found []safe.Sort)
}

// Searcher asks search engines. engines names which; none means those that
// suit the query. It returns an error only when the context ended: what failed
// is part of the answer.
type Searcher interface {
	Search(ctx context.Context, q search.Query, engines []string) (search.Answer, error)
}

// Reader turns a URL into a page. What went wrong is part of the page.
type Reader interface {
	Read(ctx context.Context, req crawl.Request) crawl.Page
}

// Archive keeps the text of every page that was read, under the SHA-256 of
// that text, so that a quote can be checked for as long as its run exists.
type Archive interface {
	// Put keeps a text for a run. It goes with the last run that has it.
	Put(ctx context.Context, run, text string) (sha256 string, err error)
	Text(ctx context.Context, sha256 string) (string, error)
}

// Libraries opens the user's own documents: files, folders and texts that were
// handed in, and libraries on the shelf. Opening the same again is cheap. Nothing
// gives nil.
type Libraries interface {
	Open(ctx context.Context, r library.Request) (*library.Library, error)
}

// OpenFor opens the documents that a question brings; nil when it brings none.
func OpenFor(ctx context.Context, l Libraries, q Question) (*library.Library, error) {
	handed := make([]library.Handed, len(q.Documents))
	for i, d := range q.Documents {
		handed[i] = library.Handed{Name: d.Name, Text: d.Text}
	}
	return l.Open(ctx, library.Request{Paths: q.Files, Handed: handed, Names: q.Libraries})
}

// Method is how the nodes that need judgement work: with a language model or
// without. Each function sees the state and returns a new value; none of them
// fetches a page. The extractive method needs no model; another method may
// fall back on it, and may be a [PageReader] and a [Spender] too.
type Method interface {
	// Analyse takes the question apart: what it is about and the queries of the
	// first round.
	Analyse(ctx context.Context, q Question) (Analysis, error)
	// Choose picks the sentences of one page that could serve as evidence.
	Choose(s State, d *document.Document) []Excerpt
	// Reflect judges what is known and says what to look for next.
	Reflect(ctx context.Context, s State) (Reflection, error)
	// Write turns the evidence into a draft whose every sentence names its quotes.
	// It returns an empty draft when nothing answers the question.
	Write(ctx context.Context, s State) (Written, error)
}

// PageReader is a [Method] that can read a page closely, sentence by sentence,
// instead of offering its best sentences. A method that cannot is not asked to.
type PageReader interface {
	// Readings is how many pages of the round that begins may be read closely,
	// given what the rest of the run needs.
	Readings(ctx context.Context, s State) int
	// Read tells what one page says on the question. It sees nothing but that
	// page, and its error is that of the archive or of ctx: whatever else goes
	// wrong leaves the page as it is.
	Read(ctx context.Context, s State, p PageText) (Reading, error)
}

// Planner is a [Method] that divides a question into tasks. Without one, or when
// its plan cannot be followed, each part of the question is a task.
type Planner interface {
	// Plan sees what was found before there was a plan, and in State.Rejected the
	// drafts that were not approved, with the reasons. Its error is that of ctx.
	Plan(ctx context.Context, s State) (Plan, Notes, error)
}

// Computer is a [Method] that can compute with what was found. Without one a
// compute task is a gap.
type Computer interface {
	// Compute does one compute task of the plan. What goes wrong is part of the
	// computation; its error is that of ctx.
	Compute(ctx context.Context, s State, t Task) (Computation, Notes, error)
}

// Roller is a [Method] that keeps a running summary instead of every finding.
type Roller interface {
	// Roll merges findings that are new into the summary in s.Memory. What it
	// leaves out is put back: no finding that was accepted is forgotten. Its error
	// is that of ctx.
	Roll(ctx context.Context, s State, fresh []Known) ([]Known, Notes, error)
}

// Plans keeps plans that were made so that they can be followed by their ids.
type Plans interface {
	Keep(ctx context.Context, p Plan) error
	// Kept returns a plan, and false when there is none of that id any more.
	Kept(ctx context.Context, id string) (Plan, bool, error)
}

// Spender is a [Method] that spends model calls and knows how many.
type Spender interface {
	// Reserve is what writing and checking a report will take at most. It is pure.
	Reserve(s State) graph.Usage
	// Estimate is what a whole run is expected to take at most; cost is nil when
	// a price is unknown.
	Estimate(q Question, a Analysis) (calls int, cost *float64)
}

// Model asks a language model. The request's role says which. Its error is an
// *llm.Error or the cause of the end of ctx.
type Model interface {
	Generate(ctx context.Context, r llm.Request) (llm.Reply, error)
}

// Ceiler is a [Model] that knows the most that a request may spend, its retries
// included. Of another model one call is expected, at no known price.
type Ceiler interface {
	Ceiling(r llm.Request) llm.Usage
}

var _ citations.Archive = Archive(nil)
