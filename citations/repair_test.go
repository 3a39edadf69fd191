package citations

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRevise(t *testing.T) {
	l, texts, en, _ := steel(t)
	output := addQuote(t, l, en, steelPage, "Steel output rose 4.2% to 12.5 million tonnes in March 2024, the ministry said.").ID
	bridge := texts.add(t, l, Source{URL: "https://bridge.example/", Title: "Bridge", Site: "Bridge Trust"}, bridgePage)
	arch := addQuote(t, l, bridge, bridgePage, "The arch spans 503 metres, and it is 134 metres high.").ID
	d := Draft{Title: "Steel", Blocks: []Block{
		{Kind: Heading, Sentences: []Sentence{{Text: "Output"}}},
		{Kind: Paragraph, Sentences: []Sentence{
			{Text: "Steel output rose 4.2% to 12.5 million tonnes in March 2024.", Quotes: []string{output}},
			{Text: "The company employs 34,000 people.", Quotes: []string{arch}},
			{Text: "The ministry spoke of steel output of 12.5 million tonnes, the best March since 1987.", Quotes: []string{output}},
			{Text: "The output of 13.5 million tonnes of steel was what the ministry gave for March.", Quotes: []string{output}},
		}},
		{Kind: Heading, Sentences: []Sentence{{Text: "Birds"}}},
		{Kind: Paragraph, Sentences: []Sentence{{Text: "Penguins breed on coasts of Antarctica.", Quotes: []string{output}}}},
		{Kind: Table, Header: []string{"What", "Value"}, Rows: [][]Sentence{{{Text: "Penguins"}, {Text: "Antarctica birds", Quotes: []string{output}}}}},
	}}
	r, err := Revise(t.Context(), d, l, texts, VerifyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := []Edit{
		{Action: ReCited, Before: "The company employs 34,000 people.", After: "The company employs 34,000 people."},
		{Action: Narrowed, Before: "The ministry spoke of steel output of 12.5 million tonnes, the best March since 1987.", After: "The ministry spoke of steel output of 12.5 million tonnes."},
		{Action: Hedged, Before: "The output of 13.5 million tonnes of steel was what the ministry gave for March.", After: "According to Steel Daily, the output of 13.5 million tonnes of steel was what the ministry gave for March."},
		{Action: Dropped, Before: "Penguins breed on coasts of Antarctica."},
		{Action: Dropped, Before: "Antarctica birds"},
	}
	got := make([]Edit, len(r.Edits))
	for i, e := range r.Edits {
		if e.Reason == "" {
			t.Errorf("edit without a reason: %+v", e)
		}
		e.Reason = ""
		got[i] = e
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("edits (-want +got):\n%s", diff)
	}
	var labels []Label
	for _, c := range r.Claims {
		labels = append(labels, c.Label)
	}
	if diff := cmp.Diff([]Label{Quoted, Quoted, Unchecked, Partial}, labels); diff != "" {
		t.Errorf("labels after the repair (-want +got):\n%s", diff)
	}
	rendered := Render(r.Draft, r.Ledger, RenderOptions{Checked: r.Claims})
	if diff := cmp.Diff(r.Claims, rendered.Claims); diff != "" {
		t.Errorf("rendering changes the verdicts:\n%s", diff)
	}
	for _, b := range r.Draft.Blocks {
		if b.Kind == Heading && b.Sentences[0].Text == "Birds" {
			return // the table still stands under it
		}
	}
	t.Error("the heading of the table went")
}

func TestReviseKeepsTheJudgesQuotes(t *testing.T) {
	l, texts, en, _ := steel(t)
	output := addQuote(t, l, en, steelPage, "Steel output rose 4.2% to 12.5 million tonnes in March 2024, the ministry said.").ID
	d := Draft{Blocks: []Block{{Kind: Paragraph, Sentences: []Sentence{
		{Text: "Steel made gains in early 2024 while 34,000 people work there " + Token(output) + "."},
		{Text: "The ministry denies that steel output rose in March 2024.", Quotes: []string{output}},
	}}}}
	judge := script(func(c Case) Verdict {
		if c.Claim[0] == 'T' {
			return Verdict{Label: Contradicted, Span: "Steel output rose 4.2%", Judge: "model"}
		}
		return Verdict{Label: Supported, Span: "The company employs 34,000 people.", Judge: "model"}
	})
	r, err := Revise(t.Context(), d, l, texts, VerifyOptions{Judge: judge})
	if err != nil {
		t.Fatal(err)
	}
	rendered := Render(r.Draft, r.Ledger, RenderOptions{Checked: r.Claims})
	if len(rendered.Claims) != 1 || rendered.Claims[0].Label != Supported || rendered.Claims[0].Judge != "model" {
		t.Fatalf("claims %+v", rendered.Claims)
	}
	if got := len(rendered.Sources[0].Quotes); got != 2 {
		t.Errorf("%d quotes in the report, want the writer's and the judge's", got)
	}
	if len(r.Edits) != 1 || r.Edits[0].Action != Dropped {
		t.Errorf("edits %+v", r.Edits)
	}
}

func TestReviseEndsWithItsContext(t *testing.T) {
	l, texts, _, _ := steel(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Revise(ctx, Draft{}, l, texts, VerifyOptions{}); err == nil {
		t.Error("no error after the end of the context")
	}
}

func TestNarrow(t *testing.T) {
	for _, c := range []struct {
		said    string
		missing []string
		want    string // "" when it cannot be narrowed
	}{
		{"Steel output rose by 4.2%, or 12 tonnes, in March.", []string{"12 tonnes"}, "Steel output rose by 4.2%, in March."},
		{"Steel output rose to 12,500 tonnes; exports fell by 9%.", []string{"9%"}, "Steel output rose to 12,500 tonnes."},
		{"Steel output rose to 12,500 tonnes in March.", []string{"12,500 tonnes"}, ""},
		{"In 2024, steel output rose.", []string{"2024"}, ""},
		{"钢产量在春季继续增长，出口下降9%。", []string{"9%"}, "钢产量在春季继续增长。"},
	} {
		s := Sentence{Text: c.said}
		m := mender{sentence: &s, claim: Claim{Missing: c.missing}}
		got := ""
		if m.narrow() {
			got = s.Text
		}
		if got != c.want {
			t.Errorf("%q without %v: got %q, want %q", c.said, c.missing, got, c.want)
		}
	}
}

func TestMeasure(t *testing.T) {
	sources := []Source{
		{N: 1, URL: "https://a.example/1#x", SHA256: "a", Quotes: []Quote{{Text: "one"}, {Text: "two"}}},
		{N: 2, URL: "https://a.example/1", SHA256: "b"},
		{N: 3, URL: "https://b.example:8080/", SHA256: "c"},
		{N: 4, URL: "file:///x"},
	}
	sources[0].Quotes[0].Start, sources[0].Quotes[0].End = 0, 3
	sources[0].Quotes[1].Start, sources[0].Quotes[1].End = 0, 3
	claims := []Claim{
		{Marks: []int{1, 3}, Label: Quoted}, {Marks: []int{1}, Label: Supported}, {Marks: []int{2}, Label: Partial},
		{Marks: []int{2}, Label: Unchecked}, {Label: Unchecked},
	}
	got := Measure(claims, sources, func(s Source) (string, bool) { return "one", s.N == 1 })
	want := Metrics{
		Claims: 5, CitedClaims: 4, ClaimsCited: .8, CitationAccuracy: 2. / 3, Decided: 3, EffectiveCitations: 3,
		Sources: 4, UniqueSources: 2, UncitedSources: 1, OneSourceClaims: 3, Hosts: 2, QuoteExactness: .5,
		Labels: map[Label]int{Quoted: 1, Supported: 1, Partial: 1, Unchecked: 2},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := Measure(nil, nil, nil); got.CitationAccuracy != 0 || got.ClaimsCited != 0 {
		t.Errorf("nothing to count gives %+v", got)
	}
}

// TestVerifyAReportFromElsewhere is the way of the verify command: read a
// report, add what its list names, verify its claims, keep its marks.
func TestVerifyAReportFromElsewhere(t *testing.T) {
	p, err := ParseReport("# Steel\n\nSteel output rose 4.2% to 12.5 million tonnes in March 2024 [2]. The company employs 35,000 people [2]. The company employs 34,000 people [1][3].\n\n## Sources\n[1] https://bridge.example/ - Bridge\n[2] https://steel.example/ - Steel\n[3] https://gone.example/ - Gone\n")
	if err != nil {
		t.Fatal(err)
	}
	l, texts := NewLedger(), memory{}
	ids := map[int]string{}
	for _, s := range p.Sources {
		if page := map[string]string{"https://bridge.example/": bridgePage, "https://steel.example/": steelPage}[s.URL]; page != "" {
			ids[s.N] = texts.add(t, l, s, page)
		}
	}
	v, err := Verify(t.Context(), p.Cited(ids), l, texts, VerifyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	type verdict struct {
		Marks []int
		Label Label
	}
	var got []verdict
	for _, c := range v.Claims {
		got = append(got, verdict{c.Marks, c.Label})
	}
	want := []verdict{{[]int{2}, Quoted}, {[]int{2}, Partial}, {[]int{1, 3}, Unsupported}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
