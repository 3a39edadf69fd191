package citations

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// markdown writes a resolved draft.
func markdown(r resolved, opt RenderOptions) string {
	w := markdownWriter{r: r, opt: opt}
	if t := strings.Join(strings.Fields(r.draft.Title), " "); t != "" {
		w.block("# " + escape(t))
	}
	for i := range r.draft.Blocks {
		w.write(&r.draft.Blocks[i])
	}
	if len(r.sources) > 0 {
		w.block("## " + SourcesHeading(r.draft.Language))
		for _, s := range r.sources {
			w.block(sourceLine(s))
		}
	}
	return w.b.String()
}

type markdownWriter struct {
	b   strings.Builder
	r   resolved
	opt RenderOptions
}

// block writes one block and keeps a blank line between blocks.
func (w *markdownWriter) block(s string) {
	if w.b.Len() > 0 {
		w.b.WriteString("\n")
	}
	w.b.WriteString(s + "\n")
}

func (w *markdownWriter) write(b *Block) {
	switch b.Kind {
	case Heading:
		if t := w.run(b.Sentences); t != "" {
			w.block(strings.Repeat("#", headingLevel(b.Level)) + " " + t)
		}
	case Paragraph, Figure:
		if t := w.run(b.Sentences); t != "" {
			w.block(t)
		}
	case Note:
		if t := w.run(b.Sentences); t != "" {
			w.block("> " + t)
		}
	case List:
		w.list(b)
	case Table:
		w.table(b)
	case Code:
		fence := strings.Repeat("`", max(3, longestRun(b.Text, '`')+1))
		w.block(fence + "\n" + code(strings.TrimRight(b.Text, "\n")) + "\n" + fence)
	}
}

// headingLevel keeps headings below the title and above nothing.
func headingLevel(level int) int { return min(max(level, 2), 4) }

func (w *markdownWriter) list(b *Block) {
	var lines []string
	for _, row := range b.Rows {
		t := w.run(row)
		if t == "" {
			continue
		}
		bullet := "- "
		if b.Ordered {
			bullet = fmt.Sprintf("%d. ", len(lines)+1)
		}
		lines = append(lines, bullet+t)
	}
	if len(lines) > 0 {
		w.block(strings.Join(lines, "\n"))
	}
}

func (w *markdownWriter) table(b *Block) {
	width := len(b.Header)
	for _, row := range b.Rows {
		width = max(width, len(row))
	}
	if width == 0 {
		return
	}
	head := make([]string, width)
	for i, h := range b.Header {
		head[i] = cell(escape(strings.Join(strings.Fields(h), " ")))
	}
	lines := []string{tableRow(head), "|" + strings.Repeat(" --- |", width)}
	for _, row := range b.Rows {
		cells := make([]string, width)
		for i := range row {
			cells[i] = cell(w.run(row[i : i+1]))
		}
		lines = append(lines, tableRow(cells))
	}
	w.block(strings.Join(lines, "\n"))
}

func tableRow(cells []string) string { return "| " + strings.Join(cells, " | ") + " |" }

// cell keeps a bar in the text from ending the cell.
func cell(s string) string {
	var b strings.Builder
	for i, r := range s {
		if r == '|' && !strings.HasSuffix(s[:i], `\`) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// run writes sentences in a row; between Chinese sentences stands no blank.
func (w *markdownWriter) run(sentences []Sentence) string {
	var b strings.Builder
	for i := range sentences {
		t := strings.TrimSpace(w.sentence(&sentences[i]))
		if t == "" {
			continue
		}
		if b.Len() > 0 && !endsWide(b.String()) {
			b.WriteByte(' ')
		}
		b.WriteString(t)
	}
	return b.String()
}

// endsWide reports whether the text ends with a letter or stop of a script that
// is written without blanks.
func endsWide(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	if r == '”' || r == '’' {
		r, _ = utf8.DecodeLastRuneInString(strings.TrimRight(s, "”’"))
	}
	return wide(r) || (r >= 0x3000 && r <= 0x303f) || (r >= 0xff00 && r <= 0xff60)
}

func (w *markdownWriter) sentence(s *Sentence) string {
	var b strings.Builder
	for _, p := range w.r.lines[s].parts {
		if len(p.marks) == 0 {
			b.WriteString(styled(p.text))
			continue
		}
		if endsWord(b.String()) {
			b.WriteByte(' ')
		}
		for _, m := range p.marks {
			b.WriteString(w.mark(m))
		}
	}
	return b.String()
}

// endsWord reports whether a mark needs a blank before it.
func endsWord(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return s != "" && !unicode.IsSpace(r) && !endsWide(s) && !strings.ContainsRune("([“‘", r)
}

// mark writes [[n]](link): square brackets in the link text survive in
// CommonMark, so a reader sees [n] and a parser finds [n].
func (w *markdownWriter) mark(m mark) string {
	address := destination(m.quotes[0].Link, inTarget)
	if address != "" && !strings.HasPrefix(address, "document:") && !w.opt.NoLinks {
		return fmt.Sprintf("[[%d]](%s)", m.n, address)
	}
	return fmt.Sprintf("[%d]", m.n)
}

func longestRun(s string, c byte) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] != c {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}
