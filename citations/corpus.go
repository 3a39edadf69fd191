package citations

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"deepresearch/internal/rank"
	"deepresearch/internal/text"
)

const (
	windowSentences = 3    // a passage that is compared with a claim
	windowStep      = 2    // neighbours share a sentence, so no pair of sentences is torn
	longestSentence = 1200 // bytes; lines without stops are cut
	candidates      = 3    // passages of a source that are looked at closely
)

// corpus is the archived texts of a ledger's sources, cut into windows and
// indexed.
type corpus struct {
	pages   map[string]*archived // by source id
	index   *rank.Index          // one document a window
	windows []window
}

// archived is one source's text.
type archived struct {
	source Source
	text   string
	first  int // its windows are windows[first:end]
	end    int
	err    error // why the text is missing
}

// window is a passage of up to three sentences.
type window struct {
	source string
	span   text.Span
	terms  []string
	set    map[string]bool // of terms, once needed
	ground *ground         // once needed
}

// newCorpus reads the texts of all sources. A text that is missing or is not
// what its hash says makes its source unusable, not the corpus; only the end of
// ctx is an error.
func newCorpus(ctx context.Context, l *Ledger, a Archive) (*corpus, error) {
	c := &corpus{pages: map[string]*archived{}, index: rank.NewIndex(rank.Options{})}
	for _, s := range l.Sources() {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		page := &archived{source: s, first: len(c.windows)}
		if page.text, page.err = a.Text(ctx, s.SHA256); page.err == nil && Hash(page.text) != s.SHA256 {
			page.err = errors.New("it is not the text whose sha256 was recorded")
		}
		if page.err == nil {
			c.add(page)
		}
		page.end = len(c.windows)
		c.pages[s.ID] = page
	}
	return c, nil
}

// add cuts a page into windows.
func (c *corpus) add(page *archived) {
	sentences := cutLong(page.text, text.Sentences(page.text))
	terms := make([][]string, len(sentences))
	for i, s := range sentences {
		terms[i] = text.Terms(s.In(page.text))
	}
	for i := 0; i < len(sentences); i += windowStep {
		end := min(i+windowSentences, len(sentences))
		w := window{
			source: page.source.ID,
			span:   text.Span{Start: sentences[i].Start, End: sentences[end-1].End},
			terms:  slices.Concat(terms[i:end]...),
		}
		c.index.Add(w.terms)
		c.windows = append(c.windows, w)
		if end == len(sentences) {
			break
		}
	}
}

// cutLong cuts sentences that are no sentences.
func cutLong(s string, spans []text.Span) []text.Span {
	var out []text.Span
	for _, span := range spans {
		for span.Len() > longestSentence {
			cut := span.Start + longestSentence
			for !utf8.RuneStart(s[cut]) {
				cut--
			}
			if blank := strings.LastIndexAny(s[span.Start:cut], " \n"); blank > longestSentence/2 {
				cut = span.Start + blank
			}
			out = append(out, text.Span{Start: span.Start, End: cut})
			span.Start = cut
		}
		out = append(out, span)
	}
	return out
}

// match is how well a window carries a claim.
type match struct {
	window  int
	support float64 // share of the claim's words, weighted by rarity, that stand in the window
}

func bySupport(a, b match) int { return cmp.Compare(b.support, a.support) }

// support is the share of the claim's terms, weighted by inverse document
// frequency, that the window holds. It tells which source a sentence belongs to
// (measured on ExpertQA: area under the curve .99 against another topic, .90
// against other sources of the same answer), not whether the source entails it.
func (c *corpus) support(claim []string, at int) float64 {
	w := &c.windows[at]
	if w.set == nil {
		w.set = setOf(w.terms)
	}
	return c.share(claim, w.set)
}

// share is the share of the claim's terms, by weight, that are in set.
func (c *corpus) share(claim []string, set map[string]bool) float64 {
	have, all := 0.0, 0.0
	for _, t := range claim {
		weight := c.index.IDF(t)
		all += weight
		if set[t] {
			have += weight
		}
	}
	if all == 0 {
		return 0
	}
	return have / all
}

// inside returns the best windows of one source, best first.
func (c *corpus) inside(claim []string, source string) []match {
	page := c.pages[source]
	if page == nil {
		return nil
	}
	hits := make([]rank.Hit, 0, page.end-page.first)
	for i := page.first; i < page.end; i++ {
		if s := c.index.Score(claim, i); s > 0 {
			hits = append(hits, rank.Hit{Doc: i, Score: s})
		}
	}
	return c.matches(claim, hits)
}

// anywhere returns the best windows of all sources, best first.
func (c *corpus) anywhere(claim []string) []match {
	return c.matches(claim, c.index.Search(claim, 4*candidates))
}

// matches looks closely at the hits with the highest scores and orders them by
// support.
func (c *corpus) matches(claim []string, hits []rank.Hit) []match {
	slices.SortStableFunc(hits, func(a, b rank.Hit) int { return cmp.Compare(b.Score, a.Score) })
	hits = hits[:min(len(hits), 4*candidates)]
	found := make([]match, len(hits))
	for i, h := range hits {
		found[i] = match{h.Doc, c.support(claim, h.Doc)}
	}
	slices.SortStableFunc(found, bySupport)
	return found[:min(len(found), candidates)]
}

// passage is the window's text as archived.
func (c *corpus) passage(at int) string {
	w := c.windows[at]
	return w.span.In(c.pages[w.source].text)
}

// ground is the window prepared for exact comparison.
func (c *corpus) ground(at int) *ground {
	w := &c.windows[at]
	if w.ground == nil {
		g := groundOf(visible(c.passage(at)))
		w.ground = &g
	}
	return w.ground
}

// sentence is the sentence of a window that shares most with the claim, with
// its share.
func (c *corpus) sentence(claim []string, at int) (text.Span, float64) {
	w := c.windows[at]
	whole := w.span.In(c.pages[w.source].text)
	best, most := w.span, 0.0
	for _, s := range cutLong(whole, text.Sentences(whole)) {
		if share := c.share(claim, setOf(text.Terms(s.In(whole)))); share > most {
			best, most = s.Shift(w.span.Start), share
		}
	}
	return best, most
}

func setOf(terms []string) map[string]bool {
	set := make(map[string]bool, len(terms))
	for _, t := range terms {
		set[t] = true
	}
	return set
}
