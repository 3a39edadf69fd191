package document

import (
	"context"
	"slices"
	"strings"

	"deepresearch/crawl/document/internal/selection"
)

// Candidates returns the blocks of an HTML page before the main content is selected
// from them, as selection sees them. Training and evaluation use it; to read a page
// use [Parse]. Errors are those of Parse.
func Candidates(ctx context.Context, in Input) (*selection.Page, error) {
	t, a, err := readPage(ctx, in)
	if err != nil {
		return nil, err
	}
	return candidates(t, a, in.URL), nil
}

// selectBlocks says for each block whether it belongs to the main content.
func selectBlocks(t *tree, a *about, page string) []bool {
	keep := selection.Select(candidates(t, a, page))
	t.keepHeadline(keep, oneLine(a.title))
	return keep
}

// keepHeadline keeps the heading that names the page when it stands right above
// what was selected: annotators of the pages that selection learnt from are of
// two minds about it, readers are not.
func (t *tree) keepHeadline(keep []bool, title string) {
	const near = 1 // a byline or date may stand between
	first := slices.Index(keep, true)
	for i := first - 1; i >= max(0, first-1-near); i-- {
		b := t.blocks[i]
		if b.Kind == KindHeading && b.Level == 1 {
			keep[i] = inTitle(title, oneLine(string(t.buf[b.Start:b.End])))
			return
		}
	}
}

func candidates(t *tree, a *about, page string) *selection.Page {
	p := &selection.Page{
		URL:         page,
		Title:       a.title,
		Description: longest(append(a.metas["description"], a.metas["og:description"]...)),
		OpenGraph:   strings.ToLower(longest(a.metas["og:type"])),
		Types:       a.ld.types,
		Structured:  a.ld.prose.String(),
		Authors:     append(a.ld.authors, a.metas["author"]...),
		Elems:       make([]selection.Elem, len(t.elems)),
		Blocks:      make([]selection.Block, len(t.blocks)),
	}
	for i, e := range t.elems {
		p.Elems[i] = selection.Elem{Node: e.node, Parent: e.parent}
	}
	for i, b := range t.blocks {
		pc := t.pieces[i]
		p.Blocks[i] = selection.Block{
			Elem: pc.elem, Kind: string(b.Kind), Text: t.buf[b.Start:b.End],
			Words: pc.words, LinkWords: min(pc.linkWords, pc.words), Links: pc.links,
		}
	}
	return p
}

func longest(values []string) string {
	most := ""
	for _, v := range values {
		if len(v) > len(most) {
			most = v
		}
	}
	return most
}
