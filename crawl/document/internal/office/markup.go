package office

import (
	"fmt"
	"html"
	"strconv"
	"strings"
)

// markup is HTML being written: paragraphs, and entries of lists in one another.
type markup struct {
	strings.Builder
	open []string // lists: "ul" or "ol"
	full bool     // maxHTML was reached
}

// block writes an element with HTML inside, after closing the lists.
func (m *markup) block(tag, inside string) {
	if strings.TrimSpace(inside) == "" || m.over(inside) {
		return
	}
	m.endLists(0)
	m.WriteString("<" + tag + ">" + inside + "</" + tag + ">\n")
}

// raw writes HTML as it is, after closing the lists.
func (m *markup) raw(inside string) {
	if !m.over(inside) {
		m.endLists(0)
		m.WriteString(inside)
	}
}

// item writes an entry of a list. Level counts from 0; number is of an ordered
// list, 0 for a bullet.
func (m *markup) item(level, number int, inside string) {
	if strings.TrimSpace(inside) == "" || m.over(inside) {
		return
	}
	level = min(level, 8)
	list := "ul"
	if number > 0 {
		list = "ol"
	}
	m.endLists(level + 1)
	if len(m.open) == level+1 {
		if m.open[level] == list {
			m.WriteString("</li>")
		} else {
			m.endLists(level)
		}
	}
	for len(m.open) < level {
		m.WriteString("<ul><li>")
		m.open = append(m.open, "ul")
	}
	if len(m.open) == level {
		m.WriteString("<" + list + ">")
		m.open = append(m.open, list)
	}
	if number > 0 {
		m.WriteString(`<li value="` + strconv.Itoa(number) + `">`)
	} else {
		m.WriteString("<li>")
	}
	m.WriteString(inside)
}

// endLists closes lists until so many are open.
func (m *markup) endLists(keep int) {
	for len(m.open) > keep {
		last := len(m.open) - 1
		m.WriteString("</li></" + m.open[last] + ">\n")
		m.open = m.open[:last]
	}
}

func (m *markup) over(s string) bool {
	m.full = m.full || m.Len()+len(s) > maxHTML
	return m.full
}

// done closes what is open and returns the page.
func (m *markup) done(d *Document) []byte {
	m.endLists(0)
	if m.full {
		d.warn("the document has more than %d MB of text; the rest was not read", maxHTML>>20)
	}
	return []byte("<!DOCTYPE html><html><body>\n" + m.String() + "</body></html>")
}

func escape(s string) string { return html.EscapeString(s) }

// cell is one of a table. A cell that continues the one above has no HTML.
type cell struct {
	html      string
	columns   int
	rows      int
	continues bool
}

// row is one of a table.
type row struct {
	cells  []cell
	header bool
}

// table is a table as HTML.
func table(rows []row) string {
	joinRows(rows)
	var b strings.Builder
	b.WriteString("<table>\n")
	for _, r := range rows {
		b.WriteString("<tr>")
		tag := "td"
		if r.header {
			tag = "th"
		}
		for _, c := range r.cells {
			if c.continues {
				continue
			}
			b.WriteString("<" + tag)
			if c.columns > 1 {
				fmt.Fprintf(&b, ` colspan="%d"`, c.columns)
			}
			if c.rows > 1 {
				fmt.Fprintf(&b, ` rowspan="%d"`, c.rows)
			}
			b.WriteString(">" + c.html + "</" + tag + ">")
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</table>\n")
	return b.String()
}

// joinRows counts for each cell the rows below in which it continues.
func joinRows(rows []row) {
	above := map[int]*cell{} // by column
	for _, r := range rows {
		column := 0
		for i := range r.cells {
			c := &r.cells[i]
			if from := above[column]; c.continues && from != nil {
				from.rows++
			} else {
				c.continues, c.rows = false, 1
				above[column] = c
			}
			column += max(c.columns, 1)
		}
	}
}
