package extract

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"deepresearch/internal/text"
	"deepresearch/research"
)

func TestFrame(t *testing.T) {
	for _, test := range []struct {
		question, style string
		shape           research.Shape
		subjects        []string
		facets          int
	}{
		{"Who built the Varn Bridge?", "", research.Lookup, nil, 1},
		{"When was the Varn Bridge opened, and how long is it?", "", research.Survey, nil, 2},
		{"Which singer is American, Mark King or Nick Hexum?", "", research.Lookup, nil, 1},
		{"How does Go's memory model differ from those of C++ and Java, and how has it changed since 2009?", "", research.Comparison, []string{"Go", "C++", "Java"}, 2},
		{"What is the difference between TCP and UDP?", "", research.Comparison, []string{"TCP", "UDP"}, 1},
		{"Compare PostgreSQL with MySQL", "", research.Comparison, []string{"PostgreSQL", "MySQL"}, 1},
		{"Rust vs. Zig", "", research.Comparison, []string{"Rust", "Zig"}, 1},
		{"A politician, who has served as chief of staff to which senator?", "", research.Lookup, nil, 1},
		{"The author of \"Act of War; Direct Action\" writes what genre?", "", research.Lookup, nil, 1},
		{"Timeline of the exploration of Mars", "", research.Timeline, nil, 1},
		{"Explain photosynthesis", "", research.Survey, nil, 1},
		{"Explain photosynthesis", "brief", research.Lookup, nil, 1},
		{"Who built the Varn Bridge?", "report", research.Survey, nil, 1},
		{"比较Go和Rust的内存管理", "", research.Comparison, []string{"Go", "Rust"}, 1},
		{"光纤与铜缆有什么区别？", "", research.Comparison, []string{"光纤", "铜缆"}, 1},
		{"中国高铁的发展历程", "", research.Timeline, nil, 1},
		{"长江大桥是哪一年建成的？", "", research.Lookup, nil, 1},
	} {
		f := frameOf(test.question, test.style, text.Language(test.question))
		if f.shape != test.shape || !cmp.Equal(f.subjects, test.subjects) || len(f.facets) != test.facets {
			t.Errorf("%q: shape %s, subjects %q, %d facets; want %s, %q, %d", test.question, f.shape, f.subjects, len(f.facets), test.shape, test.subjects, test.facets)
		}
	}
}

func TestFacetAfterComparisonIsAboutTheFirst(t *testing.T) {
	f := frameOf("How does Go's memory model differ from those of C++ and Java, and how has it changed since 2009?", "", "en")
	got := f.facets[1]
	if got.About != "Go" || got.Since != 2009 || got.Kind != research.Timeline {
		t.Errorf("the second facet is %+v, want a timeline about Go since 2009", got)
	}
	for _, term := range got.Terms {
		if term == "java" {
			t.Errorf("the second facet asks for Java: %q", got.Terms)
		}
	}
}

func TestWants(t *testing.T) {
	for question, want := range map[string]research.Wants{
		"When was it opened?": research.WantsDate, "In what year did it open?": research.WantsDate,
		"How many people live there?": research.WantsNumber, "Who built it?": "",
		"长江大桥是哪一年建成的？": research.WantsDate, "有多少人？": research.WantsNumber,
	} {
		if got := frameOf(question, "", text.Language(question)).facets[0].Wants; got != want {
			t.Errorf("%q wants %q, want %q", question, got, want)
		}
	}
}

func TestQueriesStayWithinBounds(t *testing.T) {
	long := "What does https://example.com/a?b=c say about " + strings.Repeat("bridges and ", 60) + "tunnels?"
	for _, question := range []string{long, strings.Repeat("长江大桥的历史", 60), "Compare Go with Rust and Zig and C and Ada"} {
		f := frameOf(question, "", text.Language(question))
		got := queries(research.Question{Text: question, Queries: 3, Documents: documents}, f)
		remote := 0
		for _, q := range got {
			if n := utf8.RuneCountInString(q.Text); n > maxQuery || strings.Contains(q.Text, "://") {
				t.Errorf("query of %d characters: %q", n, q.Text)
			}
			if !q.Private {
				remote++
			}
		}
		if remote > 3 || len(got) > localQueries || len(got) == 0 {
			t.Errorf("%d queries, %d of them for engines, want at most %d and 3", len(got), remote, localQueries)
		}
	}
}

func FuzzFrame(f *testing.F) {
	for _, s := range []string{"", "?", "a vs b", "比较和", "how and how and how", "compare , and , with /"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		frame := frameOf(s, "", text.Language(s))
		if len(frame.facets) == 0 || len(frame.subjects) > maxSubjects {
			t.Errorf("%q: %d facets, %d subjects", s, len(frame.facets), len(frame.subjects))
		}
		queries(research.Question{Text: s, Queries: 3, Documents: documents}, frame)
	})
}

// documents make a question look into a library.
var documents = []research.Document{{Name: "a.txt", Text: "a"}}

func TestFollowUpIsAboutWhatWasNamedBefore(t *testing.T) {
	m := New(nil, nil)
	q := research.Question{Text: "And how long is it?", Earlier: "When was the Varn Bridge opened?", Queries: 1}
	a, err := m.Analyse(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if got := a.Queries[0].Text; !strings.Contains(got, "Varn Bridge") || !strings.Contains(got, "how long") {
		t.Errorf("query %q names neither the bridge nor its length", got)
	}
	q.Text = "How long is the Oldby Tunnel?"
	if a, _ = m.Analyse(t.Context(), q); strings.Contains(a.Queries[0].Text, "Varn") {
		t.Errorf("query %q brings in what the question does not ask of", a.Queries[0].Text)
	}
}
