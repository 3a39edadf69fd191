package write

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"deepresearch/citations"
	"deepresearch/internal/text"
	"deepresearch/prompts"
	"deepresearch/research"
)

// tableSchema has a property for each column, c1 and so on: an empty cell is then
// a property that is not there, and equal cells stay two.
func tableSchema(columns []string) json.RawMessage {
	type property struct {
		Type        string `json:"type"`
		Description string `json:"description"`
	}
	cells := map[string]property{}
	for i, c := range columns {
		cells[column(i)] = property{"string", c}
	}
	// Strings alone are encoded, which cannot fail.
	raw, _ := json.Marshal(map[string]any{
		"type": "object", "required": []string{"rows"},
		"properties": map[string]any{"rows": map[string]any{"type": "array", "items": map[string]any{
			"type": "object", "properties": cells, "required": []string{column(0)},
		}}},
	})
	return raw
}

func column(i int) string { return fmt.Sprintf("c%d", i+1) }

// grid is a table to fill.
type grid struct {
	columns  []string
	timeline bool
	shown    shown
	job      *job
}

// tabled reports whether the report has a table: the things compared side by
// side, or what happened when.
func (w *writer) tabled() bool {
	a := w.state.Analysis
	return !single(w.state) && left(w.state) >= minSectioned &&
		(a.Shape == research.Timeline || a.Shape == research.Comparison && len(a.Subjects) > 1)
}

func (w *writer) table() *grid {
	if !w.tabled() {
		return nil
	}
	a := w.state.Analysis
	g := &grid{timeline: a.Shape == research.Timeline}
	chosen := w.all()
	rows := tableRows
	if g.timeline {
		g.columns, rows = []string{w.phrases.date, w.phrases.event}, timelineRows
		chosen = slices.DeleteFunc(chosen, func(i int) bool { return len(text.Dates(w.quotes[i].Text)) == 0 })
	} else {
		g.columns = append([]string{w.phrases.aspect}, a.Subjects...)
	}
	g.shown = w.show(w.state, w.within(chosen, sectionTokens), citations.MaxQuote)
	if len(g.shown.ids) < 2 {
		return nil
	}
	prompt, err := w.m.opt.Prompts.Table(prompts.Table{
		Task: w.m.taskOf(w.state), Mark: g.shown.mark, Columns: g.columns, Timeline: g.timeline, N: rows,
		Audience: audience(w.state.Question), Quotes: g.shown.lines,
	})
	st := tabling
	st.schema = tableSchema(g.columns)
	g.job = &job{step: st, prompt: prompt, err: err}
	return g
}

// tableBlocks are the table that a model filled. Without one there is none: the
// sections say the same.
func (w *writer) tableBlocks(g *grid) []citations.Block {
	var said struct{ Rows []map[string]string }
	if !g.job.ok {
		return nil
	}
	if err := json.Unmarshal(g.job.reply.JSON, &said); err != nil {
		w.notes.Answers--
		w.without(tabling, fmt.Errorf("its answer cannot be read: %w", err))
		return nil
	}
	b := citations.Block{Kind: citations.Table, Header: g.columns}
	for _, row := range said.Rows {
		if cells := w.row(g, row); cells != nil {
			b.Rows = append(b.Rows, cells)
		}
	}
	if g.timeline {
		slices.SortStableFunc(b.Rows, func(x, y []citations.Sentence) int { return dateOf(x[0].Text).Compare(dateOf(y[0].Text)) })
	}
	if b.Rows = filled(b.Rows, names); len(b.Rows) < 2 {
		w.notes.Answers--
		return nil
	}
	w.byModel++
	return []citations.Block{b}
}

// row is one row, nil when it cannot be used.
func (w *writer) row(g *grid, said map[string]string) []citations.Sentence {
	out := make([]citations.Sentence, len(g.columns))
	var texts []string
	for i := 1; i < len(out); i++ {
		out[i] = w.cell(g, said[column(i)])
		for _, id := range cited(out[i]) {
			if _, q, ok := w.ledger.Lookup(id); ok {
				texts = append(texts, q.Text)
			}
		}
	}
	head, _ := g.shown.aliases.Expand(said[column(0)])
	name, ok := heading(plain(citations.Sentence{Text: head}), append(texts, w.state.Question.Text)...)
	if !ok || g.timeline && len(text.Dates(name)) == 0 {
		return nil
	}
	out[0] = citations.Sentence{Text: name}
	if g.timeline {
		out[0].Quotes = cited(out[1])
	}
	return out
}

// cell reads one cell as a sentence; a list or several paragraphs are joined.
func (w *writer) cell(g *grid, said string) citations.Sentence {
	blocks, _ := w.read(g.shown.aliases, proseJob(said))
	var all []string
	for s := range sentences(blocks) {
		all = append(all, s.Text)
	}
	return citations.Sentence{Text: strings.Join(all, " ")}
}

func dateOf(s string) text.Date {
	if d := text.Dates(s); len(d) > 0 {
		return d[0]
	}
	return text.Date{}
}
