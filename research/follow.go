package research

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"deepresearch/crawl/document"
	"deepresearch/internal/graph"
	"deepresearch/internal/rank"
	"deepresearch/internal/text"
)

// MaxExcerpts is how many excerpts of one page a method offers at most, so that
// one long page neither crowds out the others nor fills the state.
const MaxExcerpts = 40

// Before is what a run knows from the run that it continues.
type Before struct {
	Asked []string   // texts of the queries that were sent to engines
	Pages []PageText // as that run had them
}

// before opens the run that a question continues and enters what it asked. A
// run that the caller cannot see is an *InputError.
func (e *Engine) before(ctx context.Context, caller string, q Question) (Question, *Before, error) {
	q.Earlier = ""
	if q.ContinueFrom == "" {
		return q, nil, nil
	}
	_, old, err := e.state(ctx, caller, q.ContinueFrom)
	if errors.Is(err, ErrNoRun) {
		return q, nil, &InputError{"continue_from", fmt.Sprintf("there is no run %q", cut(oneLine(q.ContinueFrom), 80)), "give the run_id of one of your runs, or leave it out"}
	}
	if err != nil {
		return q, nil, fmt.Errorf("opening the run to continue: %w", err)
	}
	b := &Before{Pages: old.Pages}
	if old.Before != nil {
		b.Asked = append(b.Asked, old.Before.Asked...)
	}
	for _, asked := range old.Asked {
		if asked.Engine != libraryEngine && !slices.Contains(b.Asked, asked.Text) {
			b.Asked = append(b.Asked, asked.Text)
		}
	}
	q.Earlier = old.Question.subject()
	return q, b, nil
}

// subject is the question that says what a run is about: one that names nothing
// is about what the one before it named.
func (q Question) subject() string {
	if q.Earlier != "" && len(text.Names(q.Text)) == 0 {
		return q.Earlier
	}
	return q.Text
}

// takeOver cites the texts of the run before for this run, so that they stay
// when that run is deleted, and gives its pages the places that they have for
// the new question. A page whose text is gone is left out with a warning.
func (n nodes) takeOver(ctx context.Context, s State, a Analysis) (Update, error) {
	if s.Before == nil || len(s.Before.Pages) == 0 {
		return Update{}, nil
	}
	s.Analysis = a
	var u Update
	index := rank.NewIndex(rank.Options{})
	for _, p := range s.Before.Pages {
		archived, err := n.Archive.Text(ctx, p.Source.SHA256)
		if err != nil && ctx.Err() != nil {
			return Update{}, context.Cause(ctx)
		}
		if err != nil {
			u.Warnings = append(u.Warnings, fmt.Sprintf("The text of %s is gone with the run that read it.", p.Source.Name()))
			continue
		}
		if _, err := n.Archive.Put(ctx, graph.RunID(ctx), archived); err != nil {
			return Update{}, fmt.Errorf("archiving %s: %w", p.Source.Name(), err)
		}
		// Not read closely: a model may read it anew for what is asked now.
		p.Round, p.Closely, p.Excerpts = 0, false, n.offerAgain(s, p, archived)
		index.Add(text.Words(archived))
		u.Pages = append(u.Pages, p)
	}
	rerank(u.Pages, index.Search(text.Terms(s.Question.subject()+" "+s.Question.Text), len(u.Pages)))
	tell(ctx, "analysing", "going on from %d pages that were read before", len(u.Pages))
	return u, nil
}

// rerank puts the pages that were hit into the order of their hits, behind each
// other, and the rest behind those.
func rerank(pages []PageText, hits []rank.Hit) {
	for i := range pages {
		pages[i].Rank = float64(len(hits))
	}
	for place, h := range hits {
		pages[h.Doc].Rank = float64(place)
	}
}

// offerAgain adds to the excerpts of a long page, of which the question before
// chose the best, those that are best for this one. What it knows of the page is
// its text, so a line is a paragraph.
func (n nodes) offerAgain(s State, p PageText, archived string) []Excerpt {
	if len(p.Excerpts) < MaxExcerpts {
		return p.Excerpts
	}
	d := &document.Document{Text: archived}
	start := 0
	for line := range strings.Lines(archived) {
		if body := strings.TrimRight(line, "\n"); strings.TrimSpace(body) != "" {
			d.Blocks = append(d.Blocks, document.Block{Kind: document.KindParagraph, Span: text.Span{Start: start, End: start + len(body)}})
		}
		start += len(line)
	}
	out := slices.Clone(p.Excerpts)
	for _, x := range n.Method.Choose(s, d) {
		if !slices.ContainsFunc(p.Excerpts, func(o Excerpt) bool { return o.Start < x.End && x.Start < o.End }) {
			out = append(out, x)
		}
	}
	slices.SortFunc(out, func(a, b Excerpt) int { return a.Start - b.Start })
	return out
}

// unasked are the queries of a first round that the run before did not send. The
// others look into the user's documents, where there are any.
func (s State) unasked(queries []Query) []Query {
	if s.Before == nil {
		return queries
	}
	asked := map[string]bool{}
	for _, t := range s.Before.Asked {
		asked[Query{Text: t}.key()] = true
	}
	var out []Query
	for _, q := range queries {
		again := asked[q.key()]
		q.Private = q.Private || again
		if !again || s.Question.HasLibrary() {
			out = append(out, q)
		}
	}
	return out
}
