package extract

import (
	"slices"
	"strings"
	"unicode/utf8"

	"deepresearch/internal/text"
	"deepresearch/research"
)

// maxQuery is the longest query in characters that goes to an engine.
const maxQuery = 200

// localQueries is how many queries a first round may have where the user's own
// documents are looked into; those beyond the number that engines are sent stay
// local.
const localQueries = 8

// queries are what the first round searches for: the question itself, then what
// shows its parts one by one. The first q.Queries may go to engines.
func queries(q research.Question, f frame) []research.Query {
	question, n := strings.TrimSpace(earlierNames(q)+" "+q.Text), q.Queries
	most := n
	if q.HasLibrary() {
		most = max(n, localQueries)
	}
	var out []research.Query
	add := func(s string) {
		s = shorten(s)
		key := strings.Join(text.Terms(s), " ")
		if key == "" || len(out) >= most || slices.ContainsFunc(out, func(q research.Query) bool { return strings.Join(text.Terms(q.Text), " ") == key }) {
			return
		}
		out = append(out, research.Query{Text: s, Private: len(out) >= n})
	}
	add(question)
	for _, s := range f.subjects {
		add(s + " " + strings.Join(f.aspect(), " "))
	}
	if len(f.facets) > 1 {
		for _, facet := range f.facets {
			add(facet.Title + " " + strings.Join(missing(f.names(question), facet.Title), " "))
		}
	}
	if names := f.names(question); len(names) > 0 {
		add(strings.Join(names, " "))
	}
	return out
}

// earlierNames are what a question that names nothing is about: the names of the
// question that it follows.
func earlierNames(q research.Question) string {
	if len(text.Names(q.Text)) > 0 {
		return ""
	}
	return strings.Join(frame{}.names(q.Earlier), " ")
}

// names are the proper names of the question, in order.
func (f frame) names(question string) []string {
	var out []string
	for _, s := range text.Names(question) {
		if n := s.In(question); !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

func missing(names []string, from string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return strings.Contains(from, n) })
}

// aspect is what a comparison is about beside its subjects: the words of the
// first part of the question that name none of them and ask for no comparison.
func (f frame) aspect() []string {
	skip := map[string]bool{}
	for _, s := range f.subjects {
		for _, t := range text.Terms(s) {
			skip[t] = true
		}
	}
	var out []string
	part := f.facets[0].Title
	for _, t := range text.Tokens(part) {
		if !skip[t.Term] && !comparing[t.Term] && !text.IsStop(t.Term) && len(t.Term) > 1 {
			out = append(out, t.In(part))
		}
	}
	return out
}

// comparing are terms that ask for a comparison and name nothing.
var comparing = func() map[string]bool {
	m := map[string]bool{}
	for _, t := range text.Terms("difference different differ compare comparison versus vs between 比较 对比 区别 不同 差异 之间") {
		m[t] = true
	}
	return m
}()

var link = text.NewPattern(`(?i)\b(?:https?|ftp|file)://\S+|\bwww\.\S+`)

// shorten makes a query of a question: one line, without addresses, at most
// maxQuery characters, cut between words.
func shorten(s string) string {
	s = strings.Join(strings.Fields(link.ReplaceAllString(s, " ")), " ")
	if utf8.RuneCountInString(s) <= maxQuery {
		return strings.TrimRight(s, "?？ ")
	}
	var b strings.Builder
	n := 0
	for w := range strings.FieldsSeq(s) {
		n += utf8.RuneCountInString(w) + 1
		if n > maxQuery {
			break
		}
		b.WriteString(w + " ")
	}
	if b.Len() == 0 { // one long run without blanks, as in Chinese
		return string([]rune(s)[:maxQuery])
	}
	return strings.TrimSpace(b.String())
}
