// Package extract is the method that needs no language model: every sentence of
// its reports is a verbatim quotation.
//
// Start with [New]; the result is a research.Method. It reads the form of a
// question by rule (frame.go), offers sentences of pages (choose.go), ranks them
// by BM25 with bonuses for early pages and leads, for how far they cover the
// question (cover.go) and for having what its question word asks for (answer.go),
// thins them by maximal marginal relevance (rank.go), follows titles and names
// from the best pages for a second round (reflect.go), and lays the quotations
// out in sections, tables and a timeline (write.go). Pages that cover none of the
// question give no report. Connecting words come from fixed phrases only, so
// there is nothing that could be invented. The design and its measured gains are
// described in docs/decisions.
package extract

import (
	"context"
	"slices"

	"deepresearch/crawl/document"
	"deepresearch/internal/text"
	"deepresearch/research"
)

// Method answers questions by quotation. It is safe for concurrent use.
type Method struct {
	archive   research.Archive
	libraries research.Libraries
}

var _ research.Method = (*Method)(nil)

// New returns the extractive method over the texts of archive and the user's
// documents.
func New(archive research.Archive, libraries research.Libraries) *Method {
	return &Method{archive, libraries}
}

// Analyse reads the form of the question and names the first queries.
func (m *Method) Analyse(_ context.Context, q research.Question) (research.Analysis, error) {
	language := q.Language
	if language == "" {
		language = text.Language(q.Text)
	}
	f := frameOf(q.Text, q.Style, text.Language(q.Text))
	a := research.Analysis{Language: language, Shape: f.shape, Facets: f.facets, Subjects: f.subjects, Queries: queries(q, f)}
	for i, terms := 0, text.Terms(earlierNames(q)); i < len(a.Facets) && len(terms) > 0; i++ {
		a.Facets[i].Terms = append(slices.Clip(a.Facets[i].Terms), terms...)
	}
	if w := wordsOf(language); w.language != language {
		a.Assumptions = append(a.Assumptions, "The connecting words of the report are English; the quotations are in the language of their source.")
	}
	return a, nil
}

// Choose offers sentences of a page.
func (m *Method) Choose(s research.State, d *document.Document) []research.Excerpt {
	return choose(d, unique(append(facetTerms(s.Analysis.Facets), text.Terms(s.Question.Text)...)), s.Analysis.Shape == research.Timeline || slices.ContainsFunc(s.Analysis.Facets, func(f research.Facet) bool { return f.Kind == research.Timeline }))
}
