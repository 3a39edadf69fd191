package citations

import (
	"math"
	"slices"
	"strings"

	"deepresearch/internal/text"
)

// Disagreement is a matter on which two sources say different things. Its JSON
// form is one entry of the structured result's "disagreements".
type Disagreement struct {
	About string `json:"about"` // the words that both share
	Sides []Side `json:"sides"`
}

// Side is what one source says.
type Side struct {
	N         int    `json:"n"`     // number of the source, 0 when it is not cited
	Quote     string `json:"quote"` // verbatim
	ID        string `json:"id"`    // of the quote
	Published string `json:"published,omitempty"`
	Publisher string `json:"publisher,omitempty"`
}

const (
	// sameSubject is the share of the shorter sentence's words that both must
	// have for their numbers to be about the same thing.
	sameSubject = 0.6
	// roundingSlack is how far two figures may lie apart and still be one figure,
	// rounded.
	roundingSlack = 0.02
	// maxStatements bounds the pairs that are compared.
	maxStatements = 800
)

// Disagreements finds quotes of different sources that speak of the same thing
// and give a different number in the same unit, or the opposite polarity. It
// never decides and never averages: each side is shown with its quote, date and
// publisher. Figures of different years do not disagree.
func Disagreements(sources []Source) []Disagreement {
	statements := statementsOf(sources)
	var found []Disagreement
	used := map[[2]int]bool{}
	for i := range statements {
		for j := i + 1; j < len(statements); j++ {
			a, b := &statements[i], &statements[j]
			if a.source.ID == b.source.ID || a.source.identity() == b.source.identity() || used[[2]int{a.quote, b.quote}] {
				continue
			}
			if !a.sameSubject(b) || !a.differs(b) {
				continue
			}
			used[[2]int{a.quote, b.quote}] = true
			found = append(found, Disagreement{About: a.about(b), Sides: []Side{a.side(), b.side()}})
		}
	}
	return found
}

// Sentences are the sides of the disagreement for a draft, each with publisher,
// date and quotation.
func (d Disagreement) Sentences(language string) []Sentence {
	out := make([]Sentence, len(d.Sides))
	for i, s := range d.Sides {
		who := strings.Trim(s.Publisher+", "+s.Published, ", ")
		colon := ": "
		if chinese(language) {
			colon = "："
		}
		out[i] = Sentence{Text: who + colon + "“" + Shown(s.Quote) + "”", Quotes: []string{s.ID}}
	}
	return out
}

// statement is a sentence of a quote.
type statement struct {
	source Source
	quote  int // running number of the quote
	q      Quote
	terms  map[string]bool // without numbers
	words  []text.Token    // the same in order
	said   string
	facts  facts
}

func statementsOf(sources []Source) []statement {
	var out []statement
	quote := 0
	for _, s := range sources {
		for _, q := range s.Quotes {
			quote++
			shown := visible(q.Text)
			for _, span := range text.Sentences(shown) {
				said := span.In(shown)
				st := statement{source: s, quote: quote, q: q, said: said, facts: factsOf(said), terms: map[string]bool{}}
				for _, t := range text.Tokens(said) {
					if !strings.ContainsAny(t.Term, "0123456789") && !text.IsStop(t.Term) && !st.terms[t.Term] {
						st.terms[t.Term] = true
						st.words = append(st.words, t)
					}
				}
				if len(st.terms) >= 2 && len(out) < maxStatements {
					out = append(out, st)
				}
			}
		}
	}
	return out
}

// sameSubject reports whether both speak of the same thing: most words of the
// shorter one are shared, and each one's first name is named by the other.
func (a *statement) sameSubject(b *statement) bool {
	n := a.shared(b)
	if n < 2 || float64(n) < sameSubject*float64(min(len(a.terms), len(b.terms))) {
		return false
	}
	return named(a.facts.names, b.facts.names) && named(b.facts.names, a.facts.names)
}

// named reports whether the first of the names stands among the others. Where
// one side has none there is nothing to compare.
func named(names, others []string) bool {
	if len(names) == 0 || len(others) == 0 {
		return true
	}
	return slices.ContainsFunc(others, func(o string) bool {
		a, b := text.Normalize(names[0]), text.Normalize(o)
		return strings.Contains(a, b) || strings.Contains(b, a)
	})
}

// differs reports whether the two give different figures for the same time, or
// one denies what the other says.
func (a *statement) differs(b *statement) bool {
	if figures := a.figures(); len(figures) > 0 && len(b.figures()) > 0 {
		return a.sameTime(b) && differentFigures(figures, b.figures())
	}
	if years := a.years(); len(years) > 0 && len(b.years()) > 0 && len(a.figures())+len(b.figures()) == 0 {
		return !slices.ContainsFunc(years, func(y float64) bool { return slices.Contains(b.years(), y) })
	}
	return a.sameTime(b) && a.alike(b) && a.facts.polarity.Opposes(b.facts.polarity)
}

// figures are the numbers that measure something.
func (a *statement) figures() []text.Number {
	return slices.DeleteFunc(slices.Clone(a.facts.numbers), func(n text.Number) bool { return n.Year || n.Version || n.Range })
}

func (a *statement) years() []float64 {
	var years []float64
	for _, d := range a.facts.dates {
		if d.Year > 0 {
			years = append(years, float64(d.Year))
		}
	}
	return years
}

// sameTime reports whether no date says that they speak of different times.
func (a *statement) sameTime(b *statement) bool {
	if len(a.facts.dates) == 0 || len(b.facts.dates) == 0 {
		return true
	}
	return slices.ContainsFunc(a.facts.dates, func(d text.Date) bool { return slices.ContainsFunc(b.facts.dates, d.Same) })
}

// alike reports whether nearly all words are shared, which opposite polarity
// asks for: "rose" and "fell" are words too.
func (a *statement) alike(b *statement) bool {
	n := a.shared(b)
	return n >= 3 && float64(n) >= 0.75*float64(min(len(a.terms), len(b.terms)))
}

func (a *statement) shared(b *statement) int {
	n := 0
	for t := range a.terms {
		if b.terms[t] {
			n++
		}
	}
	return n
}

// differentFigures reports whether in some unit both sides have figures and no
// two of them agree.
func differentFigures(as, bs []text.Number) bool {
	return slices.ContainsFunc(as, func(a text.Number) bool {
		unit := measured(a.Unit)
		ours, theirs := inUnit(as, unit), inUnit(bs, unit)
		return len(theirs) > 0 && !slices.ContainsFunc(ours, func(o float64) bool {
			return slices.ContainsFunc(theirs, func(t float64) bool { return near(o, t) })
		})
	})
}

func inUnit(numbers []text.Number, unit string) []float64 {
	var values []float64
	for _, n := range numbers {
		if measured(n.Unit) == unit {
			values = append(values, n.Value)
		}
	}
	return values
}

func near(a, b float64) bool {
	return math.Abs(a-b) <= roundingSlack*max(math.Abs(a), math.Abs(b))
}

// about names the matter: a name that both hold and other words that they
// share, as the first writes them.
func (a *statement) about(b *statement) string {
	name := ""
	for _, n := range a.facts.names {
		if slices.Contains(b.facts.names, n) {
			name = n
			break
		}
	}
	inName := setOf(terms(name))
	var words []string
	end := 0
	for _, w := range a.words {
		switch {
		case !b.terms[w.Term] || inName[w.Term]:
		case w.Start < end: // pairs of characters overlap
			words[len(words)-1] += a.said[end:w.End]
			end = w.End
		case len(words) < 5:
			words = append(words, w.In(a.said))
			end = w.End
		}
	}
	about := strings.Join(words, " ")
	if name != "" && about != "" {
		return name + ": " + about
	}
	return name + about
}

func (a *statement) side() Side {
	publisher := a.source.Site
	if publisher == "" {
		publisher = a.source.Name()
	}
	return Side{N: a.source.N, Quote: a.q.Text, ID: a.q.ID, Published: a.source.Published, Publisher: publisher}
}
