package document

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"golang.org/x/net/html"

	"deepresearch/internal/text"
)

// FocusFull is the focus that keeps all visible text of a page, menus and
// footers included.
const FocusFull = "full"

// ParseFocus is [Parse] for a part of a document: the section under a heading,
// named by its text or by "#" and its anchor, or in HTML the elements that a
// selector of tags, classes and ids ("main .price") matches. When nothing in
// the document is called that, the document comes whole and a warning says so.
func ParseFocus(ctx context.Context, in Input, focus string) (*Document, error) {
	doc, err := Parse(ctx, in)
	focus = strings.TrimSpace(focus)
	if err != nil || focus == "" {
		return doc, err
	}
	if from, to, ok := doc.section(focus); ok {
		return doc.part(from, to), nil
	}
	if sniff(in).format == formatHTML {
		if part, err := parseSelected(ctx, in, focus); part != nil || err != nil {
			return part, err
		}
	}
	if focus != FocusFull {
		doc.warn("nothing on the page is called %q, so it is shown whole", focus)
	}
	return doc, nil
}

// section returns the blocks under the first heading with that anchor or text,
// or else that contains it.
func (d *Document) section(name string) (from, to int, ok bool) {
	outline := d.Outline()
	wanted := text.Normalize(name)
	find := func(is func(Heading) bool) bool {
		for i, h := range outline {
			if !is(h) {
				continue
			}
			from, to = h.Block, len(d.Blocks)
			for _, next := range outline[i+1:] {
				if next.Level <= h.Level {
					to = next.Block
					break
				}
			}
			return true
		}
		return false
	}
	ok = find(func(h Heading) bool { return h.Anchor != "" && "#"+h.Anchor == name }) ||
		find(func(h Heading) bool { return text.Normalize(h.Text) == wanted }) ||
		len(wanted) > 3 && !strings.ContainsAny(wanted[:1], ".#") && find(func(h Heading) bool { return strings.Contains(text.Normalize(h.Text), wanted) })
	return from, to, ok && from < to
}

// part copies the blocks from:to into a document of their own, which keeps what
// is known of the whole.
func (d *Document) part(from, to int) *Document {
	out := *d
	start := d.Blocks[from].Start
	out.Text = d.Text[start:d.Blocks[to-1].End]
	out.Blocks = make([]Block, 0, to-from)
	for _, b := range d.Blocks[from:to] {
		b.Span = b.Shift(-start)
		cells := make([]text.Span, len(b.Cells))
		for i, c := range b.Cells {
			if cells[i] = c.Shift(-start); c.Start < start { // it points up, out of the part
				cells[i] = text.Span{Start: b.Start, End: b.Start}
			}
		}
		inline := make([]Inline, len(b.Inline))
		for i, in := range b.Inline {
			in.Span = in.Shift(-start)
			inline[i] = in
		}
		b.Cells, b.Inline = cells, inline
		out.Blocks = append(out.Blocks, b)
	}
	out.Links, out.Images = nil, nil
	for _, l := range d.Links {
		if l.Block >= from && l.Block < to {
			l.Block -= from
			out.Links = append(out.Links, l)
		}
	}
	for _, im := range d.Images {
		if im.Block >= from && im.Block < to {
			im.Block -= from
			out.Images = append(out.Images, im)
		}
	}
	out.seal()
	return &out
}

// seal sets what is known by the text.
func (d *Document) seal() {
	sum := sha256.Sum256([]byte(d.Text))
	d.SHA256 = hex.EncodeToString(sum[:])
}

// parseSelected reads the blocks of a page that a selector matches; nil when
// there are none.
func parseSelected(ctx context.Context, in Input, focus string) (*Document, error) {
	chain, ok := selectorChain(focus)
	if !ok {
		return nil, nil
	}
	t, a, err := readPage(ctx, in)
	if err != nil {
		return nil, err
	}
	var keep []bool // nil: all
	if focus != FocusFull {
		keep = t.matched(chain)
	}
	doc := t.document(keep, in)
	if doc.Text == "" {
		return nil, nil
	}
	a.describe(doc, in)
	if err := doc.countOrders(ctx); err != nil {
		return nil, fmt.Errorf("reading a part: %w", err)
	}
	doc.seal()
	return doc, nil
}

// selectorChain reads "main .price" as the elements that must lie in one another.
func selectorChain(s string) ([]rule, bool) {
	const longest = 10
	var chain []rule
	for sel := range strings.FieldsSeq(s) {
		var r rule
		if !r.selects(sel) || len(chain) == longest {
			return nil, false
		}
		chain = append(chain, r)
	}
	return chain, len(chain) > 0
}

// matchesChain reports whether n is what the last rule of the chain selects, in
// elements that those before it select.
func matchesChain(n *html.Node, chain []rule) bool {
	last := len(chain) - 1
	if !chain[last].is(n) {
		return false
	}
	last--
	for a := n.Parent; a != nil && last >= 0; a = a.Parent {
		if chain[last].is(a) {
			last--
		}
	}
	return last < 0
}

func (r *rule) is(n *html.Node) bool {
	return n.Type == html.ElementNode && len(matching(nil, []*rule{r}, n, strings.Fields(attr(n, "class")), attr(n, "id"))) > 0
}

// matched marks the blocks inside the elements that a selector matches. Of an
// element inside a block, the block is marked.
func (t *tree) matched(chain []rule) []bool {
	keep := make([]bool, len(t.blocks))
	if len(t.elems) == 0 {
		return keep
	}
	at := make(map[*html.Node]int, len(t.elems))
	for i, e := range t.elems {
		at[e.node] = i
	}
	for n := range t.elems[0].node.Descendants() {
		if !matchesChain(n, chain) {
			continue
		}
		e, isBlock := at[n]
		for up := n; !isBlock && up.Parent != nil; {
			up = up.Parent
			e, isBlock = at[up]
		}
		for i := t.elems[e].first; i < t.elems[e].last; i++ {
			keep[i] = true
		}
	}
	return keep
}
