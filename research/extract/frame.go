package extract

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"deepresearch/internal/text"
	"deepresearch/research"
)

// pattern sets of one language, by rule: what in a question tells its shape.
type patterns struct {
	compare  []*text.Pattern // groups are the things compared; the last may be a list
	timeline *text.Pattern
	survey   *text.Pattern
	split    *text.Pattern // between the parts of a question that asks several things
	refers   *text.Pattern // a part that speaks of what the part before named
	lists    *text.Pattern // between things in a list
	date     *text.Pattern // asks for a date
	number   *text.Pattern // asks for a number
	since    *text.Pattern // group 1 is the first year asked about
}

// auxiliary verbs and quantities that follow a question word.
const auxiliary = `is|are|was|were|did|do|does|has|have|had|can|could|should|would|will|much|many|long|often|far`

var english = patterns{
	compare: compile(
		`(?i)\bdifferences?\s+between\s+(.+?)\s+and\s+(.+)`,
		`(?i)\b(?:how\s+)?(?:do|does|did|is|are)\s+(.+?)\s+(?:differ(?:ent)?|compare[ds]?)\s+(?:from|to|with)\s+(?:those\s+of\s+|that\s+of\s+)?(.+)`,
		`(?i)\bcompar(?:e|ing|ison\s+of)\s+(.+?)\s+(?:and|with|to|against|versus|vs\.?)\s+(.+)`,
		`(?i)^(?:.*?[:,]\s*)?(.+?)\s+(?:versus|vs\.?)\s+(.+)`,
		`(?i)\b(.+?)\s+(?:differs?|compares?)\s+(?:from|to|with)\s+(?:those\s+of\s+|that\s+of\s+)?(.+)`,
	),
	timeline: text.NewPattern(`(?i)\b(?:timeline|chronology|history(?:\s+of|\W*$)|evol(?:ve|ved|ution)|over\s+the\s+years|over\s+time|changed?\s+(?:since|over)|milestones|releases?\s+history|what\s+(?:has\s+)?happened|zeitleiste|chronologie|geschichte\s+(?:des|der|von)|historique)\b`),
	survey:   text.NewPattern(`(?i)\b(?:overview|survey|explain|describe|state\s+of\s+the\s+art|advantages|disadvantages|pros\s+and\s+cons|trade-?offs?|implications|causes\s+and|approaches|what\s+are\s+the|how\s+(?:do|does|did|is|are|can|should))\b`),
	// A question word opens a further question only with a verb of its own behind it: ", who served" and "and which has"
	// go on speaking of what was named.
	split:  text.NewPattern(`(?i)\?\s+|;\s+(how|what|why|when|where|who|which)\b|,?\s+and\s+(?:then\s+)?((?:how|what|why|when|where)\s+(?:` + auxiliary + `))\b|,\s+((?:how|why)\s+(?:` + auxiliary + `))\b`),
	refers: text.NewPattern(`(?i)\b(?:it|its|they|their|them|this|that|these|those|he|she|his|her)\b`),
	date:   text.NewPattern(`(?i)^\W*when\b|\b(?:what|which)\s+(?:date|day|month|year)\b`),
	number: text.NewPattern(`(?i)\bhow\s+(?:many|much|long|far|fast|often|old|large|big|slow)\w*\b|\b(?:what|which)\s+(?:number|share|percentage|amount)\b`),
	since:  text.NewPattern(`(?i)\b(?:since|after|from)\s+((?:1[5-9]|20)\d\d)\b`),
	lists:  text.NewPattern(`(?i)\s*,\s*(?:and\s+|or\s+)?|\s+and\s+|\s+or\s+|\s+vs\.?\s+|\s+versus\s+|\s*/\s*`),
}

var chinese = patterns{
	compare: compile(
		`(?:比较|对比)(?:一下)?(.+?)(?:和|与|跟|同|、)(.+)`,
		`(.+?)(?:和|与|跟|同|、)(.+?)(?:之间)?的?(?:有什么|有何|有哪些|存在哪些|的)?(?:主要)?(?:区别|不同|差异|差别|异同)`,
		`(.+?)(?:相比于?|相较于?|比起)(.+)`,
	),
	timeline: text.NewPattern(`历史|演变|演进|发展历程|时间线|沿革|自\d{4}年以来|变化过程|如何变化|怎样变化`),
	survey:   text.NewPattern(`概述|综述|介绍|解释|说明|优缺点|利弊|优点|缺点|影响|如何|怎样|哪些`),
	split:    text.NewPattern(`[？；]\s*|，(?:以及|并且|而且|还有|它|其|又)`),
	refers:   text.NewPattern(`它|其|这|该`),
	date:     text.NewPattern(`什么时候|何时|哪一?[年月天日]`),
	number:   text.NewPattern(`多少|多大|多快|多慢|多久|几[个次年倍]|多高|多长`),
	since:    text.NewPattern(`(?:自|从)\s*((?:1[5-9]|20)\d\d)\s*年`),
	lists:    text.NewPattern(`、|，|和|与|跟|以及|及|\s*/\s*|\s*,\s*`),
}

func compile(exprs ...string) []*text.Pattern {
	out := make([]*text.Pattern, len(exprs))
	for i, e := range exprs {
		out[i] = text.NewPattern(e)
	}
	return out
}

func patternsOf(language string) patterns {
	if language == "zh" || language == "ja" {
		return chinese
	}
	return english
}

// frame is a question taken apart.
type frame struct {
	shape    research.Shape
	facets   []research.Facet
	subjects []string
}

// frameOf reads the form of a question. A question that asks several things
// gives a facet for each; one that asks a single thing gives one facet.
func frameOf(question, style, language string) frame {
	p := patternsOf(language)
	var f frame
	for i, part := range parts(question, p) {
		facet := p.facet(part)
		if subjects := p.subjects(part); len(subjects) > 1 && len(f.subjects) == 0 {
			f.subjects, facet.Kind = subjects, research.Comparison
		} else if p.timeline.MatchString(part) {
			facet.Kind = research.Timeline
		}
		if i > 0 && (p.refers.MatchString(part) || len(text.Names(part)) == 0) {
			facet = f.refer(facet)
		}
		f.facets = append(f.facets, facet)
	}
	f.shape = f.shapeOf(question, style, p)
	return f
}

// facet reads what one part asks for.
func (p patterns) facet(part string) research.Facet {
	f := research.Facet{Title: heading(part), Terms: unique(text.Terms(part)), Kind: research.Survey}
	switch {
	case p.date.MatchString(part):
		f.Wants = research.WantsDate
	case p.number.MatchString(part):
		f.Wants = research.WantsNumber
	}
	if m := p.since.FindStringSubmatch(part); m != nil {
		f.Since, _ = strconv.Atoi(m[1]) // four digits
	}
	return f
}

// refer gives a part that says "it" the words of the first part. After a
// comparison "it" is the thing that was compared, not what it was compared with.
func (f frame) refer(facet research.Facet) research.Facet {
	others := map[string]bool{}
	if len(f.subjects) > 0 {
		facet.About = f.subjects[0]
		for _, s := range f.subjects[1:] {
			for _, t := range text.Terms(s) {
				others[t] = true
			}
		}
	}
	for _, t := range f.facets[0].Terms {
		if !others[t] && !comparing[t] {
			facet.Terms = append(facet.Terms, t)
		}
	}
	facet.Terms = unique(facet.Terms)
	return facet
}

func (f frame) shapeOf(question, style string, p patterns) research.Shape {
	switch {
	case style == "comparison" || style == "" && len(f.subjects) > 1:
		return research.Comparison
	case style == "timeline":
		return research.Timeline
	case style == "brief":
		return research.Lookup
	case style == "report":
		return research.Survey
	case len(f.facets) == 1 && f.facets[0].Kind == research.Timeline:
		return research.Timeline
	case len(f.facets) > 1 || wide(question, p):
		return research.Survey
	}
	return research.Lookup
}

// wide reports whether a question of one part wants more than a fact: its words
// say so, and it names few things that would pin down one answer. How one does
// something is a fact.
func wide(question string, p patterns) bool {
	return !steps.MatchString(question) && p.survey.MatchString(question) && len(text.Names(question)) < 2 && !digits(question)
}

func digits(s string) bool { return strings.IndexFunc(s, unicode.IsDigit) >= 0 }

// parts splits a question where it asks a further thing.
func parts(question string, p patterns) []string {
	var out []string
	at := 0
	for _, m := range p.split.FindAllStringSubmatchIndex(question, -1) {
		out = append(out, question[at:m[0]])
		at = m[1]
		for g := 2; g+1 < len(m); g += 2 {
			if m[g] >= 0 {
				at = m[g] // the question word belongs to the next part
			}
		}
	}
	out = append(out, question[at:])
	out = slices.DeleteFunc(out, func(s string) bool { return len(text.Terms(s)) == 0 })
	if len(out) == 0 {
		return []string{question}
	}
	return out
}

// subjects are the things that a question compares, at most maxSubjects; none
// when it compares nothing.
func (p patterns) subjects(part string) []string {
	part = strings.TrimRight(part, "?？.。 ")
	for _, re := range p.compare {
		m := re.FindStringSubmatch(part)
		if m == nil {
			continue
		}
		var out []string
		for _, side := range m[1:] {
			for _, s := range p.lists.Split(side, -1) {
				if s = subject(s); s != "" && !slices.Contains(out, s) {
					out = append(out, s)
				}
			}
		}
		if len(out) > 1 {
			return out[:min(len(out), maxSubjects)]
		}
	}
	return nil
}

const maxSubjects = 5

var (
	possessive = text.NewPattern(`(?i)^(.+?)['’]s\s+.+$`)
	leading    = text.NewPattern(`(?i)^(?:the|a|an|what|which|how|do|does|is|are|between|in|of|that|those)\s+`)
	chineseOf  = text.NewPattern(`^(.{1,20}?)的.+$`)
	asked      = text.NewPattern(`^(?:请|请问|试|简要|详细)*`)
)

// subject cuts what names a thing out of how the question puts it: "Go's memory
// model" is about Go.
func subject(s string) string {
	s = asked.ReplaceAllString(strings.TrimSpace(s), "")
	for range 3 {
		s = leading.ReplaceAllString(s, "")
	}
	if m := possessive.FindStringSubmatch(s); m != nil {
		s = m[1]
	}
	if m := chineseOf.FindStringSubmatch(s); m != nil {
		s = m[1]
	}
	s = strings.Trim(s, " \t\"“”'《》,.;:?？。，")
	if n := utf8.RuneCountInString(s); n == 0 || n > 60 {
		return ""
	}
	return s
}

// heading is a part of a question as the heading of its section.
func heading(part string) string {
	s := strings.Trim(strings.TrimSpace(part), "?？.。,，;；: ")
	s = strings.Join(strings.Fields(s), " ")
	r, size := utf8.DecodeRuneInString(s)
	if size > 0 && unicode.IsLower(r) {
		s = string(unicode.ToUpper(r)) + s[size:]
	}
	return s
}

// unique drops repeated terms and keeps the order.
func unique(terms []string) []string {
	out := terms[:0:0]
	seen := make(map[string]bool, len(terms))
	for _, t := range terms {
		if !seen[t] {
			seen[t] = true
			out = append(out, t)
		}
	}
	return out
}
