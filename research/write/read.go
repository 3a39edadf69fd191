package write

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"deepresearch/internal/llm"
	"deepresearch/internal/rank"
	"deepresearch/internal/safe"
	"deepresearch/internal/text"
	"deepresearch/prompts"
	"deepresearch/research"
)

var readSchema = json.RawMessage(`{"type":"object","properties":{
"findings":{"type":"array","items":{"type":"object","properties":{
"says":{"type":"string","description":"one sentence of your own"},
"sentences":{"type":"array","items":{"type":"integer"},"description":"numbers of the sentences that say it"}},"required":["says","sentences"]}}},
"required":["findings"]}`)

// What one page may give.
const (
	maxFindings  = 8
	maxSentences = 4   // of one finding
	maxSays      = 400 // characters
)

// Read shows a page to a model, at most Question.Limits.SourceTokens of it, and
// takes the numbers of the sentences that matter, so that every span is verbatim
// because code cut it out.
func (m *Method) Read(ctx context.Context, s research.State, p research.PageText) (research.Reading, error) {
	page, err := m.opt.Archive.Text(ctx, p.Source.SHA256)
	if err != nil {
		return research.Reading{}, fmt.Errorf("reading the archived text of %s: %w", p.Source.Name(), err)
	}
	spans, lines := show(s, p, page)
	if len(spans) == 0 {
		return research.Reading{}, nil
	}
	in := prompts.Page{
		Task: m.taskOf(s), Mark: fence(s.Question.Text, p.Source.SHA256, page), Parts: readFor(s, p), Lines: lines,
		Title: material(p.Source.Name()), Site: material(p.Source.Site), Published: material(p.Source.Published),
	}
	if address.MatchString(in.Title) {
		in.Title = ""
	}
	t := &talk{m: m, effort: s.Question.Effort}
	prompt, err := m.opt.Prompts.Page(in)
	var said struct {
		Findings []struct {
			Says      string
			Sentences []int
		}
	}
	ok, err := t.askFor(ctx, reading, prompt, err, &said)
	if err != nil {
		return research.Reading{}, err
	}
	r := research.Reading{Closely: ok}
	dropped := 0
	for _, f := range said.Findings {
		finding, bad := findingOf(f.Says, f.Sentences, page, spans)
		dropped += bad
		if len(finding.Spans) > 0 && len(r.Findings) < maxFindings {
			r.Findings = append(r.Findings, finding)
		}
	}
	if len(r.Findings) == 0 && dropped > 0 { // a reader that got nothing right does not judge the page
		r.Closely = false
	}
	t.dropped(dropped, "Findings of a model that were dropped, because they name sentences that are not there or say what those do not")
	r.Notes = t.notes
	return r, nil
}

// readFor is what a page is read for: the tasks that led to it, or the parts of
// the question.
func readFor(s research.State, p research.PageText) []string {
	var out []string
	for _, t := range s.TasksOf(p) {
		out = append(out, joinDetail(t))
	}
	if len(out) == 0 {
		return parts(s.Analysis)
	}
	return out
}

// joinDetail is a task in one line.
func joinDetail(t research.Task) string {
	if t.Detail == "" {
		return t.Title
	}
	return t.Title + ": " + clip(t.Detail, maxTaskDetail)
}

// maxTaskDetail bounds the detail of a task in the prompt of a page, in
// characters.
const maxTaskDetail = 200

// findingOf keeps the sentences that exist, and the reader's words where they
// hold no figure that those sentences lack. bad counts what was not kept.
func findingOf(says string, numbers []int, page string, spans []text.Span) (f research.Finding, bad int) {
	var own []string
	for _, n := range numbers {
		if n < 1 || n > len(spans) {
			bad++
			continue
		}
		if span := spans[n-1]; !slices.Contains(f.Spans, span) && len(f.Spans) < maxSentences {
			f.Spans = append(f.Spans, span)
			own = append(own, span.In(page))
		}
	}
	clean, ok := statement(says, maxSays)
	if !ok || !figuresFrom(clean, own...) {
		return f, bad + 1
	}
	f.Says = clean
	return f, bad
}

// show picks what a model sees of a page: the excerpts that fit the question, the
// queries and the result's snippet best, each with its neighbours, in the order
// of the page. Sentences that give orders to a reader are not shown.
func show(s research.State, p research.PageText, page string) (spans []text.Span, lines []prompts.Line) {
	budget := s.Question.Limits.SourceTokens
	for _, i := range fitting(s, p, page, len(p.Excerpts)) {
		x := p.Excerpts[i].Span
		for _, span := range append([]text.Span{x}, neighbours(page, x)...) {
			if cost := tokensOf(span.In(page)); cost <= budget && !slices.ContainsFunc(spans, span.Overlaps) {
				spans = append(spans, span)
				budget -= cost
			}
		}
	}
	slices.SortFunc(spans, func(a, b text.Span) int { return a.Start - b.Start })
	headings := map[text.Span]text.Span{}
	for _, x := range p.Excerpts {
		headings[x.Span] = x.Heading
	}
	last := p.Source.Name()
	for i, span := range spans {
		if h := material(headings[span].In(page)); h != "" && h != last {
			last = h
			lines = append(lines, prompts.Line{Text: h})
		}
		lines = append(lines, prompts.Line{N: i + 1, Text: oneLine(span.In(page))})
	}
	return spans, lines
}

// fitting are the places of the n excerpts of a page that fit best what it is
// read for, all of them in their order when none does.
func fitting(s research.State, p research.PageText, page string, n int) []int {
	index := rank.NewIndex(rank.Options{})
	for _, x := range p.Excerpts {
		index.Add(text.Words(x.In(page)))
	}
	var out []int
	for _, h := range index.SearchWeighted(wanted(s, p), n) {
		out = append(out, h.Doc)
	}
	if len(out) > 0 {
		return out
	}
	for i := range min(n, len(p.Excerpts)) {
		out = append(out, i)
	}
	return out
}

// tokensOf is what a numbered sentence costs in a prompt.
func tokensOf(sentence string) int { return llm.EstimateTokens(sentence) + 3 }

// snippetWeight is what a term of the engine's snippet counts beside one of the
// question.
const snippetWeight = 0.5

// wanted are the terms that a page is read for.
func wanted(s research.State, p research.PageText) []rank.Weighted {
	weight := map[string]float64{}
	add := func(from string, w float64) {
		for _, t := range text.Terms(from) {
			weight[t] = max(weight[t], w)
		}
	}
	add(s.Question.Text, 1)
	for _, f := range s.Analysis.Facets {
		add(strings.Join(f.Terms, " "), 1)
	}
	for _, f := range s.Found {
		if f.URL == p.Source.URL {
			add(f.Query, 1)
			add(f.Snippet, snippetWeight)
		}
	}
	out := make([]rank.Weighted, 0, len(weight))
	for t, w := range weight {
		out = append(out, rank.Weighted{Term: t, Weight: w})
	}
	slices.SortFunc(out, func(a, b rank.Weighted) int { return strings.Compare(a.Term, b.Term) })
	return out
}

// neighbours are the sentences before and behind one in its block.
func neighbours(page string, span text.Span) []text.Span {
	start := strings.LastIndexByte(page[:span.Start], '\n') + 1
	end := len(page)
	if i := strings.IndexByte(page[span.End:], '\n'); i >= 0 {
		end = span.End + i
	}
	var out []text.Span
	sentences := text.Sentences(page[start:end])
	for i, own := range sentences {
		if !own.Shift(start).Overlaps(span) {
			continue
		}
		for _, j := range []int{i - 1, i + 1} {
			if j < 0 || j >= len(sentences) {
				continue
			}
			n := sentences[j].Shift(start)
			if said := n.In(page); !n.Overlaps(span) && len(said) <= maxNeighbour && !safe.Orders(said) {
				out = append(out, n)
			}
		}
	}
	return out
}

// maxNeighbour is the longest sentence that is shown beside an excerpt, in bytes.
const maxNeighbour = 600

// material is a short text of a page on one line, or nothing when it gives
// orders.
func material(s string) string {
	clean, _ := safe.Text(s)
	clean = clip(oneLine(clean), 120)
	if safe.Orders(clean) {
		return ""
	}
	return clean
}
