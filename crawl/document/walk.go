package document

import (
	"cmp"
	"strconv"
	"strings"
	"unicode/utf8"

	"deepresearch/internal/safe"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// flow says how an element takes part in the text.
type flow uint8

const (
	asBlock flow = iota // everything not named below
	asInline
	dropped
)

var flows = map[atom.Atom]flow{
	atom.A: asInline, atom.Abbr: asInline, atom.Acronym: asInline, atom.B: asInline, atom.Bdi: asInline, atom.Bdo: asInline,
	atom.Big: asInline, atom.Cite: asInline, atom.Code: asInline, atom.Data: asInline, atom.Del: asInline, atom.Dfn: asInline,
	atom.Em: asInline, atom.Font: asInline, atom.I: asInline, atom.Ins: asInline, atom.Kbd: asInline, atom.Label: asInline,
	atom.Mark: asInline, atom.Nobr: asInline, atom.Q: asInline, atom.Rb: asInline, atom.Ruby: asInline, atom.S: asInline,
	atom.Samp: asInline, atom.Small: asInline, atom.Span: asInline, atom.Strike: asInline, atom.Strong: asInline,
	atom.Sub: asInline, atom.Sup: asInline, atom.Time: asInline, atom.Tt: asInline, atom.U: asInline, atom.Var: asInline,
	atom.Picture: asInline,

	atom.Applet: dropped, atom.Area: dropped, atom.Audio: dropped, atom.Base: dropped, atom.Basefont: dropped,
	atom.Button: dropped, atom.Canvas: dropped, atom.Col: dropped, atom.Colgroup: dropped, atom.Datalist: dropped,
	atom.Dialog: dropped, atom.Embed: dropped, atom.Frame: dropped, atom.Frameset: dropped, atom.Head: dropped,
	atom.Iframe: dropped, atom.Input: dropped, atom.Link: dropped, atom.Map: dropped, atom.Meta: dropped,
	atom.Meter: dropped, atom.Noembed: dropped, atom.Noframes: dropped, atom.Object: dropped, atom.Optgroup: dropped,
	atom.Option: dropped, atom.Param: dropped, atom.Progress: dropped, atom.Rp: dropped, atom.Rt: dropped, atom.Rtc: dropped,
	atom.Script: dropped, atom.Select: dropped, atom.Source: dropped, atom.Style: dropped, atom.Svg: dropped,
	atom.Template: dropped, atom.Textarea: dropped, atom.Title: dropped, atom.Track: dropped, atom.Video: dropped,
}

var marks = map[atom.Atom]InlineKind{
	atom.Code: InlineCode, atom.Kbd: InlineCode, atom.Samp: InlineCode, atom.Tt: InlineCode,
	atom.Em: InlineEmphasis, atom.I: InlineEmphasis, atom.Cite: InlineEmphasis, atom.Dfn: InlineEmphasis, atom.Var: InlineEmphasis,
	atom.B: InlineStrong, atom.Strong: InlineStrong,
}

// element is one element with the attributes the walk looks at.
type element struct {
	*html.Node
	class, id, style string
	hidden           bool // by attribute
	mute             bool // hidden from screen readers
	painted          bool // has colour attributes of old HTML
}

func look(n *html.Node) element {
	v := element{Node: n}
	for i := range n.Attr {
		switch a := &n.Attr[i]; a.Key {
		case "class":
			v.class = a.Val
		case "id":
			v.id = usableID(a.Val)
		case "style":
			v.style = a.Val
		case "hidden":
			// A browser opens hidden="until-found" for a text fragment.
			v.hidden = v.hidden || a.Val != "until-found"
		case "aria-hidden":
			v.mute = a.Val == "true"
		case "popover":
			v.hidden = true
		case "bgcolor", "color":
			v.painted = true
		}
	}
	return v
}

// usableID is an id that can stand in an address; "" for others, such as sentences.
func usableID(id string) string {
	if len(id) > 200 || strings.ContainsAny(id, " \t\n\r\f") {
		return ""
	}
	id, _ = safe.Text(id)
	return id
}

func (r *reader) children(n *html.Node, p place) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if r.nodes++; r.nodes > maxNodes || r.nodes&1023 == 0 && r.ctx.Err() != nil {
			r.cut = true
			return
		}
		switch c.Type {
		case html.TextNode:
			r.text(c.Data, p)
		case html.ElementNode:
			r.element(c, p)
		}
	}
}

func (r *reader) text(s string, p place) {
	if p.tiny {
		r.hidden += countWords(s)
		return
	}
	s, removed := safe.Text(readable(s))
	r.invisible += removed.Hidden()
	r.invalid += removed.Invalid
	if p.pre {
		r.verbatim(s)
	} else {
		r.write(s)
	}
}

// readable drops stretches in which every character is followed by a zero-width
// one. No page is typeset that way: it keeps search and filters from seeing text.
func readable(s string) string {
	if !strings.Contains(s, "\u200b") && !strings.Contains(s, "\u200c") && !strings.Contains(s, "\u200d") && !strings.Contains(s, "\u2060") {
		return s
	}
	const least = 8 // pairs; shorter runs are break hints in a word
	var out strings.Builder
	start, pairs := 0, 0 // of the run being read
	for i := 0; i < len(s); {
		_, n := utf8.DecodeRuneInString(s[i:])
		next, m := utf8.DecodeRuneInString(s[i+n:])
		if next == '\u200b' || next == '\u200c' || next == '\u200d' || next == '\u2060' {
			pairs++
			i += n + m
			continue
		}
		if pairs < least {
			out.WriteString(s[start:i])
		}
		out.WriteString(s[i : i+n])
		i += n
		start, pairs = i, 0
	}
	if pairs < least {
		out.WriteString(s[start:])
	}
	return out.String()
}

func (r *reader) element(c *html.Node, p place) {
	fl := flows[c.DataAtom]
	if c.DataAtom == atom.Button && p.kind == KindHeading {
		fl = asInline // the question of an accordion
	}
	if c.DataAtom == atom.Template && attr(c, "shadowrootmode") == "open" {
		fl = asBlock
	}
	if fl == dropped && c.DataAtom != atom.Script {
		return
	}
	v := look(c)
	if v.hidden && r.streamed && strings.HasPrefix(v.id, "S:") {
		v.hidden, v.id = false, ""
	}
	if formula := c.DataAtom == atom.Img && mathClass(v.class); formula {
		v.mute = false // a picture of a formula is hidden from screen readers alone
	}
	if !r.visible(v, &p) {
		r.hidden += textWords(c)
		return
	}
	switch {
	case r.leaf(v, p):
	case p.pre && fl == asBlock && c.DataAtom != 0:
		r.codeLine(v, p)
	case fl == asInline && !v.displaysBlock(), fl == asBlock && c.DataAtom == 0 && !hasBlock(c):
		r.inlineElement(v, p) // unknown elements are inline until they hold a block
	default:
		r.block(v, p)
	}
}

// leaf reads the elements whose children are not walked; false for all others.
func (r *reader) leaf(v element, p place) bool {
	switch v.DataAtom {
	case atom.Br:
		r.lineBreak(p)
	case atom.Hr:
		r.cutBlock(p)
	case atom.Wbr:
	case atom.Img:
		r.image(v)
	case atom.Script:
		r.mathScript(v.Node)
	case atom.Math:
		r.math(v.Node, p)
	case atom.Noscript:
		if !r.scripted {
			return false
		}
		r.noscript += textWords(v.Node)
	default:
		return false
	}
	return true
}

func (v element) displaysBlock() bool {
	return strings.Contains(v.style, "display:block") || strings.Contains(v.style, "display: block")
}

// visible reports whether a reader sees the element, and carries on what is
// inherited: tiny print and the ground colour, where it is known.
func (r *reader) visible(v element, p *place) bool {
	if v.hidden || v.mute && !r.veil(v.Node) {
		return false
	}
	if r.styled && (v.class != "" || v.id != "") {
		p.ground = "" // sheets that we do not have may paint it
	}
	st := r.sheet.of(v.Node, v.class, v.id, v.style)
	if v.DataAtom != atom.Body && st.hides() && !r.veil(v.Node) { // the body only until fonts have come
		return false
	}
	switch size := st[propFontSize]; {
	case tiny(size):
		p.tiny = true
	case absoluteSize(size):
		p.tiny = false
	}
	if v.DataAtom == atom.Img {
		return true // a colour hides no picture
	}
	ink := colour(st[propColor])
	if v.painted {
		p.ground = cmp.Or(colour(strings.ToLower(attr(v.Node, "bgcolor"))), p.ground)
		ink = cmp.Or(ink, colour(strings.ToLower(attr(v.Node, "color"))))
	}
	p.ground = cmp.Or(ground(st[propBackground]), p.ground)
	if ink == transparent {
		return strings.Contains(st[propBackgroundClip], "text")
	}
	return !alike(ink, p.ground)
}

// veil reports an element to read although a style hides it, or although it is
// hidden from screen readers, as a page is behind an open dialog.
func (r *reader) veil(n *html.Node) bool {
	words := textWords(n)
	r.veiled = max(r.veiled, words)
	return r.unveil && words >= leastVeiled
}

// lineBreak writes a br: two in a row end the block.
func (r *reader) lineBreak(p place) {
	switch {
	case p.pre:
		r.verbatim("\n")
	case p.inline:
		r.space = true
	case r.atLine():
		r.cutBlock(p)
	default:
		r.newline()
	}
}

// codeLine reads a block element inside pre, such as one div a line.
func (r *reader) codeLine(v element, p place) {
	if gutter(v) {
		return
	}
	if !r.atLine() {
		r.verbatim("\n")
	}
	r.children(v.Node, p)
	if !r.atLine() {
		r.verbatim("\n")
	}
}

func (r *reader) inlineElement(v element, p place) {
	if p.pre {
		if !gutter(v) {
			r.children(v.Node, p)
		}
		return
	}
	if r.inlineID == "" {
		r.inlineID = v.id
		if v.id == "" && v.DataAtom == atom.A {
			r.inlineID = usableID(attr(v.Node, "name"))
		}
	}
	if strings.Contains(v.class, "mw-editsection") {
		return
	}
	if v.DataAtom == atom.A {
		r.link(v, p)
		return
	}
	kind, marked := marks[v.DataAtom]
	if marked {
		r.begin(Inline{Kind: kind})
	}
	r.children(v.Node, p)
	if marked {
		r.end()
	}
}

func (r *reader) link(v element, p place) {
	href := attr(v.Node, "href")
	if p.kind == KindHeading && strings.HasPrefix(href, "#") && permalink(v) {
		if r.inlineID == "" {
			r.inlineID = usableID(href[1:])
		}
		return
	}
	if strings.Contains(v.class, "footnote-backref") || strings.Contains(attr(v.Node, "role"), "doc-backlink") {
		return
	}
	if prev := v.PrevSibling; prev != nil && prev.DataAtom == atom.A {
		r.space = true // two links side by side are set apart by style
	}
	u := absolute(r.base, href)
	if u == "" {
		r.children(v.Node, p)
		return
	}
	r.begin(Inline{Kind: InlineLink, URL: u})
	r.children(v.Node, p)
	r.end()
}

// permalink reports a link that a heading carries to itself, shown as a sign.
func permalink(v element) bool {
	s := strings.TrimSpace(nodeText(v.Node))
	return utf8.RuneCountInString(s) <= 2 && (s == "" || strings.ContainsAny(s, "¶#§🔗∞")) ||
		strings.Contains(v.class, "anchor") && strings.EqualFold(s, "link") || strings.HasPrefix(s, "Permalink")
}

// block reads a block-level element.
func (r *reader) block(v element, p place) {
	r.cutBlock(p)
	if v.DataAtom == atom.Table && !p.inline && r.table(v, p) {
		return
	}
	in := p
	in.elem = r.enter(v.Node, p.elem)
	if v.id != "" {
		in.anchor, in.anchorAt = v.id, r.nodes
	}
	if !r.setKind(v, &in) {
		return
	}
	r.children(v.Node, in)
	if in.pre && !p.pre {
		r.code(v, in)
	} else {
		r.cutBlock(in)
	}
	r.leave(in.elem)
}

// setKind adapts the place to the element; false means that it is not text.
func (r *reader) setKind(v element, p *place) bool {
	switch v.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		p.kind, p.level = KindHeading, int(v.Data[1]-'0')
	case atom.P, atom.Div, atom.Section, atom.Article:
		if level := headingRole(v.Node); level > 0 {
			p.kind, p.level = KindHeading, level
		}
	case atom.Ul, atom.Ol, atom.Menu, atom.Dir:
		p.list++
		p.kind, p.level, p.counter, p.entry = KindParagraph, 0, nil, nil
		if v.DataAtom == atom.Ol {
			first, err := strconv.Atoi(attr(v.Node, "start"))
			if err != nil {
				first = 1
			}
			p.counter = &first
		}
	case atom.Li:
		p.list = max(p.list, 1)
		p.kind, p.entry = KindParagraph, &entry{number: nextNumber(v.Node, p.counter)}
	case atom.Dt:
		p.kind, p.level, p.entry = KindTerm, 0, nil
	case atom.Dd:
		p.kind, p.level, p.entry = KindDefinition, 0, nil
	case atom.Blockquote:
		p.quote++
		p.kind, p.level, p.entry = KindQuote, p.quote, nil
	case atom.Figcaption, atom.Caption:
		p.kind, p.level, p.entry = KindCaption, 0, nil
	case atom.Pre, atom.Listing, atom.Xmp, atom.Plaintext:
		if gutter(v) {
			return false
		}
		if !p.inline {
			p.pre, p.kind, p.level = true, KindCode, 0
			if p.entry != nil {
				p.level = p.list
			}
			p.language = codeLanguage(v.Node)
		}
	}
	return true
}

func nextNumber(li *html.Node, counter *int) int {
	if counter == nil {
		return 0
	}
	if n, err := strconv.Atoi(attr(li, "value")); err == nil {
		*counter = n
	}
	n := *counter
	*counter = n + 1
	return n
}

func headingRole(n *html.Node) int {
	if len(n.Attr) == 0 || attr(n, "role") != "heading" {
		return 0
	}
	level, err := strconv.Atoi(attr(n, "aria-level"))
	if err != nil || level < 1 || level > 6 {
		return 2 // the default of WAI-ARIA
	}
	return level
}

// hasBlock reports whether an unknown element holds a block-level child.
func hasBlock(n *html.Node) bool {
	for c := range n.ChildNodes() {
		if c.Type == html.ElementNode && flows[c.DataAtom] == asBlock && (c.DataAtom != 0 || hasBlock(c)) {
			return true
		}
	}
	return false
}
