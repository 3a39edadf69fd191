package write

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"deepresearch/internal/text"
	"deepresearch/prompts"
	"deepresearch/research"
)

var querySchema = json.RawMessage(`{"type":"object","properties":{
"shape":{"type":"string","enum":["lookup","comparison","timeline","survey"]},
"parts":{"type":"array","items":{"type":"string"},"description":"headings of what a survey must cover; empty otherwise"},
"queries":{"type":"array","items":{"type":"object","properties":{"query":{"type":"string"},"why":{"type":"string","description":"what it is to find, in a few words"}},"required":["query"]}}},
"required":["queries"]}`)

// planned is what a model plans.
type planned struct {
	Shape   research.Shape
	Parts   []string
	Queries []struct{ Query, Why string }
}

// Analyse takes the question apart by rule and lets a model plan the queries of
// the first round. Where the rules are not sure of the shape the model's counts.
func (m *Method) Analyse(ctx context.Context, q research.Question) (research.Analysis, error) {
	a, err := m.opt.Extract.Analyse(ctx, q)
	if err != nil {
		return a, err
	}
	t := &talk{m: m, effort: q.Effort}
	in := prompts.Queries{Task: m.task(q, a, nil), N: q.Queries, Parts: parts(a), Subjects: a.Subjects, Recency: q.Recency}
	p, err := m.opt.Prompts.Queries(in)
	var plan planned
	ok, err := t.askFor(ctx, planning, p, err, &plan)
	if err != nil {
		return a, err
	}
	if ok {
		a.Assumptions = nil // those of the rules are about the words of a report without a model
		a = reshape(a, plan, q)
		a.Queries = t.queries(a.Queries, plan, q)
	}
	a.Notes = t.notes
	return a, nil
}

// queries are the model's, filled up with those of the rules to the number that
// may go to engines. Those of the rules that are left look into the user's
// documents, where there are any.
func (t *talk) queries(rules []research.Query, plan planned, q research.Question) []research.Query {
	var out []research.Query
	refused := 0
	for _, p := range plan.Queries {
		clean, ok := query(p.Query)
		if !ok {
			refused++
			continue
		}
		why, _ := statement(p.Why, 200)
		if len(out) < q.Queries {
			out = appendQuery(out, research.Query{Text: clean, Why: why})
		}
	}
	t.dropped(refused, "Queries of a model that were not sent, because they are too long or hold an address")
	for _, r := range rules {
		r.Private = len(out) >= q.Queries
		if !r.Private || q.HasLibrary() {
			out = appendQuery(out, r)
		}
	}
	return out
}

// appendQuery adds a query that asks something the others do not.
func appendQuery(have []research.Query, q research.Query) []research.Query {
	if slices.ContainsFunc(have, func(h research.Query) bool { return research.SameQuery(h, q) }) {
		return have
	}
	return append(have, q)
}

// maxParts bounds the parts that a model may find in a question.
const maxParts = 5

// reshape takes over the shape and the parts that a model found where the rules
// saw nothing but a short question.
func reshape(a research.Analysis, plan planned, q research.Question) research.Analysis {
	if sure(a, q) || plan.Shape == "" || plan.Shape == a.Shape || plan.Shape == research.Comparison && len(a.Subjects) < 2 {
		return a
	}
	a.Shape = plan.Shape
	if len(a.Facets) != 1 {
		return a
	}
	if a.Shape == research.Timeline {
		a.Facets = slices.Clone(a.Facets)
		a.Facets[0].Kind = research.Timeline
		return a
	}
	whole := a.Facets[0]
	var facets []research.Facet
	for _, part := range plan.Parts[:min(len(plan.Parts), maxParts)] {
		title, ok := heading(part, q.Text)
		if ok && !slices.ContainsFunc(facets, func(f research.Facet) bool { return f.Title == title }) {
			facets = append(facets, research.Facet{Title: title, Terms: append(text.Terms(title), whole.Terms...), Kind: research.Survey, Since: whole.Since})
		}
	}
	if len(facets) > 1 {
		a.Facets = facets
	}
	return a
}

// factual is a question that a rule reads without doubt: it opens with the word of
// a fact.
var factual = regexp.MustCompile(`(?i)^\W*(?:who|when|where|how (?:many|much|long|old|far|tall|big|fast)|what (?:is|was) the (?:\w+ )?(?:name|date|year|number|capital|population|length|height|price|address))\b|谁|何时|什么时候|哪一?[年月天日]|多少|几[个次年]`)

// maxPlain is the length of a question, in words, up to which such a word is
// enough.
const maxPlain = 25

// sure reports whether the rules know the shape: the caller named it, they found
// one other than the lookup that they assume, or the question is plainly one.
func sure(a research.Analysis, q research.Question) bool {
	if q.Style != "" || a.Shape != research.Lookup {
		return true
	}
	return factual.MatchString(q.Text) && len(strings.Fields(q.Text)) <= maxPlain
}
