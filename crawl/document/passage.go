package document

import (
	"context"
	"slices"
	"strings"

	"deepresearch/internal/safe"
	"deepresearch/internal/text"
)

// PassageOptions sets the size of passages. The zero value is ready for use.
type PassageOptions struct {
	Sentences int // most sentences of a passage; 0 means 3
	Step      int // sentences from the start of one passage to the next; 0 means Sentences: no overlap
	MaxBytes  int // a passage ends before it grows longer; one sentence alone may; 0 means 1200
}

func (o PassageOptions) withDefaults() PassageOptions {
	if o.Sentences <= 0 {
		o.Sentences = 3
	}
	if o.Step <= 0 {
		o.Step = o.Sentences
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = 1200
	}
	return o
}

// Passage is a window of sentences within one block.
type Passage struct {
	text.Span
	Block     int         // index into Document.Blocks
	Sentences []text.Span // of the window, in Text
	Path      []string    // the headings above it, outermost first
}

// Passages cuts the document into windows of sentences, in order. Headings become
// the path of what is below them and no passages of their own. A row of a table
// is one passage, a block of code one or, cut between lines, several. A sentence that gives orders to
// a model is in no passage and no path, and no passage reaches over it.
func (d *Document) Passages(o PassageOptions) []Passage {
	o = o.withDefaults()
	var out []Passage
	var path headingPath
	for i, b := range d.Blocks {
		if b.Kind == KindHeading {
			path = path.above(b.Level)
			if !d.anyOrders(b) {
				path = path.with(b.Level, b.In(d.Text))
			}
			continue
		}
		if b.Kind == KindRow && b.Header {
			continue
		}
		size := o
		if b.Kind == KindCode { // lines are shorter than sentences: only MaxBytes counts
			size.Sentences, size.Step = b.Len(), b.Len()
		}
		for _, run := range d.sentenceRuns(b) {
			out = windows(out, run, size, Passage{Block: i, Path: path.titles})
		}
	}
	return out
}

// windows appends the windows over one run of sentences.
func windows(out []Passage, run []text.Span, o PassageOptions, p Passage) []Passage {
	for start := 0; start < len(run); start += o.Step {
		end := start + 1
		for end < len(run) && end-start < o.Sentences && run[end].End-run[start].Start <= o.MaxBytes {
			end++
		}
		p.Span = text.Span{Start: run[start].Start, End: run[end-1].End}
		p.Sentences = run[start:end:end]
		out = append(out, p)
		if end == len(run) {
			return out
		}
		if end-start < o.Step { // cut short by MaxBytes: leave no sentence out
			start = end - o.Step
		}
	}
	return out
}

// sentenceRuns lists the sentences of a block, parted where one gives orders.
func (d *Document) sentenceRuns(b Block) [][]text.Span {
	var runs [][]text.Span
	var run []text.Span
	for _, s := range d.sentences(b) {
		if d.orders(s) {
			if len(run) > 0 {
				runs = append(runs, run)
			}
			run = nil
			continue
		}
		run = append(run, s)
	}
	if len(run) > 0 {
		runs = append(runs, run)
	}
	return runs
}

// orders reports a sentence that gives orders to a model. Asking is most of what
// reading a page costs, so what is shorter than any order is not asked about: half
// the lines of code are.
func (d *Document) orders(s text.Span) bool {
	const shortest = 12 // bytes; four Chinese characters
	return s.Len() >= shortest && safe.Orders(s.In(d.Text))
}

// sentences cuts a block: rows are whole, code goes by lines.
func (d *Document) sentences(b Block) []text.Span {
	switch b.Kind {
	case KindRow:
		return []text.Span{b.Span}
	case KindCode:
		return lines(b.In(d.Text), b.Start)
	}
	out := text.Sentences(b.In(d.Text))
	for i := range out {
		out[i] = out[i].Shift(b.Start)
	}
	return out
}

// lines lists the lines of s that are not blank, moved by at.
func lines(s string, at int) []text.Span {
	var out []text.Span
	for s != "" {
		line, rest, _ := strings.Cut(s, "\n")
		if strings.TrimSpace(line) != "" {
			out = append(out, text.Span{Start: at, End: at + len(line)})
		}
		at += len(s) - len(rest)
		s = rest
	}
	return out
}

// headingPath is the headings that are open.
type headingPath struct {
	titles []string
	levels []int
}

// above returns the headings that a heading of the level stands under.
func (p headingPath) above(level int) headingPath {
	n := len(p.levels)
	for n > 0 && p.levels[n-1] >= level {
		n--
	}
	return headingPath{p.titles[:n:n], p.levels[:n:n]}
}

// with adds a heading; paths given out before stay as they are.
func (p headingPath) with(level int, title string) headingPath {
	return headingPath{append(slices.Clip(p.titles), title), append(slices.Clip(p.levels), level)}
}

func (d *Document) anyOrders(b Block) bool { return slices.ContainsFunc(d.sentences(b), d.orders) }

// countOrders adds the warning about sentences that give orders.
func (d *Document) countOrders(ctx context.Context) error {
	n := 0
	for _, b := range d.Blocks {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		for _, s := range d.sentences(b) {
			if d.orders(s) {
				n++
			}
		}
	}
	if n > 0 {
		d.warn("sentences that give orders to a model, kept out of passages: %d", n)
	}
	return nil
}
