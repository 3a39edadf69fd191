package answer

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
)

// marker begins a line of a list: a bullet, a number, or a label such as
// "Query 2:".
var marker = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:[-*•‣–]\s+|\(?\d{1,2}[.):、]\s*|(?:\*\*)?(?:search |follow-?up |sub-?)?(?:query|question|task|step|查询|问题)\s*\d*(?:\*\*)?\s*[:：](?:\*\*)?\s*)+`)
})

const (
	shortestLine = 3   // characters
	longestLine  = 200 // characters; longer ones are prose
	maxLines     = 20
)

// Lines is the last resort for a list of texts: it makes the value from the
// lines that a text lists, when the schema is a list of texts or an object that
// requires nothing else. Prose lists nothing.
func Lines(text string, of json.RawMessage) (Value, error) {
	s := parseSchema(of)
	if s == nil {
		return Value{}, errNothing
	}
	texts := func(s *schema) bool { return s.kind == "array" && s.items != nil && s.items.kind == "string" }
	list := listed(Spoken(text))
	var v any = list
	if !texts(s) {
		p := s.only(texts)
		if p == nil {
			return Value{}, errors.New("the answer is not a list of texts")
		}
		v = map[string]any{p.name: list}
	}
	if len(list) == 0 {
		return Value{}, errNothing
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return Value{}, errNothing
	}
	return s.fit(raw, costGuess)
}

// listed returns the lines of text that a marker begins, without it.
func listed(text string) []any {
	var out []any
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		m := marker().FindString(line)
		if m == "" {
			continue
		}
		line = strings.Trim(line[len(m):], " \t\"'`*“”,")
		if n := utf8.RuneCountInString(line); n < shortestLine || n > longestLine || strings.HasSuffix(line, ":") {
			continue
		}
		if out = append(out, line); len(out) == maxLines {
			break
		}
	}
	return out
}

// refusals begin the answers of models that will not answer.
var refusals = [...]string{
	"i'm sorry", "i’m sorry", "i am sorry", "sorry,", "i cannot ", "i can't ", "i can’t ", "i won't ", "i am unable", "i'm unable",
	"as an ai", "as a language model", "unfortunately, i can", "抱歉", "对不起", "很抱歉", "我无法",
}

// Refusal reports whether text is prose by which a model refuses to answer.
func Refusal(text string) bool {
	text = strings.ToLower(Spoken(text))
	for _, r := range refusals {
		if strings.HasPrefix(text, r) {
			return true
		}
	}
	return false
}
