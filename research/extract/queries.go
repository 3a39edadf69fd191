package extract

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"deepresearch/internal/text"
	"deepresearch/research"
)

// maxQuery is the longest query in characters that goes to an engine.
const maxQuery = 200

// queries are what the first round searches for, at most n: the question
// itself, then what lets engines see its parts one by one.
func queries(question string, f frame, n int) []research.Query {
	var out []research.Query
	add := func(s string) {
		s = shorten(s)
		if s == "" || len(out) >= n {
			return
		}
		key := strings.Join(text.Terms(s), " ")
		if !slices.ContainsFunc(out, func(q research.Query) bool { return strings.Join(text.Terms(q.Text), " ") == key }) {
			out = append(out, research.Query{Text: s})
		}
	}
	add(question)
	if len(f.facets) > 1 {
		for _, facet := range f.facets {
			add(facet.Title + " " + strings.Join(missing(f.names(question), facet.Title), " "))
		}
	}
	for _, s := range f.subjects {
		add(s + " " + strings.Join(f.aspect(), " "))
	}
	if names := f.names(question); len(names) > 0 {
		add(strings.Join(names, " "))
	}
	return out
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

// aspect is what a comparison is about beside its subjects: the terms of the
// question that name none of them.
func (f frame) aspect() []string {
	if len(f.facets) == 0 {
		return nil
	}
	own := map[string]bool{}
	for _, s := range f.subjects {
		for _, t := range text.Terms(s) {
			own[t] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(f.facets[0].Terms), func(t string) bool { return own[t] || comparing[t] })
}

// comparing are terms that ask for a comparison and name nothing.
var comparing = func() map[string]bool {
	m := map[string]bool{}
	for _, t := range text.Terms("difference different differ compare comparison versus vs between 比较 对比 区别 不同 差异 之间") {
		m[t] = true
	}
	return m
}()

var link = regexp.MustCompile(`(?i)\b(?:https?|ftp|file)://\S+|\bwww\.\S+`)

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
