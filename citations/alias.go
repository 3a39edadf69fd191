package citations

import (
	"fmt"
	"strings"

	"deepresearch/internal/text"
)

// Aliases are short names of quotes, S1.q1 and so on, for one prompt. A model
// copies them more surely than ids; they mean nothing outside the prompt.
type Aliases struct {
	short, long map[string]string
}

// NewAliases names the quotes in the order given: the first source is S1, its
// first quote S1.q1. Ids that are no quote ids are left out.
func NewAliases(ids []string) Aliases {
	a := Aliases{map[string]string{}, map[string]string{}}
	sources, quotes := map[string]int{}, map[string]int{}
	for _, id := range ids {
		source, span, ok := splitID(id)
		if !ok || span.Len() == 0 || a.short[id] != "" {
			continue
		}
		if sources[source] == 0 {
			sources[source] = len(sources) + 1
		}
		quotes[source]++
		name := fmt.Sprintf("S%d.q%d", sources[source], quotes[source])
		a.short[id], a.long[name] = name, id
	}
	return a
}

// Short is the alias of a quote, "" when it has none.
func (a Aliases) Short(id string) string { return a.short[id] }

// ID is the quote that an alias stands for.
func (a Aliases) ID(short string) (id string, ok bool) {
	id, ok = a.long[short]
	return id, ok
}

var (
	aliasToken = text.NewPattern(`\[{1,2}\s*S[0-9]{1,6}\.q[0-9]{1,6}(?:\s*[,;，、]?\s*S[0-9]{1,6}\.q[0-9]{1,6}){0,20}\s*\]{1,2}`)
	aliasForm  = text.NewPattern(`S[0-9]{1,6}\.q[0-9]{1,6}`)
)

// Expand replaces the aliases in what a model wrote, [[S1.q2]] or [S1.q2, S2.q1],
// by the tokens of their quotes. Names that were not given out are removed and
// counted.
func (a Aliases) Expand(written string) (draft string, forged int) {
	draft = aliasToken.ReplaceAllStringFunc(written, func(token string) string {
		var b strings.Builder
		for _, name := range aliasForm.FindAllString(token, -1) {
			if id, ok := a.long[name]; ok {
				b.WriteString(Token(id))
			} else {
				forged++
			}
		}
		return b.String()
	})
	return draft, forged
}

// SplitSentences cuts prose that holds tokens into the sentences of a draft.
// Tokens behind a full stop belong to the sentence before it.
func SplitSentences(prose string) []Sentence {
	var out []Sentence
	for _, span := range text.Sentences(prose) {
		s := oneLine(span.In(prose))
		if n := len(out); n > 0 && strings.TrimSpace(tokenPattern.ReplaceAllString(s, "")) == "" {
			out[n-1].Text += " " + s
			continue
		}
		out = append(out, Sentence{Text: s})
	}
	return out
}
