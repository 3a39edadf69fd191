package pdf

import "strings"

// leastRows is how many lines make a table: two alike can be chance.
const leastRows = 3

// tableAt counts the lines from the first on that are rows of a table: as many
// cells in each, at the same left or right edges.
func tableAt(lines []line) int {
	first := lines[0]
	if len(first.cells) < 2 {
		return 0
	}
	n := 1
	for n < len(lines) && aligned(first, lines[n]) && lines[n-1].bottom > lines[n].bottom && lines[n-1].bottom-lines[n].bottom < 3*first.size {
		n++
	}
	if n < leastRows || leaders(lines[:n]) {
		return 0
	}
	return n
}

func aligned(a, b line) bool {
	if len(a.cells) != len(b.cells) {
		return false
	}
	slack := 0.8 * a.size
	for i := range a.cells {
		x, y := a.cells[i], b.cells[i]
		center := abs(x.left+x.right-y.left-y.right) / 2
		if abs(x.left-y.left) > slack && abs(x.right-y.right) > slack && center > slack {
			return false
		}
	}
	return true
}

// leaders reports a list of contents: titles, dots and page numbers.
func leaders(lines []line) bool {
	dotted := 0
	for _, l := range lines {
		if strings.Contains(l.text, ". . .") || strings.Contains(l.text, "....") {
			dotted++
		}
	}
	return dotted*2 > len(lines)
}

func (c *composer) table(lines []line, page int) {
	c.close()
	c.tables++
	for _, l := range lines {
		b := Block{Kind: Row, Table: c.tables, Page: page}
		for _, cell := range l.cells {
			b.Cells = append(b.Cells, cell.text)
		}
		c.blocks = append(c.blocks, b)
	}
}
