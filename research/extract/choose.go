package extract

import (
	"regexp"
	"slices"
	"strings"

	"deepresearch/crawl/document"
	"deepresearch/internal/rank"
	"deepresearch/internal/safe"
	"deepresearch/internal/text"
	"deepresearch/research"
)

// What a page may give beside research.MaxExcerpts.
const (
	leading3 = 3   // sentences at the top of a page that are always offered
	minTerms = 3   // a shorter sentence says nothing on its own
	minWords = 9   // of a sentence without an end
	maxBytes = 600 // a longer one is no quotation but a paragraph
	maxRow   = 300 // of a table row
)

// choose picks the sentences and table rows of one page that could serve as
// evidence: its first ones, then the best for the terms by BM25 within the page.
// They come back in the order of the page. Sentences that give orders to a
// reader are never offered.
func choose(d *document.Document, terms []string) []research.Excerpt {
	all := excerpts(d)
	if len(all) <= research.MaxExcerpts {
		return all
	}
	index := rank.NewIndex(rank.Options{})
	for _, e := range all {
		index.Add(text.Words(e.In(d.Text)))
	}
	keep := make(map[int]bool, research.MaxExcerpts)
	for i := range leading3 {
		keep[i] = true
	}
	for _, h := range index.Search(terms, research.MaxExcerpts) {
		if len(keep) < research.MaxExcerpts {
			keep[h.Doc] = true
		}
	}
	kept := make([]research.Excerpt, 0, len(keep))
	for i, e := range all {
		if keep[i] {
			kept = append(kept, e)
		}
	}
	return kept
}

// excerpts lists every sentence and row of a page that can be quoted.
func excerpts(d *document.Document) []research.Excerpt {
	var (
		out     []research.Excerpt
		heading text.Span
		aside   bool
		place   int
	)
	for _, b := range d.Blocks {
		if b.Kind == document.KindHeading {
			heading, aside = b.Span, asides.MatchString(b.In(d.Text))
		}
		if aside || linked(b) {
			continue
		}
		switch b.Kind {
		case document.KindHeading, document.KindCode, document.KindTerm:
		case document.KindRow:
			if !b.Header && b.Len() <= maxRow && len(b.Cells) > 1 {
				out = append(out, research.Excerpt{Span: b.Span, Kind: b.Kind, Heading: heading, Place: place})
				place++
			}
		default:
			for _, s := range text.Sentences(b.In(d.Text)) {
				s = s.Shift(b.Start)
				if quotable(s.In(d.Text)) {
					out = append(out, research.Excerpt{Span: s, Kind: b.Kind, Heading: heading, Place: place})
				}
				place++
			}
		}
	}
	return out
}

// asides are headings of sections that list other texts and say nothing of the
// subject.
var asides = regexp.MustCompile(`(?i)^\W*(?:\d+\W+)?(?:references|bibliography|further reading|see also|external links|sources|footnotes|notes|literature|works cited|参考文献|参考资料|延伸阅读|相关链接|来源)\W*$`)

// pointer is a sentence that sends the reader elsewhere.
var pointer = regexp.MustCompile(`(?i)^(?:see|read|cf\.)\s+(?:also|the|our|section|chapter)?\b|^(?:参见|另见|详见)`)

// linked reports whether a block is little more than a link: an entry of a
// menu, not a statement.
func linked(b document.Block) bool {
	n := 0
	for _, in := range b.Inline {
		if in.Kind == document.InlineLink {
			n += in.Len()
		}
	}
	return n*5 >= b.Len()*4
}

// complete reports whether s reads as a sentence: it ends like one, or is long
// enough to say something without. Titles and labels do neither.
func complete(s string) bool {
	return strings.ContainsAny(s[max(0, len(s)-8):], ".!?:;。！？；：…") || words(s) >= minWords
}

func quotable(s string) bool {
	return len(s) <= maxBytes && len(text.Terms(s)) >= minTerms && complete(s) && !pointer.MatchString(s) && !safe.Orders(s)
}

// terms of all facets, without repeats.
func facetTerms(facets []research.Facet) []string {
	var t []string
	for _, f := range facets {
		t = append(t, f.Terms...)
	}
	return unique(slices.Clip(t))
}
