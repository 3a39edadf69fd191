package scripted

import (
	"encoding/json"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"deepresearch/internal/llm"
)

// answer makes what a well-behaved model could say from the request alone.
func answer(r llm.Request) string {
	p := read(r)
	if len(r.Schema) == 0 {
		return p.prose()
	}
	raw, err := json.Marshal(json.RawMessage(p.value("", gjson.ParseBytes(r.Schema), 0)))
	if err != nil {
		return "{}"
	}
	return string(raw)
}

// prompt is what can be told from a request without understanding it.
type prompt struct {
	topic string   // the first line of the last message that is no heading
	ids   []string // such as S3.q7, in order of appearance
	lines []string // the evidence: each line that holds an id, without it
}

var id = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bS[0-9]+\.q[0-9]+\b`) })

func read(r llm.Request) prompt {
	var p prompt
	for _, m := range r.Messages {
		for line := range strings.SplitSeq(m.Text, "\n") {
			line = strings.TrimSpace(line)
			switch found := id().FindString(line); {
			case found != "":
				p.ids = append(p.ids, found)
				p.lines = append(p.lines, bare(line, found))
			case p.topic == "" && line != "" && !strings.ContainsAny(line[:1], "#<[-"):
				p.topic = cut(line, 120)
			}
		}
	}
	if p.topic == "" {
		p.topic = "the question"
	}
	return p
}

// bare is an evidence line without its id and the signs around it.
func bare(line, id string) string {
	_, after, _ := strings.Cut(line, id)
	if text := strings.Trim(after, " :])}|>-\"\t"); text != "" {
		return text
	}
	return strings.Trim(strings.ReplaceAll(line, id, ""), " :[](){}|<>-\"\t")
}

// longestDraft is how many evidence lines a draft uses.
const longestDraft = 8

func (p prompt) prose() string {
	if len(p.lines) == 0 {
		return "Nothing in the prompt answers: " + p.topic + "."
	}
	var b strings.Builder
	for i, line := range p.lines[:min(len(p.lines), longestDraft)] {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(strings.TrimRight(line, ".。") + " [" + p.ids[i] + "].")
	}
	return b.String()
}

// deepest bounds a schema that refers to itself in depth.
const deepest = 8

// value is JSON that fits the schema of the property called name.
func (p prompt) value(name string, schema gjson.Result, depth int) []byte {
	if e := schema.Get("enum.0"); e.Exists() {
		return []byte(e.Raw)
	}
	if depth > deepest {
		return []byte("null")
	}
	switch typeOf(schema) {
	case "object":
		return p.object(schema, depth)
	case "array":
		return p.array(name, schema, depth)
	case "boolean":
		return []byte("true")
	case "integer", "number":
		return []byte("1")
	}
	return quote(p.text(name, 0))
}

// typeOf reads a type that may be a list, such as ["string", "null"].
func typeOf(schema gjson.Result) string {
	t := schema.Get("type")
	if t.IsArray() {
		t = t.Get("0")
	}
	switch {
	case t.Str != "":
		return strings.ToLower(t.Str)
	case schema.Get("properties").Exists():
		return "object"
	case schema.Get("items").Exists():
		return "array"
	}
	return "string"
}

func (p prompt) object(schema gjson.Result, depth int) []byte {
	out := []byte{'{'}
	schema.Get("properties").ForEach(func(key, property gjson.Result) bool {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(out, quote(key.Str)...), ':')
		out = append(out, p.value(key.Str, property, depth+1)...)
		return true
	})
	return append(out, '}')
}

func (p prompt) array(name string, schema gjson.Result, depth int) []byte {
	of := schema.Get("items")
	if typeOf(of) != "string" || of.Get("enum").Exists() {
		return append(append([]byte{'['}, p.value(name, of, depth+1)...), ']')
	}
	n := 3
	if max := schema.Get("maxItems"); max.Exists() {
		n = min(n, int(max.Int()))
	}
	out := []byte{'['}
	for i := range n {
		s := p.text(name, i)
		if i > 0 && s == p.text(name, i-1) {
			break
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, quote(s)...)
	}
	return append(out, ']')
}

// idNames are parts of names of properties that hold ids of evidence.
var idNames = []string{"id", "ids", "quote", "quotes", "source", "sources", "mark", "marks", "cite", "cites", "evidence"}

// aspects make several queries of one topic.
var aspects = []string{"", " overview", " figures", " criticism"}

// text is the nth text of a property.
func (p prompt) text(name string, nth int) string {
	name = strings.ToLower(name)
	for _, n := range idNames {
		if len(p.ids) > 0 && (name == n || strings.HasSuffix(name, "_"+n)) {
			return p.ids[nth%len(p.ids)]
		}
	}
	if len(p.lines) > 0 && strings.Contains("text claim summary answer sentence finding draft", strings.TrimSuffix(name, "s")) && name != "" {
		return p.lines[nth%len(p.lines)]
	}
	return strings.TrimRight(p.topic, "?!. ") + aspects[nth%len(aspects)]
}

func quote(s string) []byte {
	raw, err := json.Marshal(s)
	if err != nil { // strings always marshal
		return []byte(`""`)
	}
	return raw
}

// cut shortens s to at most n bytes without breaking a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
