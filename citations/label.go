package citations

import (
	"strings"

	"deepresearch/internal/safe"
	"deepresearch/internal/text"
)

const (
	// quotationShare is how much of a sentence must be quotation to be quoted.
	quotationShare = 0.6
	// runTerms is the shortest run of equal terms that counts as quotation.
	runTerms = 4
)

// firstLabel says what can be said of a claim from its quotes alone.
func firstLabel(c Claim, l *Ledger) (Label, string) {
	if len(c.Cites) == 0 {
		return Unchecked, ReasonUncited
	}
	e := evidenceOf(c, l)
	f := factsOf(c.Text)
	if e.quotes(c.Text, f) {
		return Quoted, ""
	}
	if d := groundOf(strings.Join(e.passages, "\n")).differing(f); len(d) > 0 {
		return Partial, reasonMissing(d)
	}
	return Unchecked, ""
}

func reasonMissing(missing []string) string {
	return "not in the cited passage: " + strings.Join(missing, ", ")
}

// evidence is what a claim cites, as its reader would see it.
type evidence struct {
	passages []string // the quotes, as shown
	about    []string // titles, sites and authors of their sources: an attribution may name them
}

func evidenceOf(c Claim, l *Ledger) evidence {
	var e evidence
	for _, id := range c.Cites {
		s, q, ok := l.Lookup(id)
		if !ok {
			continue
		}
		if q.ID != "" {
			e.passages = append(e.passages, visible(q.Text))
		}
		e.about = append(e.about, s.Name(), s.Site, strings.Join(s.Author, "\n"))
	}
	return e
}

// quotes reports whether the sentence is a quotation of the evidence: at least
// 60 % of its words stand there in the same order, and so do all its numbers,
// dates, names and negations. Names of an attribution may come from the source's
// own title, site or author.
func (e evidence) quotes(sentence string, f facts) bool {
	share, spoken := quotedShare(sentence, e.passages)
	if share < quotationShare {
		return false
	}
	g := groundOf(strings.Join(e.passages, "\n"))
	if len(g.differing(f)) > 0 || len(g.misquoted(f)) > 0 {
		return false
	}
	about := groundOf(strings.Join(e.about, "\n"))
	for _, name := range f.names {
		if !g.hasName(name) && !about.hasName(name) {
			return false
		}
	}
	return share == 1 || !f.polarity.Opposes(text.PolarityOf(spoken))
}

// quotedShare is the share of a sentence's words that stand in runs of words
// which occur in a passage just so, and the sentences of the passages that hold
// such runs.
func quotedShare(sentence string, passages []string) (share float64, spoken string) {
	said := terms(sentence)
	if len(said) == 0 {
		return 0, ""
	}
	covered := make([]bool, len(said))
	var holders []string
	for _, p := range passages {
		whole := terms(p)
		if !cover(covered, said, whole) {
			continue
		}
		for _, s := range text.Sentences(p) {
			if t := terms(s.In(p)); cover(make([]bool, len(said)), said, t) {
				holders = append(holders, s.In(p))
			}
		}
	}
	n := 0
	for _, c := range covered {
		if c {
			n++
		}
	}
	return float64(n) / float64(len(said)), strings.Join(holders, "\n")
}

// cover marks the words of said that are part of a run which passage has too
// and reports whether there was one.
func cover(covered []bool, said, passage []string) (found bool) {
	n := min(runTerms, len(said), len(passage))
	if n == 0 {
		return false
	}
	runs := make(map[string]bool, len(passage))
	for i := 0; i+n <= len(passage); i++ {
		runs[strings.Join(passage[i:i+n], " ")] = true
	}
	for i := 0; i+n <= len(said); i++ {
		if runs[strings.Join(said[i:i+n], " ")] {
			found = true
			for j := range n {
				covered[i+j] = true
			}
		}
	}
	return found
}

func terms(s string) []string {
	tokens := text.Tokens(s)
	out := make([]string, len(tokens))
	for i, t := range tokens {
		out[i] = t.Term
	}
	return out
}

// worthy reports whether a sentence says something that a reader may want to
// check: it has a number, a date, a name or a comparison, and neither asks nor
// speaks of the writer.
func worthy(sentence string) bool {
	s := strings.TrimSpace(sentence)
	if s == "" || strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？") || strings.HasSuffix(s, ":") || strings.HasSuffix(s, "：") {
		return false
	}
	own := terms(s)
	if len(own) < 2 || ownVoice[own[0]] || strings.HasPrefix(s, "本报告") || strings.HasPrefix(s, "我") {
		return false
	}
	f := factsOf(s)
	return len(f.numbers)+len(f.dates)+len(f.names)+len(f.digits) > 0 || f.polarity.Direction != 0 || compares(own)
}

// ownVoice begin sentences in which the writer speaks of himself.
var ownVoice = map[string]bool{"i": true, "we": true, "let": true, "my": true, "our": true}

// compares reports whether a word of the sentence ranks one thing over others.
func compares(terms []string) bool {
	for _, t := range terms {
		if comparing[t] || len(t) > 5 && strings.HasSuffix(t, "est") {
			return true
		}
	}
	return false
}

var comparing = map[string]bool{
	"most": true, "least": true, "best": true, "worst": true, "than": true, "first": true, "only": true, "leading": true,
	"最大": true, "最多": true, "最高": true, "首次": true, "唯一": true, "领先": true,
}

// orders reports whether a sentence of the passage speaks to a reading model.
func orders(passage string) bool {
	if safe.Orders(passage) {
		return true
	}
	for _, s := range text.Sentences(passage) {
		if safe.Orders(s.In(passage)) {
			return true
		}
	}
	return false
}
