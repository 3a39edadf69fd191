package office

import (
	"context"
	"encoding/xml"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Bounds of one workbook: beyond them a table is data to compute with, not text to
// search, and the rest is left out.
const (
	maxCells   = 1_000_000
	maxColumns = 256
)

// workbook reads an xlsx file (ECMA-376 part 1, section 18).
type workbook struct {
	shared []string
	dates  []bool // by style: numbers are shown as dates
	from   time.Time
	cells  int
}

func readWorkbook(ctx context.Context, a *Archive, doc *Document) error {
	part := a.main()
	links, err := a.relations(part)
	if err != nil {
		return err
	}
	related := func(kind string) string {
		for _, r := range links {
			if r.kind == kind && !r.external {
				return r.target
			}
		}
		return ""
	}
	var b workbook
	if b.shared, err = sharedStrings(a, related("sharedStrings")); err != nil {
		return err
	}
	if b.dates, err = dateStyles(a, related("styles")); err != nil {
		return err
	}
	names, err := b.sheets(a, part, doc)
	if err != nil {
		return err
	}
	for _, s := range names {
		rows, err := b.sheet(ctx, a, links[s.id].target)
		if err != nil {
			return err
		}
		doc.Sheets = append(doc.Sheets, Sheet{s.name, rows})
	}
	if b.cells > maxCells {
		doc.warn("the workbook has more than %d cells; the rest was not read", maxCells)
	}
	return nil
}

type namedSheet struct{ name, id string }

// sheets lists the sheets that are shown.
func (b *workbook) sheets(a *Archive, part string, doc *Document) ([]namedSheet, error) {
	p, err := a.parse(part)
	if err != nil {
		return nil, err
	}
	var names []namedSheet
	hidden := 0
	b.from = time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	var visit func(e xml.StartElement) error
	visit = func(e xml.StartElement) error {
		switch e.Name.Local {
		case "workbookPr":
			if v := attr(e, "date1904"); v == "1" || v == "true" {
				b.from = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
			}
		case "sheet":
			if state := attr(e, "state"); state == "hidden" || state == "veryHidden" {
				hidden++
			} else {
				names = append(names, namedSheet{attr(e, "name"), attr(e, "id")})
			}
		}
		return p.children(visit)
	}
	err = whole(p.children(visit))
	if hidden > 0 {
		doc.warn("sheets that are not shown were left out: %d", hidden)
	}
	return names, err
}

// sharedStrings reads the texts that cells refer to by number.
func sharedStrings(a *Archive, part string) ([]string, error) {
	p, err := a.parse(part)
	if err != nil {
		return nil, err
	}
	var all []string
	err = p.each("si", func(xml.StartElement) error {
		s, err := p.richText()
		all = append(all, s)
		return err
	})
	return all, err
}

// richText is the text of the element that was opened last, without the phonetic
// readings beside it.
func (p *parser) richText() (string, error) {
	var b strings.Builder
	var visit func(e xml.StartElement) error
	visit = func(e xml.StartElement) error {
		switch e.Name.Local {
		case "t":
			s, err := p.text()
			b.WriteString(s)
			return err
		case "rPh":
			return p.skip()
		}
		return p.children(visit)
	}
	err := p.children(visit)
	return b.String(), err
}

// dateStyles says for each cell style whether it shows a number as a date.
func dateStyles(a *Archive, part string) ([]bool, error) {
	p, err := a.parse(part)
	if err != nil {
		return nil, err
	}
	custom := map[string]string{}
	var dates []bool
	var visit func(e xml.StartElement) error
	visit = func(e xml.StartElement) error {
		switch e.Name.Local {
		case "numFmt":
			custom[attr(e, "numFmtId")] = attr(e, "formatCode")
		case "cellXfs":
			return p.children(func(e xml.StartElement) error {
				id := attr(e, "numFmtId")
				dates = append(dates, dateFormat(id, custom[id]))
				return p.skip()
			})
		}
		return p.children(visit)
	}
	return dates, whole(p.children(visit))
}

// dateFormat reports a number format with a year or day: built in (section
// 18.8.30), or by its code, quoted text left out.
func dateFormat(id, code string) bool {
	if code == "" {
		n := number(id)
		return n >= 14 && n <= 17 || n == 22 || n >= 27 && n <= 31 || n >= 50 && n <= 58
	}
	plain, quoted := strings.Builder{}, false
	for i := 0; i < len(code); i++ {
		switch c := code[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\':
			i++
		case c == '[':
			if end := strings.IndexByte(code[i:], ']'); end > 0 {
				i += end
			}
		case !quoted:
			plain.WriteByte(c)
		}
	}
	s := strings.ToLower(plain.String())
	return strings.Contains(s, "yy") || strings.Contains(s, "d") && strings.Contains(s, "m")
}

// sheet reads the rows of one sheet.
func (b *workbook) sheet(ctx context.Context, a *Archive, part string) ([][]string, error) {
	p, err := a.parse(part)
	if err != nil {
		return nil, err
	}
	var rows [][]string
	err = p.each("row", func(xml.StartElement) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if b.cells > maxCells {
			return p.skip()
		}
		var fields []string
		err := p.children(func(e xml.StartElement) error {
			if e.Name.Local != "c" {
				return p.skip()
			}
			s, err := b.cell(p, e)
			b.cells++
			at := column(attr(e, "r"), len(fields))
			if s = strings.TrimSpace(s); s == "" || at >= maxColumns {
				return err
			}
			for len(fields) <= at {
				fields = append(fields, "")
			}
			fields[at] = s
			return err
		})
		if len(fields) > 0 {
			rows = append(rows, fields)
		}
		return err
	})
	return rows, err
}

// cell is what a cell shows.
func (b *workbook) cell(p *parser, c xml.StartElement) (string, error) {
	kind, value := attr(c, "t"), ""
	err := p.children(func(e xml.StartElement) (err error) {
		switch e.Name.Local {
		case "v":
			value, err = p.text()
		case "is":
			value, err = p.richText()
		default:
			err = p.skip()
		}
		return err
	})
	switch kind {
	case "s":
		i, bad := strconv.Atoi(strings.TrimSpace(value))
		if bad != nil || i < 0 || i >= len(b.shared) {
			return "", err
		}
		return b.shared[i], err
	case "b":
		if value == "1" {
			return "TRUE", err
		}
		return "FALSE", err
	case "", "n":
		return b.number(value, attr(c, "s")), err
	}
	return value, err
}

// number writes a number as people do: dates as dates, and without the digits that
// binary fractions add.
func (b *workbook) number(value, style string) string {
	f, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		return value
	}
	const lastDay = 2958465 // 9999-12-31
	if s, err := strconv.Atoi(style); err == nil && s >= 0 && s < len(b.dates) && b.dates[s] && f >= 1 && f <= lastDay {
		day := b.from.Add(time.Duration(math.Round(f*86400)) * time.Second)
		if day.Equal(day.Truncate(24 * time.Hour)) {
			return day.Format(time.DateOnly)
		}
		return day.Format("2006-01-02 15:04")
	}
	if a := math.Abs(f); a != 0 && (a >= 1e15 || a < 1e-6) {
		return strconv.FormatFloat(f, 'g', 15, 64)
	}
	s := fmt.Sprintf("%.12f", f)
	if a := math.Abs(f); a >= 1000 {
		s = fmt.Sprintf("%.6f", f)
	}
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// column is the number, from 0, of the column in a reference such as "AB12"; next
// when there is none.
func column(ref string, next int) int {
	n := 0
	for i := range len(ref) {
		c := ref[i] &^ 0x20
		if c < 'A' || c > 'Z' || n > maxColumns {
			break
		}
		n = n*26 + int(c-'A') + 1
	}
	if n == 0 {
		return next
	}
	return n - 1
}
