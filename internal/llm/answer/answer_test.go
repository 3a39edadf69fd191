package answer_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"deepresearch/internal/llm/answer"
)

const (
	queries = `{"type":"object","properties":{"query":{"type":"array","items":{"type":"string"},"description":"The queries to send"},"rationale":{"type":"string"}},"required":["query"]}`
	list    = `{"type":"array","items":{"type":"string"}}`
	reflect = `{"type":"object","properties":{"is_sufficient":{"type":"boolean"},"knowledge_gap":{"type":"string"},"follow_up_queries":{"type":"array","items":{"type":"string"}}},"required":["is_sufficient"]}`
	verdict = `{"type":"object","properties":{"action":{"type":"string","enum":["search","answer"]},"score":{"type":"integer","minimum":0,"maximum":5},"quote":{"type":"string","minLength":1}},"required":["action","quote"]}`
	tasks   = `{"type":"object","properties":{"tasks":{"type":"array","minItems":1,"items":{"type":"object","properties":{"title":{"type":"string","minLength":1},"detail":{"type":"string"}},"required":["title"]}}},"required":["tasks"]}`
)

func Example() {
	text := "<think>They want {braces}.</think>\nHere you are:\n```json\n{'Query': [\"how tall\", \"how tall\", \"how old\",]}\n```"
	v, err := answer.Parse(text, json.RawMessage(queries))
	fmt.Println(string(v.JSON), v.Cost > 0, err)
	// Output:
	// {"query":["how tall","how old"]} true <nil>
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ name, schema, text, want string }{
		{"as asked", queries, `{"query":["a b"],"rationale":"r"}`, `{"query":["a b"],"rationale":"r"}`},
		{"schema order, no unknown properties", queries, `{"x":1,"rationale":"r","query":["a b"]}`, `{"query":["a b"],"rationale":"r"}`},
		{"fenced", queries, "```json\n{\"query\":[\"a b\"]}\n```", `{"query":["a b"]}`},
		{"fence without a language, prose around", queries, "Sure:\n```\n{\"query\":[\"a b\"]}\n```\nAnything else?", `{"query":["a b"]}`},
		{"prose before and after", queries, "Here is {the} JSON: {\"query\":[\"a b\"]} I hope {it} helps.", `{"query":["a b"]}`},
		{"object for a list of objects", tasks, `{"tasks":{"title":"one task"}}`, `{"tasks":[{"title":"one task"}]}`},
		{"bare object for a wrapped list", tasks, `[{"title":"one task"},{"title":"two tasks"}]`, `{"tasks":[{"title":"one task"},{"title":"two tasks"}]}`},
		{"string for a list", queries, `{"query":"a b"}`, `{"query":["a b"]}`},
		{"bare list for an object", queries, `["a b","c d"]`, `{"query":["a b","c d"]}`},
		{"list of one for an object", reflect, `[{"is_sufficient":true}]`, `{"is_sufficient":true}`},
		{"wrapper", list, `{"items":["a b"]}`, `["a b"]`},
		{"wrapper around an object", queries, `{"result":{"query":["a b"]}}`, `{"query":["a b"]}`},
		{"numbered values", list, `{"1":"a b","2":"c d","10":"e f"}`, `["a b","c d","e f"]`},
		{"enum with a prefix", verdict, `{"action":"action-search","quote":"it is so"}`, `{"action":"search","quote":"it is so"}`},
		{"enum in another case", verdict, `{"action":"ANSWER","quote":"it is so"}`, `{"action":"answer","quote":"it is so"}`},
		{"doubled quotes", list, `[""a b"", ""c d""]`, `["a b","c d"]`},
		{"braces in thinking", queries, `<think>maybe {"query":["no"]}</think>{"query":["yes yes"]}`, `{"query":["yes yes"]}`},
		{"thinking that never ends", queries, "<think>I wonder {\"query\":[\"no\"]}\nWell.\n\n{\"query\":[\"yes yes\"]}", `{"query":["yes yes"]}`},
		{"only the end of thinking", queries, "I wonder {\"query\":[\"no\"]}\n</think>\n{\"query\":[\"yes yes\"]}", `{"query":["yes yes"]}`},
		{"thinking ends before it begins", queries, "</think>{\"query\":[\"yes yes\"]}<think>hm", `{"query":["yes yes"]}`},
		{"harmony channels", queries, `<|channel|>analysis<|message|>{"query":["no"]}<|end|><|start|>assistant<|channel|>final<|message|>{"query":["yes yes"]}<|return|>`, `{"query":["yes yes"]}`},
		{"trailing comma", queries, `{"query":["a b",],}`, `{"query":["a b"]}`},
		{"single quotes", queries, `{'query':['it\'s a b', 'c d']}`, `{"query":["it's a b","c d"]}`},
		{"Python literals", reflect, `{"is_sufficient": False, "knowledge_gap": None, "follow_up_queries": ["a b"]}`, `{"is_sufficient":false,"knowledge_gap":"","follow_up_queries":["a b"]}`},
		{"comments", queries, "{\n// the queries\n\"query\": [\"a b\" /* first */, \"c d\"], # end\n}", `{"query":["a b","c d"]}`},
		{"raw line break in a text", queries, "{\"query\":[\"a b\"],\"rationale\":\"one\ntwo\"}", `{"query":["a b"],"rationale":"one\ntwo"}`},
		{"unescaped quote", queries, `{"query":["the "big" one", "c d"],"rationale":"he said "yes", and left"}`, `{"query":["the \"big\" one","c d"],"rationale":"he said \"yes\", and left"}`},
		{"smart quotes", queries, `{“query”: [“a b”, “c d”]}`, `{"query":["a b","c d"]}`},
		{"names without quotes", queries, `{query: ["a b"], rationale: because it is so}`, `{"query":["a b"],"rationale":"because it is so"}`},
		{"missing comma", queries, "{\"query\":[\"a b\"\n\"c d\"]\n\"rationale\":\"r\"}", `{"query":["a b","c d"],"rationale":"r"}`},
		{"a bracket too many", queries, "{\n\n{\"query\":[\"a b\"]}", `{"query":["a b"]}`},
		{"a quoted bracket too many", queries, `{"{"query":["a b"]}`, `{"query":["a b"]}`},
		{"draft and final", queries, "{\"query\":[\"draft one\"]}\nBetter:\n{\"query\":[\"final one\"]}", `{"query":["final one"]}`},
		{"JSON in a text", queries, `"{\"query\":[\"a b\"]}"`, `{"query":["a b"]}`},
		{"JSON in a text of a property", tasks, `{"tasks":"[{\"title\":\"one task\"}]"}`, `{"tasks":[{"title":"one task"}]}`},
		{"cut in a text of a list", queries, `{"query":["a b","c d","e`, `{"query":["a b","c d"]}`},
		{"cut in the last property", queries, `{"query":["a b"],"rationale":"because it`, `{"query":["a b"]}`},
		{"cut after a comma", queries, `{"query":["a b",`, `{"query":["a b"]}`},
		{"cut in a nested object", tasks, `{"tasks":[{"title":"one task","detail":"d"},{"title":"two tasks","deta`, `{"tasks":[{"title":"one task","detail":"d"},{"title":"two tasks"}]}`},
		{"forgotten bracket, then prose", queries, "{\"query\":[\"a b\",\"c d\"\n\nThese should cover: everything.", `{"query":["a b","c d"]}`},
		{"booleans as texts", reflect, `{"is_sufficient":"yes"}`, `{"is_sufficient":true}`},
		{"numbers as texts", verdict, `{"action":"search","score":"4/5","quote":"it is so"}`, `{"action":"search","score":4,"quote":"it is so"}`},
		{"names in another spelling", reflect, `{"IsSufficient":false,"Follow-Up Queries":["a b"]}`, `{"is_sufficient":false,"follow_up_queries":["a b"]}`},
		{"a translated name", verdict, `{"action":"search","引文":"it is so"}`, `{"action":"search","quote":"it is so"}`},
		{"placeholders among answers", queries, `{"query":["string","a b","..."]}`, `{"query":["a b"]}`},
		{"the same twice", queries, `{"query":["a b","A  b","c d"]}`, `{"query":["a b","c d"]}`},
		{"no schema", ``, "x {\"a\": [1,2]} y", `{"a": [1,2]}`},
		{"an empty list alone is an answer", `{"type":"object","properties":{"findings":{"type":"array","items":{"type":"string"}}},"required":["findings"]}`, `{"findings":[]}`, `{"findings":[]}`},
		{"empty list is an answer when another property speaks", reflect, `{"is_sufficient":true,"knowledge_gap":"","follow_up_queries":[]}`, `{"is_sufficient":true,"knowledge_gap":"","follow_up_queries":[]}`},
		{"deep nesting of wrappers", queries, `{"a":{"b":{"query":["a b"]}}}`, `{"query":["a b"]}`},
		{"byte order mark", queries, "\ufeff{\"query\":[\"a b\"]}", `{"query":["a b"]}`},
		{"lone surrogate", queries, `{"query":["a \ud83d b"]}`, "{\"query\":[\"a \ufffd b\"]}"},
		{"HTML is not escaped", queries, `{"query":["a < b & c"]}`, `{"query":["a < b & c"]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, err := answer.Parse(c.text, json.RawMessage(c.schema))
			if err != nil || string(v.JSON) != c.want {
				t.Errorf("Parse(%q)\ngot  %s, %v\nwant %s", c.text, v.JSON, err, c.want)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ name, schema, text, want string }{
		{"prose", queries, "I think you should look for towers.", "no JSON"},
		{"nothing", queries, "", "no JSON"},
		{"white space", queries, strings.Repeat(" \n", 400), "no JSON"},
		{"a bracket and white space", queries, "{" + strings.Repeat(" \n", 400), "no JSON"},
		{"the schema's placeholder", queries, `{"query":["string"]}`, "placeholder"},
		{"the description of a property", queries, `{"query":["The queries to send"]}`, "placeholder"},
		{"the name of a property", queries, `{"query":["query"]}`, "placeholder"},
		{"the schema itself", queries, queries, "missing"},
		{"a blank to fill in", verdict, `{"action":"search","quote":"<the quote>"}`, "placeholder"},
		{"a missing property", queries, `{"rationale":"r"}`, `"query" is missing`},
		{"an empty required text", verdict, `{"action":"search","quote":""}`, "must not be empty"},
		{"an empty list", tasks, `{"tasks":[]}`, "at least 1"},
		{"empty everything", queries, `{"query":[],"rationale":""}`, "empty"},
		{"a word that is no choice", verdict, `{"action":"dance","quote":"it is so"}`, "search, answer"},
		{"two choices at once", verdict, `{"action":"search or answer","quote":"it is so"}`, "must be one of"},
		{"only thinking", queries, `<think>{"query":["a b"]}`, "no JSON"},
		{"a number for a list of objects", tasks, `{"tasks":3}`, "must be an object"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, err := answer.Parse(c.text, json.RawMessage(c.schema))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Parse(%q) = %s, %v; want an error with %q", c.text, v.JSON, err, c.want)
			}
		})
	}
}

func TestCostPrefersThePlainest(t *testing.T) {
	plain, err := answer.Parse(`{"query":["a b"]}`, json.RawMessage(queries))
	if err != nil || plain.Cost != 0 {
		t.Errorf("an answer as asked costs %d, %v", plain.Cost, err)
	}
	v, err := answer.Parse("{\"query\":[\"kept\"]}\n{\"query\":[\"dra", json.RawMessage(queries))
	if err != nil || string(v.JSON) != `{"query":["kept"]}` {
		t.Errorf("got %s, %v, want the value that is whole", v.JSON, err)
	}
}

func TestSpoken(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"no tags", "a < b [1]", "a < b [1]"},
		{"closed", "<think>x</think>\nanswer", "answer"},
		{"in the middle", "one <thinking>x</thinking>two", "one two"},
		{"nested", "<think>a<think>b</think>c</think>answer", "answer"},
		{"close only", "x\n</think>\nanswer", "answer"},
		{"close before open", "</think>answer<think>y", "answer"},
		{"never closed", "answer<think>y", "answer"},
		{"any case", "<THINK>x</Think>answer", "answer"},
		{"other brackets", "[THINK]x[/THINK]◁think▷y◁/think▷answer", "answer"},
		{"another tag inside", "<think>x</reasoning>y</think>answer", "answer"},
		{"talked about", "The tag `<think>` opens, `</think>` closes.", "The tag `<think>` opens, `</think>` closes."},
		{"fence around prose", "```markdown\n# Title\ntext\n```", "# Title\ntext"},
		{"fence around code", "```go\nx := 1\n```", "```go\nx := 1\n```"},
		{"half a tag", "a <thin", "a <thin"},
	} {
		if got := answer.Spoken(c.text); got != c.want {
			t.Errorf("%s: Spoken(%q) = %q, want %q", c.name, c.text, got, c.want)
		}
	}
}

func TestLines(t *testing.T) {
	for _, c := range []struct{ name, schema, text, want string }{
		{"labels", queries, "Query 1: how tall\n**Query 2:** how old", `{"query":["how tall","how old"]}`},
		{"numbers", list, "Here are the queries:\n1. \"how tall\"\n2) how old\n", `["how tall","how old"]`},
		{"bullets", list, "- how tall\n* how old\n• how wide", `["how tall","how old","how wide"]`},
		{"Chinese", list, "查询1：高度\n2、历史年份", `["历史年份"]`},
		{"prose", list, "I would look for the height.\nThen for the age.", ""},
		{"another schema", verdict, "- how tall", ""},
	} {
		v, err := answer.Lines(c.text, json.RawMessage(c.schema))
		if string(v.JSON) != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s: got %s, %v, want %s", c.name, v.JSON, err, c.want)
		}
	}
}

func TestRefusal(t *testing.T) {
	for text, want := range map[string]bool{
		"I'm sorry, but I can't help with that.": true, "<think>hm</think>I cannot answer.": true, "抱歉，我不能回答。": true,
		"The tower cannot fall.": false, "": false,
	} {
		if got := answer.Refusal(text); got != want {
			t.Errorf("Refusal(%q) = %v", text, got)
		}
	}
}

// hostile are texts made to cost more than they are worth.
func hostile(n int) map[string]string {
	fill := func(s string) string { return strings.Repeat(s, n/len(s)+1)[:n] }
	return map[string]string{
		"open": fill("<think>"), "close": fill("</think>"), "pairs": fill("<think>a</think>"), "half": fill("<think"), "angles": fill("<"),
		"brackets": fill("["), "braces": fill(`{"a":`), "quotes": fill(`{"`), "mixed": fill("[{'a"), "backslashes": `{"` + fill(`\`), "kimi": fill("◁think"),
	}
}

func TestHostileTextsEnd(t *testing.T) {
	for name, text := range hostile(1 << 18) {
		start := time.Now()
		answer.Spoken(text)
		if _, err := answer.Parse(text, json.RawMessage(queries)); err == nil {
			t.Errorf("%s: something was found", name)
		}
		t.Logf("%s: %v", name, time.Since(start))
	}
}

func BenchmarkSpoken(b *testing.B) {
	for name, text := range hostile(1 << 20) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				answer.Spoken(text)
			}
		})
	}
}

func BenchmarkParse(b *testing.B) {
	for name, text := range map[string]string{
		"plain":    `{"query":["how tall is it","how old is it"],"rationale":"two sides of it"}`,
		"repaired": "<think>hm {}</think>Sure:\n```json\n{'query':['how tall is it','how old is it',],}\n```",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := answer.Parse(text, json.RawMessage(queries)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"query":["a"]}`, "<think>{", `{'query':[“a”,,]}`, `["a" "b"`, "```json\n{}\n```", `{"{"query":1`, `[""a""]`, `"{\"query\":\"a\"}"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, schema := range []string{queries, tasks, verdict, list} {
			v, err := answer.Parse(text, json.RawMessage(schema))
			if err != nil {
				continue
			}
			again, err := answer.Parse(string(v.JSON), json.RawMessage(schema))
			if err != nil || string(again.JSON) != string(v.JSON) {
				t.Errorf("%s reads as %s, which reads as %s, %v", text, v.JSON, again.JSON, err)
			}
		}
		if s := answer.Spoken(text); len(s) > len(text) {
			t.Errorf("Spoken made %q longer: %q", text, s)
		}
	})
}
