package eval

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"deepresearch/internal/llm"
	"deepresearch/internal/text"
)

// The lines of our prompts that carry material.
var (
	askedLine    = regexp.MustCompile(`(?m)^Question: (.*)$`)
	numberedLine = regexp.MustCompile(`(?m)^(\d+)\. (.*)$`)
	foundLine    = regexp.MustCompile(`(?m)^- (.*) \(page [\d, ]+`)
	passageLine  = regexp.MustCompile(`(?m)^\[(S\d+\.q\d+)\] (.*?)(?: — [^—\n]*)?$`)
	claimLine    = regexp.MustCompile(`(?ms)^Claim (\d+): ([^\n]*)\n.*?Passages:\n(.*?)\n[0-9a-f]{16}>>`)
)

// Sizes of the answers of a lexical reader.
const (
	readSentences = 4
	newNames      = 3
	written       = 8
)

// lexical is a reader without understanding: it takes the sentences that share
// most words with the question, and what they name and the question does not is
// what it looks for next. It makes arms comparable where there is no model.
func lexical(r llm.Request) string {
	user := r.Messages[0].Text
	question := ""
	if m := askedLine.FindStringSubmatch(user); m != nil {
		question = m[1]
	}
	schema := string(r.Schema)
	switch {
	case strings.Contains(schema, `"depends_on"`):
		return lexicalPlan(question, user)
	case r.Role == llm.Plan:
		return asJSON(map[string]any{"queries": []any{map[string]string{"query": question}}})
	case r.Role == llm.Search:
		return lexicalReading(question, user)
	case r.Role == llm.Judge:
		return lexicalVerdicts(user)
	case r.Role == llm.Reflect && schema == "":
		return "NOTHING TO JOIN"
	case r.Role == llm.Reflect:
		names := unnamed(question, user)
		return asJSON(map[string]any{"sufficient": len(names) == 0, "gaps": names, "follow_ups": names})
	case strings.Contains(schema, `"sections"`):
		return `{"title":"","sections":[]}`
	case schema != "":
		return ""
	}
	var b strings.Builder
	for _, p := range nearest(question, passageLine.FindAllStringSubmatch(user, -1), written) {
		b.WriteString(strings.TrimRight(p[2], ". ") + " [" + p[1] + "]. ")
	}
	return b.String()
}

func asJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// nearest are the n lines whose last part shares most words with the question, in
// their order.
func nearest(question string, lines [][]string, n int) [][]string {
	wanted := text.Terms(question)
	shared := func(line []string) int {
		n := 0
		own := text.Terms(line[len(line)-1])
		for _, t := range wanted {
			if slices.Contains(own, t) {
				n++
			}
		}
		return n
	}
	best := slices.Clone(lines)
	slices.SortStableFunc(best, func(a, b []string) int { return cmp.Compare(shared(b), shared(a)) })
	best = best[:min(n, len(best))]
	return slices.DeleteFunc(slices.Clone(lines), func(l []string) bool {
		return !slices.ContainsFunc(best, func(b []string) bool { return b[1] == l[1] })
	})
}

func lexicalReading(question, user string) string {
	type finding struct {
		Says      string `json:"says"`
		Sentences []int  `json:"sentences"`
	}
	found := []finding{}
	for _, m := range nearest(question, numberedLine.FindAllStringSubmatch(user, -1), readSentences) {
		n, _ := strconv.Atoi(m[1]) // digits
		found = append(found, finding{m[2], []int{n}})
	}
	return asJSON(map[string]any{"findings": found})
}

// unnamed are the names that what was found has and neither the question nor a
// query so far.
func unnamed(question, user string) []string {
	out := []string{}
	known, _, _ := strings.Cut(strings.ToLower(user), "<<")
	question = strings.ToLower(question + known)
	for _, m := range foundLine.FindAllStringSubmatch(user, -1) {
		for _, span := range text.Names(m[1]) {
			name := span.In(m[1])
			if len(out) < newNames && !strings.Contains(question, strings.ToLower(name)) && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

func lexicalPlan(question, user string) string {
	tasks := []any{}
	for _, name := range unnamed(question, user) {
		tasks = append(tasks, map[string]any{"kind": "research", "title": name, "queries": []string{name}})
	}
	return asJSON(map[string]any{"enough": len(tasks) == 0, "tasks": tasks})
}

func lexicalVerdicts(user string) string {
	verdicts := []any{}
	for _, m := range claimLine.FindAllStringSubmatch(user, -1) {
		n, _ := strconv.Atoi(m[1]) // digits
		for passage := range strings.SplitSeq(m[3], "\n") {
			if passage = strings.TrimPrefix(passage, "- "); strings.Contains(text.Normalize(passage), text.Normalize(strings.TrimRight(m[2], "."))) {
				verdicts = append(verdicts, map[string]any{"claim": n, "label": "supported", "span": passage})
				break
			}
		}
	}
	return asJSON(map[string]any{"verdicts": verdicts})
}
