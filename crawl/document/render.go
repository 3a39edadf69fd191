package document

import (
	"strconv"
	"strings"

	"deepresearch/internal/safe"
	"deepresearch/internal/text"
)

// Markdown renders the blocks as GitHub Flavored Markdown: links with their
// addresses, code with its language, rows as tables with a cell in every column it
// covers. Text is escaped, so no page can forge a link, mark or heading. Pictures
// are left out: a host that shows Markdown would fetch them.
func (d *Document) Markdown() string {
	markdown, _ := d.Render()
	return markdown
}

// Render is [Document.Markdown] with the place of each block in it: block i
// begins at byte starts[i]. The rows of a table begin where the table does.
func (d *Document) Render() (markdown string, starts []int) {
	r := renderer{Document: d}
	r.out.Grow(len(d.Text) + len(d.Text)/8)
	starts = make([]int, len(d.Blocks))
	for i := 0; i < len(d.Blocks); {
		if i > 0 {
			r.out.WriteString(r.gap(d.Blocks[i-1], d.Blocks[i]))
		}
		at := r.out.Len()
		for n := r.block(i); n > 0; n-- {
			starts[i] = at
			i++
		}
	}
	if r.out.Len() > 0 {
		r.out.WriteByte('\n')
	}
	return r.out.String(), starts
}

type renderer struct {
	*Document
	out strings.Builder
}

// gap is what stands between two blocks: entries of a list follow each other, all
// else is set apart by a blank line.
func (r *renderer) gap(a, b Block) string {
	switch {
	case a.Kind == KindItem && b.Kind == KindItem, a.Kind == KindTerm && b.Kind == KindDefinition, a.Kind == KindTerm && b.Kind == KindTerm:
		return "\n"
	case a.Kind == KindQuote && b.Kind == KindQuote:
		return "\n" + strings.TrimRight(strings.Repeat("> ", min(a.Level, b.Level)), " ") + "\n"
	}
	return "\n\n"
}

// block renders block i and, of a table, the rows that follow; it returns how many.
func (r *renderer) block(i int) int {
	b := r.Blocks[i]
	switch b.Kind {
	case KindHeading:
		r.out.WriteString(strings.Repeat("#", min(max(b.Level, 1), 6)) + " ")
		r.write(strings.ReplaceAll(r.inline(b), "\n", " "), "")
	case KindItem:
		indent := strings.Repeat("    ", max(b.Level-1, 0))
		mark := "- "
		if b.Number > 0 {
			mark = strconv.Itoa(b.Number) + ". "
		}
		r.out.WriteString(indent + mark)
		r.write(r.inline(b), indent+"    ")
	case KindQuote:
		quote := strings.Repeat("> ", max(b.Level, 1))
		r.out.WriteString(quote)
		r.write(r.inline(b), quote)
	case KindCode:
		r.code(b)
	case KindRow:
		return r.table(i)
	case KindDefinition:
		r.out.WriteString(": ")
		r.write(r.inline(b), "  ")
	case KindTerm:
		r.write(r.inline(b), "")
	default:
		indent := strings.Repeat("    ", b.Level)
		r.out.WriteString(indent)
		r.write(r.inline(b), indent)
	}
	return 1
}

// write writes text whose lines after the first begin with indent. A line break in
// it is a hard one.
func (r *renderer) write(s, indent string) {
	for i, line := range strings.Split(s, "\n") {
		if i > 0 {
			r.out.WriteString("\\\n" + indent)
		}
		r.out.WriteString(line)
	}
}

func (r *renderer) code(b Block) {
	s := b.In(r.Text)
	fence := strings.Repeat("`", max(3, longestRun(s)+1))
	indent := strings.Repeat("    ", b.Level)
	for line := range strings.SplitSeq(fence+b.Language+"\n"+s, "\n") {
		if line != "" {
			r.out.WriteString(indent + line)
		}
		r.out.WriteByte('\n')
	}
	r.out.WriteString(indent + fence)
}

// longestRun is the length of the longest run of backticks in s.
func longestRun(s string) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// table renders the rows of one table from i on. Markdown wants one row of headers
// first, so a table without any gets an empty one.
func (r *renderer) table(i int) int {
	n, columns := 0, 0
	for ; i+n < len(r.Blocks) && r.Blocks[i+n].Kind == KindRow && r.Blocks[i+n].Table == r.Blocks[i].Table; n++ {
		columns = max(columns, len(r.Blocks[i+n].Cells))
	}
	rows := r.Blocks[i : i+n]
	if rows[0].Header {
		r.row(rows[0], columns)
		rows = rows[1:]
	} else {
		r.row(Block{}, columns)
	}
	r.out.WriteString("\n|" + strings.Repeat(" --- |", columns))
	for _, b := range rows {
		r.out.WriteByte('\n')
		r.row(b, columns)
	}
	return n
}

func (r *renderer) row(b Block, columns int) {
	r.out.WriteByte('|')
	for k := range columns {
		if k < len(b.Cells) && b.Cells[k].Len() > 0 {
			cell := r.span(b.Cells[k], b.Inline)
			r.out.WriteString(" " + strings.ReplaceAll(strings.ReplaceAll(cell, "|", `\|`), "\n", " "))
		}
		r.out.WriteString(" |")
	}
}

func (r *renderer) inline(b Block) string { return r.span(b.Span, b.Inline) }

// span renders the text of s with the inline mark-up that lies in it.
func (r *renderer) span(s text.Span, inline []Inline) string {
	var out strings.Builder
	at := s.Start
	for i := 0; i < len(inline); i++ {
		in := inline[i]
		if in.Start < at || in.End > s.End {
			continue
		}
		inner := i + 1
		for inner < len(inline) && inline[inner].Start < in.End {
			inner++
		}
		out.WriteString(escaped(r.Text[at:in.Start]))
		r.mark(&out, in, inline[i+1:inner])
		at, i = in.End, inner-1
	}
	out.WriteString(escaped(r.Text[at:s.End]))
	return out.String()
}

// mark renders one inline element with those inside it.
func (r *renderer) mark(out *strings.Builder, in Inline, inner []Inline) {
	raw := in.In(r.Text)
	switch in.Kind {
	case InlineCode:
		fence := strings.Repeat("`", longestRun(raw)+1)
		pad := ""
		if strings.HasPrefix(raw, "`") || strings.HasSuffix(raw, "`") {
			pad = " "
		}
		out.WriteString(fence + pad + strings.ReplaceAll(raw, "\n", " ") + pad + fence)
	case InlineMath:
		out.WriteString("$" + strings.ReplaceAll(raw, "$", `\$`) + "$")
	case InlineLink:
		target := strings.NewReplacer("(", "%28", ")", "%29", "<", "%3C", ">", "%3E", "|", "%7C", `\`, "%5C").Replace(in.URL)
		out.WriteString("[" + r.span(in.Span, inner) + "](" + target + ")")
	case InlineStrong:
		out.WriteString("**" + r.span(in.Span, inner) + "**")
	default:
		out.WriteString("*" + r.span(in.Span, inner) + "*")
	}
}

// escaped escapes text of a page and keeps the blanks at its ends.
func escaped(s string) string {
	core := strings.Trim(s, " ")
	if core == "" {
		return s
	}
	at := strings.Index(s, core)
	return s[:at] + safe.Markdown(core) + s[at+len(core):]
}
