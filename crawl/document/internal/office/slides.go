package office

import (
	"context"
	"encoding/xml"
	"fmt"
	"strings"
)

// slides reads a pptx file (ECMA-376 part 1, section 19), slide by slide.
type slides struct {
	*parser
	links map[string]relation // of the slide
	out   *markup
}

func readSlides(ctx context.Context, a *Archive, doc *Document) error {
	part := a.main()
	links, err := a.relations(part)
	if err != nil {
		return err
	}
	order, err := slideOrder(a, part)
	if err != nil {
		return err
	}
	s, hidden := slides{out: &markup{}}, 0
	for i, id := range order {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		shown, err := s.slide(a, links[id].target, i+1)
		if err != nil {
			return err
		}
		if !shown {
			hidden++
		}
	}
	if hidden > 0 {
		doc.warn("slides that are not shown were left out: %d", hidden)
	}
	doc.HTML = s.out.done(doc)
	return nil
}

// slideOrder is the ids of the slides as they are shown.
func slideOrder(a *Archive, part string) ([]string, error) {
	p, err := a.parse(part)
	if err != nil {
		return nil, err
	}
	var order []string
	err = p.each("sldId", func(e xml.StartElement) error {
		for _, at := range e.Attr {
			if at.Name.Local == "id" && at.Name.Space != "" { // r:id; the other one is a number
				order = append(order, at.Value)
			}
		}
		return p.skip()
	})
	return order, err
}

// slide reads one slide and its notes; false when it is hidden.
func (s *slides) slide(a *Archive, part string, n int) (shown bool, err error) {
	if s.links, err = a.relations(part); err != nil {
		return false, err
	}
	if s.parser, err = a.parse(part); err != nil {
		return false, err
	}
	shown = true
	s.out.raw(fmt.Sprintf("<section id=\"page-%d\">\n", n))
	err = whole(s.children(func(e xml.StartElement) error {
		if shown = attr(e, "show") != "0"; !shown {
			return s.skip()
		}
		return s.children(func(e xml.StartElement) error { return s.shape(e, false) })
	}))
	if shown && err == nil {
		err = s.notes(a)
	}
	s.out.raw("</section>\n")
	return shown, err
}

// notes reads what the speaker says to the slide.
func (s *slides) notes(a *Archive) (err error) {
	for _, r := range s.links {
		if r.kind != "notesSlide" || r.external {
			continue
		}
		if s.parser, err = a.parse(r.target); err != nil {
			return err
		}
		return whole(s.children(func(xml.StartElement) error {
			return s.children(func(e xml.StartElement) error { return s.shape(e, true) })
		}))
	}
	return nil
}

// shape looks for shapes and tables. Of notes only the body is the speaker's.
func (s *slides) shape(e xml.StartElement, notes bool) error {
	switch e.Name.Local {
	case "sp":
		return s.textShape(notes)
	case "tbl":
		return s.table()
	case "Fallback":
		return s.skip()
	}
	return s.children(func(e xml.StartElement) error { return s.shape(e, notes) })
}

// textShape reads one shape. A placeholder says what the shape is for.
func (s *slides) textShape(notes bool) error {
	kind, held := "", false
	var visit func(e xml.StartElement) error
	visit = func(e xml.StartElement) error {
		switch e.Name.Local {
		case "ph":
			kind, held = attr(e, "type"), true
			return s.skip()
		case "txBody":
			if notes && kind != "body" || kind == "sldNum" || kind == "dt" || kind == "ftr" || kind == "hdr" {
				return s.skip()
			}
			return s.body(kind, held && !notes)
		}
		return s.children(visit)
	}
	return s.children(visit)
}

// body reads the paragraphs of a shape: of a title as a heading, of another
// placeholder as a list.
func (s *slides) body(kind string, listed bool) error {
	title := kind == "title" || kind == "ctrTitle"
	var heading []string
	err := s.children(func(e xml.StartElement) error {
		if e.Name.Local != "p" {
			return s.skip()
		}
		p, err := s.paragraph()
		switch {
		case title:
			heading = append(heading, p.html.String())
		case listed && kind != "subTitle" && !p.plain:
			s.out.item(p.level, 0, p.html.String())
		default:
			s.out.block("p", p.html.String())
		}
		return err
	})
	s.out.endLists(0)
	if title {
		s.out.block("h2", strings.Join(heading, " "))
	}
	return err
}

// slideText is a paragraph of a slide.
type slideText struct {
	level int
	plain bool // without a bullet
	html  strings.Builder
}

func (s *slides) paragraph() (*slideText, error) {
	p := &slideText{}
	var visit func(e xml.StartElement) error
	visit = func(e xml.StartElement) error {
		switch e.Name.Local {
		case "pPr":
			p.level = number(attr(e, "lvl"))
		case "buNone":
			p.plain = true
		case "br":
			p.html.WriteString("<br>")
			return s.skip()
		case "r":
			return s.run(p)
		case "t":
			t, err := s.text()
			p.html.WriteString(escape(t))
			return err
		}
		return s.children(visit)
	}
	return p, s.children(visit)
}

func (s *slides) run(p *slideText) error {
	link := ""
	var text strings.Builder
	var visit func(e xml.StartElement) error
	visit = func(e xml.StartElement) error {
		switch e.Name.Local {
		case "hlinkClick":
			if r := s.links[attr(e, "id")]; r.external {
				link = r.target
			}
		case "t":
			t, err := s.text()
			text.WriteString(escape(t))
			return err
		}
		return s.children(visit)
	}
	err := s.children(visit)
	if link != "" {
		fmt.Fprintf(&p.html, `<a href="%s">%s</a>`, escape(link), text.String())
	} else {
		p.html.WriteString(text.String())
	}
	return err
}

func (s *slides) table() error {
	var rows []row
	headed := false
	err := s.children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "tblPr":
			headed = attr(e, "firstRow") == "1"
			return s.skip()
		case "tr":
			r, err := s.row()
			rows = append(rows, r)
			return err
		}
		return s.skip()
	})
	if len(rows) > 1 {
		rows[0].header = headed
	}
	s.out.raw(table(rows))
	return err
}

func (s *slides) row() (row, error) {
	var r row
	err := s.children(func(e xml.StartElement) error {
		if e.Name.Local != "tc" {
			return s.skip()
		}
		if attr(e, "hMerge") == "1" { // counted by the cell to the left
			return s.skip()
		}
		c := cell{columns: max(number(attr(e, "gridSpan")), 1), continues: attr(e, "vMerge") == "1"}
		var lines []string
		var visit func(e xml.StartElement) error
		visit = func(e xml.StartElement) error {
			if e.Name.Local == "p" {
				p, err := s.paragraph()
				lines = append(lines, p.html.String())
				return err
			}
			return s.children(visit)
		}
		err := s.children(visit)
		c.html = strings.Join(lines, "<br>")
		r.cells = append(r.cells, c)
		return err
	})
	return r, err
}
