package office

import (
	"context"
	"encoding/xml"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// word reads the main part of a docx file (ECMA-376 part 1, section 17).
type word struct {
	*parser
	ctx    context.Context
	links  map[string]relation
	styles map[string]style
	lists  map[string]list
	counts map[string][]int // entries so far, by list and level
	out    *markup
	notes  []string // ids of the notes that the text refers to, in order
	aside  []string // text boxes of the paragraph being read, as HTML
	cells  int      // tables that are open
	boxes  int      // text boxes that are open
}

// style is what a paragraph style says of structure.
type style struct {
	heading int // 1 to 6, 0 for none
	list    string
	level   int
	based   string
}

func readWord(ctx context.Context, a *Archive, doc *Document) error {
	part := a.main()
	w := &word{ctx: ctx, out: &markup{}, counts: map[string][]int{}}
	var err error
	if w.links, err = a.relations(part); err != nil {
		return err
	}
	if w.styles, err = readStyles(a, w.related("styles")); err != nil {
		return err
	}
	if w.lists, err = readLists(a, w.related("numbering")); err != nil {
		return err
	}
	if w.parser, err = a.parse(part); err != nil {
		return err
	}
	if err := whole(w.children(func(xml.StartElement) error { return w.children(w.block) })); err != nil {
		return err
	}
	for _, kind := range []string{"footnotes", "endnotes"} {
		if err := w.endnotes(a, kind); err != nil {
			return err
		}
	}
	doc.HTML = w.out.done(doc)
	return nil
}

// related is the part of a kind that the main part points at.
func (w *word) related(kind string) string {
	for _, r := range w.links {
		if r.kind == kind && !r.external {
			return r.target
		}
	}
	return ""
}

// block reads what stands beside paragraphs and tables.
func (w *word) block(e xml.StartElement) error {
	if w.ctx.Err() != nil {
		return context.Cause(w.ctx)
	}
	switch e.Name.Local {
	case "p":
		return w.paragraph()
	case "tbl":
		return w.table()
	case "del", "moveFrom", "sectPr", "sdtPr", "Fallback":
		return w.skip()
	}
	return w.children(w.block)
}

// paragraph is one while it is read.
type paragraph struct {
	style  style
	list   string // "-" when the paragraph leaves the list of its style
	level  int
	shaded bool // it has a ground of its own
	inside strings.Builder
}

func (w *word) paragraph() error {
	var p paragraph
	outer := w.aside
	w.aside = nil
	err := w.children(func(e xml.StartElement) error { return w.inline(&p, e) })
	boxes := w.aside
	w.aside = outer
	w.write(&p)
	for _, b := range boxes {
		w.out.raw(b)
	}
	return err
}

// write puts a paragraph where its style and numbering say.
func (w *word) write(p *paragraph) {
	s := w.inherited(p.style)
	if p.list == "" {
		p.list, p.level = s.list, max(p.level, s.level)
	}
	inside := p.inside.String()
	switch {
	case w.cells > 0:
		w.out.block("p", inside)
	case s.heading > 0:
		w.out.block(fmt.Sprintf("h%d", s.heading), inside)
	case p.list != "" && p.list != "-" && strings.TrimSpace(inside) != "":
		w.out.item(p.level, w.number(p.list, p.level), inside)
	default:
		w.out.block("p", inside)
	}
}

// inherited fills a style from those it is based on.
func (w *word) inherited(s style) style {
	const most = 10
	for range most {
		base, ok := w.styles[s.based]
		if !ok {
			break
		}
		if s.heading == 0 {
			s.heading = base.heading
		}
		if s.list == "" {
			s.list, s.level = base.list, max(s.level, base.level)
		}
		s.based = base.based
	}
	return s
}

// inline reads what stands in a paragraph.
func (w *word) inline(p *paragraph, e xml.StartElement) error {
	in := func(e xml.StartElement) error { return w.inline(p, e) }
	switch e.Name.Local {
	case "pPr":
		return w.children(func(e xml.StartElement) error { return w.layout(p, e) })
	case "r":
		return w.run(p)
	case "hyperlink":
		return w.hyperlink(p, e)
	case "t": // of a formula
		s, err := w.text()
		p.inside.WriteString(escape(s))
		return err
	case "del", "moveFrom", "sdtPr", "rPr", "Fallback":
		return w.skip()
	}
	return w.children(in)
}

func (w *word) hyperlink(p *paragraph, e xml.StartElement) error {
	target := w.links[attr(e, "id")]
	if target.external {
		p.inside.WriteString(`<a href="` + escape(target.target) + `">`)
		defer p.inside.WriteString("</a>")
	}
	return w.children(func(e xml.StartElement) error { return w.inline(p, e) })
}

// layout reads the properties of a paragraph.
func (w *word) layout(p *paragraph, e xml.StartElement) error {
	switch e.Name.Local {
	case "pStyle":
		p.style = style{based: attr(e, "val")}
	case "shd":
		p.shaded = true
	case "outlineLvl":
		p.style.heading = headingLevel(attr(e, "val"))
	case "numPr":
		return w.children(func(e xml.StartElement) error {
			switch e.Name.Local {
			case "ilvl":
				p.level = number(attr(e, "val"))
			case "numId":
				if p.list = attr(e, "val"); p.list == "0" {
					p.list = "-"
				}
			}
			return w.skip()
		})
	}
	return w.skip()
}

// run reads text of one look. Hidden text is no part of the document, nor is white
// text on the white page. Cells and boxes have grounds that styles give them, so
// there white text is what it seems.
func (w *word) run(p *paragraph) error {
	hidden, strong, emphasis, white, shaded := false, false, false, false, p.shaded || w.cells+w.boxes > 0
	var text strings.Builder
	var visit func(e xml.StartElement) error
	visit = func(e xml.StartElement) error {
		switch e.Name.Local {
		case "rPr":
			return w.children(func(e xml.StartElement) error {
				on := attr(e, "val") != "0" && attr(e, "val") != "false"
				switch e.Name.Local {
				case "vanish", "webHidden":
					hidden = on
				case "color":
					white = strings.EqualFold(attr(e, "val"), "FFFFFF")
				case "shd", "highlight":
					shaded = true
				case "b":
					strong = on
				case "i":
					emphasis = on
				}
				return w.skip()
			})
		case "t":
			t, err := w.text()
			text.WriteString(escape(t))
			return err
		case "tab", "ptab":
			text.WriteByte(' ')
		case "br", "cr":
			text.WriteString("<br>")
		case "noBreakHyphen":
			text.WriteByte('-')
		case "footnoteReference", "endnoteReference":
			w.notes = append(w.notes, strings.TrimSuffix(e.Name.Local, "Reference")+"s "+attr(e, "id"))
		case "txbxContent":
			return w.box()
		case "instrText", "delText", "Fallback":
		default:
			return w.children(visit)
		}
		return w.skip()
	}
	err := w.children(visit)
	if !hidden && (!white || shaded) {
		p.inside.WriteString(marked(text.String(), strong, emphasis))
	}
	return err
}

// marked puts strong and em around text; around nothing they would be noise.
func marked(s string, strong, emphasis bool) string {
	if strings.TrimSpace(s) == "" {
		return s
	}
	if emphasis {
		s = "<em>" + s + "</em>"
	}
	if strong {
		s = "<strong>" + s + "</strong>"
	}
	return s
}

// inside reads blocks to HTML of their own.
func (w *word) inside() (string, error) {
	outer := w.out
	w.out = &markup{}
	err := w.children(w.block)
	w.out.endLists(0)
	s := w.out.String()
	w.out = outer
	return s, err
}

// box reads a text box: it stands after the paragraph it is anchored in.
func (w *word) box() error {
	w.boxes++
	defer func() { w.boxes-- }()
	s, err := w.inside()
	w.aside = append(w.aside, s)
	return err
}

func (w *word) table() error {
	var rows []row
	w.cells++
	headed := false
	var visit func(e xml.StartElement) error
	visit = func(e xml.StartElement) error {
		switch e.Name.Local {
		case "tr":
			r, err := w.row()
			rows = append(rows, r)
			return err
		case "tblLook":
			headed = firstRow(e)
			return w.skip()
		case "del", "Fallback":
			return w.skip()
		}
		return w.children(visit)
	}
	err := w.children(visit)
	w.cells--
	if len(rows) > 1 {
		rows[0].header = rows[0].header || headed
	}
	w.out.raw(table(rows))
	return err
}

// firstRow reports a table whose first row is shown as headings.
func firstRow(look xml.StartElement) bool {
	if v := attr(look, "firstRow"); v != "" {
		return v == "1" || v == "true"
	}
	bits, err := strconv.ParseUint(attr(look, "val"), 16, 16)
	return err == nil && bits&0x20 != 0
}

func (w *word) row() (row, error) {
	var r row
	var visit func(e xml.StartElement) error
	visit = func(e xml.StartElement) error {
		switch e.Name.Local {
		case "tc":
			c, err := w.cell()
			r.cells = append(r.cells, c)
			return err
		case "tblHeader":
			r.header = attr(e, "val") != "0" && attr(e, "val") != "false"
			return w.skip()
		case "tblPrEx":
			return w.skip()
		}
		return w.children(visit)
	}
	err := w.children(visit)
	return r, err
}

func (w *word) cell() (cell, error) {
	c := cell{columns: 1}
	outer := w.out
	w.out = &markup{}
	defer func() { w.out = outer }()
	err := w.children(func(e xml.StartElement) error {
		if e.Name.Local != "tcPr" {
			return w.block(e)
		}
		return w.children(func(e xml.StartElement) error {
			switch e.Name.Local {
			case "gridSpan":
				c.columns = max(number(attr(e, "val")), 1)
			case "vMerge":
				c.continues = attr(e, "val") != "restart"
			}
			return w.skip()
		})
	})
	w.out.endLists(0)
	c.html = w.out.String()
	return c, err
}

// endnotes writes the notes of a kind that the text refers to, in its order.
func (w *word) endnotes(a *Archive, kind string) error {
	part := w.related(kind)
	if part == "" || len(w.notes) == 0 {
		return nil
	}
	p, err := a.parse(part)
	if err != nil {
		return err
	}
	w.parser = p
	notes := map[string]string{}
	err = whole(p.children(func(xml.StartElement) error {
		return p.children(func(e xml.StartElement) error {
			id := kind + " " + attr(e, "id")
			s, err := w.inside()
			notes[id] = s
			return err
		})
	}))
	for _, id := range slices.Clone(w.notes) {
		w.out.raw(notes[id])
		delete(notes, id)
	}
	return err
}

// number counts an entry of a list; 0 for a bullet.
func (w *word) number(id string, level int) int {
	l := w.lists[id]
	level = min(max(level, 0), len(l)-1)
	if level < 0 || !l[level].ordered {
		return 0
	}
	counts := w.counts[id]
	for len(counts) <= level {
		counts = append(counts, l[len(counts)].start-1)
	}
	counts = counts[:level+1]
	counts[level]++
	w.counts[id] = counts
	return max(counts[level], 1)
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n > 1000 {
		return 0
	}
	return n
}
