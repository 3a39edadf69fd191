package extract

import (
	"slices"
	"strings"

	"deepresearch/crawl/document"
	"deepresearch/internal/text"
	"deepresearch/research"
)

// What a term of the question counts by where it stands: in the sentence itself,
// in the heading or date above it, in the title of its page or the sentence
// before it.
const (
	byHeading = 0.8
	byTitle   = 0.6
	byBefore  = 0.4
)

// When the pages answer a question. One of few words asks one thing, and a
// sentence that answers it covers most of them; a longer one describes what it
// asks for, often over several documents, and then the things that it names must
// be there. Measured on the notes of the evaluation and on HotpotQA and MuSiQue,
// none of whose answerable questions may be turned away.
const (
	fewTerms     = 4
	answers      = 0.45 // least cover of a sentence that answers
	restAnswers  = 0.2  // the same of what is asked of the named things
	spread       = 0.3  // least cover of a long question without names
	direct       = 0.85 // cover of a long question that one sentence answers alone
	nearAnswer   = 0.5  // of the best relevance and cover: what supports it
	fewSentences = 5
)

// wordsOfAsking say how something is asked, not what: they are no part of an
// answer. Chinese and Japanese ones must go before the text is cut into pairs.
var wordsOfAsking = text.NewPattern(`(?i)^\W*(?:please\s+|and\s+)?(?:(?:what|which|how)\s+(?:kind|sort|type)s?\s+of|(?:explain|describe|define|compare|list|summari[sz]e|tell\s+me)(?:\s+about)?)\b|` +
	`\b(?:timeline|chronology|history|evolution|overview|survey|comparison)\s+of\b|\bdifferences?\s+between\b|\bover\s+(?:time|the\s+years)\b|\b(?:zeitleiste|chronologie|geschichte)\s+(?:des|der|von)\b|` +
	`时间线|历史|演变|演进|发展历程|概述|综述|介绍|区别|差异|` +
	`\bhow\s+(?:tall|high|deep|wide|broad|thick|far|heavy|old|large|big|fast|slow|often|long|many|much|expensive)\b|\bwie\s+(?:hoch|tief|breit|weit|schwer|lange?|alt|viele?|oft|groß)\b|` +
	`^\W*(?:was\s+(?:ist|sind|kostet)|qu['’]est-ce\s+qu(?:e|['’])(?:\s+la\b)?)|` +
	`为什么|什么时候|什么是|是什么|什么|多少|何时|为何|如何|怎么样?|怎样|哪一?[些个年月天日]|有没有|有多[大高长快久重深]|几[个次年倍]|谁|吗|` +
	`的|了|` +
	`とは何ですか|は何ですか|何ですか|ですか|とは|なぜ|どう|いつ|誰`)

// wanted is what an answer to one part of the question speaks of.
type wanted struct {
	terms  []string
	weight []float64
	named  []bool            // the term belongs to a proper name or is a number
	like   []map[string]bool // terms of the pages that are forms of the same word
	names  int               // how many proper names it has
	units  []string          // of the number that it asks for; nil when it asks for none
}

// want reads the terms of a part of the question. Those that the part takes over
// from another part, as in "and how many did it fix", count only where it has
// none of its own.
func (e *evidence) want(f research.Facet) wanted {
	title := wordsOfAsking.ReplaceAllString(f.Title, " ")
	terms := unique(text.Terms(title))
	if len(terms) == 0 {
		terms = unique(f.Terms)
	}
	names := map[string]bool{}
	w := wanted{terms: terms, units: unitsOf(f.Title)}
	for _, n := range text.Names(f.Title) {
		if base(text.Language(f.Title)) == "de" { // where every noun has a capital
			break
		}
		w.names++
		for _, t := range text.Terms(n.In(f.Title)) {
			names[t] = true
		}
	}
	var known part
	for _, t := range terms {
		like := map[string]bool{t: true}
		for v := range e.vocabulary {
			if akin(t, v) {
				like[v] = true
			}
		}
		weight := e.index.IDF(t)
		for v := range like {
			weight = min(weight, e.index.IDF(v))
		}
		if e.vocabulary[t] || len(like) > 1 {
			known.add(weight, 1)
		} else {
			weight = 0
		}
		w.weight = append(w.weight, weight)
		w.named = append(w.named, names[t] || digits(t))
		w.like = append(w.like, like)
	}
	for i := range w.weight { // how rare a word is that no page has, nobody knows: it counts as one of the others
		if w.weight[i] == 0 {
			w.weight[i] = known.share(1)
		}
	}
	return w
}

// akin reports whether two terms look like forms of one word, as decide and
// decision, attend and attendee do; terms are stemmed only lightly.
func akin(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	n := 0
	for n < len(a) && a[n] == b[n] {
		n++
	}
	return len(a) >= 4 && a[0] < 0x80 && (len(a) >= 5 && len(b)-len(a) <= 5 || len(b)-len(a) == 1) && (n == len(a) || n == len(a)-1 && n >= 4 && len(b) >= len(a)+3)
}

func (w wanted) in(set []string, i int) bool {
	for t := range w.like[i] {
		if _, ok := slices.BinarySearch(set, t); ok {
			return true
		}
	}
	return false
}

// coverage is how far a sentence and what stands around it speak of what is
// wanted, from 0 to 1: of all of it, and of what is asked of the named things. Fit
// is what it has of that which the question word asks for.
type coverage struct{ all, rest, fit float64 }

// cover rates every sentence. A page in another language than the question can
// share no more than names with it.
func (e *evidence) cover(w wanted) []coverage {
	out := make([]coverage, len(e.sentences))
	for i, s := range e.sentences {
		var all, named, rest part
		for t, weight := range w.weight {
			have := weight * e.place(w, t, i)
			all.add(have, weight)
			if w.named[t] {
				named.add(have, weight)
			} else {
				rest.add(have, weight)
			}
		}
		out[i] = coverage{all: all.share(0), rest: rest.share(1)}
		if s.stated() && e.foreign(s.page) && named.share(0) > out[i].all {
			out[i] = coverage{all: named.share(0), rest: 1}
		}
	}
	return out
}

// part is how much there is of a whole.
type part struct{ have, whole float64 }

func (p *part) add(have, whole float64) { p.have, p.whole = p.have+have, p.whole+whole }

// share is the part as a number from 0 to 1, none when there is no whole.
func (p part) share(none float64) float64 {
	if p.whole == 0 {
		return none
	}
	return p.have / p.whole
}

// place is what term t counts for sentence i by where it stands.
func (e *evidence) place(w wanted, t, i int) float64 {
	s := e.sentences[i]
	switch {
	case w.in(s.set, t):
		return 1
	case w.in(s.above, t):
		return byHeading
	case w.in(e.titles[s.page], t):
		return byTitle
	case i > 0 && e.sentences[i-1].page == s.page && e.sentences[i-1].Heading == s.Heading && e.sentences[i-1].stated() && w.in(e.sentences[i-1].set, t):
		return byBefore
	}
	return 0
}

// apart reports whether a sentence tells of the document and not of its subject.
func (s sentence) apart() bool { return s.Kind == document.KindHeading || s.field }

// stated reports whether a sentence says something that the next may go on with.
func (s sentence) stated() bool { return !s.apart() && s.Kind != document.KindRow }

// foreign reports whether a page is in another language than the question, so
// that only names can be looked for in it.
func (e *evidence) foreign(page int) bool {
	l := e.pages[page].Source.Language
	return l != "" && l != "und" && base(l) != base(e.language)
}

// answered reports whether a sentence with this coverage answers.
func (c coverage) answered() bool { return c.all >= answers && c.rest >= restAnswers }

// simple reports whether one thing is asked, so that one sentence can answer.
func (w wanted) simple() bool { return len(w.terms) <= fewTerms && w.names < 2 }

// evident reports whether the pages hold an answer.
func (e *evidence) evident(w wanted, cover []coverage) bool {
	best := 0.0
	for i, c := range cover {
		if c.answered() && (w.units == nil || measured(e.text(i), append(w.units, ""))) {
			best = max(best, c.all)
		}
	}
	missing, named := 0, 0
	for t := range w.terms {
		if !w.named[t] {
			continue
		}
		if named++; !e.anywhere(w, t) {
			missing++
		}
	}
	switch {
	case named > 0 && missing == named:
		return false
	case e.gathers:
		return slices.ContainsFunc(cover, func(c coverage) bool { return c.all >= answers/2 })
	case len(w.terms) <= fewTerms && w.names < 2:
		return best > 0 && missing == 0
	case named > 0:
		return missing*2 < named
	}
	return best > 0 || slices.ContainsFunc(cover, func(c coverage) bool { return c.all >= spread })
}

// anywhere reports whether term t stands in a sentence, its heading or a title.
func (e *evidence) anywhere(w wanted, t int) bool {
	for i := range e.sentences {
		if e.place(w, t, i) >= byTitle {
			return true
		}
	}
	return false
}

// repeats reports whether a fragment says nothing that the question does not.
func (e *evidence) repeats(i int, w wanted) bool {
	s := e.sentences[i]
	return s.Kind != document.KindRow && !complete(e.text(i)) && !slices.ContainsFunc(s.set, func(t string) bool {
		return !slices.ContainsFunc(w.like, func(like map[string]bool) bool { return like[t] })
	})
}

// question reports whether a sentence asks instead of telling.
func question(s string) bool {
	s = strings.TrimRight(s, " \t\n\"'”’»)」")
	return strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？")
}
