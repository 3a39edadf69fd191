package write

import (
	"strings"

	"deepresearch/citations"
	"deepresearch/internal/safe"
	"deepresearch/internal/text"
)

// tally counts what was taken out of a model's text, for the warnings.
type tally struct {
	forged    int // names of passages that were not given out, and numbered marks
	addresses int // sentences with an address that no passage has
	orders    int // sentences that give orders or hold the place of text
}

func (c *tally) add(o tally) {
	c.forged += o.forged
	c.addresses += o.addresses
	c.orders += o.orders
}

// scribe turns a model's prose into blocks of a draft.
type scribe struct {
	aliases citations.Aliases
	lookup  func(id string) (citations.Source, citations.Quote, bool)
	tally
}

var (
	notFound = text.NewPattern(`(?i)^\W*not found\W*$`)
	entry    = text.NewPattern(`^\s*(?:[-*•]|\d{1,2}[.)])\s+`)
	linkText = text.NewPattern(`!?\[([^\][]*)\]\([^()\s]*\)`)
	numbered = text.NewPattern(`\[\^?\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*\]|【[^】]{0,30}】`)
	// loose is the blank that a removed mark leaves before a stop.
	loose = text.NewPattern(`\s+([.,;:!?。，；！？])`)
	// headed is a line that only a heading, a rule, a table or a fence would be.
	headed = text.NewPattern(`^\s*(?:#{1,6}\s|[-*_=]{3,}\s*$|\||` + "```" + `)`)
	// sourceList opens the list of sources that a model adds unasked.
	sourceList = text.NewPattern(`(?i)^\W*(?:sources?|references?|bibliography|citations?|works cited|quellen|fuentes|参考文献|参考资料|来源)\W*$`)
)

// blocks reads prose: paragraphs and lists of sentences with the ids of their
// quotes. empty is true when the model said that it found nothing.
func (sc *scribe) blocks(written string, cut bool) (out []citations.Block, empty bool) {
	if notFound.MatchString(written) {
		return nil, true
	}
	written, _ = safe.Text(written)
	lines := strings.Split(strings.ReplaceAll(written, "\r\n", "\n"), "\n")
	var paragraph []string
	flush := func() {
		if s := sc.sentences(strings.Join(paragraph, " ")); len(s) > 0 {
			out = append(out, citations.Block{Kind: citations.Paragraph, Sentences: s})
		}
		paragraph = nil
	}
	for _, line := range lines {
		switch {
		case sourceList.MatchString(strings.TrimLeft(line, "# ")):
			flush()
			return out, false
		case strings.TrimSpace(line) == "" || headed.MatchString(line):
			flush()
		case entry.MatchString(line):
			flush()
			out = sc.entry(out, entry.ReplaceAllString(line, ""))
		default:
			paragraph = append(paragraph, line)
		}
	}
	flush()
	if cut {
		out = uncut(out)
	}
	return out, false
}

// entry adds a list entry to the list that stands last, or begins one.
func (sc *scribe) entry(out []citations.Block, line string) []citations.Block {
	s := sc.sentences(line)
	if len(s) == 0 {
		return out
	}
	if n := len(out); n == 0 || out[n-1].Kind != citations.List {
		out = append(out, citations.Block{Kind: citations.List})
	}
	last := &out[len(out)-1]
	last.Rows = append(last.Rows, s)
	return out
}

// sentences reads one stretch of prose and keeps the sentences that may stand in
// a report.
func (sc *scribe) sentences(prose string) []citations.Sentence {
	prose = strings.NewReplacer("**", "", "__", "").Replace(linkText.ReplaceAllString(prose, "$1"))
	expanded, forged := sc.aliases.Expand(prose)
	expanded = numbered.ReplaceAllStringFunc(expanded, func(string) string {
		forged++
		return ""
	})
	if forged > 0 {
		expanded = loose.ReplaceAllString(expanded, "$1")
		sc.forged += forged
	}
	var out []citations.Sentence
	for _, s := range citations.SplitSentences(expanded) {
		bare := plain(s)
		switch {
		case bare == "" || notFound.MatchString(bare):
		case !sc.known(s, bare):
			sc.addresses++
		case safe.Orders(bare) || placeholder.MatchString(bare):
			sc.orders++
		default:
			out = append(out, s)
		}
	}
	return out
}

// known reports whether every address of a sentence stands in a passage that it
// cites.
func (sc *scribe) known(s citations.Sentence, bare string) bool {
	for _, a := range address.FindAllString(bare, -1) {
		a = strings.TrimRight(a, ".,;:!?")
		found := false
		for _, id := range cited(s) {
			_, q, ok := sc.lookup(id)
			found = found || ok && strings.Contains(q.Text, a)
		}
		if !found {
			return false
		}
	}
	return true
}

var (
	token   = text.NewPattern(`\s*\[\[[^\][]*\]\]`)
	quoteID = text.NewPattern(`S[0-9]+\.q[0-9]+`)
)

// plain is a sentence without its tokens.
func plain(s citations.Sentence) string {
	return strings.TrimSpace(token.ReplaceAllString(s.Text, ""))
}

// cited are the ids that a sentence names.
func cited(s citations.Sentence) []string {
	var ids []string
	for _, t := range token.FindAllString(s.Text, -1) {
		ids = append(ids, quoteID.FindAllString(t, -1)...)
	}
	return append(ids, s.Quotes...)
}

// uncut drops the last sentence of a text that ended at its output limit, unless
// it is whole.
func uncut(blocks []citations.Block) []citations.Block {
	n := len(blocks)
	if n == 0 {
		return nil
	}
	last := &blocks[n-1]
	list := &last.Sentences
	if last.Kind == citations.List {
		list = &last.Rows[len(last.Rows)-1]
	}
	if s := (*list)[len(*list)-1]; strings.HasSuffix(s.Text, "]]") || strings.ContainsAny(plain(s)[max(0, len(plain(s))-3):], ".!?。！？") {
		return blocks
	}
	*list = (*list)[:len(*list)-1]
	return tidy(blocks)
}

// heading cleans a heading that a model wrote. Figures in it must stand in one of
// the texts; a heading of a section that code writes is refused.
func heading(s string, texts ...string) (string, bool) {
	if placeholder.MatchString(s) {
		return "", false
	}
	s = strings.Trim(strings.NewReplacer("**", "", "#", "", "[", "", "]", "").Replace(s), " .:：。")
	clean, ok := statement(s, maxHeading)
	return clean, ok && !reserved.MatchString(clean) && len(text.Tokens(clean)) > 0 && figuresFrom(clean, texts...)
}

// maxHeading is the longest heading in characters.
const maxHeading = 110

// reserved are headings of what no section is for: lists that code writes, and
// openings and closings that say nothing of their own.
var reserved = text.NewPattern(`(?i)^\W*(?:sources?|references?|bibliography|citations?|works cited|introduction|conclusions?|summary|executive summary|abstract|appendix|quellen|einleitung|fazit|zusammenfassung|来源|参考文献|引言|结论|总结|摘要)\W*$`)
