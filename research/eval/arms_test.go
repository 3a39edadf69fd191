package eval

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"deepresearch/internal/graph/mem"
	"deepresearch/internal/guard"
	"deepresearch/internal/library"
	"deepresearch/internal/llm"
	"deepresearch/internal/llm/backends"
	"deepresearch/internal/llm/scripted"
	"deepresearch/internal/text"
	"deepresearch/prompts"
	"deepresearch/research"
	"deepresearch/research/extract"
	"deepresearch/research/write"
)

// armTokens is what every arm may spend on one question.
const armTokens = 40_000

// Passages of a direct call: the sentences of the best documents.
const (
	directDocuments = 5
	directQuotes    = 40
)

// modelOf is the model of the arms: the one that DEEPRESEARCH_TEST_MODEL names
// as backend:name, or a scripted one that goes by words and understands nothing.
func modelOf(t *testing.T) (research.Model, string) {
	t.Helper()
	named := os.Getenv("DEEPRESEARCH_TEST_MODEL")
	if named == "" {
		models, err := llm.New(llm.Options{Default: []llm.Model{scripted.New(scripted.Options{Answer: lexical})}})
		if err != nil {
			t.Fatal(err)
		}
		return models, "a lexical reader"
	}
	back, name, _ := strings.Cut(named, ":")
	keys := map[string]string{}
	for _, k := range []string{"GEMINI_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENROUTER_API_KEY", "DASHSCOPE_API_KEY", "DEEPSEEK_API_KEY"} {
		keys[k] = os.Getenv(k)
	}
	g, err := guard.New(guard.Options{})
	if err != nil {
		t.Fatal(err)
	}
	chosen, err := backends.Choose(t.Context(), backends.Config{All: backends.Choice{BackEnd: back, Name: name}, Keys: keys}, g, nil)
	if err != nil {
		t.Fatalf("DEEPRESEARCH_TEST_MODEL %q: %v", named, err)
	}
	return chosen.Models, named
}

// modelRig is a rig whose engine asks a model.
func modelRig(t *testing.T, m research.Model, noJudge bool) rig {
	t.Helper()
	a, libraries := &archive{texts: map[string]string{}}, &library.Cache{}
	e, err := research.New(research.Ports{
		Method:   write.New(write.Options{Models: m, Extract: extract.New(a, libraries), Archive: a, NoJudge: noJudge}),
		Searcher: offline{}, Reader: offline{}, Archive: a, Libraries: libraries,
	}, mem.New())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close(context.Background()) })
	return rig{e, a}
}

// said is what an arm answered to one question and what that took.
type said struct {
	report        string
	quoted        []string
	calls, tokens int
}

// score adds up what an arm said.
type score struct{ spans, answered, golds, gold, calls, tokens int }

func (s *score) add(q hotpotQuestion, a said, sentences map[string][]string) {
	if q.Answer != "yes" && q.Answer != "no" {
		s.spans++
		if strings.Contains(text.Normalize(a.report), text.Normalize(q.Answer)) {
			s.answered++
		}
	}
	for _, g := range q.Gold {
		s.golds++
		if g.Sentence < len(sentences[g.Doc]) && contains(a.quoted, sentences[g.Doc][g.Sentence]) {
			s.gold++
		}
	}
	s.calls, s.tokens = s.calls+a.calls, s.tokens+a.tokens
}

// TestArms asks the same questions of the extractive method, of a model in quick,
// standard and deep runs and with running memory, and of one direct call with the
// best passages, each within the same tokens. A step that does not beat its absence is off by default.
func TestArms(t *testing.T) {
	documents := rows[hotpotDocument](t, "eval/hotpotqa/corpus.jsonl")
	all := rows[hotpotQuestion](t, "eval/hotpotqa/questions.jsonl")
	folder, sentences := hotpotFolder(t, documents)
	model, name := modelOf(t)
	plain, written, unjudged := newRig(t), modelRig(t, model, false), modelRig(t, model, true)
	run := func(r rig, e research.Effort, memory research.Memory) func(hotpotQuestion) said {
		return func(q hotpotQuestion) said {
			got := r.research(t, research.Question{Text: q.Question, Files: []string{folder}, Offline: true, Effort: e, Memory: memory, Limits: research.Limits{Tokens: armTokens}})
			r.check(t, got)
			return said{got.Report, quotesOf(got), got.Usage.ModelCalls, got.Usage.TokensIn + got.Usage.TokensOut}
		}
	}
	lib, err := library.Open(t.Context(), []string{folder}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, arm := range []struct {
		name string
		ask  func(hotpotQuestion) said
	}{
		{"extractive quick", run(plain, research.Quick, "")},
		{"extractive standard", run(plain, research.Standard, "")},
		{"model quick", run(written, research.Quick, "")},
		{"model standard", run(written, research.Standard, "")},
		{"model standard without a judge", run(unjudged, research.Standard, "")},
		{"model deep", run(written, research.Deep, "")},
		{"model standard with running memory", run(written, research.Standard, research.Rolling)},
		{"model deep with running memory", run(written, research.Deep, research.Rolling)},
		{"one direct call", func(q hotpotQuestion) said { return direct(t, model, lib, q.Question) }},
	} {
		var s score
		for _, q := range all {
			s.add(q, arm.ask(q), sentences)
		}
		t.Logf("HotpotQA, %s (%s; %d questions, at most %d tokens each): answer in the report %.3f, gold sentences %.3f, model calls %.1f, tokens %d a question",
			arm.name, name, len(all), armTokens, share(s.answered, s.spans), share(s.gold, s.golds), share(s.calls, len(all)), s.tokens/len(all))
	}
}

// hotpotFolder writes the documents into a folder, one file each.
func hotpotFolder(t *testing.T, documents []hotpotDocument) (folder string, sentences map[string][]string) {
	t.Helper()
	folder, sentences = t.TempDir(), map[string][]string{}
	for i, d := range documents {
		sentences[d.Title] = d.Sentences
		body := "# " + d.Title + "\n\n" + strings.Join(d.Sentences, "")
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%04d.md", i)), []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder, sentences
}

// direct is one call with the sentences of the best documents: what retrieval
// and a model do without research.
func direct(t *testing.T, model research.Model, lib *library.Library, question string) said {
	t.Helper()
	in := prompts.Section{
		Task:  prompts.Task{Question: question, Date: time.Now().UTC().Format(time.DateOnly), Language: "English (en)"},
		Style: "brief", Words: 200, Mark: "5d0e9b1c77a2f346",
	}
	hits, err := lib.Search(t.Context(), question, directDocuments)
	if err != nil {
		t.Fatal(err)
	}
	for n, hit := range hits {
		for i, span := range text.Sentences(hit.Text) {
			if len(in.Quotes) < directQuotes {
				in.Quotes = append(in.Quotes, prompts.Quote{ID: fmt.Sprintf("S%d.q%d", n+1, i+1), Text: strings.Join(strings.Fields(span.In(hit.Text)), " "), Source: hit.Title})
			}
		}
	}
	prompt, err := prompts.Embedded().Section(in)
	if err != nil {
		t.Fatal(err)
	}
	reply, err := model.Generate(t.Context(), llm.Request{Role: llm.Write, System: prompt.System, Messages: llm.Ask(prompt.User), MaxOutput: 3072})
	if err != nil {
		t.Fatalf("%q: %v", question, err)
	}
	out := said{report: reply.Text, calls: reply.Usage.Calls, tokens: reply.Usage.In + reply.Usage.Out}
	for _, q := range in.Quotes { // cited
		if strings.Contains(reply.Text, q.ID+"]") || strings.Contains(reply.Text, q.ID+",") {
			out.quoted = append(out.quoted, q.Text)
		}
	}
	return out
}

// Bars of the extractive report on MuSiQue, whose questions need two to four
// documents. Plain BM25 finds .58 of the gold documents among its first ten.
const (
	barMusiqueAnswer = 0.42
	barMusiqueGold   = 0.62
)

// TestMuSiQue researches questions of several hops over a folder of all
// documents and counts the answers in the report and the gold documents cited.
func TestMuSiQue(t *testing.T) {
	type document struct{ ID, Title, Text string }
	type question struct {
		Question, Answer string
		Aliases, Gold    []string
	}
	documents := rows[document](t, "eval/musique/corpus.jsonl")
	questions := rows[question](t, "eval/musique/questions.jsonl")
	folder := t.TempDir()
	for _, d := range documents {
		if err := os.WriteFile(filepath.Join(folder, d.ID+".md"), []byte("# "+d.Title+"\n\n"+d.Text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := newRig(t)
	var answered, golds, gold int
	for _, q := range questions {
		got := r.research(t, research.Question{Text: q.Question, Files: []string{folder}, Offline: true})
		r.check(t, got)
		report := text.Normalize(got.Report)
		if slices.ContainsFunc(append(q.Aliases, q.Answer), func(a string) bool { return strings.Contains(report, text.Normalize(a)) }) {
			answered++
		}
		for _, id := range q.Gold {
			golds++
			for _, s := range got.Sources {
				if strings.HasSuffix(s.URL, "/"+id+".md") {
					gold++
					break
				}
			}
		}
	}
	t.Logf("MuSiQue extractive: answer in the report %.3f (bar %.2f), gold documents cited %.3f (bar %.2f) over %d questions and %d documents; no model calls, no tokens",
		share(answered, len(questions)), barMusiqueAnswer, share(gold, golds), barMusiqueGold, len(questions), len(documents))
	if share(answered, len(questions)) < barMusiqueAnswer || share(gold, golds) < barMusiqueGold {
		t.Error("below the bar")
	}
}
