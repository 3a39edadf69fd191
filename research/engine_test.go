package research_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"deepresearch/citations/check"
	"deepresearch/internal/search"
	"deepresearch/research"
)

// bridges is a web about a bridge whose engineer stands on another page.
func bridges() *web {
	return newWeb(map[string]string{
		"https://site1.example/page": page("Varn Bridge", "The Varn Bridge crosses the river Varn near Oldby.", "The Varn Bridge was opened in 1931 and is 412 metres long.", "Its engineer was Maren Holt of Oldby."),
		"https://site2.example/page": page("Bridges of the north", "The Varn Bridge near Oldby was opened in 1931.", "Maren Holt also built the harbour crane of Oldby."),
		"https://site3.example/page": page("Maren Holt", "Maren Holt was born in 1889 in the village of Sandvik.", "Maren Holt studied in Bergen and worked in Oldby."),
		"https://site4.example/page": page("Cheese", "Cheese is made of milk and keeps for months in a cool cellar."),
	})
}

func TestReportOverTheWeb(t *testing.T) {
	r := newRig(t, bridges())
	got := r.ask(t, research.Question{Text: "When was the Varn Bridge opened?"})
	if got.Status != research.Done || got.Mode != research.Extractive {
		t.Fatalf("status %s, mode %s, warnings %q, consulted %+v, queries %+v", got.Status, got.Mode, got.Warnings, got.Consulted, got.Queries)
	}
	for _, want := range []string{"opened in 1931", "No language model was used.", "## Sources"} {
		if !strings.Contains(got.Report, want) {
			t.Errorf("the report lacks %q:\n%s", want, got.Report)
		}
	}
	if got.Usage.Searches != len(r.web.queries) || got.Usage.Pages != len(r.web.reads) {
		t.Errorf("usage says %d searches and %d pages, the web saw %d and %d", got.Usage.Searches, got.Usage.Pages, len(r.web.queries), len(r.web.reads))
	}
	for _, c := range got.Claims {
		if c.Label != "quoted" {
			t.Errorf("claim %q is %s (%s), want quoted", c.Text, c.Label, c.Reason)
		}
	}
	checked(t, r, got)
}

// checked runs the independent checker over a result.
func checked(t *testing.T, r rig, got research.Result) {
	t.Helper()
	structured, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	archived := func(n int) ([]byte, error) {
		text, err := r.Source(t.Context(), "test", got.RunID, n)
		return []byte(text), err
	}
	for _, v := range check.Result(structured, archived, check.Options{}) {
		t.Errorf("checker: %v", v)
	}
}

func TestSecondRoundFollowsNames(t *testing.T) {
	r := newRig(t, bridges())
	got := r.ask(t, research.Question{Text: "Where was the engineer of the Varn Bridge born?"})
	if !strings.Contains(got.Report, "village of Sandvik") {
		t.Errorf("the page one step away is not quoted:\n%s\nqueries %q", got.Report, r.web.queries)
	}
}

func TestQuickSearchesOnce(t *testing.T) {
	r := newRig(t, bridges())
	got := r.ask(t, research.Question{Text: "When was the Varn Bridge opened?", Effort: research.Quick})
	if got.StopReason != research.StopSingleRound || len(r.web.queries) != 1 {
		t.Errorf("stop reason %s after %d queries, want single_round after 1", got.StopReason, len(r.web.queries))
	}
}

func TestPrivateTextNeverReachesAnEngine(t *testing.T) {
	folder := t.TempDir()
	for name, body := range map[string]string{
		"note.md":   "# Varn Bridge survey\n\nThe Varn Bridge survey of 2025 was led by Quilliam Abernathy.\n",
		"second.md": "# Varn Bridge repairs\n\nThe Varn Bridge repairs were approved by Quilliam Abernathy.\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, share := range []bool{false, true} {
		r := newRig(t, bridges())
		got := r.ask(t, research.Question{Text: "Who led the survey of the Varn Bridge?", Files: []string{folder}, SharePrivate: share})
		if !strings.Contains(got.Report, "Quilliam Abernathy") {
			t.Errorf("the user's document is not quoted:\n%s", got.Report)
		}
		sent := slices.ContainsFunc(r.web.queries, func(q string) bool {
			return strings.Contains(q, "Abernathy")
		})
		if sent != share {
			t.Errorf("share_private %v: names from the user's files in queries: %v (%q)", share, sent, r.web.queries)
		}
		for _, s := range got.Sources {
			if s.Private != strings.HasPrefix(s.URL, "file:") {
				t.Errorf("source %s: private %v", s.URL, s.Private)
			}
		}
	}
}

func TestNothingFoundIsNoEvidence(t *testing.T) {
	r := newRig(t, newWeb(map[string]string{}))
	got := r.ask(t, research.Question{Text: "Who painted the moon?"})
	if got.Status != research.NoEvidence || got.Report != "" || got.StopReason != research.StopNoSources {
		t.Errorf("status %s, stop reason %s, report %q", got.Status, got.StopReason, got.Report)
	}
}

func TestEngineDownIsSaid(t *testing.T) {
	w := bridges()
	w.down = true
	r := newRig(t, w)
	got := r.ask(t, research.Question{Text: "When was the Varn Bridge opened?"})
	failed := got.FailedEngines()
	if got.Status != research.NoEvidence || len(failed) != 1 || !strings.Contains(failed[0].Error, "connection refused") {
		t.Errorf("status %s, failed engines %+v", got.Status, failed)
	}
}

func TestBudgetsAreNeverOverspent(t *testing.T) {
	r := newRig(t, bridges())
	got := r.ask(t, research.Question{Text: "When was the Varn Bridge opened?", Limits: research.Limits{Searches: 1, Pages: 1}})
	if len(r.web.queries) > 1 || len(r.web.reads) > 1 {
		t.Errorf("%d searches and %d pages, the budget is 1 and 1", len(r.web.queries), len(r.web.reads))
	}
	if got.Status != research.Done || got.Report == "" || got.StopReason != "budget_searches" {
		t.Errorf("a spent budget ends with status %s, stop reason %s", got.Status, got.StopReason)
	}
	checked(t, r, got)
}

func TestSameQuestionSameRun(t *testing.T) {
	r := newRig(t, bridges())
	q := research.Question{Text: "When was the Varn Bridge opened?"}
	first, err := r.Start(t.Context(), "test", q, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Follow(t.Context(), "test", first, 0, nil); err != nil {
		t.Fatal(err)
	}
	asked := len(r.web.queries)
	second, err := r.Start(t.Context(), "test", q, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Follow(t.Context(), "test", second, 0, nil); err != nil || len(r.web.queries) != asked {
		t.Fatalf("%d queries, want the %d of the first run; error %v", len(r.web.queries), asked, err)
	}
	other, err := r.Start(t.Context(), "somebody else", q, false)
	if err != nil {
		t.Fatal(err)
	}
	if second != first || other == first {
		t.Errorf("runs %s, %s and of another caller %s", first, second, other)
	}
	if _, err := r.Result(t.Context(), "somebody else", first); !errors.Is(err, research.ErrNoRun) {
		t.Errorf("another caller sees the run: %v", err)
	}
}

func TestReportIsSavedAsHTML(t *testing.T) {
	r := newRig(t, bridges())
	got := r.ask(t, research.Question{Text: "When was the Varn Bridge opened?"})
	page, err := os.ReadFile(got.ReportFile)
	if err != nil {
		t.Fatal(err)
	}
	if s := string(page); !strings.Contains(s, "opened in 1931") || strings.Contains(s, "<script") {
		t.Errorf("the saved page lacks the report or has a script:\n%s", s)
	}
	if err := r.Delete(t.Context(), "test", got.RunID); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(got.ReportFile); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the page of a deleted run is still there: %v", err)
	}
}

func TestSameWebSameReport(t *testing.T) {
	q := research.Question{Text: "How does the Varn Bridge differ from the harbour crane of Oldby, and when were they built?"}
	first, second := newRig(t, bridges()).ask(t, q), newRig(t, bridges()).ask(t, q)
	if d := cmp.Diff(first.Report, second.Report); d != "" {
		t.Errorf("two runs of one question differ:\n%s", d)
	}
}

func TestFollowReportsProgressAndWaits(t *testing.T) {
	r := newRig(t, bridges())
	id, err := r.Start(t.Context(), "test", research.Question{Text: "When was the Varn Bridge opened?"}, true)
	if err != nil {
		t.Fatal(err)
	}
	var phases []string
	if _, err := r.Follow(t.Context(), "test", id, time.Minute, func(p research.Progress) {
		if !slices.Contains(phases, p.Phase) {
			phases = append(phases, p.Phase)
		}
		if n := len([]rune(p.Text)); n > 150 {
			t.Errorf("progress of %d characters: %q", n, p.Text)
		}
	}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"analysing", "searching", "reading", "reflecting", "writing"}; !cmp.Equal(phases, want) {
		t.Errorf("phases %q, want %q", phases, want)
	}
}

func TestBadInputNamesTheField(t *testing.T) {
	r := newRig(t, bridges())
	empty := t.TempDir()
	for name, test := range map[string]struct {
		q     research.Question
		field string
	}{
		"empty":       {research.Question{Text: "  \n"}, "question"},
		"too long":    {research.Question{Text: strings.Repeat("x", research.MaxQuestion+1)}, "question"},
		"encoding":    {research.Question{Text: "caf\xe9"}, "question"},
		"effort":      {research.Question{Text: "q", Effort: "huge"}, "effort"},
		"queries":     {research.Question{Text: "q", Queries: -1}, "queries"},
		"cost":        {research.Question{Text: "q", Limits: research.Limits{Cost: -1}}, "max_cost"},
		"audience":    {research.Question{Text: "q", Audience: strings.Repeat("x", research.MaxAudience+1)}, "audience"},
		"no path":     {research.Question{Text: "q", Files: []string{filepath.Join(empty, "none")}}, "files"},
		"empty dir":   {research.Question{Text: "q", Files: []string{empty}}, "files"},
		"no name":     {research.Question{Text: "q", Documents: []research.Document{{Text: "x"}}}, "documents[0]"},
		"no document": {research.Question{Text: "q", Documents: []research.Document{{Name: "a", Text: " "}}}, "documents[0]"},
	} {
		_, err := r.Start(t.Context(), "test", test.q, true)
		bad := (*research.InputError)(nil)
		if !errors.As(err, &bad) || bad.Field != test.field || bad.Reason == "" || bad.Fix == "" {
			t.Errorf("%s: error %v, want one that names %s, why and what to do", name, err, test.field)
		}
	}
}

// TestSuggestionsAreHandedOn: what an engine wants shown beside its results
// stands in the result of the run.
func TestSuggestionsAreHandedOn(t *testing.T) {
	w := bridges()
	w.suggest = &search.Suggestion{Engine: "own", Queries: []string{"varn bridge opening"}, HTML: "<p>varn</p>"}
	got := newRig(t, w).ask(t, research.Question{Text: "When was the Varn Bridge opened?", Effort: research.Quick})
	if diff := cmp.Diff([]search.Suggestion{*w.suggest}, got.Suggestions); diff != "" {
		t.Errorf("suggestions (-want +got):\n%s", diff)
	}
}
