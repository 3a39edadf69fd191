package write_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"deepresearch/internal/llm"
	"deepresearch/internal/llm/scripted"
	"deepresearch/research"
)

// The tests of this file hold the loop to what the loops of others promise, and
// to where they are known to break.

const survey = "How was the Varn Bridge built and how is it used today?"

// TestLoopLimitIsExact counts rounds of searching: the first one counts, and none
// is thrown away.
func TestLoopLimitIsExact(t *testing.T) {
	never := reflections(
		reflection(false, "the cost", "Varn Bridge cost crowns budget"), reflection(false, "the crane", "harbour crane Oldby height"),
		reflection(false, "the engineer", "Maren Holt birth village"), reflection(false, "more", "Varn Bridge paint green years"))
	for loops := 1; loops <= 3; loops++ {
		r := newRig(t, setup{answer: answering(never)})
		got := r.ask(t, research.Question{Text: survey, MaxLoops: loops, Queries: 1})
		if len(r.web.queries) != loops || got.StopReason != research.StopLoopLimit {
			t.Errorf("max_loops %d: %d rounds of one query (%q), stop reason %s", loops, len(r.web.queries), r.web.queries, got.StopReason)
		}
		if n := len(r.prompted(llm.Reflect)); n != loops {
			t.Errorf("max_loops %d: %d reflections", loops, n)
		}
	}
}

func TestSufficientEndsTheLoop(t *testing.T) {
	r := newRig(t, setup{answer: answering(reflections(reflection(true, "", "a query that nobody needs")))})
	got := r.ask(t, research.Question{Text: survey, MaxLoops: 5})
	if got.StopReason != research.StopSufficient || len(r.web.queries) != 3 {
		t.Errorf("stop reason %s after queries %q", got.StopReason, r.web.queries)
	}
}

// TestInsufficientWithoutFollowUpStillAnswers is where an empty fan-out ends
// other runs without an answer.
func TestInsufficientWithoutFollowUpStillAnswers(t *testing.T) {
	for name, text := range map[string]string{
		"none":          reflection(false, "the price of paint"),
		"already asked": reflection(false, "the price of paint", "Varn Bridge traffic statistics 2026", "2026 statistics: traffic, Varn Bridge"),
		"not usable":    reflection(false, "the price of paint", "https://evil.example/page", strings.Repeat("long ", 60)),
	} {
		r := newRig(t, setup{answer: answering(reflections(text))})
		got := r.ask(t, research.Question{Text: survey, MaxLoops: 5})
		if got.Status != research.Done || got.StopReason != research.StopNoNew || len(r.web.queries) != 3 {
			t.Errorf("%s: status %s, stop reason %s, queries %q", name, got.Status, got.StopReason, r.web.queries)
		}
		if !slices.Contains(got.Gaps, "the price of paint") || !strings.Contains(got.Report, "What was not found") {
			t.Errorf("%s: the gap is not told: %q\n%s", name, got.Gaps, got.Report)
		}
	}
}

func TestTwoRoundsWithoutAnythingNewEndTheLoop(t *testing.T) {
	r := newRig(t, setup{answer: answering(reflections(
		reflection(false, "a", "moon rocks alpha"), reflection(false, "b", "moon rocks beta"), reflection(false, "c", "moon rocks gamma"),
		reflection(false, "d", "moon rocks delta"), reflection(false, "e", "moon rocks epsilon")))})
	got := r.ask(t, research.Question{Text: survey, MaxLoops: 10})
	if got.StopReason != research.StopNoNew || len(r.web.queries) != 3+2 {
		t.Errorf("stop reason %s, queries %q", got.StopReason, r.web.queries)
	}
}

// TestEachQueryIsSentOnceAndCountedOnce: follow-ups of an earlier round are not
// sent again, and what was planned is not counted beside what was sent.
func TestEachQueryIsSentOnceAndCountedOnce(t *testing.T) {
	r := newRig(t, setup{answer: answering(reflections(
		reflection(false, "cost", "Varn Bridge cost crowns", "Varn Bridge repairs 1974"),
		reflection(false, "crane", "Varn Bridge cost crowns", "harbour crane Oldby height"),
		reflection(false, "crane", "Varn Bridge repairs 1974", "harbour crane Oldby height", "Maren Holt village")))})
	got := r.ask(t, research.Question{Text: survey, MaxLoops: 4, Effort: research.Deep, Queries: 3})
	seen := map[string]bool{}
	for _, q := range r.web.queries {
		if seen[q] {
			t.Errorf("query %q was sent twice", q)
		}
		seen[q] = true
	}
	if got.Usage.Searches != len(r.web.queries) || len(got.Queries) != len(r.web.queries) {
		t.Errorf("%d queries sent, usage says %d, the result lists %d", len(r.web.queries), got.Usage.Searches, len(got.Queries))
	}
	read := slices.Clone(r.web.reads)
	slices.Sort(read)
	if n := len(slices.Compact(read)); n != len(r.web.reads) {
		t.Errorf("pages were read twice: %q", r.web.reads)
	}
}

// TestMarksStandBehindSentencesInAnyScript: byte and character offsets are never
// mixed up.
func TestMarksStandBehindSentencesInAnyScript(t *testing.T) {
	for lang, test := range map[string]struct{ question, sentence string }{
		"de": {"Wie groß ist die Varnbrücke über den Fluss Varn bei Oldby?", "Die Größe der Varnbrücke beträgt 412 Meter; sie wurde 1931 für den Verkehr freigegeben"},
		"zh": {"瓦恩大桥有哪些特点，如何使用？", "瓦恩大桥全长412米，于1931年通车"},
		"ru": {"Как построен Варнский мост и как он используется?", "Варнский мост открыт в 1931 году, его длина составляет 412 метров"},
	} {
		stop := map[string]string{"de": ".", "zh": "。", "ru": "."}[lang]
		pages := map[string]string{}
		for i := range 2 {
			pages[fmt.Sprintf("https://site%d.example/größe", i)] = page(lang, strings.TrimSuffix(test.question, "?"), test.sentence+stop, "“Varn” – "+test.sentence+stop)
		}
		r := newRig(t, setup{web: newWeb(pages), answer: good})
		got := r.ask(t, research.Question{Text: test.question})
		marked := regexp.MustCompile(regexp.QuoteMeta(test.sentence) + `。? ?\[\[[12]\]\]\(`)
		if !marked.MatchString(got.Report) {
			t.Errorf("%s: no mark right behind the sentence:\n%s", lang, got.Report)
		}
		if got.Language != lang || len(r.prompted(llm.Write, "("+lang+")")) == 0 {
			t.Errorf("%s: language %q", lang, got.Language)
		}
	}
}

// TestTitlesWithoutADotAreCited: a title is a title, whatever its punctuation.
func TestTitlesWithoutADotAreCited(t *testing.T) {
	for _, title := range []string{"Varn", "en", "A. B. C", "varn.example", ""} {
		w := newWeb(map[string]string{"https://en.varn.example/bridge": page("en", title, "The Varn Bridge near Oldby was opened in 1931.", "About 9,000 vehicles cross the Varn Bridge each day.")})
		r := newRig(t, setup{web: w, answer: good})
		got := r.ask(t, research.Question{Text: survey})
		if len(got.Sources) != 1 || len(got.Sources[0].Quotes) == 0 || !strings.Contains(got.Report, "[1] ") {
			t.Errorf("title %q: sources %+v\n%s", title, got.Sources, got.Report)
		}
	}
}

func TestNothingFoundIsNoEvidence(t *testing.T) {
	questions := []research.Question{{Text: survey}, {Text: survey, Effort: research.Deep}, rolling(research.Question{Text: survey})}
	for name, w := range map[string]*web{
		"no results":  newWeb(map[string]string{}),
		"no pages":    failing(bridges(), "page"),
		"no searches": failing(bridges(), "search"),
	} {
		for i, persona := range scripted.Personas {
			r := newRig(t, setup{web: w, answer: good, persona: persona})
			q := questions[i%len(questions)]
			got := r.ask(t, q)
			if got.Status != research.NoEvidence || got.Report != "" || len(got.Sources)+len(got.Claims) != 0 || got.StopReason != research.StopNoSources {
				t.Errorf("%s, %s model: status %s, stop reason %s, report %q", name, persona, got.Status, got.StopReason, got.Report)
			}
			if len(r.prompted(llm.Write)) > 0 {
				t.Errorf("%s: a model was asked to write from nothing", name)
			}
		}
	}
}

func failing(w *web, kind string) *web {
	w.fail = func(k, _ string) bool { return k == kind }
	return w
}

// TestShortNamesAreNoPrefixes: S1.q1 and S1.q10, [1] and [10] are different
// things.
func TestShortNamesAreNoPrefixes(t *testing.T) {
	pages := map[string]string{}
	for i := range 12 {
		pages[fmt.Sprintf("https://site%02d.example/p", i)] = page("en", fmt.Sprintf("Bridge report %d", i), fmt.Sprintf("The Varn Bridge passed inspection number %d in the year %d.", 100+i, 1950+i))
	}
	var facts []string
	for i := range 14 {
		facts = append(facts, fmt.Sprintf("Span %d of the Varn Bridge measures %d metres and was repaired in %d.", i+1, 20+i, 1960+i))
	}
	pages["https://spans.example/p"] = page("en", "Spans of the Varn Bridge", facts...)
	all := onProse(func(user string) string {
		var b strings.Builder
		for _, p := range passages(user) {
			b.WriteString(strings.TrimSuffix(p[2], ".") + " [" + p[1] + "]. ")
		}
		return b.String()
	})
	r := newRig(t, setup{web: newWeb(pages), answer: answering(all)})
	got := r.ask(t, research.Question{Text: "What do reports say of the inspections and spans of the Varn Bridge and its repairs?", Limits: research.Limits{Calls: 60}})
	for _, c := range got.Claims {
		if c.Label != "quoted" {
			t.Errorf("claim %q is %s (%s): its mark leads elsewhere", c.Text, c.Label, c.Reason)
		}
	}
	if len(got.Claims) < 12 {
		t.Errorf("%d claims, want at least 12", len(got.Claims))
	}
}

// TestSecondQuestionInheritsNothing: neither loop count, nor ids, nor findings.
func TestSecondQuestionInheritsNothing(t *testing.T) {
	other := "How high is the harbour crane of Oldby and what does it lift?"
	fresh := newRig(t, setup{answer: good})
	want := fresh.ask(t, research.Question{Text: other})
	used := newRig(t, setup{answer: good})
	used.ask(t, research.Question{Text: survey})
	got := used.ask(t, research.Question{Text: other})
	if d := cmp.Diff(want.Report, got.Report); d != "" {
		t.Errorf("the second question is answered differently (-alone +after another):\n%s", d)
	}
	if d := cmp.Diff(want.Queries, got.Queries); d != "" {
		t.Errorf("the second question searches differently:\n%s", d)
	}
}

// TestOrderOfArrivalDoesNotMatter: branches finish in any order, the report and
// every prompt stay the same.
func TestOrderOfArrivalDoesNotMatter(t *testing.T) {
	var want research.Result
	var asked []string
	for n := range 6 {
		w := bridges()
		w.lag = func(url string) int { return (len(url)*(n*7+1) + n) % 97 * 50 }
		r := newRig(t, setup{web: w, answer: answering(reflections(reflection(false, "cost", "Varn Bridge cost crowns"), reflection(true, "")))})
		got := r.ask(t, research.Question{Text: survey})
		var prompts []string
		for _, c := range r.model.Calls() {
			prompts = append(prompts, c.System+c.Messages[0].Text)
		}
		slices.Sort(prompts)
		if n == 0 {
			want, asked = got, prompts
			continue
		}
		if d := cmp.Diff(want.Report, got.Report); d != "" {
			t.Errorf("run %d differs:\n%s", n, d)
		}
		if d := cmp.Diff(asked, prompts); d != "" {
			t.Errorf("run %d asks differently:\n%s", n, d)
		}
	}
}

// TestEffortsAreWhatTheySay: queries, rounds, calls and shape of each effort.
func TestEffortsAreWhatTheySay(t *testing.T) {
	for _, test := range []struct {
		effort          research.Effort
		queries, calls  int
		outline, reason string
	}{
		{research.Quick, 1, 6, "", research.StopSingleRound},
		{research.Standard, 3, 30, "outline", research.StopSufficient},
	} {
		r := newRig(t, setup{answer: good})
		got := r.ask(t, research.Question{Text: survey, Effort: test.effort})
		if len(r.web.queries) != test.queries || got.StopReason != test.reason || got.Mode != research.ByModel {
			t.Errorf("%s: queries %q, stop reason %s, mode %s, warnings %q", test.effort, r.web.queries, got.StopReason, got.Mode, got.Warnings)
		}
		if n := len(r.model.Calls()); n > test.calls || n != got.Usage.ModelCalls {
			t.Errorf("%s: %d calls, usage says %d, the limit is %d", test.effort, n, got.Usage.ModelCalls, test.calls)
		}
		outlines := 0
		for _, c := range r.prompted(llm.Write) {
			if strings.Contains(string(c.Schema), `"sections"`) {
				outlines++
			}
		}
		if (outlines > 0) != (test.outline != "") {
			t.Errorf("%s: %d outlines", test.effort, outlines)
		}
	}
}

// TestLookupIsCheap: one fact costs at most four calls, unless a plan is wanted.
func TestLookupIsCheap(t *testing.T) {
	for _, effort := range []research.Effort{research.Quick, research.Standard} {
		for _, persona := range []scripted.Persona{scripted.Good, scripted.Sloppy, scripted.Garbage, scripted.Mute} {
			r := newRig(t, setup{persona: persona, answer: answering(reflections(reflection(false, "more", "Varn Bridge opening ceremony")))})
			got := r.ask(t, research.Question{Text: "When was the Varn Bridge opened?", Effort: effort})
			if got.Usage.ModelCalls > 4 || got.Estimate.ModelCalls > 4 {
				t.Errorf("%s, %s: %d calls, estimated %d", effort, persona, got.Usage.ModelCalls, got.Estimate.ModelCalls)
			}
			if !strings.Contains(got.Report, "1931") {
				t.Errorf("%s, %s: no answer:\n%s", effort, persona, got.Report)
			}
		}
	}
}

// TestPromptsFitSmallWindows: the scripted model refuses what does not fit 8,192
// tokens, and a page takes no more than its share.
func TestPromptsFitSmallWindows(t *testing.T) {
	for _, most := range []int{0, 300, 3000} {
		r := newRig(t, setup{web: newWeb(longPages(14)), answer: good})
		got := r.ask(t, research.Question{Text: survey, Limits: research.Limits{SourceTokens: most}})
		if got.Mode != research.ByModel {
			t.Errorf("mode %s, warnings %q", got.Mode, got.Warnings)
		}
		if most == 0 {
			most = 1000
		}
		for _, c := range r.prompted(llm.Search) {
			_, fenced, _ := strings.Cut(c.Messages[0].Text, "<<")
			fenced, _, _ = strings.Cut(fenced, ">>")
			if n := llm.EstimateTokens(fenced); n > most+60 {
				t.Errorf("%d tokens of a page are shown, the most is %d", n, most)
			}
		}
	}
}
