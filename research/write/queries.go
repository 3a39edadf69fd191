package write

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"deepresearch/internal/text"
	"deepresearch/prompts"
	"deepresearch/research"
)

const queryProperties = `
"shape":{"type":"string","enum":["lookup","comparison","timeline","survey"]},
"parts":{"type":"array","items":{"type":"string"},"description":"headings of what a survey must cover; empty otherwise"},
"queries":{"type":"array","items":{"type":"object","properties":{"query":{"type":"string"},"why":{"type":"string","description":"what it is to find, in a few words"}},"required":["query"]}}`

var querySchema = json.RawMessage(`{"type":"object","properties":{` + queryProperties + `},"required":["queries"]}`)

// deepSchema asks in addition how the question is understood.
var deepSchema = json.RawMessage(`{"type":"object","properties":{
"restated":{"type":"string","description":"the question as one sentence that stands on its own"},
"do":{"type":"string","enum":["research","ask","decline"]},
"ask":{"type":"string","description":"the question back; empty otherwise"},
"options":{"type":"array","items":{"type":"string"},"description":"short answers to it"},
"assume":{"type":"string","description":"what is assumed without an answer"},
"decline":{"type":"string","description":"why nothing is to be researched; empty otherwise"},
"assumptions":{"type":"array","items":{"type":"string"}},` + queryProperties + `},"required":["queries"]}`)

// planned is what a model plans, and in deep runs how it understands the question.
type planned struct {
	Shape   research.Shape
	Parts   []string
	Queries []struct{ Query, Why string }

	Restated, Do, Ask, Assume, Decline string
	Options, Assumptions               []string
}

// Analyse takes the question apart by rule and lets a model plan the queries of
// the first round. Where the rules are not sure of the shape the model's counts.
// A deep run is understood first: it may ask back, or decline.
func (m *Method) Analyse(ctx context.Context, q research.Question) (research.Analysis, error) {
	a, err := m.opt.Extract.Analyse(ctx, q)
	if err != nil {
		return a, err
	}
	deep := q.Effort == research.Deep
	if deep && smallTalk(q.Text) {
		a.Queries, a.Decline = nil, phrasesOf(a.Language).smallTalk
		return a, nil
	}
	t := &talk{m: m, effort: q.Effort}
	in := prompts.Queries{
		Task: m.task(q, a, nil), N: q.Queries, Parts: parts(a), Subjects: a.Subjects, Recency: q.Recency,
		Deep: deep, MayAsk: q.MayAsk && q.Clarified == "",
	}
	st := planning
	if deep {
		st.schema = deepSchema
	}
	p, err := m.opt.Prompts.Queries(in)
	var plan planned
	ok, err := t.askFor(ctx, st, p, err, &plan)
	if err != nil {
		return a, err
	}
	if ok {
		a.Assumptions = nil // those of the rules are about the words of a report without a model
		a = reshape(a, plan, q)
		a.Queries = t.queries(a.Queries, plan, q)
		if deep {
			a = understood(a, plan, q)
		}
	}
	a.Notes = t.notes
	return a, nil
}

// Bounds of what a model says about a question, in characters and entries.
const (
	maxRestated    = 500
	maxLine        = 300
	maxAssumptions = 5
	maxOptions     = 4
)

// understood takes over how a model understands the question. What it says about
// the question may hold no figure that the question has not.
func understood(a research.Analysis, plan planned, q research.Question) research.Analysis {
	known := []string{q.Text, q.Clarified, q.Earlier, a.Date}
	if s, ok := statement(plan.Restated, maxRestated); ok && figuresFrom(s, known...) && !sameWords(s, q.Text) {
		a.Restated = s
	}
	a.Assumptions = lines(plan.Assumptions, maxAssumptions)
	switch plan.Do {
	case "ask":
		ask, ok := statement(plan.Ask, maxLine)
		if !ok || q.Clarified != "" {
			break
		}
		assume, _ := statement(plan.Assume, maxLine)
		a.Clarify = &research.Clarification{Text: ask, Options: lines(plan.Options, maxOptions), Assume: cmp.Or(assume, a.Restated)}
	case "decline":
		if why, ok := statement(plan.Decline, maxLine); ok {
			a.Decline, a.Queries = why, nil
		}
	}
	return a
}

// lines are the first n that can be shown, each once.
func lines(said []string, n int) []string {
	var out []string
	for _, s := range said {
		if clean, ok := statement(s, maxLine); ok && len(out) < n {
			out = appendNew(out, clean)
		}
	}
	return out
}

// sameWords reports whether a says nothing but b.
func sameWords(a, b string) bool {
	return text.Normalize(strings.Trim(a, " .?!。？！")) == text.Normalize(strings.Trim(b, " .?!。？！"))
}

// talked is a text that greets, thanks or takes leave and asks nothing.
var talked = text.NewPattern(`(?i)^(?:[\s\pP]*(?:hi|hello|hey|hiya|good (?:morning|afternoon|evening|day)|greetings|there|thanks|thank you|thx|many|so much|very much|a lot|bye|goodbye|see you|how are you(?: (?:doing|today))?|you|all|everyone|again|hallo|guten (?:tag|morgen|abend)|danke(?: (?:schön|sehr))?|vielen dank|tschüss|bonjour|bonsoir|salut|merci(?: beaucoup)?|au revoir|hola|buenos días|buenas tardes|(?:muchas )?gracias|adiós|你好|您好|早上好|晚上好|谢谢你?|多谢|再见|嗨|こんにちは|ありがとう(?:ございます)?|さようなら))+[\s\pP]*$`)

// smallTalk reports whether a text is no question but a greeting or thanks.
func smallTalk(s string) bool { return talked.MatchString(s) }

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
var factual = text.NewPattern(`(?i)^\W*(?:who|when|where|how (?:many|much|long|old|far|tall|big|fast)|what (?:is|was) the (?:\w+ )?(?:name|date|year|number|capital|population|length|height|price|address))\b|谁|何时|什么时候|哪一?[年月天日]|多少|几[个次年]`)

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
