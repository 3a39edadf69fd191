package office

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"strings"
)

// readEPUB reads a book (EPUB 3.3): its chapters in reading order, as one page of
// HTML.
func readEPUB(ctx context.Context, a *Archive, doc *Document) error {
	opf, err := packagePart(a)
	if err != nil {
		return err
	}
	chapters, err := spine(a, opf, doc)
	if err != nil {
		return err
	}
	locked, err := encrypted(a)
	if err != nil {
		return err
	}
	var m markup
	for _, part := range chapters {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if locked[part] {
			return fmt.Errorf("%w: the book is encrypted", ErrRefused)
		}
		b, err := a.read(part)
		if err != nil {
			return err
		}
		m.raw("<section>" + chapter(b) + "</section>\n")
	}
	doc.HTML = m.done(doc)
	return nil
}

// packagePart is the part that describes the book.
func packagePart(a *Archive) (part string, err error) {
	p, err := a.parse("META-INF/container.xml")
	if err != nil {
		return "", err
	}
	err = p.each("rootfile", func(e xml.StartElement) error {
		if part == "" {
			part = resolve("", attr(e, "full-path"))
		}
		return p.skip()
	})
	if err == nil && !a.Has(part) {
		err = fmt.Errorf("%w: the book has no list of its chapters", ErrRefused)
	}
	return part, err
}

// spine lists the parts of the chapters in order, and reads what the book says
// about itself.
func spine(a *Archive, opf string, doc *Document) ([]string, error) {
	p, err := a.parse(opf)
	if err != nil {
		return nil, err
	}
	parts, dir := map[string]string{}, path.Dir(opf)
	var order []string
	var visit func(e xml.StartElement) error
	visit = func(e xml.StartElement) error {
		switch e.Name.Local {
		case "metadata":
			return p.children(func(e xml.StartElement) error { return doc.property(p, e) })
		case "item":
			if media := attr(e, "media-type"); media == "application/xhtml+xml" || media == "text/html" {
				parts[attr(e, "id")] = resolve(dir, unescapePath(attr(e, "href")))
			}
		case "itemref":
			if part := parts[attr(e, "idref")]; part != "" {
				order = append(order, part)
			}
		}
		return p.children(visit)
	}
	err = whole(p.children(visit))
	return order, err
}

func unescapePath(s string) string {
	if u, err := url.PathUnescape(s); err == nil {
		return u
	}
	return s
}

// encrypted is the parts that only a reader with a key can read. Books without
// protection encrypt fonts at most.
func encrypted(a *Archive) (map[string]bool, error) {
	p, err := a.parse("META-INF/encryption.xml")
	if err != nil {
		return nil, err
	}
	locked := map[string]bool{}
	return locked, p.each("CipherReference", func(e xml.StartElement) error {
		locked[resolve("", unescapePath(attr(e, "URI")))] = true
		return p.skip()
	})
}

// What of XML a reader of HTML takes otherwise: an element that closes itself, and
// what stands around the body.
var (
	selfClosed = regexp.MustCompile(`<([A-Za-z][A-Za-z0-9:]*)((?:\s[^<>]*)?)/>`)
	bodyStart  = regexp.MustCompile(`(?i)<body[^>]*>`)
	bodyEnd    = regexp.MustCompile(`(?i)</body\s*>`)
	styles     = regexp.MustCompile(`(?is)<style[^>]*>.*?</style>`)
)

// chapter is the body of a chapter as HTML, with its style sheets, which may hide
// text.
func chapter(b []byte) string {
	sheets := bytes.Join(styles.FindAll(b, -1), nil)
	if at := bodyStart.FindIndex(b); at != nil {
		b = b[at[1]:]
	}
	if at := bodyEnd.FindAllIndex(b, -1); at != nil {
		b = b[:at[len(at)-1][0]]
	}
	b = selfClosed.ReplaceAllFunc(b, func(tag []byte) []byte {
		m := selfClosed.FindSubmatch(tag)
		if strings.Contains(" br hr img wbr col input area embed source track ", " "+strings.ToLower(string(m[1]))+" ") {
			return tag
		}
		return fmt.Appendf(nil, "<%s%s></%s>", m[1], m[2], m[1])
	})
	return string(sheets) + string(b)
}
