package citations

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAliases(t *testing.T) {
	ids := []string{"S000000000001.q000000010002", "S000000000002.q000000010002", "S000000000001.q000000030002", "S000000000001", "nonsense", "S000000000001.q000000010002"}
	a := NewAliases(ids)
	var got []string
	for _, id := range ids[:3] {
		got = append(got, a.Short(id))
	}
	if diff := cmp.Diff([]string{"S1.q1", "S2.q1", "S1.q2"}, got); diff != "" {
		t.Error(diff)
	}
	if id, ok := a.ID("S1.q2"); !ok || id != ids[2] {
		t.Errorf("S1.q2 is %q", id)
	}
	for written, want := range map[string]struct {
		draft  string
		forged int
	}{
		"It rose [[S1.q1]].":                   {"It rose " + Token(ids[0]) + ".", 0},
		"It rose [S1.q1, S2.q1].":              {"It rose " + Token(ids[0]) + Token(ids[1]) + ".", 0},
		"It rose [[S1.q9]][[S1.q2]].":          {"It rose " + Token(ids[2]) + ".", 1},
		"It rose [[S7.q1]].":                   {"It rose .", 1},
		"Table [1] and S1.q1 without brackets": {"Table [1] and S1.q1 without brackets", 0},
	} {
		draft, forged := a.Expand(written)
		if draft != want.draft || forged != want.forged {
			t.Errorf("%q: got %q, %d; want %q, %d", written, draft, forged, want.draft, want.forged)
		}
	}
}

func TestSplitSentences(t *testing.T) {
	const token = "[[S000000000001.q000000010002]]"
	for prose, want := range map[string][]Sentence{
		"A rose " + token + ". B fell " + token + ".": {{Text: "A rose " + token + "."}, {Text: "B fell " + token + "."}},
		"A rose. " + token + " B fell.":               {{Text: "A rose. " + token}, {Text: "B fell."}},
		"A rose." + token + token + " B fell.":        {{Text: "A rose." + token + token}, {Text: "B fell."}},
		"钢价上涨。" + token + "出口下降。":                     {{Text: "钢价上涨。" + token}, {Text: "出口下降。"}},
		"": nil,
	} {
		if diff := cmp.Diff(want, SplitSentences(prose)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", prose, diff)
		}
	}
}

var plainMark = regexp.MustCompile(`\[([0-9]+)\]`)

// unescaped blanks what is escaped.
func unescaped(s string) string { return regexp.MustCompile(`\\.`).ReplaceAllString(s, "  ") }

// FuzzMarks writes what it likes into sentences: no token survives, no mark
// appears that leads to no source, and what is shown is what was said.
func FuzzMarks(f *testing.F) {
	const id = "S000000000001.q000000010002"
	f.Add("It rose [["+id+"]] and [1] [[S9]].", "[[S000000000001]]")
	f.Add("[["+id+", "+id+"]]**bold `[2]`**", "`a[1]` [x](https://evil.example) ![i](u)")
	f.Fuzz(func(t *testing.T, a, b string) {
		l := NewLedger()
		const page = "Steel output rose in spring. It fell before."
		source, err := l.AddSource(Source{URL: "https://a.example/"}, page)
		if err != nil {
			t.Fatal(err)
		}
		q := addQuote(t, l, source, page, "Steel output rose in spring.")
		d := Draft{Title: b, Blocks: []Block{
			{Kind: Paragraph, Sentences: []Sentence{{Text: a, Quotes: []string{q.ID, b}}, {Text: b}}},
			{Kind: Table, Header: []string{a}, Rows: [][]Sentence{{{Text: b}, {Text: a}}}},
			{Kind: Heading, Sentences: []Sentence{{Text: a}}},
			{Kind: Code, Text: a},
		}}
		r := Render(d, l, RenderOptions{})
		body, _, ok := strings.Cut(r.Markdown, "\n## Sources\n")
		if !ok || len(r.Sources) != 1 {
			t.Fatalf("no list or %d sources: %s", len(r.Sources), r.Markdown)
		}
		if tokenPattern.MatchString(body) {
			t.Errorf("a token is left: %s", body)
		}
		for _, m := range plainMark.FindAllStringSubmatch(unescaped(body), -1) {
			if m[1] != "1" {
				t.Errorf("mark %s in %s", m[0], body)
			}
		}
	})
}
