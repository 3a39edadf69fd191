package write_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"deepresearch/internal/llm"
	"deepresearch/internal/text"
)

// good is what a careful model says to each of our prompts. It works on what the
// prompt holds and knows nothing else.
func good(r llm.Request) string {
	user := r.Messages[0].Text
	switch {
	case strings.Contains(string(r.Schema), `"depends_on"`):
		return goodPlan(user)
	case r.Role == llm.Plan:
		return goodQueries(user)
	case r.Role == llm.Search:
		return goodReading(user)
	case r.Role == llm.Reflect && len(r.Schema) == 0:
		return goodNotes(user)
	case r.Role == llm.Reflect:
		return asJSON(map[string]any{"sufficient": true, "gaps": []string{}, "follow_ups": []string{}})
	case r.Role == llm.Judge:
		return goodVerdicts(user)
	case strings.Contains(string(r.Schema), `"sections"`):
		return goodOutline(user)
	case strings.Contains(string(r.Schema), `"rows"`):
		return goodTable(user)
	}
	return goodProse(user)
}

func asJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

var questionLine = regexp.MustCompile(`(?m)^Question: (.*)$`)

func questionIn(user string) string { return questionLine.FindStringSubmatch(user)[1] }

func goodQueries(user string) string {
	q := strings.TrimRight(questionIn(user), "?")
	return asJSON(map[string]any{"shape": "survey", "parts": []string{"Construction", "Use"}, "queries": []map[string]string{
		{"query": q + " official record", "why": "the facts"}, {"query": "Varn Bridge traffic statistics 2026", "why": "use"}, {"query": "Varn Bridge cost budget report", "why": "cost"},
	}})
}

// goodPlan has two tasks, the second of which waits for the first, in the words of
// models: capitals, no ids that nobody needs.
func goodPlan(string) string {
	return asJSON(map[string]any{"title": "The Varn Bridge", "enough": false, "assumptions": []string{"The bridge near Oldby is meant."}, "tasks": []map[string]any{
		{"id": "t1", "kind": "RESEARCH", "title": "Cost of the Varn Bridge", "detail": "What it cost to build and to repair.", "queries": []string{"Varn Bridge cost crowns repairs"}},
		{"id": "t2", "kind": "Research", "title": "Its engineer Maren Holt", "detail": "Where she was born and what else she built.", "depends_on": []string{"t1"}, "queries": []string{"Maren Holt born village engineer"}},
	}})
}

var noteLine = regexp.MustCompile(`(?m)^\[([LN]\d+)\] (.*)$`)

// goodNotes joins lines of notes that say the same.
func goodNotes(user string) string {
	names := map[string][]string{}
	var order []string
	for _, m := range noteLine.FindAllStringSubmatch(user, -1) {
		if names[m[2]] == nil {
			order = append(order, m[2])
		}
		names[m[2]] = append(names[m[2]], m[1])
	}
	var b strings.Builder
	for _, said := range order {
		if len(names[said]) > 1 {
			b.WriteString(said + " [" + strings.Join(names[said], ", ") + "]\n")
		}
	}
	if b.Len() == 0 {
		return "NOTHING TO JOIN"
	}
	return b.String()
}

var (
	numberedLine = regexp.MustCompile(`(?m)^(\d+)\. (.*)$`)
	passageLine  = regexp.MustCompile(`(?m)^\[(S\d+\.q\d+)\] (.*?)(?: — [^—\n]*)?$`)
	toldLine     = regexp.MustCompile(`(?m)^(.*) \[(S\d+\.q\d+)[^\]]*\]$`)
)

func goodReading(user string) string {
	type finding struct {
		Says      string `json:"says"`
		Sentences []int  `json:"sentences"`
	}
	out := []finding{}
	for _, m := range numberedLine.FindAllStringSubmatch(user, 6) {
		n, _ := strconv.Atoi(m[1])
		out = append(out, finding{m[2], []int{n}})
	}
	return asJSON(map[string]any{"findings": out})
}

func passages(user string) [][]string { return passageLine.FindAllStringSubmatch(user, -1) }

func goodOutline(user string) string {
	type section struct {
		Heading  string   `json:"heading"`
		Passages []string `json:"passages"`
	}
	sections := []section{{Heading: "Construction of the bridge"}, {Heading: "The bridge in use"}}
	for i, p := range passages(user) {
		s := &sections[i%2]
		s.Passages = append(s.Passages, p[1])
	}
	return asJSON(map[string]any{"title": "The Varn Bridge", "sections": sections})
}

func goodTable(user string) string {
	rows := []map[string]string{}
	for i, p := range passages(user) {
		if strings.Contains(user, "in order of time") {
			if year := regexp.MustCompile(`\b1[89]\d\d|\b20\d\d`).FindString(p[2]); year != "" {
				rows = append(rows, map[string]string{"c1": year, "c2": p[2] + " [" + p[1] + "]"})
			}
			continue
		}
		rows = append(rows, map[string]string{"c1": "Aspect " + string(rune('A'+i)), "c2": p[2] + " [" + p[1] + "]", "c3": p[2] + " [" + p[1] + "]"})
	}
	return asJSON(map[string]any{"rows": rows[:min(len(rows), 4)]})
}

// goodProse is a sentence for each passage, or for each line of a finished
// report.
func goodProse(user string) string {
	var b strings.Builder
	lines := passages(user)
	if len(lines) == 0 {
		for _, m := range toldLine.FindAllStringSubmatch(user, 2) {
			lines = append(lines, []string{"", m[2], m[1]})
		}
	}
	for i, p := range lines[:min(len(lines), 5)] {
		if i == 3 {
			b.WriteString("\n\n")
		}
		b.WriteString(strings.TrimRight(p[2], ".") + " [" + p[1] + "]. ")
	}
	if b.Len() == 0 {
		return "NOT FOUND"
	}
	return b.String()
}

var claimLine = regexp.MustCompile(`(?ms)^Claim (\d+): ([^\n]*)\n.*?Passages:\n(.*?)\n[0-9a-f]{16}>>`)

func goodVerdicts(user string) string {
	type verdict struct {
		Claim  int    `json:"claim"`
		Label  string `json:"label"`
		Span   string `json:"span"`
		Reason string `json:"reason"`
	}
	out := []verdict{}
	for _, m := range claimLine.FindAllStringSubmatch(user, -1) {
		n, _ := strconv.Atoi(m[1])
		v := verdict{n, "unsupported", "", "no passage says so"}
		for passage := range strings.SplitSeq(m[3], "\n") {
			if passage = strings.TrimPrefix(passage, "- "); says(passage, m[2]) {
				v = verdict{n, "supported", passage, "it says so"}
				break
			}
		}
		out = append(out, v)
	}
	return asJSON(map[string]any{"verdicts": out})
}

// says reports whether a passage has nearly all words of a claim.
func says(passage, claim string) bool {
	n, words := 0, text.Terms(claim)
	for _, w := range words {
		if slices.Contains(text.Terms(passage), w) {
			n++
		}
	}
	return 5*n >= 4*len(words)
}

// answering is good but for what the functions answer; the first that says
// something wins.
func answering(fs ...func(llm.Request) string) func(llm.Request) string {
	return func(r llm.Request) string {
		for _, f := range fs {
			if s := f(r); s != "" {
				return s
			}
		}
		return good(r)
	}
}

// onRole answers one role by a fixed text.
func onRole(role llm.Role, text string) func(llm.Request) string {
	return func(r llm.Request) string {
		if r.Role == role {
			return text
		}
		return ""
	}
}

// onProse answers whatever asks for prose.
func onProse(f func(user string) string) func(llm.Request) string {
	return func(r llm.Request) string {
		if r.Role == llm.Write && len(r.Schema) == 0 {
			return f(r.Messages[0].Text)
		}
		return ""
	}
}

// reflections answers the nth reflection by the nth text, the last one for all
// that follow.
func reflections(texts ...string) func(llm.Request) string {
	round := regexp.MustCompile(`This was round (\d+) of`)
	return func(r llm.Request) string {
		if r.Role != llm.Reflect || len(r.Schema) == 0 {
			return ""
		}
		n, _ := strconv.Atoi(round.FindStringSubmatch(r.Messages[0].Text)[1])
		return texts[min(n, len(texts))-1]
	}
}

func reflection(sufficient bool, gap string, followUps ...string) string {
	gaps := []string{}
	if gap != "" {
		gaps = append(gaps, gap)
	}
	return fmt.Sprintf(`{"sufficient":%v,"gaps":%s,"follow_ups":%s}`, sufficient, asJSON(gaps), asJSON(append([]string{}, followUps...)))
}
