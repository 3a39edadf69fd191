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
			if !a.matter.same(&b.matter) || !a.differs(b) {
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
	said   string
	facts  facts
	denied bool // an odd number of denials
	matter matter
	values []value
}

func statementsOf(sources []Source) []statement {
	var out []statement
	quote := 0
	for _, s := range sources {
		for _, q := range s.Quotes {
			quote++
			shown := visible(q.Text)
			for _, span := range text.Sentences(shown) {
				st := statement{source: s, quote: quote, q: q, said: span.In(shown)}
				st.facts = factsOf(st.said)
				st.denied = text.Denials(st.said)%2 == 1
				st.matter = matterOf(st.said, st.facts)
				st.facts.promoteYears(st.matter.aspects)
				st.values = valuesOf(st.said, st.facts, st.matter.heads)
				if len(st.matter.terms) > 0 && len(out) < maxStatements {
					out = append(out, st)
				}
			}
		}
	}
	return out
}

// differs reports whether the two, which speak of one matter, cannot both be
// right. Figures are compared where both have some; versions and dates then say
// which state or time they hold for. Else versions are compared, then dates, and
// at last whether one denies what the other says.
func (a *statement) differs(b *statement) bool {
	switch {
	case len(a.values) > 0 && len(b.values) > 0:
		return a.matter.sameVersions(&b.matter) && a.sameTime(b) && differentValues(a.values, b.values)
	case !a.matter.sameVersions(&b.matter):
		return a.sameTime(b) && a.alike(b) && differentVersions(a, b)
	case len(a.facts.dates) > 0 && len(b.facts.dates) > 0 && len(a.values)+len(b.values) == 0 && !a.sameTime(b):
		return a.alike(b) && !a.opposes(b)
	}
	return a.sameTime(b) && a.alike(b) && a.opposes(b)
}

// sameTime reports whether no date says that they speak of different times.
func (a *statement) sameTime(b *statement) bool {
	if len(a.facts.dates) == 0 || len(b.facts.dates) == 0 {
		return true
	}
	return slices.ContainsFunc(a.facts.dates, func(d text.Date) bool { return slices.ContainsFunc(b.facts.dates, d.Same) })
}

// opposes reports whether one denies what the other says, or they point in
// opposite directions.
func (a *statement) opposes(b *statement) bool {
	return a.denied != b.denied || a.facts.polarity.Direction*b.facts.polarity.Direction < 0
}

// alike reports whether nearly all words are shared, and most of the longer
// side's, which all but figures ask for: a denial or a date alone says little
// about what it belongs to.
func (a *statement) alike(b *statement) bool {
	n, x, y := a.matter.shared(&b.matter), len(a.matter.terms), len(b.matter.terms)
	return n >= 2 && float64(n) >= 0.75*float64(min(x, y)) && float64(n) >= sameSubject*float64(max(x, y))
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
	theirs, inName := setOf(terms(b.said)), setOf(terms(name))
	var words []string
	end := 0
	for _, w := range text.Tokens(a.said) {
		switch {
		case !theirs[w.Term] || inName[w.Term] || text.IsStop(w.Term) || strings.ContainsAny(w.Term, "0123456789"):
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
