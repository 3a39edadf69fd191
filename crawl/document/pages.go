package document

import (
	"sort"
	"strconv"
	"strings"
)

// PageBreak is where a page of a document begins in its text.
type PageBreak struct {
	Page  int `json:"page"`  // counted from 1
	Start int `json:"start"` // byte offset in Document.Text
}

// PageAt is the page on which the byte at an offset of Text stands, 0 in a document
// without pages.
func (d *Document) PageAt(offset int) int {
	i := sort.Search(len(d.PageBreaks), func(i int) bool { return d.PageBreaks[i].Start > offset })
	if i == 0 {
		return 0
	}
	return d.PageBreaks[i-1].Page
}

// pageAnchor begins the ids of elements that are pages, in markup that we made.
const pageAnchor = "page-"

// breakAtAnchors turns the anchors of blocks into breaks between pages.
func (d *Document) breakAtAnchors() {
	last := 0
	for i := range d.Blocks {
		b := &d.Blocks[i]
		page, err := strconv.Atoi(strings.TrimPrefix(b.Anchor, pageAnchor))
		b.Anchor = ""
		if err == nil && page > last {
			d.PageBreaks = append(d.PageBreaks, PageBreak{page, b.Start})
			last = page
		}
	}
}
