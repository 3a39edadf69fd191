package research

import (
	"context"

	"deepresearch/citations"
	"deepresearch/crawl"
	"deepresearch/crawl/document"
	"deepresearch/internal/library"
	"deepresearch/internal/search"
)

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
	Put(ctx context.Context, text string) (sha256 string, err error)
	Text(ctx context.Context, sha256 string) (string, error)
}

// Libraries opens the user's own documents: files, folders and texts that were
// handed in. Opening the same again is cheap. Nothing gives nil.
type Libraries interface {
	Open(ctx context.Context, paths []string, handed []library.Handed) (*library.Library, error)
}

// OpenFor opens the documents that a question brings; nil when it brings none.
func OpenFor(ctx context.Context, l Libraries, q Question) (*library.Library, error) {
	handed := make([]library.Handed, len(q.Documents))
	for i, d := range q.Documents {
		handed[i] = library.Handed{Name: d.Name, Text: d.Text}
	}
	return l.Open(ctx, q.Files, handed)
}

// Method is how the nodes that need judgement work: with a language model or
// without. Each function sees the state and returns a new value; none of them
// fetches a page. The extractive method needs no model; another method may
// fall back on it.
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

var _ citations.Archive = Archive(nil)
