package prompts_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"deepresearch/internal/llm"
	"deepresearch/prompts"
)

var update = flag.Bool("update", false, "write the golden files")

var task = prompts.Task{
	Question: "How long is the Varn Bridge, and when was it opened?", Date: "2026-05-01", Language: "English (en)",
	Queries: []string{"Varn Bridge length official record", "Varn Bridge opening 1931 newspaper"},
}

const mark = "0f3a9c5e71d2b846"

var quotes = []prompts.Quote{
	{ID: "S1.q1", Text: "The Varn Bridge was opened in 1931 and is 412 metres long.", Source: "Varn Bridge, 2024-03-02"},
	{ID: "S2.q1", Text: "The bridge near Oldby measures 410 metres.", Source: "Bridges of the north"},
}

// rendered are all prompts with everything in them, and the bare ones where much
// falls away.
func rendered(t *testing.T) map[string]prompts.Prompt {
	t.Helper()
	s, err := prompts.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	must := func(p prompts.Prompt, err error) prompts.Prompt {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	parts := []string{"Length", "Opening"}
	bare := prompts.Task{Question: "何时开通？", Date: "2026-05-01", Language: "Chinese (zh)"}
	return map[string]prompts.Prompt{
		"queries":        must(s.Queries(prompts.Queries{Task: task, N: 3, Parts: parts, Subjects: []string{"the Varn Bridge", "the Oldby Bridge"}, Recency: "year"})),
		"queries_bare":   must(s.Queries(prompts.Queries{Task: bare, N: 1})),
		"queries_follow": must(s.Queries(prompts.Queries{Task: prompts.Task{Question: "Who paid for it?", Date: task.Date, Language: task.Language, Earlier: task.Question}, N: 1})),
		"queries_deep":   must(s.Queries(prompts.Queries{Task: prompts.Task{Question: task.Question, Date: task.Date, Language: task.Language, Clarified: "Which bridge? The one near Oldby."}, N: 5, Deep: true})),
		"queries_asking": must(s.Queries(prompts.Queries{Task: bare, N: 5, Deep: true, MayAsk: true})),
		"plan": must(s.Plan(prompts.Plan{
			Task: task, Mark: mark, N: 4, PerTask: 2, Computes: true, Parts: parts, Hidden: 2,
			Findings: []prompts.Finding{{Says: "The bridge was opened in 1931.", Source: "1, 3", Date: "2024-03-02"}},
			Rejected: []prompts.Rejected{{Title: "The bridge", Tasks: []string{"t1 (research): Cost of the bridge"}, Why: "length, not cost"}},
			Draft:    &prompts.Draft{Title: "The bridge", Tasks: []string{"t1 (research): Length"}, Wrong: []string{"task t1 depends on \"t9\", which is no task"}},
		})),
		"plan_bare":     must(s.Plan(prompts.Plan{Task: bare, Mark: mark, N: 1, PerTask: 1})),
		"gaps_task":     must(s.Gaps(prompts.Gaps{Task: task, N: 1, Mark: mark, Round: 2, Rounds: 5, Title: "Length", Detail: "The official one.", Findings: []prompts.Finding{{Says: "It is 412 metres long.", Source: "2"}}})),
		"roll":          must(s.Roll(prompts.Roll{Task: task, Mark: mark, Lines: []prompts.Named{{Name: "L1", Says: "The bridge was opened in 1931."}}, New: []prompts.Named{{Name: "N1", Says: "It is 412 metres long."}}})),
		"page":          must(s.Page(prompts.Page{Task: task, Mark: mark, Title: "Varn Bridge", Site: "Northern Bridges", Published: "2024-03-02", Parts: parts, Lines: []prompts.Line{{Text: "History"}, {N: 1, Text: "It was opened in 1931."}, {N: 2, Text: "It is 412 metres long."}}})),
		"page_bare":     must(s.Page(prompts.Page{Task: bare, Mark: mark, Lines: []prompts.Line{{N: 1, Text: "大桥于1931年开通。"}}})),
		"gaps":          must(s.Gaps(prompts.Gaps{Task: task, N: 3, Mark: mark, Parts: parts, Round: 1, Rounds: 2, Findings: []prompts.Finding{{Says: "The bridge was opened in 1931.", Source: "1", Date: "2024-03-02"}, {Says: "It is 412 metres long.", Source: "2"}}})),
		"outline":       must(s.Outline(prompts.Outline{Task: task, Mark: mark, N: 4, Shape: "survey", Audience: "engineers", Parts: parts, Quotes: quotes})),
		"section":       must(s.Section(prompts.Section{Task: task, Mark: mark, Heading: "Length", Others: []string{"Opening"}, Style: "report", Audience: "engineers", Words: 200, Quotes: quotes})),
		"section_brief": must(s.Section(prompts.Section{Task: bare, Mark: mark, Style: "brief", Words: 120, Quotes: quotes})),
		"table":         must(s.Table(prompts.Table{Task: task, Mark: mark, Columns: []string{"Aspect", "Varn Bridge", "Oldby Bridge"}, N: 6, Quotes: quotes})),
		"timeline":      must(s.Table(prompts.Table{Task: task, Mark: mark, Columns: []string{"Date", "Event"}, Timeline: true, N: 12, Quotes: quotes})),
		"program": must(s.Program(prompts.Program{
			Task: task, Mark: mark, Title: "Cost of a metre", Detail: "In crowns.", Guide: "How to write a program.", Quotes: quotes,
			Results: []prompts.Named{{Name: "R1", Says: "Length: 412 m"}}, Code: "result(", Wrong: []string{"line 1, column 8: got end of file"},
		})),
		"summary": must(s.Summary(prompts.Summary{Task: task, Mark: mark, Title: "The Varn Bridge", Lines: []string{"The bridge was opened in 1931 [S1.q1]."}})),
		"verdicts": must(s.Verdicts(prompts.Verdicts{Task: task, Mark: mark, Claims: []prompts.Claim{
			{N: 1, Text: "It is 412 metres long.", Context: "The Varn Bridge crosses the Varn.", Passages: []string{"The Varn Bridge is 412 metres long."}},
			{N: 2, Text: "It was opened in 1932.", Doubt: "not in the cited passage: 1932", Passages: []string{"It was opened in 1931."}},
		}})),
	}
}

func TestGolden(t *testing.T) {
	for name, p := range rendered(t) {
		got := "== system ==\n" + p.System + "\n== user ==\n" + p.User + "\n"
		file := filepath.Join("testdata", name+".golden")
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), got); d != "" {
			t.Errorf("%s differs from its golden file (-want +got):\n%s", name, d)
		}
	}
}

// most is the largest prompt of ours, without its material, in tokens.
const most = 700

// TestTokens prints what each prompt costs beside its material.
func TestTokens(t *testing.T) {
	for name, p := range rendered(t) {
		n := llm.EstimateTokens(p.System) + llm.EstimateTokens(p.User)
		t.Logf("%-14s %4d tokens", name, n)
		if n > most {
			t.Errorf("%s has %d tokens, the most is %d", name, n, most)
		}
	}
}

// TestEachPromptSaysWhatItMust holds for every template: the question, the day,
// the language, and that giving up is allowed.
func TestEachPromptSaysWhatItMust(t *testing.T) {
	allowed := []string{"stop", "not everything", "NOT FOUND", "good answer", "that is allowed", "Leave out", "empty list", "NOTHING TO JOIN", "it is enough"}
	for name, p := range rendered(t) {
		all := p.System + "\n" + p.User
		for _, want := range []string{"Question: ", "Today: 2026-05-01", "Language of the answer: "} {
			if !strings.Contains(all, want) {
				t.Errorf("%s lacks %q", name, want)
			}
		}
		may := false
		for _, a := range allowed {
			may = may || strings.Contains(all, a)
		}
		if !may {
			t.Errorf("%s does not allow to stop or to find nothing", name)
		}
		if !strings.HasPrefix(name, "queries") && strings.Count(all, mark) < 3 {
			t.Errorf("%s does not fence its material", name)
		}
		if strings.Contains(all, "<no value>") || strings.Contains(all, "\n\n\n") {
			t.Errorf("%s is untidy:\n%s", name, all)
		}
	}
}

func TestOverriding(t *testing.T) {
	over := fstest.MapFS{"write/summary.tmpl": {Data: []byte(`{{define "system"}}S{{end}}{{define "user"}}Short: {{.Question}}{{end}}`)}}
	s, err := prompts.New(over)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Summary(prompts.Summary{Task: task})
	if want := (prompts.Prompt{System: "S", User: "Short: " + task.Question}); err != nil || p != want {
		t.Errorf("the overriding prompt is %+v (%v), want %+v", p, err, want)
	}
	if p, err := s.Gaps(prompts.Gaps{Task: task}); err != nil || !strings.Contains(p.System, "researcher") {
		t.Errorf("a prompt that was not overridden: %+v, %v", p, err)
	}
}

func TestBadOverridesAreNamed(t *testing.T) {
	for name, body := range map[string]string{
		"syntax":   "{{define \"system\"}}{{if}}{{end}}",
		"no parts": "Just text",
		"no user":  `{{define "system"}}S{{end}}`,
	} {
		_, err := prompts.New(fstest.MapFS{"judge/verdicts.tmpl": {Data: []byte(body)}})
		if err == nil || !strings.Contains(err.Error(), "judge/verdicts.tmpl") {
			t.Errorf("%s: error %v, want one that names the file", name, err)
		}
	}
	for file, body := range map[string]string{
		"plan/queries.tmpl": `{{define "system"}}{{.Nonsense}}{{end}}{{define "user"}}{{end}}`,
		"reflect/gaps.tmpl": `{{define "system"}}{{range .Findings}}{{.Nonsense}}{{end}}{{end}}{{define "user"}}{{end}}`, // shows with a finding only
		"write/secton.tmpl": `{{define "system"}}S{{end}}{{define "user"}}U{{end}}`,
	} {
		if _, err := prompts.New(fstest.MapFS{file: {Data: []byte(body)}}); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: error %v, want one that names the file", file, err)
		}
	}
}

func ExampleNew() {
	s, err := prompts.New(os.DirFS("my-prompts")) // a folder that is not there overrides nothing
	if err != nil {
		return
	}
	p, err := s.Queries(prompts.Queries{Task: prompts.Task{Question: "When was the Varn Bridge opened?", Date: "2026-05-01", Language: "English (en)"}, N: 2})
	if err != nil {
		return
	}
	os.Stdout.WriteString(p.System + "\n")
	// Output: You plan searches. You turn a question into search queries that find the pages which answer it. You answer with JSON.
}
