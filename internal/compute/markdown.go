package compute

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"deepresearch/internal/safe"
)

// Markdown is the table as GitHub Flavored Markdown with its name above it.
// Columns of numbers are set to the right. Whatever is in it shows as it is.
func (t Table) Markdown() string {
	var out strings.Builder
	if t.Name != "" {
		fmt.Fprintf(&out, "**%s**\n\n", safe.MarkdownCell(t.Name))
	}
	rule := make([]string, len(t.Columns))
	head := make([]string, len(t.Columns))
	for i, column := range t.Columns {
		head[i], rule[i] = safe.MarkdownCell(column), "---"
		if t.numeric(i) {
			rule[i] = "---:"
		}
	}
	writeLine(&out, head)
	writeLine(&out, rule)
	for _, row := range t.Rows {
		cells := make([]string, len(row))
		for i, c := range row {
			cells[i] = cellText(c)
		}
		writeLine(&out, cells)
	}
	return out.String()
}

func writeLine(out *strings.Builder, cells []string) {
	out.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

// numeric reports whether a column has numbers and nothing else but gaps.
func (t Table) numeric(column int) bool {
	some := false
	for _, row := range t.Rows {
		if column >= len(row) {
			continue
		}
		switch row[column].(type) {
		case nil:
		case json.Number, float64, int64, int:
			some = true
		default:
			return false
		}
	}
	return some
}

// cellText is a cell as it is printed; a gap is empty.
func cellText(c any) string {
	switch c := c.(type) {
	case nil:
		return ""
	case bool:
		return strconv.FormatBool(c)
	case json.Number:
		if x, err := c.Float64(); err == nil {
			return plain(x)
		}
	case float64:
		return plain(c)
	case int64, int:
		return fmt.Sprint(c)
	}
	return safe.MarkdownCell(fmt.Sprint(c))
}

// plain is a number in at most 15 digits, without an exponent where a reader
// would not expect one.
func plain(x float64) string {
	if size := math.Abs(x); size != 0 && (size >= 1e15 || size < 1e-4) {
		return strconv.FormatFloat(x, 'g', 6, 64)
	}
	s := strconv.FormatFloat(x, 'g', 15, 64)
	rounded, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return s
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// Table is the chart's numbers as a table, to stand beside it.
func (c Chart) Table() Table {
	t := Table{Name: c.Title, Columns: []string{""}, Uses: c.Uses}
	for _, s := range c.Series {
		name := s.Name
		if c.Unit != "" {
			name += " (" + c.Unit + ")"
		}
		t.Columns = append(t.Columns, name)
	}
	for i, label := range c.Labels {
		row := []any{label}
		for _, s := range c.Series {
			var v any
			if i < len(s.Values) {
				v = s.Values[i]
			}
			row = append(row, v)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
