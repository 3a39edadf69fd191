package write

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"deepresearch/citations"
	"deepresearch/internal/compute"
	"deepresearch/research"
)

// ReasonComputed is the reason of a claim that a program worked out from its
// quotes: they need not hold its figure.
const ReasonComputed = "computed from its quotes by the program in the appendix"

// Bounds of what is shown of a computation.
const (
	maxShownRows = 50
	maxShown     = 200 // characters of a value
)

// calculations are the sections of what was computed: the answers, each with the
// quotes of its inputs, and behind the report the programs and their inputs. The
// claims are those of the answers, which no judge can find in a passage.
func (w *writer) calculations() (answers, appendix []citations.Block, claims []citations.Claim) {
	for _, c := range w.state.Computed {
		if c.Failed != "" {
			continue
		}
		blocks := w.computed(c)
		if len(blocks) == 0 {
			continue
		}
		answers = append(answers, blocks...)
		appendix = append(appendix, w.inputs(c), citations.Block{Kind: citations.Code, Text: c.Program.Code})
	}
	if len(answers) == 0 {
		return nil, nil, nil
	}
	claims = citations.Draft{Language: w.state.Analysis.Language, Blocks: answers}.Claims(w.ledger)
	for i := range claims {
		claims[i].Label, claims[i].Reason, claims[i].Judge = citations.Unchecked, ReasonComputed, ""
	}
	return append([]citations.Block{headingBlock(w.phrases.calculations)}, answers...),
		append([]citations.Block{headingBlock(w.phrases.programs)}, appendix...), claims
}

// computed are the answers of one computation. One that rests on no passage is
// left out.
func (w *writer) computed(c research.Computation) []citations.Block {
	var out []citations.Block
	values := citations.Block{Kind: citations.Paragraph}
	for _, v := range c.Result.Values {
		name, ok := w.label(v.Name)
		if cites := c.Program.Cites(v.Uses); ok && len(cites) > 0 {
			values.Sentences = append(values.Sentences, citations.Sentence{Text: name + ": " + shownValue(v.Value) + unit(v.Unit) + w.phrases.stop, Quotes: cites})
		}
	}
	if len(values.Sentences) > 0 {
		out = append(out, values)
	}
	for _, t := range c.Result.Tables {
		out = append(out, w.computedTable(t, c.Program.Cites(t.Uses), "")...)
	}
	for _, chart := range c.Result.Charts {
		out = append(out, w.computedTable(chart.Table(), c.Program.Cites(chart.Uses), chart.SVG())...)
	}
	return out
}

// label is a name that a program gave, as text of a report.
func (w *writer) label(s string) (string, bool) {
	clean, ok := statement(strings.NewReplacer("*", "", "`", "", "_", " ", "[", "(", "]", ")").Replace(s), maxHeading)
	return clean, ok
}

// computedTable is a table below its name, which carries the marks, or a drawing
// with its figures.
func (w *writer) computedTable(t compute.Table, cites []string, drawing string) []citations.Block {
	name, ok := w.label(t.Name)
	if !ok || len(cites) == 0 || len(t.Columns) == 0 || len(t.Rows) == 0 {
		return nil
	}
	head := citations.Block{Kind: citations.Paragraph, Sentences: []citations.Sentence{{Text: name + w.phrases.stop, Quotes: cites}}}
	if drawing != "" {
		head.Kind, head.Text = citations.Figure, drawing
	}
	b := citations.Block{Kind: citations.Table}
	for _, c := range t.Columns {
		column, _ := w.label(c)
		b.Header = append(b.Header, column)
	}
	for _, row := range t.Rows[:min(len(t.Rows), maxShownRows)] {
		cells := make([]citations.Sentence, len(row))
		for i, v := range row {
			said, isText := v.(string)
			if cells[i].Text = shownValue(v); isText {
				if cells[i].Text, ok = w.label(said); !ok {
					cells[i].Text = "—"
				}
				if i > 0 {
					cells[i].Quotes = cites // words may claim something
				}
			}
		}
		b.Rows = append(b.Rows, cells)
	}
	return []citations.Block{head, b}
}

// inputs are the figures that a program computed with, each with its passages.
func (w *writer) inputs(c research.Computation) citations.Block {
	b := citations.Block{Kind: citations.Table, Header: []string{w.phrases.input, w.phrases.value}}
	for _, in := range c.Program.Inputs {
		name, _ := w.label(in.Name)
		b.Rows = append(b.Rows, []citations.Sentence{{Text: name}, {Text: clip(exactly(in.Value), maxShown), Quotes: in.Cites}})
	}
	return b
}

// exactly is a value with all its digits.
func exactly(v any) string {
	switch v := v.(type) {
	case string:
		return oneLine(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	raw, _ := json.Marshal(v) // it came out of JSON
	return string(raw)
}

// shownValue is a value as a report shows it: numbers with at most four digits
// behind the point, small ones with four that count.
func shownValue(v any) string {
	f, ok := v.(float64)
	if !ok {
		return clip(exactly(v), maxShown)
	}
	if f != 0 && math.Abs(f) < 1 {
		return strconv.FormatFloat(f, 'g', 4, 64)
	}
	return strconv.FormatFloat(math.Round(f*1e4)/1e4, 'f', -1, 64)
}

// unit is a unit behind a value.
func unit(u string) string {
	clean, ok := statement(u, 40)
	switch {
	case !ok:
		return ""
	case clean == "%":
		return " %"
	}
	return " " + clean
}
