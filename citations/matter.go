package citations

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"deepresearch/internal/text"
)

// matter is what a sentence speaks of, apart from the values that it gives.
type matter struct {
	terms   map[string]bool // content words; words of one aspect are one term
	order   []term          // the same as they stand, values between them
	aspects map[string]bool // what is stated
	weak    map[string]bool // words that weaken or narrow
	scopes  []scope         // phrases that say for whom, where or when it holds
	heads   map[string]string
	names   []string // normalised
	first   string   // the first name as a term
}

// scope is a phrase that restricts a statement.
type scope struct {
	words  []string
	clause bool // a condition, not a preposition with its nouns
}

// term is a content word, or a value when its word is "#".
type term struct {
	text.Span
	word string
}

const valueTerm = "#"

// matterOf reads the matter of a sentence.
func matterOf(said string, f facts) matter {
	m := matter{terms: map[string]bool{}, aspects: map[string]bool{}, weak: map[string]bool{}, heads: map[string]string{}}
	bare := []byte(said)
	for _, span := range f.spans() {
		blank(bare[span.Start:span.End])
		m.order = append(m.order, term{span, valueTerm})
	}
	for _, at := range attribution.FindAllStringIndex(said, -1) {
		blank(bare[at[0]:at[1]])
	}
	for _, name := range f.names {
		if i := strings.Index(said, name); i >= 0 && strings.TrimSpace(string(bare[i:i+len(name)])) != "" && !words.scope[termOf(name)] {
			m.names = append(m.names, text.Normalize(name))
		}
	}
	if len(m.names) > 0 {
		m.first = termOf(m.names[0])
	}
	m.readWide(said, bare)
	r := wordReader{matter: &m, said: said, bare: string(bare)}
	r.read()
	m.readHeads(said, f)
	slices.SortStableFunc(m.order, func(a, b term) int { return cmp.Compare(a.Start, b.Start) })
	return m
}

// attribution says whose statement it is: two sources that disagree differ in it.
var attribution = text.NewPattern(`(?i)\b(?:according to|laut|selon|as reported by) [^,.;:]{1,60}|` +
	`\b(?:in|by) (?:the|a|its|their) (?:\pL+ ){0,3}(?:measurement|study|survey|report|paper|analysis|estimate|experiment)\b`)

func blank(b []byte) {
	for i := range b {
		b[i] = ' '
	}
}

// readWide takes the known words of scripts without blanks out of bare, and what
// only holds such a sentence together: kana, and words of direction.
func (m *matter) readWide(said string, bare []byte) {
	if !strings.ContainsFunc(said, wide) {
		return
	}
	for _, w := range words.wide {
		for from := 0; ; {
			i := strings.Index(string(bare[from:]), w.word)
			if i < 0 {
				break
			}
			span := text.Span{Start: from + i, End: from + i + len(w.word)}
			from = span.End
			blank(bare[span.Start:span.End])
			switch {
			case w.aspect != "":
				m.add(span, w.aspect, true)
			case w.weak:
				m.weak[w.word] = true
			}
		}
	}
	for i, r := range said {
		if unicode.Is(unicode.Hiragana, r) || text.PolarityOf(string(r)) != (text.Polarity{}) {
			blank(bare[i : i+utf8.RuneLen(r)])
		}
	}
}

// wordReader takes in the words that readWide left.
type wordReader struct {
	*matter
	said, bare string
	end        int    // of the word before
	last       string // the word before
	phrase     scope
	open       bool // a phrase is being read
}

// read takes in all words. A phrase that gives a value ("with a span of 412 m")
// restricts nothing, unless it compares ("uploads above 1 GB").
func (r *wordReader) read() {
	for _, t := range text.Tokens(r.bare) {
		gap := text.Span{Start: min(r.end, t.Start), End: t.Start}
		switch {
		case gap.In(r.said) != gap.In(r.bare) && !conditional[r.last]:
			r.phrase, r.open = scope{}, false
		case strings.ContainsAny(gap.In(r.said), ",;:.()"):
			r.shut()
		}
		if strings.ContainsFunc(t.Term, wide) {
			r.characters(t)
		} else {
			r.word(t)
		}
		r.end, r.last = t.End, t.Term
	}
	if r.said[r.end:] == r.bare[r.end:] || conditional[r.last] {
		r.shut()
	}
}

func (r *wordReader) shut() {
	if len(r.phrase.words) > 0 {
		r.scopes = append(r.scopes, r.phrase)
	}
	r.phrase, r.open = scope{}, false
}

func (r *wordReader) word(t text.Token) {
	word := t.In(r.bare)
	switch {
	case words.scope[t.Term] || words.clause[t.Term]:
		r.shut()
		r.open = !superlative(r.last)
		r.phrase.clause = words.clause[t.Term]
	case words.weak[t.Term]:
		r.weak[t.Term] = true
	case text.Steers(word) || words.frame[t.Term] || text.IsStop(t.Term):
	default:
		name, aspect := words.aspects[t.Term]
		if !aspect {
			name = t.Term[:min(len(t.Term), longestStem)]
		}
		r.add(t.Span, name, aspect)
		if r.open {
			r.phrase.words = append(r.phrase.words, name)
		}
	}
}

// characters takes in those of a pair that were not in the pair before.
func (r *wordReader) characters(t text.Token) {
	for i, c := range r.bare[t.Start:t.End] {
		if at := t.Start + i; at >= r.end {
			r.add(text.Span{Start: at, End: at + utf8.RuneLen(c)}, string(c), false)
		}
	}
}

// superlative reports whether a word is one: what follows it in a phrase is what
// it was compared with.
func superlative(word string) bool {
	return len(word) > 5 && (strings.HasSuffix(word, "est") || strings.HasSuffix(word, "ste"))
}

// longestStem is where longer words are cut, in bytes, so that most inflections
// of German and French fall together.
const longestStem = 8

// conditional words make the value after them a condition.
var conditional = setOf(strings.Fields("abov over below under older younger larger smaller than uber unter plus moins"))

func (m *matter) add(span text.Span, word string, aspect bool) {
	if aspect {
		m.aspects[word] = true
	}
	m.terms[word] = true
	m.order = append(m.order, term{span, word})
}

// readHeads finds what a name or the word "version" is numbered with: Python
// 3.9, Marlin 4, Kestrel b.
func (m *matter) readHeads(said string, f facts) {
	for _, n := range f.numbers {
		if head, ok := headBefore(said, n.Start); ok && (n.Version || n.Unit == "" && plainVersion(n.Text)) {
			m.heads[head] = n.Text
		}
	}
	tokens := text.Tokens(said)
	for i := 1; i < len(tokens); i++ {
		letter, head := tokens[i].In(said), tokens[i-1]
		if first, _ := utf8.DecodeRuneInString(head.In(said)); len(letter) == 1 && 'b' <= letter[0] && letter[0] <= 'z' &&
			unicode.IsUpper(first) && said[head.End:tokens[i].Start] == " " {
			m.heads[head.Term] = letter
		}
	}
}

// plainVersion reports whether a number is written as versions are.
func plainVersion(s string) bool {
	return len(s) <= 6 && strings.Trim(s, "0123456789.") == ""
}

// headBefore is the capitalised word, or the word "version", right before i.
func headBefore(said string, i int) (string, bool) {
	lead := strings.TrimRight(said[:i], " ")
	start := strings.LastIndexFunc(lead, func(r rune) bool { return !wordRune(r) || wide(r) })
	word := lead[start+1:]
	if start >= 0 {
		_, size := utf8.DecodeRuneInString(lead[start:])
		word = lead[start+size:]
	}
	first, _ := utf8.DecodeRuneInString(word)
	folded := termOf(word)
	version := strings.EqualFold(word, "version")
	return folded, word != "" && (version || unicode.IsUpper(first)) && !text.IsStop(folded) && !words.frame[folded]
}

// same reports whether both speak of the same thing and neither of a part of it:
// most words are shared, what is stated is the same, and the words that are not
// shared neither narrow one side nor put something else in the place of the
// subject.
func (m *matter) same(o *matter) bool {
	n := m.shared(o)
	least := min(len(m.terms), len(o.terms))
	if n < min(2, least) || n == 0 || float64(n) < sameSubject*float64(least) {
		return false
	}
	return m.named(o) && o.named(m) && m.sameAspect(o) && m.sameStrength(o) &&
		!m.narrows(o) && !o.narrows(m) && !m.exchanges(o)
}

// named reports whether the first of the names stands among the other's. Where
// one side has none there is nothing to compare.
func (m *matter) named(o *matter) bool {
	if len(m.names) == 0 || len(o.names) == 0 {
		return true
	}
	first := m.names[0]
	return o.terms[m.first] || slices.ContainsFunc(o.names, func(n string) bool { return strings.Contains(n, first) || strings.Contains(first, n) })
}

func (m *matter) shared(o *matter) int {
	if len(m.terms) > len(o.terms) {
		m, o = o, m
	}
	n := 0
	for t := range m.terms {
		if o.terms[t] {
			n++
		}
	}
	return n
}

// sameAspect reports whether both state one thing, as far as the lexicon tells.
func (m *matter) sameAspect(o *matter) bool {
	if len(m.aspects) == 0 || len(o.aspects) == 0 {
		return true
	}
	for a := range m.aspects {
		if o.aspects[a] {
			return true
		}
	}
	return false
}

// sameStrength reports whether neither side is weakened where the other is not.
func (m *matter) sameStrength(o *matter) bool { return (len(m.weak) == 0) == (len(o.weak) == 0) }

// narrows reports whether a phrase restricts this side to what the other does not
// speak of.
func (m *matter) narrows(o *matter) bool {
	return slices.ContainsFunc(m.scopes, func(s scope) bool {
		known := func(w string) bool { return o.terms[w] }
		if s.clause {
			return !slices.ContainsFunc(s.words, known)
		}
		return slices.ContainsFunc(s.words, func(w string) bool { return !known(w) })
	})
}

// exchanges reports whether in otherwise equal surroundings one side has another
// word: "a landlord must give", "a tenant must give". Right before the value it
// is the verb where both say what they state. In scripts without blanks any
// other word counts.
func (m *matter) exchanges(o *matter) bool {
	stated := len(m.aspects) > 0 && len(o.aspects) > 0
	for i, t := range m.order {
		next := neighbour(m.order, i+1)
		if t.word == valueTerm || o.terms[t.word] || stated && i > 0 && next == valueTerm {
			continue
		}
		for j, u := range o.order {
			if u.word != valueTerm && !m.terms[u.word] && next == neighbour(o.order, j+1) && neighbour(m.order, i-1) == neighbour(o.order, j-1) {
				return true
			}
		}
	}
	return m.foreign(o) || o.foreign(m)
}

// foreign reports whether a word of a script without blanks, two characters at
// least, stands on this side only.
func (m *matter) foreign(o *matter) bool {
	strange := func(t term) bool { return strings.ContainsFunc(t.word, wide) && !o.terms[t.word] }
	for i := 1; i < len(m.order); i++ {
		if a, b := m.order[i-1], m.order[i]; a.End == b.Start && strange(a) && strange(b) {
			return true
		}
	}
	return false
}

func neighbour(order []term, i int) string {
	if i < 0 || i >= len(order) {
		return ""
	}
	return order[i].word
}
