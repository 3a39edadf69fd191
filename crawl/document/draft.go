package document

import (
	"bytes"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"deepresearch/internal/text"
)

// A draft collects blocks while a page is read. Their texts lie one after another
// in buf and all spans are ranges of it; finish copies the blocks that were
// selected into the text of a document and moves their spans there.
type draft struct {
	buf    []byte
	blocks []Block
	images []Image

	open   int      // where the block being written begins in buf
	space  bool     // white space is due before the next visible character
	stack  []Inline // inline elements that are open now
	inline []Inline // closed ones of the block being written
}

// write appends running text: white space collapses to one blank.
func (d *draft) write(s string) {
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c == ' ' || c-'\t' < 5 {
				d.space = true
				i++
				continue
			}
			end := i + 1
			for end < len(s) && s[end] > ' ' && s[end] < utf8.RuneSelf {
				end++
			}
			d.word(s[i:end])
			i = end
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if unicode.IsSpace(r) {
			d.space = true
		} else {
			d.word(s[i : i+n])
		}
		i += n
	}
}

func (d *draft) word(s string) {
	if d.space {
		d.blank()
	}
	d.buf = append(d.buf, s...)
}

// blank writes the white space that is due, unless the line begins here.
func (d *draft) blank() {
	d.space = false
	if n := len(d.buf); n > d.open && d.buf[n-1] != '\n' && d.buf[n-1] != ' ' {
		d.buf = append(d.buf, ' ')
	}
}

// verbatim appends text of a code block: newlines and indentation stay.
func (d *draft) verbatim(s string) {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = strings.ReplaceAll(s, "\u00a0", " ")
	d.buf = append(d.buf, strings.ReplaceAll(s, "\r", "\n")...)
}

// newline breaks the line inside a block.
func (d *draft) newline() {
	d.space = false
	if n := len(d.buf); n > d.open {
		d.buf = append(d.buf, '\n')
	}
}

// atLine reports whether nothing stands on the current line yet.
func (d *draft) atLine() bool {
	n := len(d.buf)
	return n == d.open || d.buf[n-1] == '\n'
}

// begin opens an inline element; end closes the newest one.
func (d *draft) begin(in Inline) {
	in.Start = len(d.buf)
	d.stack = append(d.stack, in)
}

func (d *draft) end() {
	last := len(d.stack) - 1
	in := d.stack[last]
	d.stack = d.stack[:last]
	d.closed(in)
}

// closed keeps an inline element that has text, without blanks at its ends.
func (d *draft) closed(in Inline) {
	in.Start = max(in.Start, d.open)
	in.Span = trim(d.buf, text.Span{Start: in.Start, End: len(d.buf)})
	if in.Len() > 0 {
		d.inline = append(d.inline, in)
	}
}

// flush ends the block being written. Text written since the last one becomes b's;
// without any, b is dropped and flush reports false. Inline elements that are still
// open end here and go on in the next block.
func (d *draft) flush(b Block) bool {
	for _, v := range slices.Backward(d.stack) {
		d.closed(v)
	}
	span := trim(d.buf, text.Span{Start: d.open, End: len(d.buf)})
	if b.Kind == KindCode {
		span = trimCode(d.buf, text.Span{Start: d.open, End: len(d.buf)})
	}
	d.space = false
	if span.Len() == 0 {
		d.discard()
		return false
	}
	b.Span = span
	b.Inline = d.inlines(b)
	d.blocks = append(d.blocks, b)
	d.open, d.inline = len(d.buf), d.inline[:0]
	d.restart()
	return true
}

// discard forgets what was written of the block.
func (d *draft) discard() {
	d.buf, d.inline, d.space = d.buf[:d.open], d.inline[:0], false
	d.restart()
}

func (d *draft) restart() {
	for i := range d.stack {
		d.stack[i].Start = d.open
	}
}

// inlines returns the inline elements of b by start, outer ones first.
func (d *draft) inlines(b Block) []Inline {
	if len(d.inline) == 0 || b.Kind == KindCode {
		return nil
	}
	out := make([]Inline, 0, len(d.inline))
	for _, in := range slices.Backward(d.inline) { // they were closed inner ones first
		in.Start, in.End = max(in.Start, b.Start), min(in.End, b.End)
		if in.Start < in.End {
			out = append(out, in)
		}
	}
	slices.SortStableFunc(out, func(a, b Inline) int {
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return b.End - a.End
	})
	return out
}

// finish copies the blocks that keep selects (all when it is nil) and the text
// between them is one blank line.
func (d *draft) finish(keep []bool) (string, []Block, []Image) {
	var out strings.Builder
	out.Grow(len(d.buf) + 2*len(d.blocks))
	blocks := make([]Block, 0, len(d.blocks))
	at := make([]int, len(d.blocks)) // index among the kept, or of the next kept
	shift := make([]int, len(d.blocks))
	for i, b := range d.blocks {
		at[i] = len(blocks)
		if keep != nil && !keep[i] {
			continue
		}
		if out.Len() > 0 {
			out.WriteString("\n\n")
		}
		shift[i] = out.Len() - b.Start
		out.Write(d.buf[b.Start:b.End])
		blocks = append(blocks, d.moved(b, i, keep, shift))
	}
	return out.String(), blocks, d.beside(keep, append(at, len(blocks)))
}

// beside lists the pictures next to a block that is kept; at is where each block
// went.
func (d *draft) beside(keep []bool, at []int) []Image {
	kept := func(i int) bool { return i >= 0 && i < len(keep) && keep[i] }
	var out []Image
	for _, im := range d.images {
		if keep == nil || kept(im.Block) || kept(im.Block-1) {
			im.Block = at[im.Block]
			out = append(out, im)
		}
	}
	return out
}

// moved returns block i with its spans moved to where its text now stands.
func (d *draft) moved(b Block, i int, keep []bool, shift []int) Block {
	b.Span = b.Shift(shift[i])
	for k := range b.Inline {
		b.Inline[k].Span = b.Inline[k].Shift(shift[i])
	}
	for k, c := range b.Cells {
		from := i
		if c.Start < d.blocks[i].Start { // it points up to an earlier row
			from = sort.Search(i, func(j int) bool { return d.blocks[j].Start > c.Start }) - 1
		}
		if keep != nil && !keep[from] {
			b.Cells[k] = text.Span{Start: b.Start, End: b.Start}
			continue
		}
		b.Cells[k] = c.Shift(shift[from])
	}
	return b
}

// trim shrinks a span so that no blank or newline stands at its ends.
func trim(buf []byte, s text.Span) text.Span {
	for s.Start < s.End && (buf[s.Start] == ' ' || buf[s.Start] == '\n') {
		s.Start++
	}
	for s.Start < s.End && (buf[s.End-1] == ' ' || buf[s.End-1] == '\n') {
		s.End--
	}
	return s
}

// trimCode shrinks a span by blank lines at its start and white space at its end,
// so that the indentation of the first line stays.
func trimCode(buf []byte, s text.Span) text.Span {
	b := buf[s.Start:s.End]
	b = bytes.TrimRightFunc(b, unicode.IsSpace)
	s.End = s.Start + len(b)
	for {
		nl := bytes.IndexByte(b, '\n')
		if nl < 0 || len(bytes.TrimSpace(b[:nl])) > 0 {
			return s
		}
		b = b[nl+1:]
		s.Start += nl + 1
	}
}
