package citations

import (
	"strings"
	"unicode"

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
	if quotes := quotesOf(c, l); quotedShare(c.Text, quotes) >= quotationShare && numbersStand(c.Text, quotes) {
		return Quoted, ""
	}
	return Unchecked, ""
}

// quotesOf are the texts of the quotes that a claim rests on, as shown.
func quotesOf(c Claim, l *Ledger) []string {
	var quotes []string
	for _, id := range c.Cites {
		if _, q, ok := l.Lookup(id); ok && q.ID != "" {
			quotes = append(quotes, visible(q.Text))
		}
	}
	return quotes
}

// quotedShare is the share of a sentence's words that stand in runs of words
// which occur in a quote just so.
func quotedShare(sentence string, quotes []string) float64 {
	said := terms(sentence)
	if len(said) == 0 {
		return 0
	}
	covered := make([]bool, len(said))
	for _, q := range quotes {
		cover(covered, said, terms(q))
	}
	n := 0
	for _, c := range covered {
		if c {
			n++
		}
	}
	return float64(n) / float64(len(said))
}

// cover marks the words of said that are part of a run which quote has too.
func cover(covered []bool, said, quote []string) {
	n := min(runTerms, len(said), len(quote))
	if n == 0 {
		return
	}
	runs := make(map[string]bool, len(quote))
	for i := 0; i+n <= len(quote); i++ {
		runs[strings.Join(quote[i:i+n], " ")] = true
	}
	for i := 0; i+n <= len(said); i++ {
		if runs[strings.Join(said[i:i+n], " ")] {
			for j := range n {
				covered[i+j] = true
			}
		}
	}
}

func terms(s string) []string {
	tokens := text.Tokens(s)
	out := make([]string, len(tokens))
	for i, t := range tokens {
		out[i] = t.Term
	}
	return out
}

// numbersStand reports whether every number of the sentence stands in a quote.
func numbersStand(sentence string, quotes []string) bool {
	stands := map[string]bool{}
	for _, q := range quotes {
		for _, t := range terms(q) {
			stands[t] = true
		}
	}
	for _, t := range terms(sentence) {
		if strings.ContainsFunc(t, unicode.IsDigit) && !stands[t] {
			return false
		}
	}
	return true
}

// worthy reports whether a sentence says something that a reader may want to
// check: it has a number, and asks nothing.
func worthy(sentence string) bool {
	return strings.ContainsFunc(sentence, unicode.IsDigit) && !strings.HasSuffix(strings.TrimSpace(sentence), "?")
}

// orders reports whether a passage speaks to a reading model.
func orders(passage string) bool { return safe.Orders(passage) }
