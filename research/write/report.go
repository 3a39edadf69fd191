package write

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"deepresearch/citations"
	"deepresearch/internal/graph"
	"deepresearch/prompts"
	"deepresearch/research"
)

// Write gathers the evidence, lets models write from it, verifies every sentence
// against the archived texts, repairs once, and adds what code knows: where
// sources disagree, what was not found and where the report ends. Sections that
// no model wrote are quotations; without any that a model wrote, the report is
// the extractive method's.
func (m *Method) Write(ctx context.Context, s research.State) (research.Written, error) {
	w := &writer{talk: &talk{m: m, effort: s.Question.Effort}, state: s, phrases: phrasesOf(s.Analysis.Language), title: titleOf(s.Question.Text)}
	var err error
	if w.evidence, err = w.gather(ctx); err != nil {
		return research.Written{}, err
	}
	if len(w.quotes) == 0 {
		return w.extractive(ctx)
	}
	body, err := w.body(ctx)
	if err != nil {
		return research.Written{}, err
	}
	if w.byModel == 0 {
		return w.extractive(ctx)
	}
	draft := citations.Draft{Title: w.title, Language: s.Analysis.Language, Blocks: body}
	rev, err := w.revise(ctx, draft)
	if err != nil {
		return research.Written{}, err
	}
	blocks, gone := supported(rev.Draft.Blocks, rev.Ledger)
	w.dropped(gone, "Sentences of a model that were dropped, because no passage carries them")
	if claims(blocks) == 0 {
		w.notes.Answers -= w.byModel // nothing of them was used
		return w.extractive(ctx)
	}
	return w.written(blocks, rev), nil
}

// writer writes one report.
type writer struct {
	*talk
	*evidence
	phrases phrases
	state   research.State
	title   string
	gaps    []string
	byModel int // parts that a model wrote
	byRule  int // parts that are quotations because it did not
	judged  bool
	tally
}

// extractive hands over to the method without a model. It is told whether a
// model had a part in the work so far.
func (w *writer) extractive(ctx context.Context) (research.Written, error) {
	s := w.state
	s.Answers += w.notes.Answers
	out, err := w.m.opt.Extract.Write(ctx, s)
	if err != nil {
		return out, err
	}
	out.Notes = out.Notes.Add(w.notes)
	for _, g := range w.gaps {
		out.Gaps = appendNew(out.Gaps, g)
	}
	return out, nil
}

// Sizes of prompts and texts. A section's quotes, its prompt and its answer fit
// a window of 8,192 tokens.
const (
	sectionTokens = 3500 // of quotes
	outlineQuotes = 60
	outlineText   = 200 // characters of a quote in the outline
	tableRows     = 8
	timelineRows  = 14
)

// words of a section at most.
func (w *writer) words() int {
	switch {
	case w.state.Question.Style == "brief":
		return 120
	case lookup(w.state):
		return 180
	}
	return 280
}

// body writes table, sections and summary. The draft of a run with a running
// summary is that.
func (w *writer) body(ctx context.Context) ([]citations.Block, error) {
	if w.state.Question.Memory == research.Rolling {
		blocks := w.rolled()
		w.byModel = claims(blocks)
		return blocks, nil
	}
	sections, err := w.outline(ctx)
	if err != nil {
		return nil, err
	}
	var jobs []*job
	tab := w.table()
	if tab != nil {
		jobs = append(jobs, tab.job)
	}
	for i := range sections {
		sections[i].job = w.section(sections, i)
		jobs = append(jobs, sections[i].job)
	}
	graph.Emit(ctx, research.Progress{Phase: "writing", Text: fmt.Sprintf("writing %d parts from %d passages", len(jobs), len(w.quotes))})
	if err := w.askAll(ctx, jobs); err != nil {
		return nil, err
	}
	var blocks []citations.Block
	if tab != nil {
		blocks = w.tableBlocks(tab)
	}
	for _, sec := range sections {
		blocks = append(blocks, w.sectionBlocks(sec)...)
	}
	if len(sections) > 1 && w.byModel > 0 {
		lead, err := w.summary(ctx, blocks)
		if err != nil {
			return nil, err
		}
		blocks = append(lead, blocks...)
	}
	w.dropped(w.forged, "Marks of a model that were removed, because they lead to no passage")
	w.dropped(w.addresses, "Sentences of a model that were dropped, because they hold an address that no passage has")
	w.dropped(w.orders, "Sentences of a model that were dropped, because they give orders or stand in for text")
	return tidy(blocks), nil
}

// part is a section to write.
type part struct {
	heading string // empty: the whole report
	chosen  []int  // its quotes, best first
	shown   shown
	job     *job
}

func (w *writer) section(all []part, i int) *job {
	p := &all[i]
	p.chosen = w.within(p.chosen, sectionTokens)
	p.shown = w.show(w.state, p.chosen, citations.MaxQuote)
	in := prompts.Section{
		Task: w.m.taskOf(w.state), Mark: p.shown.mark, Heading: p.heading, Style: w.style(), Audience: audience(w.state.Question),
		Words: w.words(), Quotes: p.shown.lines,
	}
	for j, o := range all {
		if j != i {
			in.Others = append(in.Others, o.heading)
		}
	}
	prompt, err := w.m.opt.Prompts.Section(in)
	return &job{step: drafting, prompt: prompt, err: err}
}

// style is the one that was asked for, or the one that fits the question.
func (w *writer) style() string {
	if w.state.Question.Style == "" && lookup(w.state) {
		return "brief"
	}
	return w.state.Question.Style
}

// audience is what the caller says of the readers, as a line of a prompt.
func audience(q research.Question) string { return oneLine(q.Audience) }

// sectionBlocks are what the model wrote, or quotations when it did not. A
// section for which it found nothing is left out and named among the gaps.
func (w *writer) sectionBlocks(p part) []citations.Block {
	var head []citations.Block
	if p.heading != "" {
		head = []citations.Block{headingBlock(p.heading)}
	}
	if p.job.ok {
		blocks, empty := w.read(p.shown.aliases, p.job)
		switch {
		case empty:
			w.gaps = appendNew(w.gaps, cmp.Or(p.heading, w.title))
			return nil
		case carried(blocks):
			w.byModel++
			return append(head, blocks...)
		}
		w.notes.Answers--
		w.without(drafting, errUncited)
	}
	w.byRule++
	return append(head, w.quotations(p.chosen)...)
}

var errUncited = errors.New("its text names no passage")

// read turns a model's prose into blocks and counts what had to go.
func (w *writer) read(aliases citations.Aliases, j *job) ([]citations.Block, bool) {
	sc := scribe{aliases: aliases, lookup: w.ledger.Lookup}
	blocks, empty := sc.blocks(j.reply.Text, j.cut())
	w.add(sc.tally)
	return blocks, empty
}

// byHand is how many quotations stand in for a section.
const byHand = 4

// quotations sets the best quotes one after the other.
func (w *writer) quotations(chosen []int) []citations.Block {
	b := citations.Block{Kind: citations.Paragraph}
	for _, i := range chosen[:min(len(chosen), byHand)] {
		q := w.quotes[i]
		b.Sentences = append(b.Sentences, citations.Sentence{Text: w.phrases.open + oneLine(q.Text) + w.phrases.close, Quotes: []string{q.ID}})
	}
	return []citations.Block{b}
}

// summary opens the report. Without one the report has none: nothing is made up
// for it.
func (w *writer) summary(ctx context.Context, blocks []citations.Block) ([]citations.Block, error) {
	lines, aliases := w.told(blocks)
	in := prompts.Summary{Task: w.m.taskOf(w.state), Title: w.title, Audience: audience(w.state.Question), Lines: lines}
	in.Mark = fence(in.Question, lines...)
	prompt, err := w.m.opt.Prompts.Summary(in)
	reply, ok, err := w.ask(ctx, opening, prompt, err)
	if err != nil || !ok {
		return nil, err
	}
	written, _ := w.read(aliases, &job{reply: reply})
	for _, b := range written {
		if b.Kind == citations.Paragraph {
			w.byModel++
			return []citations.Block{b}, nil
		}
	}
	return nil, nil
}

// summaryTokens bounds what the summary is written from.
const summaryTokens = 4000

// told are the sentences of the report with short names for their quotes.
func (w *writer) told(blocks []citations.Block) ([]string, citations.Aliases) {
	var all []citations.Sentence
	var ids []string
	for s := range sentences(blocks) {
		if names(s) {
			all, ids = append(all, s), append(ids, cited(s)...)
		}
	}
	aliases := citations.NewAliases(ids)
	var lines []string
	tokens := 0
	for _, s := range all {
		names := make([]string, 0, 2)
		for _, id := range cited(s) {
			names = appendNew(names, aliases.Short(id))
		}
		line := plain(s) + " [" + strings.Join(names, ", ") + "]"
		if tokens += quoteTokens(line); tokens > summaryTokens {
			break
		}
		lines = append(lines, line)
	}
	return lines, aliases
}

// written puts the report together.
func (w *writer) written(blocks []citations.Block, rev citations.Revision) research.Written {
	out := research.Written{Ledger: rev.Ledger, Claims: rev.Claims, Mode: research.ByModel, Summary: opensWith(blocks), Notes: w.notes}
	if w.byRule > 0 {
		out.Mode = research.Mixed
	}
	answers, appendix, claims := w.calculations()
	blocks = append(blocks, answers...)
	out.Claims = append(out.Claims, claims...)
	out.Disagree = w.disagreements()
	blocks = append(blocks, w.disagreeBlocks(out.Disagree)...)
	w.noteGaps(blocks)
	out.Gaps = w.gaps
	blocks = append(append(blocks, w.closing(blocks, rev.Claims)...), appendix...)
	out.Draft = citations.Draft{Title: w.title, Language: w.state.Analysis.Language, Blocks: blocks}
	return out
}

// leadSentences are those of the summary in the result.
const leadSentences = 3

// opensWith are the first sentences of the report, without marks.
func opensWith(blocks []citations.Block) string {
	for _, b := range blocks {
		if b.Kind != citations.Paragraph {
			continue
		}
		var out []string
		for _, s := range b.Sentences[:min(len(b.Sentences), leadSentences)] {
			out = append(out, plain(s))
		}
		return strings.Join(out, " ")
	}
	return ""
}

// titleOf makes a title of a question.
func titleOf(question string) string {
	s := clip(strings.Trim(oneLine(question), "?？.。 "), maxHeading)
	r, size := utf8.DecodeRuneInString(s)
	if unicode.IsLower(r) {
		s = string(unicode.ToUpper(r)) + s[size:]
	}
	return s
}

func appendNew(list []string, s string) []string {
	if s == "" || slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}
