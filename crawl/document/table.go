package document

import (
	"strconv"

	"deepresearch/internal/text"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Limits of one table, so that a page cannot ask for a million columns.
const (
	maxColumns = 200
	maxSpan    = 1000
)

// table reads a table of facts as rows; false means that the table only lays out
// the page and its cells are read like any other block.
func (r *reader) table(v element, p place) bool {
	rows := tableRows(v.Node)
	if !factual(v.Node, rows) {
		return false
	}
	r.tables++
	t := grid{reader: r, number: r.tables, headless: !hasTH(rows)}
	t.place = p
	t.place.elem = r.enter(v.Node, p.elem)
	t.place.entry, t.place.level = nil, 0
	if v.id != "" {
		t.place.anchor, t.place.anchorAt = v.id, r.nodes
	}
	for _, n := range captions(v.Node) {
		r.element(n, t.place)
	}
	for i, tr := range rows {
		if at := p; r.visible(look(tr), &at) {
			t.row(tr, i)
		}
	}
	r.leave(t.place.elem)
	return true
}

// tableRows lists the rows of a table, not those of tables inside it.
func tableRows(t *html.Node) []*html.Node {
	var rows []*html.Node
	for c := range t.ChildNodes() {
		switch c.DataAtom {
		case atom.Tr:
			rows = append(rows, c)
		case atom.Thead, atom.Tbody, atom.Tfoot:
			rows = append(rows, tableRows(c)...)
		}
	}
	return rows
}

func captions(t *html.Node) []*html.Node {
	var out []*html.Node
	for c := range t.ChildNodes() {
		if c.DataAtom == atom.Caption {
			out = append(out, c)
		}
	}
	return out
}

func cells(tr *html.Node) []*html.Node {
	var out []*html.Node
	for c := range tr.ChildNodes() {
		if c.DataAtom == atom.Td || c.DataAtom == atom.Th {
			out = append(out, c)
		}
	}
	return out
}

func hasTH(rows []*html.Node) bool {
	for _, tr := range rows {
		for _, c := range cells(tr) {
			if c.DataAtom == atom.Th {
				return true
			}
		}
	}
	return false
}

// factual tells a table of facts from one that lays out the page: it holds no
// other table, code or heading, says so by caption, th or role, or has several
// rows and columns of short cells.
func factual(t *html.Node, rows []*html.Node) bool {
	role := attr(t, "role")
	if len(rows) == 0 || role == "presentation" || role == "none" {
		return false
	}
	for d := range t.Descendants() {
		switch d.DataAtom {
		case atom.Table, atom.H1, atom.H2, atom.H3, atom.Pre, atom.Form, atom.Article, atom.Section:
			return false
		}
	}
	if len(captions(t)) > 0 || hasTH(rows) || role == "table" || role == "grid" {
		return true
	}
	wide, count, words := 0, 0, 0
	for _, tr := range rows {
		cs := cells(tr)
		if len(cs) > 1 {
			wide++
		}
		for _, c := range cs {
			count++
			words += textWords(c)
		}
	}
	const cellWords = 25 // on average; cells of a page layout hold paragraphs
	return len(rows) > 1 && wide*2 > len(rows) && words <= count*cellWords
}

// grid writes the rows of one table.
type grid struct {
	*reader
	number   int
	headless bool // no th: the first row heads the columns
	place    place
	down     []pending // by column: a cell that reaches into the next rows
}

// pending is a cell with rows to go.
type pending struct {
	text.Span
	rows int
}

// row writes one row: its cells joined by " | ", spans by column.
func (t *grid) row(tr *html.Node, index int) {
	t.cutBlock(t.place)
	var out []text.Span
	heads, filled := 0, 0
	cs := cells(tr)
	for i, c := range cs {
		out = t.fromAbove(out)
		span := t.cell(c, i > 0)
		if span.Len() > 0 {
			filled++
		}
		if c.DataAtom == atom.Th {
			heads++
		}
		rows := spanOf(c, "rowspan")
		for range min(spanOf(c, "colspan"), maxColumns-len(out)) {
			t.hold(len(out), span, rows-1)
			out = append(out, span)
		}
	}
	out = t.fromAbove(out)
	if filled == 0 {
		t.discard()
		return
	}
	b := Block{Kind: KindRow, Table: t.number, Anchor: t.anchor(t.place), Cells: out}
	b.Header = heads == len(cs) && len(out) > 1 || t.headless && index == 0
	t.inlineID = ""
	n := len(t.blocks)
	if t.flush(b) {
		t.blocks[n].fitCells()
		t.measure(t.place.elem)
	}
}

// fromAbove adds the columns that cells of earlier rows still cover.
func (t *grid) fromAbove(out []text.Span) []text.Span {
	for col := len(out); col < len(t.down) && t.down[col].rows > 0; col++ {
		t.down[col].rows--
		out = append(out, t.down[col].Span)
	}
	return out
}

func (t *grid) hold(col int, s text.Span, rows int) {
	for len(t.down) <= col {
		t.down = append(t.down, pending{})
	}
	t.down[col] = pending{s, rows}
}

// cell writes one cell on the line of its row and returns its span.
func (t *grid) cell(c *html.Node, joined bool) text.Span {
	if joined {
		t.space = false
		t.buf = append(t.buf, " | "...)
	}
	start := len(t.buf)
	p := t.place
	p.inline, p.kind = true, KindRow
	if v := look(c); t.visible(v, &p) && !gutter(v) {
		if t.inlineID == "" {
			t.inlineID = v.id
		}
		t.children(c, p)
	}
	t.space = false
	return trim(t.buf, text.Span{Start: start, End: len(t.buf)})
}

func spanOf(c *html.Node, key string) int {
	n, err := strconv.Atoi(attr(c, key))
	if err != nil {
		return 1
	}
	return min(max(n, 1), maxSpan)
}
