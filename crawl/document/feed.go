package document

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/tidwall/gjson"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxEntries bounds the entries of a feed that are read.
const maxEntries = 500

// feed is what RSS (0.9 to 2.0), Atom (RFC 4287) and JSON Feed 1 have in common.
type feed struct {
	title, about, language string
	entries                []feedEntry
}

type feedEntry struct {
	title, link, published, modified string
	authors                          []string
	body                             string // HTML
}

// isFeed reports whether a text begins as a feed does.
func isFeed(head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	if bytes.HasPrefix(head, []byte("{")) {
		return bytes.Contains(head, []byte("jsonfeed.org/version/")) || bytes.Contains(head, []byte(`jsonfeed.org\/version\/`))
	}
	for bytes.HasPrefix(head, []byte("<?")) || bytes.HasPrefix(head, []byte("<!--")) {
		end := bytes.IndexByte(head, '>')
		if end < 0 {
			return false
		}
		head = bytes.TrimLeft(head[end+1:], " \t\r\n")
	}
	for _, root := range []string{"<rss", "<feed", "<rdf:RDF"} {
		if bytes.HasPrefix(head, []byte(root)) {
			return root != "<rdf:RDF" || bytes.Contains(head, []byte("purl.org/rss/1.0"))
		}
	}
	return false
}

// readFeed reads a feed as a page: a section for each entry, under its title,
// with its date, authors, link and text.
func readFeed(ctx context.Context, in Input) (*Document, error) {
	f, err := parseFeed(ctx, in.Body)
	if err != nil {
		return nil, err
	}
	root, err := parseHTML(ctx, f.page())
	if err != nil {
		return nil, fmt.Errorf("reading a feed: %w", err)
	}
	t, err := readTree(ctx, root, baseURL(root, in.URL))
	if err != nil {
		return nil, err
	}
	doc := t.document(nil, in)
	filler{doc}.set("title", &doc.Title, f.title, "feed", maxTitle)
	filler{doc}.language(tag(f.language), "feed")
	for _, e := range f.entries {
		if at := max(e.published, e.modified); at > doc.Modified {
			doc.Modified, doc.Provenance["modified"] = at, "feed"
		}
	}
	filler{doc}.describeFile(in)
	doc.PageType, doc.Provenance["page_type"] = PageListing, "feed"
	return doc, nil
}

func parseFeed(ctx context.Context, body []byte) (*feed, error) {
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	if bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) {
		return jsonFeed(body)
	}
	d := xml.NewDecoder(bytes.NewReader(body))
	d.Strict, d.Entity = false, xml.HTMLEntity
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // decoded before
	var f feed
	for len(f.entries) < maxEntries {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		token, err := d.Token()
		if err != nil { // feeds are cut off in the wild: what was read is good
			if len(f.entries) == 0 && !errors.Is(err, io.EOF) {
				return nil, fmt.Errorf("reading a feed: %w", err)
			}
			return &f, nil
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		switch start.Name.Local {
		case "item", "entry":
			var e xmlEntry
			if d.DecodeElement(&e, &start) == nil {
				f.entries = append(f.entries, e.entry())
			}
		case "title", "description", "subtitle", "tagline", "language":
			var t xmlText
			if d.DecodeElement(&t, &start) == nil {
				f.set(start.Name.Local, t.plain())
			}
		case "image", "textInput", "author":
			_ = d.Skip() // they have titles of their own; an error shows at the next token
		}
	}
	return &f, nil
}

func (f *feed) set(name, value string) {
	switch {
	case name == "title" && f.title == "":
		f.title = value
	case name == "language":
		f.language = value
	case name != "title" && f.about == "":
		f.about = value
	}
}

// xmlText is text, HTML as text, or XHTML.
type xmlText struct {
	Type  string `xml:"type,attr"`
	Src   string `xml:"url,attr"` // media:content is something else
	Text  string `xml:",chardata"`
	Inner string `xml:",innerxml"`
}

// html is the markup of t; plain says that text without a type is only text.
func (t xmlText) html(plain bool) string {
	switch {
	case t.Src != "":
		return ""
	case t.Type == "xhtml":
		return t.Inner
	case t.Type == "text" || t.Type == "" && plain:
		return html.EscapeString(t.Text)
	}
	return t.Text
}

// plain is the text alone.
func (t xmlText) plain() string {
	s := t.Text
	if t.Type == "xhtml" {
		s = t.Inner
	}
	if t.Type == "" && !strings.Contains(s, "</") || t.Type == "text" {
		return s
	}
	root, err := html.Parse(strings.NewReader(s))
	if err != nil {
		return s
	}
	return nodeText(root)
}

// xmlEntry is an item of RSS or an entry of Atom; namespaces are not told apart.
type xmlEntry struct {
	Title xmlText `xml:"title"`
	Links []struct {
		Href string `xml:"href,attr"`
		Rel  string `xml:"rel,attr"`
		Text string `xml:",chardata"`
	} `xml:"link"`
	PubDate   string `xml:"pubDate"`
	Published string `xml:"published"`
	Issued    string `xml:"issued"`
	Date      string `xml:"date"`
	Updated   string `xml:"updated"`
	Authors   []struct {
		Name string `xml:"name"`
		Text string `xml:",chardata"`
	} `xml:"author"`
	Creators    []string  `xml:"creator"`
	Description []xmlText `xml:"description"`
	Summary     []xmlText `xml:"summary"`
	Encoded     []xmlText `xml:"encoded"`
	Content     []xmlText `xml:"content"`
}

func (x *xmlEntry) entry() feedEntry {
	e := feedEntry{title: x.Title.plain(), authors: x.Creators}
	for _, l := range x.Links {
		if to := strings.TrimSpace(l.Href + l.Text); e.link == "" && to != "" && (l.Rel == "" || l.Rel == "alternate") {
			e.link = to
		}
	}
	for _, at := range []string{x.PubDate, x.Published, x.Issued, x.Date} {
		if e.published == "" {
			e.published = canonicalDate(at)
		}
	}
	e.modified = canonicalDate(x.Updated)
	for _, a := range x.Authors {
		e.authors = append(e.authors, strings.TrimSpace(a.Name+" "+a.Text))
	}
	for _, texts := range []struct {
		of    []xmlText
		plain bool
	}{{x.Encoded, false}, {x.Content, true}, {x.Description, false}, {x.Summary, true}} {
		for _, t := range texts.of {
			if body := t.html(texts.plain); len(body) > len(e.body) {
				e.body = body
			}
		}
	}
	return e
}

func jsonFeed(body []byte) (*feed, error) {
	if !gjson.ValidBytes(body) {
		return nil, errors.New("reading a feed: it is no JSON")
	}
	j := gjson.ParseBytes(body)
	f := &feed{title: j.Get("title").Str, about: j.Get("description").Str, language: j.Get("language").Str}
	j.Get("items").ForEach(func(_, x gjson.Result) bool {
		e := feedEntry{title: x.Get("title").Str, link: x.Get("url").Str, published: canonicalDate(x.Get("date_published").Str), modified: canonicalDate(x.Get("date_modified").Str), body: x.Get("content_html").Str}
		for _, path := range []string{"content_text", "summary"} {
			if text := x.Get(path).Str; e.body == "" {
				e.body = html.EscapeString(text)
			}
		}
		for _, a := range append(x.Get("authors.#.name").Array(), x.Get("author.name")) {
			if a.Str != "" {
				e.authors = append(e.authors, a.Str)
			}
		}
		f.entries = append(f.entries, e)
		return len(f.entries) < maxEntries
	})
	return f, nil
}

// page writes the feed as HTML. What entries hold is closed off from one
// another: an element that one leaves open does not swallow the next.
func (f *feed) page() []byte {
	var b bytes.Buffer
	b.WriteString("<!doctype html><body><h1>" + html.EscapeString(f.title) + "</h1><p>" + html.EscapeString(f.about) + "</p>")
	for _, e := range f.entries {
		title := html.EscapeString(e.title)
		if e.link != "" {
			if title == "" {
				title = html.EscapeString(e.link)
			}
			title = `<a href="` + html.EscapeString(e.link) + `">` + title + "</a>"
		}
		b.WriteString("<section><h2>" + title + "</h2><p>")
		known := []string{e.published}
		if e.published == "" {
			known[0] = e.modified
		}
		known = append(known, e.authors...)
		for i, k := range known {
			if k = strings.TrimSpace(k); k != "" {
				if i > 0 && known[0] != "" || i > 1 {
					b.WriteString(" · ")
				}
				b.WriteString(html.EscapeString(k))
			}
		}
		b.WriteString("</p><div>")
		closedOff(&b, e.body)
		b.WriteString("</div></section>")
	}
	return b.Bytes()
}

// closedOff writes markup as a part of a larger page: whole elements, no styles,
// and headings below those of the page's own sections.
func closedOff(b *bytes.Buffer, markup string) {
	around := &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div}
	nodes, err := html.ParseFragment(strings.NewReader(markup), around)
	if err != nil {
		b.WriteString(html.EscapeString(markup))
		return
	}
	for _, n := range nodes {
		around.AppendChild(n)
	}
	lower := map[atom.Atom]atom.Atom{atom.H1: atom.H3, atom.H2: atom.H4, atom.H3: atom.H5, atom.H4: atom.H6, atom.H5: atom.H6}
	var styles []*html.Node
	for n := range around.Descendants() {
		if to, ok := lower[n.DataAtom]; ok && n.Type == html.ElementNode {
			n.DataAtom, n.Data = to, to.String()
		}
		if n.DataAtom == atom.Style || n.DataAtom == atom.Plaintext || n.DataAtom == atom.Base {
			styles = append(styles, n)
		}
	}
	for _, n := range styles {
		n.Parent.RemoveChild(n)
	}
	mark := b.Len()
	for n := around.FirstChild; n != nil; n = n.NextSibling {
		if html.Render(b, n) != nil {
			b.Truncate(mark)
			b.WriteString(html.EscapeString(markup))
			return
		}
	}
}
