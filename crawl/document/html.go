package document

import (
	"context"
	"fmt"
	"net/url"
)

// readHTML reads a page: its visible text, of that the main content, and what it
// says about itself.
func readHTML(ctx context.Context, in Input) (*Document, error) {
	t, a, err := readPage(ctx, in)
	if err != nil {
		return nil, err
	}
	doc := t.document(selectBlocks(t, a, in.URL), in)
	a.describe(doc, in)
	a.state(doc, string(t.buf))
	return doc, nil
}

// readPage cuts a page into blocks and reads what it says about itself.
func readPage(ctx context.Context, in Input) (*tree, *about, error) {
	root, err := parseHTML(ctx, in.Body)
	if err != nil {
		return nil, nil, fmt.Errorf("parsing HTML: %w", err)
	}
	t, err := readTree(ctx, root, baseURL(root, in.URL))
	if err != nil {
		return nil, nil, err
	}
	return t, readAbout(root), nil
}

// document copies the selected blocks into a document.
func (t *tree) document(keep []bool, in Input) *Document {
	doc := &Document{Provenance: map[string]string{}}
	doc.Text, doc.Blocks, doc.Images = t.finish(keep)
	doc.Links = links(doc, in.URL)
	if t.cut {
		doc.warn("the page has more than %d nodes; the rest was not read", maxNodes)
	}
	if t.unstyled {
		doc.warn("the page has more style than was applied; text that it hides may be among what was read")
	}
	if t.hidden > 0 {
		doc.warn("words that no reader of the page sees were left out: %d", t.hidden)
	}
	doc.warnRemoved(t.invisible, t.invalid)
	return doc
}

func (d *Document) warnRemoved(hidden, invalid int) {
	if hidden > 0 {
		d.warn("invisible characters were removed: %d", hidden)
	}
	if invalid > 0 {
		d.warn("bytes that are not UTF-8 became U+FFFD: %d", invalid)
	}
}

func (d *Document) warn(format string, args ...any) {
	d.Warnings = append(d.Warnings, fmt.Sprintf(format, args...))
}

// links lists the links of the blocks that lead to other pages, each once.
func links(d *Document, page string) []Link {
	var out []Link
	seen := map[string]bool{}
	own := withoutFragment(page)
	for i, b := range d.Blocks {
		for _, in := range b.Inline {
			if in.Kind != InlineLink || seen[in.URL] || withoutFragment(in.URL) == own {
				continue
			}
			seen[in.URL] = true
			out = append(out, Link{URL: in.URL, Text: in.In(d.Text), Block: i})
		}
	}
	return out
}

func withoutFragment(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return s
	}
	u.Fragment, u.RawFragment = "", ""
	return u.String()
}
