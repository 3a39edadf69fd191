package document

import (
	"bytes"
	"context"
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxNodes bounds how much of one page is read, in nodes. The largest of 1,500
// pages of a public benchmark has 60,000.
const maxNodes = 500_000

// A tree is the visible part of a page: the block-level elements in document order,
// parents first, and the blocks cut from them.
type tree struct {
	draft
	elems  []elem
	pieces []piece // beside draft.blocks

	noscript  int  // words in noscript elements that were passed over
	veiled    int  // words in the largest element that a style hides
	hidden    int  // words left out because no reader sees them
	invisible int  // characters left out because no reader sees them
	invalid   int  // bytes that were not UTF-8
	cut       bool // maxNodes was reached
	unstyled  bool // rules of style were not applied to all elements
}

// elem is a block-level element.
type elem struct {
	node        *html.Node
	parent      int // -1 for the root
	first, last int // its blocks: blocks[first:last]
}

// piece is what selection knows of a block beside its text.
type piece struct {
	elem      int // the element it stands in
	words     int
	linkWords int // of these, in links
	links     int
}

// reader walks a parsed page and writes a tree.
type reader struct {
	tree
	ctx      context.Context
	base     *url.URL // nil when neither the input nor the page names one
	sheet    sheet
	scripted bool // noscript elements are passed over
	unveil   bool // large elements that only a style hides are read
	styled   bool // sheets that are not in the page may paint what they like
	streamed bool // hidden elements named S:0, S:1, ... are put in place by React
	nodes    int
	tables   int

	headAnchor string // of the last heading
	headAt     int    // when it was set, in nodes
	inlineID   string // first id in the text of the block being written
}

// place is where in the page the walk is. It is passed by value: what a child
// changes ends with the child.
type place struct {
	elem     int
	kind     Kind
	level    int
	language string // of code
	pre      bool
	inline   bool // a table cell: blocks inside do not become blocks
	tiny     bool // font size zero
	ground   string
	list     int
	quote    int
	entry    *entry // list entry whose text is being written
	counter  *int   // of the ordered list around
	anchor   string
	anchorAt int
}

// entry is a list entry: the first paragraph inside becomes the item.
type entry struct {
	number int
	used   bool
}

// parseHTML reads markup, bounded in depth, under ctx.
func parseHTML(ctx context.Context, body []byte) (*html.Node, error) {
	scripting := html.ParseOptionEnableScripting(false) // noscript as elements, not text
	doc, err := html.ParseWithOptions(&watched{ctx, bytes.NewReader(body)}, scripting)
	if err == nil || ctx.Err() != nil {
		return doc, err
	}
	// The parser refuses more than 512 open elements and gives no other error.
	return html.ParseWithOptions(&watched{ctx, bytes.NewReader(shallow(body))}, scripting)
}

// watched stops a reader when its context ends.
type watched struct {
	ctx context.Context
	r   *bytes.Reader
}

func (w *watched) Read(p []byte) (int, error) {
	if w.ctx.Err() != nil {
		return 0, context.Cause(w.ctx)
	}
	return w.r.Read(p)
}

// maxOpen is the nesting that shallow keeps.
const maxOpen = 200

// shallow rewrites markup so that it nests at most about maxOpen deep: below that,
// elements without attributes lose their tags, elements with attributes (which may
// hide them) are dropped with what they hold.
func shallow(body []byte) []byte {
	var out bytes.Buffer
	z := html.NewTokenizer(bytes.NewReader(body))
	var open []bool // for each open element: its end tag is written
	dropped := 0    // open elements, counted from the first that was dropped with its content
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			return out.Bytes()
		}
		raw := z.Raw()
		switch kind {
		case html.StartTagToken:
			name, hasAttr := z.TagName()
			if void[atom.Lookup(name)] {
				break
			}
			deep := len(open) >= maxOpen
			if dropped > 0 || deep && hasAttr {
				dropped++
				continue
			}
			if open = append(open, !deep); deep {
				continue
			}
		case html.EndTagToken:
			if dropped > 0 {
				dropped--
				continue
			}
			if n := len(open); n > 0 {
				write := open[n-1]
				if open = open[:n-1]; !write {
					continue
				}
			}
		}
		if dropped == 0 {
			out.Write(raw)
		}
	}
}

var void = map[atom.Atom]bool{atom.Area: true, atom.Base: true, atom.Br: true, atom.Col: true, atom.Embed: true, atom.Hr: true, atom.Img: true, atom.Input: true, atom.Link: true, atom.Meta: true, atom.Param: true, atom.Source: true, atom.Track: true, atom.Wbr: true}

// readTree cuts the visible part of doc into blocks. Two kinds of page are read a
// second time: one that has next to nothing outside noscript, as forums built by
// scripts have, and one whose text is nearly all below one element that a style
// hides until the scripts have run.
func readTree(ctx context.Context, doc *html.Node, base *url.URL) (*tree, error) {
	body := find(doc, atom.Body)
	if body == nil {
		body = doc
	}
	r := reader{ctx: ctx, base: base, scripted: true}
	r.prepare(doc)
	first := r
	first.read(body)
	words := first.words()
	if first.noscript < leastNoscript || words*3 > first.noscript {
		r.unveil = first.veiled >= leastVeiled && words*2 < first.veiled
	} else {
		r.scripted = false
	}
	if r.unveil || !r.scripted {
		r.read(body)
	} else {
		r = first
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	r.unstyled = r.sheet.exhausted()
	return &r.tree, nil
}

// Words from which on text in noscript or behind a veil can be the page. Shorter
// notes in noscript only ask to switch scripts on; shorter hidden text is hidden.
const (
	leastNoscript = 100
	leastVeiled   = 200
)

func (r *reader) read(body *html.Node) {
	p := place{elem: r.enter(body, -1), kind: KindParagraph}
	if !r.styled {
		p.ground = "ffffff"
	}
	v := look(body)
	v.hidden, v.mute = false, false
	r.visible(v, &p)
	r.children(body, p)
	r.cutBlock(p)
	r.leave(p.elem)
}

func (t *tree) words() int {
	n := 0
	for _, p := range t.pieces {
		n += p.words
	}
	return n
}

func (r *reader) enter(n *html.Node, parent int) int {
	r.elems = append(r.elems, elem{node: n, parent: parent, first: len(r.blocks)})
	return len(r.elems) - 1
}

func (r *reader) leave(e int) { r.elems[e].last = len(r.blocks) }

// cutBlock ends the block being written.
func (r *reader) cutBlock(p place) {
	if p.inline {
		r.space = true
		return
	}
	b := Block{Kind: p.kind, Level: p.level, Language: p.language, Anchor: r.anchor(p)}
	if e := p.entry; e != nil && b.Kind == KindParagraph {
		b.Level = p.list
		if !e.used {
			b.Kind, b.Number = KindItem, e.number
		}
	}
	r.inlineID = ""
	if !r.flush(b) {
		return
	}
	if p.entry != nil && b.Kind == KindItem {
		p.entry.used = true
	}
	if b.Kind == KindHeading {
		r.headAnchor, r.headAt = b.Anchor, r.nodes
	}
	r.measure(p.elem)
}

// measure counts the words of the newest block.
func (r *reader) measure(e int) {
	b := &r.blocks[len(r.blocks)-1]
	pc := piece{elem: e, words: countWords(r.buf[b.Start:b.End])}
	end := 0 // links do not nest, but the parser may leave one inside another
	for _, in := range b.Inline {
		if in.Kind == InlineLink && in.Start >= end {
			pc.links++
			pc.linkWords += countWords(r.buf[in.Start:in.End])
			end = in.End
		}
	}
	r.pieces = append(r.pieces, pc)
}

// anchor is the id nearest to the block being written: in its own text, else the
// later of the element around it and the last heading.
func (r *reader) anchor(p place) string {
	switch {
	case r.inlineID != "":
		return r.inlineID
	case p.anchorAt >= r.headAt:
		return p.anchor
	}
	return r.headAnchor
}

func find(n *html.Node, tag atom.Atom) *html.Node {
	for d := range n.Descendants() {
		if d.DataAtom == tag && d.Type == html.ElementNode {
			return d
		}
	}
	return nil
}

// prepare reads the style elements of the page, save those for noscript, and sees
// what else changes how it looks.
func (r *reader) prepare(doc *html.Node) {
	scripts, slots := false, false
	for d := range doc.Descendants() {
		switch {
		case d.Type != html.ElementNode || d.Namespace != "":
		case d.DataAtom == atom.Link && strings.Contains(attr(d, "rel"), "stylesheet"):
			r.styled = true
		case d.DataAtom == atom.Template:
			slots = slots || strings.HasPrefix(attr(d, "id"), "B:")
		case d.DataAtom == atom.Script:
			scripts = true
			r.streamed = r.streamed || d.FirstChild != nil && strings.Contains(d.FirstChild.Data, `$RC("B:`)
		case d.FirstChild == nil:
		case d.DataAtom == atom.Style && !below(d, atom.Noscript) && !below(d, atom.Template):
			if m := attr(d, "media"); m == "" || m == "all" || m == "screen" {
				r.sheet.add(d.FirstChild.Data)
				r.styled = r.styled || strings.Contains(d.FirstChild.Data, "background")
			}
		}
	}
	r.streamed = r.streamed || slots && !scripts // a page saved without its scripts
}

func below(n *html.Node, tag atom.Atom) bool {
	for a := range n.Ancestors() {
		if a.DataAtom == tag {
			return true
		}
	}
	return false
}

func attr(n *html.Node, key string) string {
	for i := range n.Attr {
		if n.Attr[i].Key == key && n.Attr[i].Namespace == "" {
			return n.Attr[i].Val
		}
	}
	return ""
}
