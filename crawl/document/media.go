package document

import (
	"net/url"
	"strconv"
	"strings"

	"deepresearch/internal/safe"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// absolute resolves a link; "" when it is not http or https or cannot be read.
func absolute(base *url.URL, href string) string {
	href = strings.TrimSpace(href)
	if href == "" || len(href) > 4096 {
		return ""
	}
	u, err := url.Parse(href)
	if err != nil {
		return ""
	}
	if base != nil {
		u = base.ResolveReference(u)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return ""
	}
	return u.String()
}

// baseURL is what relative links of the page count from.
func baseURL(doc *html.Node, page string) *url.URL {
	base, err := url.Parse(page)
	if err != nil || !base.IsAbs() {
		base = nil
	}
	for d := range doc.Descendants() {
		if d.DataAtom == atom.Body {
			break
		}
		if d.DataAtom != atom.Base || attr(d, "href") == "" {
			continue
		}
		if own := absolute(base, attr(d, "href")); own != "" {
			base, _ = url.Parse(own)
		}
		break
	}
	return base
}

// image keeps a picture, or writes the TeX of a picture of a formula.
func (r *reader) image(v element) {
	n, alt := v.Node, strings.TrimSpace(attr(v.Node, "alt"))
	if mathClass(v.class) && texLike(alt) {
		r.tex(alt)
		return
	}
	if tracker(n) {
		return
	}
	src := ""
	for _, key := range []string{"data-src", "data-lazy-src", "data-original", "data-orig-file", "data-srcset", "src", "srcset"} {
		if src = absolute(r.base, firstCandidate(attr(n, key))); src != "" {
			break
		}
	}
	if src != "" {
		alt, _ = safe.Text(strings.Join(strings.Fields(alt), " "))
		r.images = append(r.images, Image{URL: src, Alt: alt, Block: len(r.blocks)})
	}
}

// firstCandidate is the first URL of a srcset, or the URL itself.
func firstCandidate(s string) string {
	s = strings.TrimSpace(s)
	if i := strings.IndexByte(s, ' '); i >= 0 {
		s = strings.TrimSuffix(s[:i], ",")
	}
	return s
}

// tracker reports a picture too small to be seen.
func tracker(n *html.Node) bool {
	for _, key := range []string{"width", "height"} {
		if size, err := strconv.Atoi(attr(n, key)); err == nil && size <= 2 {
			return true
		}
	}
	return false
}

func mathClass(class string) bool {
	return strings.Contains(class, "math-fallback-image") || class == "tex" || class == "latex" || class == "math"
}

// math writes a formula: its TeX source where the page carries it, else the text
// of its elements.
func (r *reader) math(n *html.Node, p place) {
	if attr(n, "display") == "block" && n.Parent != nil && flows[n.Parent.DataAtom] == asBlock {
		r.cutBlock(p)
		defer r.cutBlock(p)
	}
	for _, src := range []string{annotation(n), attr(n, "alttext")} {
		if texLike(src) {
			r.tex(src)
			return
		}
	}
	r.begin(Inline{Kind: InlineEmphasis})
	r.write(formula(n))
	r.end()
}

// texLike reports TeX. Its source is not what a reader sees, so it may not carry
// prose: six words in a row are more than the text inside a formula has.
func texLike(src string) bool {
	const prose = 6
	run := 0
	for w := range strings.FieldsSeq(src) {
		if strings.Trim(strings.ToLower(w), "abcdefghijklmnopqrstuvwxyz.,:;'") != "" || len(w) < 2 {
			run = 0
			continue
		}
		if run++; run == prose {
			return false
		}
	}
	return strings.TrimSpace(src) != "" && !safe.Orders(src)
}

func (r *reader) tex(src string) {
	src, _ = safe.Text(strings.Join(strings.Fields(src), " "))
	if inner, ok := strings.CutPrefix(src, `{\displaystyle `); ok { // how MediaWiki wraps each formula
		src = strings.TrimSuffix(inner, "}")
	}
	r.begin(Inline{Kind: InlineMath})
	r.write(src)
	r.end()
}

// annotation is the TeX source inside a math element.
func annotation(n *html.Node) string {
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && d.Data == "annotation" && strings.Contains(attr(d, "encoding"), "tex") {
			return nodeText(d)
		}
	}
	return ""
}

// formula is MathML without TeX as running text: a fraction with a stroke, powers
// with ^, indices with _.
func formula(n *html.Node) string {
	var out strings.Builder
	writeFormula(&out, n)
	return out.String()
}

func writeFormula(out *strings.Builder, n *html.Node) {
	sign := map[string]string{"mfrac": "/", "msup": "^", "msub": "_"}[n.Data]
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.TextNode {
			clean, _ := safe.Text(strings.TrimSpace(c.Data))
			out.WriteString(clean)
			continue
		}
		if c.Type != html.ElementNode || strings.HasPrefix(c.Data, "annotation") {
			continue
		}
		before := out.Len()
		writeFormula(out, c)
		if sign != "" && out.Len() > before {
			out.WriteString(sign)
			sign = ""
		}
	}
}

// mathScript writes TeX that a page keeps in a script for MathJax.
func (r *reader) mathScript(n *html.Node) {
	if n.FirstChild != nil && strings.HasPrefix(attr(n, "type"), "math/tex") && texLike(n.FirstChild.Data) {
		r.tex(n.FirstChild.Data)
	}
}

// nodeText joins the text below n, up to a few kilobytes.
func nodeText(n *html.Node) string {
	var out strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			out.WriteString(d.Data)
		}
		if out.Len() > 8<<10 {
			break
		}
	}
	return out.String()
}
