package extract

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

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
	minNoted = 2   // of a note with a label
	minWords = 9   // of a sentence without an end
	maxBytes = 600 // a longer one is no quotation but a paragraph
	maxRow   = 300 // of a table row
)

// choose picks the sentences and table rows of one page that could serve as
// evidence: its first ones, for a timeline one below each date, then the best for
// the terms by BM25 within the page. They come back in the order of the page.
// Sentences that give orders to a reader are never offered, fragments not on a
// page that is long without them.
func choose(d *document.Document, terms []string, timeline bool) []research.Excerpt {
	all := excerpts(d)
	if len(all) > research.MaxExcerpts {
		all = slices.DeleteFunc(all, func(e research.Excerpt) bool { return e.Kind != document.KindHeading && !complete(e.In(d.Text)) })
	}
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
	if timeline {
		for _, i := range underDates(d.Text, all) {
			if len(keep) < research.MaxExcerpts/2 {
				keep[i] = true
			}
		}
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

// underDates are the first sentences below each date that holds for more than
// one sentence.
func underDates(t string, all []research.Excerpt) []int {
	var out []int
	i := 0
	for _, s := range stamps(t) {
		for i < len(all) && all[i].Start < s.End {
			i++
		}
		if i < len(all) && (len(out) == 0 || out[len(out)-1] != i) {
			out = append(out, i)
		}
	}
	return out
}

// excerpts lists every sentence and row of a page that can be quoted, and the
// dated lines that hold for what stands below them.
func excerpts(d *document.Document) []research.Excerpt {
	var (
		out   []research.Excerpt
		above text.Span // the heading
		aside bool
		place int
	)
	add := func(kind document.Kind, s text.Span) {
		out = append(out, research.Excerpt{Span: s, Kind: kind, Heading: above, Place: place})
	}
	for i, b := range d.Blocks {
		own := b.In(d.Text)
		if b.Kind == document.KindHeading {
			above, aside = b.Span, asides.MatchString(own)
			if _, ok := stampOf(own); ok && !safe.Orders(own) {
				add(b.Kind, b.Span)
			}
		}
		if aside || linked(b) {
			continue
		}
		switch b.Kind {
		case document.KindHeading, document.KindCode, document.KindTerm:
		case document.KindRow:
			if !b.Header && b.Len() <= maxRow && len(b.Cells) > 1 {
				add(b.Kind, b.Span)
				place++
			}
		default:
			for _, s := range statements(own) {
				s = withCode(d, i, s.Shift(b.Start))
				if t := s.In(d.Text); quotable(t) && (b.Kind != document.KindCaption || complete(t)) {
					add(b.Kind, s)
				}
				place++
			}
		}
	}
	return out
}

// withCode extends a sentence that ends a block with a colon over the code that
// follows it: the code is what the sentence says.
func withCode(d *document.Document, block int, s text.Span) text.Span {
	if block+1 == len(d.Blocks) || s.End != d.Blocks[block].End || !strings.HasSuffix(s.In(d.Text), ":") {
		return s
	}
	if next := d.Blocks[block+1]; next.Kind == document.KindCode && next.End-s.Start <= maxBytes {
		s.End = next.End
	}
	return s
}

// statements cuts a block into what can be quoted on its own: fields, lines that
// the writer set apart, sentences.
func statements(s string) []text.Span {
	var out []text.Span
	for _, line := range lines(s) {
		own := line.In(s)
		if f := fields(own); f != nil {
			for _, f := range f {
				out = append(out, f.Shift(line.Start))
			}
			continue
		}
		for _, x := range text.Sentences(own) {
			out = append(out, x.Shift(line.Start))
		}
	}
	return out
}

// lines cuts a text at the line ends that its parser kept, unless a sentence
// runs on over one: a line that begins small, without a label, after one that
// did not end.
func lines(s string) []text.Span {
	var out []text.Span
	start := 0
	for line := range strings.Lines(s) {
		body := strings.TrimSpace(line)
		own := text.Span{Start: start + strings.Index(line, body), End: start + strings.Index(line, body) + len(body)}
		start += len(line)
		if body == "" {
			continue
		}
		if n := len(out); n > 0 && runsOn(out[n-1].In(s), body) {
			out[n-1].End = own.End
			continue
		}
		out = append(out, own)
	}
	return out
}

// wrapped is the length in bytes from which a line may have been wrapped.
const wrapped = 45

func runsOn(before, line string) bool {
	r, _ := utf8.DecodeRuneInString(line)
	head, _, labelled := strings.Cut(line, ":")
	return len(before) >= wrapped && !strings.ContainsAny(before[len(before)-1:], ".!?:;") &&
		unicode.IsLower(r) && !(labelled && words(head) <= 3)
}

// asides are headings of sections that list other texts and say nothing of the
// subject.
var asides = text.NewPattern(`(?i)^\W*(?:\d+\W+)?(?:references|bibliography|further reading|see also|external links|sources|footnotes|literature|works cited|参考文献|参考资料|延伸阅读|相关链接|来源)\W*$`)

// pointer is a sentence that sends the reader elsewhere.
var pointer = text.NewPattern(`(?i)^(?:see|read|cf\.)\s+(?:also|the|our|section|chapter)?\b|^(?:参见|另见|详见)`)

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

// complete reports whether s reads as a sentence: it ends like one, is long
// enough to say something without, or has a label, as notes do.
func complete(s string) bool {
	return strings.ContainsAny(s[max(0, len(s)-8):], ".!?:;。！？；：…") || words(s) >= minWords || noted.MatchString(s)
}

// noted is a note of keywords: a label and what holds of it.
var noted = text.NewPattern(`^[\p{L}\p{N}][^:：]{0,40}[:：] ?\S`)

func quotable(s string) bool {
	least := minTerms
	if noted.MatchString(s) {
		least = minNoted
	}
	return len(s) <= maxBytes && len(text.Terms(s)) >= least && !pointer.MatchString(s) && !safe.Orders(s)
}

// terms of all facets, without repeats.
func facetTerms(facets []research.Facet) []string {
	var t []string
	for _, f := range facets {
		t = append(t, f.Terms...)
	}
	return unique(slices.Clip(t))
}
