package citations

import (
	"slices"
	"strconv"
	"strings"

	"deepresearch/internal/text"
)

// value is a figure that a sentence gives for its subject.
type value struct {
	amount float64 // in the first unit of its class
	class  string  // of units, "" for what is only counted
	bound  bound
}

// bound says whether a value is a limit.
type bound int

const (
	exact bound = iota
	atMost
	atLeast
)

// Words before a value that make it a limit, and words after it. "Up to" is not
// among them: it mostly gives a capacity.
var (
	limitWords = map[bound][]string{
		atMost:  {"at most", "no more than", "not more than", "maximum of", "maximum", "höchstens", "maximal", "au plus", "au maximum", "limit of", "tempolimit von", "最多", "最大", "不超过"},
		atLeast: {"at least", "no less than", "minimum of", "mindestens", "au moins", "à partir de", "至少", "最少", "少なくとも"},
	}
	limitWordsAfter = []string{"or newer", "or later", "or more", "or higher", "or above", "oder neuer", "oder höher", "oder mehr", "ou plus", "ou supérieur", "以上", "或更高"}
	// superseded stand before a value that the sentence says no longer holds.
	superseded = []string{"not", "rather than", "instead of", "raised from", "increased from", "lowered from", "reduced from", "changed from",
		"up from", "down from", "formerly", "previously", "statt", "und nicht", "nicht", "au lieu de", "et non", "non", "而非", "而不是", "不是"}
)

// valuesOf are the figures of a sentence: no years, no versions, no numbers that
// belong to a name, no ends of ranges, none that it takes back.
func valuesOf(said string, f facts, heads map[string]string) []value {
	var values []value
	for _, n := range f.numbers {
		if n.Year || n.Version || n.Range || endsWithAny(said[:n.Start], superseded) {
			continue
		}
		if head, ok := headBefore(said, n.Start); ok && heads[head] == n.Text {
			continue
		}
		amount, class := n.Base()
		if measured(n.Unit) == "" {
			class = ""
		}
		values = append(values, value{amount, class, boundAt(said, n.Span)})
	}
	return values
}

// promoteYears makes dates of the numbers of four digits beside an event, which
// are years in any sentence.
func (f *facts) promoteYears(aspects map[string]bool) {
	if !slices.ContainsFunc(eventAspects, func(a string) bool { return aspects[a] }) {
		return
	}
	for i, n := range f.numbers {
		if !n.Year && n.Unit == "" && len(n.Text) == 4 && n.Value >= 1000 && n.Value <= 2100 {
			f.numbers[i].Year = true
			f.dates = append(f.dates, text.Date{Span: n.Span, Year: int(n.Value), Text: n.Text})
		}
	}
}

// boundAt reads whether the words around a value make it a limit.
func boundAt(said string, at text.Span) bound {
	for _, b := range []bound{atMost, atLeast} {
		if endsWithAny(said[:at.Start], limitWords[b]) {
			return b
		}
	}
	if rest := strings.ToLower(strings.TrimLeft(said[at.End:], " ")); slices.ContainsFunc(limitWordsAfter, func(w string) bool { return strings.HasPrefix(rest, w) }) {
		return atLeast
	}
	return exact
}

// endsWithAny reports whether s ends with one of the words, a whole word where
// there are blanks, or with one and a name ("at least Python").
func endsWithAny(s string, list []string) bool {
	s = strings.ToLower(strings.TrimRight(s, " "))
	before := strings.TrimRight(s[:strings.LastIndexByte(s, ' ')+1], " ")
	return slices.ContainsFunc(list, func(w string) bool { return endsWithWord(s, w) || len(w) > 4 && endsWithWord(before, w) })
}

func endsWithWord(s, word string) bool {
	rest, ok := strings.CutSuffix(s, word)
	return ok && (rest == "" || strings.HasSuffix(rest, " ") || strings.ContainsFunc(word, wide))
}

// differentValues reports whether in some class both sides have values and no
// two of them agree.
func differentValues(as, bs []value) bool {
	return slices.ContainsFunc(as, func(a value) bool {
		compared := false
		for _, x := range as {
			for _, y := range bs {
				if x.class == a.class && y.class == a.class {
					if compared = true; x.agrees(y) {
						return false
					}
				}
			}
		}
		return compared
	})
}

// agrees reports whether both can be true: equal but for rounding, or within the
// limit that the other sets.
func (v value) agrees(o value) bool { return within(v.amount, v.bound, o.amount, o.bound, near) }

// within compares two amounts of which either may be a limit.
func within(a float64, ab bound, b float64, bb bound, same func(a, b float64) bool) bool {
	switch {
	case same(a, b):
		return true
	case ab == bb:
		return false
	case ab == atMost || bb == atLeast:
		return b < a
	}
	return a < b
}

// sameVersions reports whether no name is numbered differently on the two sides.
func (m *matter) sameVersions(o *matter) bool {
	for head, v := range m.heads {
		if w, ok := o.heads[head]; ok && v != w {
			return false
		}
	}
	return true
}

// differentVersions reports whether the versions that two sentences give for one
// name cannot both be meant.
func differentVersions(a, b *statement) bool {
	for head, v := range a.matter.heads {
		w, ok := b.matter.heads[head]
		if !ok || v == w || !digits(v) || !digits(w) {
			continue
		}
		order := compareVersions(v, w)
		if !within(float64(order), versionBound(a.said, v), 0, versionBound(b.said, w), func(x, y float64) bool { return x == y }) {
			return true
		}
	}
	return false
}

func versionBound(said, version string) bound {
	i := strings.Index(said, version)
	return boundAt(said, text.Span{Start: i, End: i + len(version)})
}

func digits(s string) bool { return strings.ContainsAny(s, "0123456789") }

// compareVersions orders versions part by part, as far as both name parts.
func compareVersions(a, b string) int {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(as), len(bs)) {
		x, errX := strconv.Atoi(as[i])
		y, errY := strconv.Atoi(bs[i])
		if errX == nil && errY == nil && x != y {
			return x - y
		}
	}
	return 0
}
