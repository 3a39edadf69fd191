package extract

import (
	"slices"
	"strings"

	"deepresearch/internal/text"
	"deepresearch/research"
)

// form is a kind of question that its words give away, and what a sentence has
// that answers it.
type form struct {
	asked *text.Pattern // group 1, where there is one, is what the question is about
	has   func(sentence, topic string) float64
}

// formBonus is added to the relevance of a sentence that has what the question
// word asks for.
const formBonus = 6.0

// steps is how one asks for instructions.
var steps = text.NewPattern(`(?i)\bhow\s+(?:do|can|should|would|must)\s+(?:i|we|you|one)\b|\bhow\s+to\b|\bwie\s+(?:kann|muss|soll)\s+(?:ich|man|wir)\b|\bcomment\b|怎么|どうやって`)

var forms = []form{
	{text.NewPattern(`(?i)^\W*(?:what|who)\s+(?:is|are|was|were)\s+(?:an?\s+|the\s+)?(.+)$|^\W*what\s+does\s+(?:an?\s+|the\s+)?(.+?)\s+mean$|^\W*define\s+(.+)$|` +
		`^\W*was\s+(?:ist|sind|bedeutet)\s+(?:ein(?:e|en)?\s+|der\s+|die\s+|das\s+)?(.+)$|^\W*qu['’]est-ce\s+(?:que?\s+c['’]est\s+)?(?:que?\s*|qu['’])(?:une?\s+|las?\s+|les?\s+|l['’])?(.+)$|` +
		`^(?:什么是|何为)(.+)$|^(.+?)(?:是什么|指什么|とは何)`), defines},
	{text.NewPattern(`(?i)\bwhy\b|\bwhat\s+(?:is|was)\s+the\s+(?:cause|reason)|\b(?:warum|weshalb|wieso|pourquoi)\b|为什么|为何|なぜ`), matching(
		`(?i)\b(?:because|since|so\s+that|due\s+to|caused?|reasons?|therefore|in\s+order\s+to|weil|damit|denn|deshalb|wegen|parce\s+que|puisque|afin)\b|因为|由于|所以|以便|ため|から`)},
	{steps, matching(
		`(?i)^\W*(?:to\s+[a-z]+|(?:first|then|next|now),?\s)|^\W*(?:add|build|call|change|choose|click|copy|create|delete|download|edit|enter|install|make|move|open|pass|pick|press|put|remove|replace|run|select|set|start|stop|switch|type|unpack|use|write)\b|:\s*\n|\bswitched\s+on\b|\b(?:flag|option|command)\b|请|点击|运行|执行|使用|输入`)},
	{text.NewPattern(`(?i)^\W*(?:who|whose|wer|qui)\b|谁|誰`), func(s, _ string) float64 { return min(1, float64(len(text.Names(s)))) / 2 }},
}

// matching is a form whose answers hold one of some words.
func matching(expr string) func(s, topic string) float64 {
	re := text.NewPattern(expr)
	return func(s, _ string) float64 {
		if re.MatchString(s) {
			return 1
		}
		return 0
	}
}

// How a definition goes on behind the thing that it defines. Weaker ones say
// something of it that need not be what it is.
var (
	strong = text.NewPattern(`(?i)^(?:es|s|n)?['"”’“»*_` + "`" + `)]*\s*(?:\([^)]*\)\s*)?(?:,[^,]{1,60},\s*)?(?:(?:is|are|was|were)\s+(?:an?|the|any|one|what|when|where)\b|means?\b|refers?\s+to|consists?\s+of|(?:is|are)\s+defined\s+as|occurs?\s+(?:when|if)|happens?\s+(?:when|if)|denotes?|describes?|stands\s+for|` +
		`(?:ist|sind)\s+(?:ein\w*|der|die|das)\b|bedeutet|bezeichnet|nennt\s+man|versteht\s+man|(?:est|sont)\s+(?:une?|les?|las?|l['’])|désigne|signifie|是指|指的是|是一[种个]|意思是|とは|は.{1,80}(?:である|です)|—|–|:)`)
	weak   = text.NewPattern(`(?i)^(?:es|s|n)?['"”’“»*_` + "`" + `)]*\s*(?:\([^)]*\)\s*)?(?:is|are|was|were|ist|sind|est|sont|是|指|は)`)
	before = text.NewPattern(`(?i)(?:\bby|\bunter|\bcall(?:s|ed)?|\bappelle|\bknown\s+as|\bas|所谓|称为|叫做?)\s*(?:an?\s+|the\s+|einem?r?\s+)?['"“”„«*_]*$`)
	opens  = text.NewPattern(`(?i)^[\s'"“„«*_` + "`" + `]*(?:(?:an?|the|ein|eine|der|die|das|les?|las?|l['’]|une?|de|d['’]|in\s+\w+,)\s*)?['"“„«*_` + "`" + `]*$`)
)

// maxDefined bounds the words of a thing that has a definition.
const maxDefined = 5

// defines rates how much a sentence reads like the definition of the topic: 1
// for "X is a ...", less for one that only speaks of X first.
func defines(s, topic string) float64 {
	if topic == "" || len(strings.Fields(topic)) > maxDefined {
		return 0
	}
	at, ok := text.Find(s, topic)
	if !ok {
		return 0
	}
	lead, rest := s[:at.Start], s[at.End:]
	switch first := opens.MatchString(lead); {
	case first && strong.MatchString(rest), before.MatchString(lead):
		return 1
	case first && weak.MatchString(rest):
		return 0.4
	}
	return 0
}

// formOf is how a question is put, and the thing that it is about; false when
// its words ask for nothing in particular.
func formOf(question string) (f form, topic string, ok bool) {
	question = strings.TrimRight(question, "?？.。! ")
	for _, f := range forms {
		if m := f.asked.FindStringSubmatch(question); m != nil {
			for _, g := range m[1:] {
				topic += g
			}
			return f, strings.ToLower(strings.TrimSpace(topic)), true
		}
	}
	return form{}, "", false
}

// measures are the units in which questions of how tall, how heavy and so on are
// answered.
var measures = []struct {
	asked *text.Pattern
	units string
}{
	{text.NewPattern(`(?i)\bhow\s+(?:tall|high|deep|wide|broad|thick|far)\b|\b(?:height|depth|width|distance)\b|\bwie\s+(?:hoch|tief|breit|weit)\b|多[高深宽远]|高さ|深さ`), "m km cm mm µm nm mile ft inch"},
	{text.NewPattern(`(?i)\bhow\s+heavy\b|\bhow\s+much\s+do(?:es)?\s.+\sweigh\b|\bweight\b|\bwie\s+schwer\b|多重|重さ`), "g kg mg t lb"},
	{text.NewPattern(`(?i)\bhow\s+long\b|\blength\b|\bwie\s+lange?\b|多长|長さ`), "m km cm mm mile ft inch ms µs ns s min h day week month year decade century"},
	{text.NewPattern(`(?i)\bhow\s+old\b|\bwie\s+alt\b|多久`), "s min h day week month year decade century"},
	{text.NewPattern(`(?i)\bhow\s+(?:hot|cold|warm)\b|\btemperature\b|温度|気温`), "°C °F °"},
	{text.NewPattern(`(?i)\bhow\s+much\s+do(?:es)?\s.+\scost\b|\bhow\s+(?:expensive|much\s+money)\b|\b(?:price|salary|cost)\b|\bwas\s+kostet\b|价格|多少钱|値段`), "USD EUR GBP JPY CNY KRW INR CHF ¥"},
}

// unitsOf are the units of the answer to a question, nil when it asks for none.
func unitsOf(question string) []string {
	for _, m := range measures {
		if m.asked.MatchString(question) {
			return strings.Fields(m.units)
		}
	}
	return nil
}

// measured reports whether a sentence names a number in one of the units.
func measured(s string, units []string) bool {
	return slices.ContainsFunc(text.Numbers(s), func(n text.Number) bool { return slices.Contains(units, n.Unit) && !n.Year && !n.Version })
}

// How sure a sign of an answer is: a number in the unit asked for more than a
// word, any number or date less.
const (
	unitFit = 1.5
	anyFit  = 0.6
)

// fitting rates what a sentence has of that which the question word asks for: 0
// when nothing, 1 for what the words of a question of its form call for.
func fitting(s string, f research.Facet) float64 {
	fit := 0.0
	if form, topic, ok := formOf(f.Title); ok {
		fit = form.has(s, topic)
	}
	if units := unitsOf(f.Title); units != nil {
		if measured(s, units) {
			return unitFit
		}
		return fit
	}
	if f.Wants == research.WantsDate && len(text.Dates(s)) > 0 || f.Wants == research.WantsNumber && len(text.Numbers(s)) > 0 {
		fit = max(fit, anyFit)
	}
	return fit
}
