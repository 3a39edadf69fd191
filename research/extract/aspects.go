package extract

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"deepresearch/internal/text"
	"deepresearch/research"
)

// aspect is what a table row is about: a noun phrase that sentences about several
// of the things compared share, as the documents write it.
type aspect struct {
	terms    []string
	key      string
	shown    map[string]int // spellings and how often each occurs
	subjects int            // of how many it is said
	weight   float64        // mean inverse frequency of its terms
	seen     int            // occurrences
	open     int            // those that a content word precedes: the phrase is longer than this
}

// whole reports whether the phrase mostly stands between words that are no part
// of it: "atomics" in "sequentially consistent atomics" does not.
func (a *aspect) whole() bool { return 2*a.open < a.seen }

// name is the spelling that occurs most.
func (a *aspect) name() string {
	best := ""
	for s, n := range a.shown {
		if best == "" || n > a.shown[best] || n == a.shown[best] && s > best { // small letters before capitals
			best = s
		}
	}
	return best
}

// aspects finds the phrases that sentences about several subjects share, most
// shared and commonest first. The words of the question itself are what the whole
// table is about and give no row.
func (w *writer) aspects(f research.Facet, about [][]int) []*aspect {
	skip, own := map[string]bool{}, map[string]bool{}
	for _, t := range f.Terms {
		skip[t] = true
	}
	for _, s := range w.state.Analysis.Subjects {
		for _, t := range text.Terms(s) {
			own[t] = true
		}
	}
	found := map[string]*aspect{}
	last := map[string]int{} // key -> the subject that it was counted for last, plus 1
	for j, list := range about {
		for _, i := range list {
			for _, p := range phrasesIn(w.text(i)) {
				if all(p.terms, skip) || slices.ContainsFunc(p.terms, func(t string) bool { return own[t] }) {
					continue
				}
				a := found[p.key]
				if a == nil {
					a = &aspect{terms: p.terms, key: p.key, shown: map[string]int{}}
					for _, t := range p.terms {
						a.weight += w.index.IDF(t) / float64(len(p.terms))
					}
					found[p.key] = a
				}
				a.seen++
				a.shown[p.shown]++
				if p.open {
					a.open++
				}
				if last[p.key] != j+1 {
					last[p.key] = j + 1
					a.subjects++
				}
			}
		}
	}
	var out []*aspect
	for _, a := range found {
		if a.subjects > 1 && a.whole() {
			out = append(out, a)
		}
	}
	slices.SortFunc(out, func(a, b *aspect) int {
		return cmp.Or(cmp.Compare(b.subjects, a.subjects), cmp.Compare(a.weight, b.weight), strings.Compare(a.key, b.key))
	})
	return out
}

func all(terms []string, in map[string]bool) bool {
	return !slices.ContainsFunc(terms, func(t string) bool { return !in[t] })
}

// phrase is two or three neighbouring words that no function word or punctuation
// parts; words that a hyphen joins are one.
type phrase struct {
	terms      []string // without function words
	key, shown string
	open       bool // a content word stands before it
}

// word is a run of tokens that hyphens join.
type word struct {
	text.Span
	terms []string // of a function word none
}

func phrasesIn(s string) []phrase {
	list := wordsIn(s)
	var out []phrase
	for i := range list {
		var terms []string
		for n := i; n < len(list) && n < i+3 && list[n].terms != nil && (n == i || adjacent(s, list[n-1], list[n])); n++ {
			terms = append(slices.Clip(terms), list[n].terms...)
			if n == i || strings.HasSuffix(list[n-1].In(s), "ly") { // an adverb and an adjective lack their noun
				continue
			}
			out = append(out, phrase{
				terms: terms, key: strings.Join(terms, " "), shown: s[list[i].Start:list[n].End],
				open: i > 0 && list[i-1].terms != nil && adjacent(s, list[i-1], list[i]),
			})
		}
	}
	return out
}

// adjacent reports whether nothing but a blank parts two words.
func adjacent(s string, a, b word) bool {
	return a.End < b.Start && strings.TrimSpace(s[a.End:b.Start]) == ""
}

// wordsIn cuts a text into words. Those with signs or digits in them, such as
// identifiers, count as function words: they name no aspect.
func wordsIn(s string) []word {
	var out []word
	for _, t := range text.Tokens(s) {
		var terms []string
		plain := letters(t.Term) && !(t.Start > 0 && strings.ContainsRune("_./", rune(s[t.Start-1])))
		if plain && !text.IsStop(t.Term) {
			terms = []string{t.Term}
		}
		if n := len(out); n > 0 && out[n-1].End < t.Start && s[out[n-1].End:t.Start] == "-" {
			out[n-1].End = t.End
			out[n-1].terms = append(out[n-1].terms, terms...)
			continue
		}
		out = append(out, word{t.Span, terms})
	}
	return out
}

func letters(s string) bool {
	return len(s) > 2 && strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }) < 0
}
