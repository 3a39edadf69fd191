package citations

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"deepresearch/internal/text"
)

// facts are the parts of a sentence that can be compared exactly, in any
// language.
type facts struct {
	numbers  []text.Number
	dates    []text.Date
	names    []string // as written
	quoted   []string // what stands between quotation marks, four words or more
	polarity text.Polarity
	digits   []string // terms with digits that are part of no number or date: GPT-4, H100
}

func factsOf(s string) facts {
	f := facts{numbers: text.Numbers(s), dates: text.Dates(s), polarity: text.PolarityOf(s), quoted: quotations(s)}
	for _, n := range text.Names(s) {
		f.names = append(f.names, n.In(s))
	}
	spans := f.spans()
	for _, t := range text.Tokens(s) {
		for len(spans) > 0 && spans[0].End <= t.Start {
			spans = spans[1:]
		}
		if strings.ContainsFunc(t.Term, unicode.IsDigit) && (len(spans) == 0 || !spans[0].Overlaps(t.Span)) {
			f.digits = append(f.digits, t.Term)
		}
	}
	return f
}

// spans are the places of numbers and dates, in order.
func (f facts) spans() []text.Span {
	spans := make([]text.Span, 0, len(f.numbers)+len(f.dates))
	for _, n := range f.numbers {
		spans = append(spans, n.Span)
	}
	for _, d := range f.dates {
		spans = append(spans, d.Span)
	}
	slices.SortFunc(spans, func(a, b text.Span) int { return cmp.Compare(a.Start, b.Start) })
	return spans
}

// quotations are the longer stretches of s between quotation marks.
func quotations(s string) []string {
	var found []string
	for _, pair := range [...][2]string{{"“", "”"}, {"\"", "\""}, {"「", "」"}, {"«", "»"}, {"„", "“"}} {
		for rest := s; ; {
			_, after, ok := strings.Cut(rest, pair[0])
			inside, after, closed := strings.Cut(after, pair[1])
			if !ok || !closed {
				break
			}
			if rest = after; len(text.Tokens(inside)) >= runTerms {
				found = append(found, strings.TrimRight(strings.TrimSpace(inside), ".,;。，"))
			}
		}
	}
	return found
}

// ground is a passage prepared to be compared with many claims.
type ground struct {
	folded  string // normalised, for names and quotations
	numbers []text.Number
	dates   []text.Date
	terms   map[string]bool
}

func groundOf(passage string) ground {
	return ground{
		folded: text.Normalize(passage), numbers: text.Numbers(passage), dates: text.Dates(passage), terms: setOf(terms(passage)),
	}
}

// differing are the numbers and dates of the claim that do not stand in the
// passage, as the claim writes them.
func (g ground) differing(f facts) []string {
	var missing []string
	for _, n := range f.numbers {
		if !n.Year && !g.hasNumber(n) || n.Year && !g.hasYear(n) {
			missing = append(missing, n.Text)
		}
	}
	for _, d := range f.dates {
		if (d.Month > 0 || d.Year == 0) && !slices.ContainsFunc(g.dates, d.Same) {
			missing = append(missing, d.Text)
		}
	}
	for _, t := range f.digits {
		if !g.terms[t] {
			missing = append(missing, t)
		}
	}
	return missing
}

// hasNumber looks for a number that states the same quantity. Things that are
// counted (people, users, pieces) are no unit here: "5 million users" and "5
// million people" differ in a word, not in the number.
func (g ground) hasNumber(n text.Number) bool {
	n.Unit = measured(n.Unit)
	return slices.ContainsFunc(g.numbers, func(o text.Number) bool {
		o.Unit = measured(o.Unit)
		return !o.Year && n.Same(o) || o.Year && n.Unit == "" && n.Value == o.Value
	})
}

func measured(unit string) string {
	switch unit {
	case "person", "个", "user", "token":
		return ""
	}
	return unit
}

// hasYear looks for the year, alone or in a longer date.
func (g ground) hasYear(n text.Number) bool {
	return slices.ContainsFunc(g.numbers, func(o text.Number) bool { return o.Value == n.Value }) ||
		slices.ContainsFunc(g.dates, func(d text.Date) bool { return float64(d.Year) == n.Value })
}

// misquoted are quotations of the claim that the passage does not hold.
func (g ground) misquoted(f facts) []string {
	var missing []string
	for _, q := range f.quoted {
		if !strings.Contains(g.folded, text.Normalize(q)) {
			missing = append(missing, "“"+q+"”")
		}
	}
	return missing
}

// hasName looks for a name as written, or for each of its words.
func (g ground) hasName(name string) bool {
	if strings.Contains(g.folded, text.Normalize(name)) {
		return true
	}
	for _, t := range text.Tokens(name) {
		if !g.terms[t.Term] {
			return false
		}
	}
	return true
}
