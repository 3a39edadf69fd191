package research

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"deepresearch/citations"
	"deepresearch/crawl"
	"deepresearch/crawl/document"
	"deepresearch/internal/graph"
	"deepresearch/internal/library"
	"deepresearch/internal/safe"
	"deepresearch/internal/search"
	"deepresearch/internal/text"
)

// searched is the committed result of one query.
type searched struct {
	Found    []Found
	Asked    []QueryRun
	Warnings []string
	Suggest  []search.Suggestion `json:",omitempty"`
}

// filtered is a query without private data, and a warning when it had some. One
// that says nothing without is empty.
func (n nodes) filtered(q Query) (Query, []string) {
	if n.Filter == nil {
		return q, nil
	}
	clean, found := n.Filter.Remove(q.Text)
	if len(found) == 0 {
		return q, nil
	}
	sorts := make([]string, len(found))
	for i, s := range found {
		sorts[i] = string(s)
	}
	what := strings.Join(sorts, ", ")
	if len(text.Terms(clean)) == 0 {
		return Query{}, []string{"A query was not sent: it says nothing without what is private in it (" + what + ")."}
	}
	q.Text = clean
	return q, []string{"Queries were sent without what is private in them: " + what + "."}
}

// search sends one query to the engines.
func (n nodes) search(ctx context.Context, s State, q Query) (Update, error) {
	q, private := n.filtered(q)
	if q.Text == "" {
		return Update{Warnings: private}, nil
	}
	if err := safe.Query(q.Text); err != nil {
		return Update{Warnings: []string{"a query was not sent: " + err.Error()}}, nil
	}
	ask := search.Query{
		Text: q.Text, Language: s.Analysis.Language, Recency: s.Question.Recency, Topic: s.Question.Topic,
		Include: s.Question.IncludeDomains, Exclude: s.Question.ExcludeDomains, N: search.DefaultResults,
		MaxCalls: int(min(graph.Remaining(ctx).Searches, maxRequests)),
	}
	tell(ctx, "searching", "searching: %s", q.Text)
	request := struct {
		Query   search.Query
		Engines []string
	}{ask, s.Question.Engines}
	request.Query.MaxCalls = 0 // it depends on what is searched beside it
	call := graph.Call{Kind: "search", Request: request, Reserve: graph.Usage{Searches: int64(max(ask.MaxCalls, 1))}, Optional: true}
	r, err := graph.Once(ctx, call, func(ctx context.Context) (searched, graph.Usage, error) {
		a, err := n.Searcher.Search(ctx, ask, s.Question.Engines)
		return searchedFrom(a, q, s.Round), graph.Usage{Searches: int64(a.Requests())}, err
	})
	if spent, ok := refused(err); ok {
		return Update{Spent: spent}, nil
	}
	if err != nil {
		return Update{}, err
	}
	return Update{Found: r.Found, Asked: r.Asked, Suggest: r.Suggest, Warnings: append(private, r.Warnings...)}, nil
}

// refused names the budget that refused a call. The run goes on with what it
// has: results that were found are still read.
func refused(err error) (budget string, ok bool) {
	spent := (*graph.BudgetError)(nil)
	if !errors.As(err, &spent) {
		return "", false
	}
	return spent.Name, true
}

// maxRequests bounds what one query may send: engines of the route and their
// retries.
const maxRequests = 6

func searchedFrom(a search.Answer, q Query, round int) searched {
	out := searched{Warnings: a.Warnings, Suggest: a.Suggestions}
	for _, c := range a.Calls {
		run := QueryRun{Text: cmp.Or(c.Text, q.Text), Engine: c.Engine, Results: c.Results}
		if c.Failure != nil {
			run.Error = c.Failure.Error()
		}
		out.Asked = append(out.Asked, run)
	}
	for i, r := range a.Results {
		out.Found = append(out.Found, Found{
			URL: r.URL, Title: r.Title, Snippet: r.Snippet, Published: r.Published, Engines: r.Engines,
			Query: q.Text, Rank: q.Rank + float64(i), Round: round, Task: q.Task,
		})
	}
	return out
}

// lookedUp is how many of the user's documents one query brings in. A lookup
// wants few and exact ones: more dilute what is quoted (HotpotQA: answer in .90
// of the reports with 4, .79 with 6).
var lookedUp = map[Shape]int{Lookup: 4, Comparison: 8, Timeline: 8, Survey: 8}

// maxNamed bounds the documents that a question names by their titles.
const maxNamed = 3

// libraryEngine is the engine of a query that looked into the user's documents.
const libraryEngine = "files"

// lookup brings in the user's documents that answer one query. It counts as
// neither search nor page.
func (n nodes) lookup(ctx context.Context, s State, q Query) (Update, error) {
	u, err := graph.Once(ctx, graph.Call{Kind: "lookup", Request: q, Optional: true}, func(ctx context.Context) (Update, graph.Usage, error) {
		u, err := n.lookUp(ctx, s, q)
		return u, graph.Usage{}, err
	})
	if spent, ok := refused(err); ok {
		return Update{Spent: spent}, nil
	}
	if err == nil {
		tell(ctx, "reading", "documents: %d for %q", len(u.Pages), q.Text)
	}
	return u, err
}

func (n nodes) lookUp(ctx context.Context, s State, q Query) (Update, error) {
	lib, err := OpenFor(ctx, n.Libraries, s.Question)
	if err != nil {
		return Update{}, err
	}
	var u Update
	docs, err := libraryDocuments(ctx, lib, s, q)
	if err != nil {
		return Update{}, err
	}
	for i, d := range docs {
		sha, err := n.Archive.Put(ctx, graph.RunID(ctx), d.Text)
		if err != nil {
			return Update{}, fmt.Errorf("archiving %s: %w", d.Name, err)
		}
		u.Pages = append(u.Pages, PageText{
			Source: sourceOf(d.Document, sha, d.URL, true, n.Now()),
			Round:  s.Round, Rank: q.Rank + float64(i), Excerpts: n.Method.Choose(s, d.Document), Tasks: tasksFor(q.Task),
		})
	}
	if sentence := lib.LeftOut(); sentence != "" {
		u.Warnings = append(u.Warnings, sentence)
	}
	u.Asked = []QueryRun{{Text: q.Text, Engine: libraryEngine, Results: len(u.Pages)}}
	return u, nil
}

// libraryDocuments are those a query leads to: the one it names, or the best
// hit, then documents whose titles stand in the query, then the other hits.
func libraryDocuments(ctx context.Context, lib *library.Library, s State, q Query) ([]library.Document, error) {
	if q.Document != "" {
		d, ok, err := lib.Document(ctx, q.Document)
		if !ok {
			return nil, err
		}
		return []library.Document{d}, nil
	}
	var out []library.Document
	add := func(d library.Document) {
		if !slices.ContainsFunc(out, func(o library.Document) bool { return o.URL == d.URL }) {
			out = append(out, d)
		}
	}
	hits, err := lib.Search(ctx, q.Text, lookedUp[s.Analysis.Shape])
	if err != nil {
		return nil, err
	}
	if len(hits) > 0 {
		add(hits[0].Document)
	}
	named, err := lib.Linked(ctx, q.Text, maxNamed)
	if err != nil {
		return nil, err
	}
	for _, d := range named {
		add(d)
	}
	for _, h := range hits {
		add(h.Document)
	}
	return out, nil
}

// sourceOf is a document as a source.
func sourceOf(d *document.Document, sha, url string, private bool, at time.Time) citations.Source {
	return citations.Source{
		URL: url, Title: d.Title, Author: d.Author, Site: d.Site, Published: day(d.Published), Language: d.Language,
		RetrievedAt: at.UTC().Format(time.RFC3339), SHA256: sha, Type: d.PageType, Private: private,
		Pages: pageBreaks(d),
	}
}

// pageBreaks are those of a document that has pages, so that a mark can lead to
// the page of its quote.
func pageBreaks(d *document.Document) []citations.PageBreak {
	var breaks []citations.PageBreak
	for _, b := range d.PageBreaks {
		breaks = append(breaks, citations.PageBreak{Page: b.Page, Start: b.Start})
	}
	return breaks
}

// day cuts a time down to its date.
func day(published string) string { return published[:min(len(published), len(time.DateOnly))] }

// pagesARound is how many results a round reads at most.
var pagesARound = map[Effort]int{Quick: 6, Standard: 10, Deep: 14}

// choose picks the results to read: best rank first, each page once in a run,
// within the budget of pages.
func (n nodes) choose(ctx context.Context, s State) (Update, error) {
	seen := map[string]bool{}
	for _, p := range s.Pages {
		seen[p.Source.URL], seen[p.From] = true, true
	}
	for _, f := range s.Found {
		if f.Round < s.Round {
			seen[f.URL] = true
		}
	}
	most := min(int64(pagesARound[s.Question.Effort]), graph.Remaining(ctx).Pages)
	open := slices.Clone(s.Found)
	slices.SortStableFunc(open, func(a, b Found) int { return cmp.Compare(a.Rank, b.Rank) })
	reading := []Found{}
	for _, f := range open {
		if int64(len(reading)) == most {
			break
		}
		if !seen[f.URL] {
			seen[f.URL] = true
			reading = append(reading, f)
		}
	}
	if len(reading) > 0 {
		tell(ctx, "reading", "reading %d of %d results", len(reading), len(s.Found))
	}
	reading, err := n.closely(ctx, s, reading)
	if err != nil {
		return Update{}, err
	}
	return Update{Reading: &reading}, nil
}

// closely marks the pages that a model reads: the best of the results and of the
// user's documents that this round brought in, as many as the method may read.
// It is decided here, in one place, so that it does not depend on which page
// comes first.
func (n nodes) closely(ctx context.Context, s State, reading []Found) ([]Found, error) {
	reader, ok := n.Method.(PageReader)
	if !ok {
		return reading, nil
	}
	// It hangs on the prices of the models, which a replay does not have.
	most, err := graph.Once(ctx, graph.Call{Kind: "readings", Request: s.Round, Optional: true}, func(ctx context.Context) (int, graph.Usage, error) {
		return reader.Readings(ctx, s), graph.Usage{}, nil
	})
	if _, spent := refused(err); err != nil && !spent {
		return nil, err
	}
	for _, p := range s.Pages {
		if p.Round == s.Round && !p.Closely {
			reading = append(reading, Found{URL: p.Source.URL, Title: p.Source.Title, Rank: p.Rank, Round: p.Round, Known: p.Source.SHA256})
		}
	}
	slices.SortStableFunc(reading, func(a, b Found) int { return cmp.Compare(a.Rank, b.Rank) })
	for i := range min(len(reading), max(0, most)) {
		reading[i].Closely = true
	}
	return slices.DeleteFunc(reading, func(f Found) bool { return f.Known != "" && !f.Closely }), nil
}

// readPage is the committed result of one page.
type readPage struct {
	Page   *PageText  `json:",omitempty"`
	Unread *Consulted `json:",omitempty"`
}

// read fetches one page unless its text is known, archives it and keeps what
// could be evidence.
func (n nodes) read(ctx context.Context, s State, f Found) (Update, error) {
	tell(ctx, "reading", "reading: %s", hostOf(f.URL))
	u, err := n.page(ctx, s, f)
	if err != nil || len(u.Pages) == 0 {
		return u, err
	}
	trace(ctx, "source", f.URL, fmt.Sprintf("place %d of %q", int(f.Rank)+1, f.Query))
	if reader, ok := n.Method.(PageReader); ok && f.Closely {
		p := &u.Pages[0]
		r, err := reader.Read(ctx, s, *p)
		if err != nil {
			return Update{}, err
		}
		p.Closely, p.Findings, u.Notes = r.Closely, r.Findings, r.Notes
	}
	return u, nil
}

// page is an update with the page, or with the reason why there is none.
func (n nodes) page(ctx context.Context, s State, f Found) (Update, error) {
	if f.Known != "" {
		at := slices.IndexFunc(s.Pages, func(p PageText) bool { return p.Source.SHA256 == f.Known })
		return Update{Pages: slices.Clone(s.Pages[at : at+1])}, nil
	}
	r, err := graph.Once(ctx, graph.Call{Kind: "page", Request: f.URL, Optional: true}, func(ctx context.Context) (readPage, graph.Usage, error) {
		page := n.Reader.Read(ctx, crawl.Request{URL: f.URL})
		used := graph.Usage{Pages: 1}
		if page.FromCache {
			used = graph.Usage{}
		}
		if ctx.Err() != nil && !readable(page) { // it was cut off, which says nothing of the page
			return readPage{}, used, context.Cause(ctx)
		}
		r, err := n.keep(ctx, s, f, page)
		return r, used, err
	})
	spent, ok := refused(err)
	switch {
	case ok:
		return Update{Spent: spent, Unread: []Consulted{{URL: f.URL, WhyNotCited: err.Error()}}}, nil
	case err != nil:
		return Update{}, err
	case r.Unread != nil:
		return Update{Unread: []Consulted{*r.Unread}}, nil
	}
	return Update{Pages: []PageText{*r.Page}}, nil
}

func readable(page crawl.Page) bool {
	return page.Document != nil && (page.Outcome == crawl.OK || page.Outcome == crawl.Partial)
}

func (n nodes) keep(ctx context.Context, s State, f Found, page crawl.Page) (readPage, error) {
	if !readable(page) {
		return readPage{Unread: &Consulted{URL: f.URL, WhyNotCited: string(page.Outcome) + ": " + page.Hint}}, nil
	}
	sha, err := n.Archive.Put(ctx, graph.RunID(ctx), page.Document.Text)
	if err != nil {
		return readPage{}, fmt.Errorf("archiving %s: %w", f.URL, err)
	}
	src := sourceOf(page.Document, sha, cmp.Or(page.FinalURL, f.URL), false, n.Now())
	src.Title, src.Published = cmp.Or(src.Title, f.Title), cmp.Or(src.Published, f.Published)
	p := PageText{Source: src, Round: s.Round, Rank: f.Rank, Excerpts: n.Method.Choose(s, page.Document), Tasks: tasksFor(f.Task)}
	if src.URL != f.URL {
		p.From = f.URL
	}
	return readPage{Page: &p}, nil
}
