package citations

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"deepresearch/internal/text"
)

// memory is an archive in memory, as a run without a store keeps it.
type memory map[string]string

func (m memory) Text(_ context.Context, sha string) (string, error) {
	s, ok := m[sha]
	if !ok {
		return "", errors.New("nothing is archived under this sha256")
	}
	return s, nil
}

func (m memory) add(t testing.TB, l *Ledger, s Source, page string) string {
	t.Helper()
	id, err := l.AddSource(s, page)
	if err != nil {
		t.Fatal(err)
	}
	m[Hash(page)] = page
	return id
}

const steelPage = `Steel output rose 4.2% to 12.5 million tonnes in March 2024, the ministry said.

Exports fell to 1,200 tonnes. The plant in Linz did not close. Prices were "far above what anyone had expected", said Ada Lane.

The company employs 34,000 people. Version 2.4.1 of its planning software came out on 5 May 2023.`

const steelPageZH = `2024年3月钢产量增长4.2%，达到1250万吨。出口没有下降。公司有3.4万名员工。`

// steel is a ledger over two pages and an archive of them.
func steel(t testing.TB) (l *Ledger, texts memory, en, zh string) {
	l, texts = NewLedger(), memory{}
	en = texts.add(t, l, Source{URL: "https://steel.example/", Title: "Steel in spring", Site: "Steel Daily"}, steelPage)
	zh = texts.add(t, l, Source{URL: "https://steel.example/zh", Title: "春季钢铁"}, steelPageZH)
	return l, texts, en, zh
}

func TestVerifyWithoutJudge(t *testing.T) {
	l, texts, en, zh := steel(t)
	output := addQuote(t, l, en, steelPage, "Steel output rose 4.2% to 12.5 million tonnes in March 2024, the ministry said.").ID
	linz := addQuote(t, l, en, steelPage, "The plant in Linz did not close.").ID
	output2 := addQuote(t, l, zh, steelPageZH, "2024年3月钢产量增长4.2%，达到1250万吨。").ID
	for _, c := range []struct {
		claim string
		cites []string
		want  Label
	}{
		{"Steel output rose 4.2% to 12.5 million tonnes in March 2024.", []string{output}, Quoted},
		{"According to Steel Daily, steel output rose 4.2% to 12.5 million tonnes in March 2024.", []string{output}, Quoted},
		{"Steel output rose 4.2% to 13.5 million tonnes in March 2024, the ministry said.", []string{output}, Partial},
		{"Steel output rose 4.2% to 12.5 million tonnes in April 2024, the ministry said.", []string{output}, Partial},
		{"The ministry reported 12,500,000 tonnes of steel, up 4.2 percent, for March 2024.", []string{output}, Unchecked},
		{"The ministry reported 12.5bn tonnes of steel for March 2024.", []string{output}, Partial},
		{"Steel output fell 4.2% in March 2024 according to the ministry.", []string{output}, Partial},
		{"The plant in Linz did close.", []string{linz}, Partial},
		{"The Linz plant was never closed.", []string{linz}, Unchecked},
		{"The company has 34000 people.", []string{en}, Unchecked},
		{"Its planning software reached version 2.4.1 in May 2023.", []string{en}, Unchecked},
		{"Its planning software reached version 2.4.2 in May 2023.", []string{en}, Partial},
		{"Prices were “far below what anyone had expected”, said Ada Lane.", []string{en}, Partial},
		{"Prices were “far above what anyone had expected”, in the words of Ada Lane.", []string{en}, Unchecked},
		{"Penguins breed on the coast of Antarctica.", []string{en}, Unsupported},
		{"Penguins breed on the coast of Antarctica.", nil, Unchecked},
		{"2024年3月钢产量增长4.2%，达到1250万吨。", []string{output2}, Quoted},
		{"2024年3月，钢产量达到0.125亿吨，增长4.2%。", []string{output2}, Unchecked},
		{"2024年3月，钢产量达到1.25亿吨，增长4.2%。", []string{output2}, Partial},
		{"出口有下降。", []string{zh}, Partial},
		{"In March 2024 the output was 12.5 million tonnes.", []string{output2}, Unchecked}, // other language
		{"In March 2024 the output was 13.5 million tonnes.", []string{output2}, Partial},
	} {
		v, err := Verify(t.Context(), []Claim{{Text: c.claim, Cites: c.cites}}, l, texts, VerifyOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := v.Claims[0]; got.Label != c.want {
			t.Errorf("%s\n got %s (%s), want %s", c.claim, got.Label, got.Reason, c.want)
		}
	}
}

func TestVerifySuggestsABetterSource(t *testing.T) {
	l, texts, en, _ := steel(t)
	bridge := texts.add(t, l, Source{URL: "https://bridge.example/", Title: "Bridge"}, bridgePage)
	v, err := Verify(t.Context(), []Claim{{Text: "The company employs 34,000 people.", Cites: []string{bridge}}}, l, texts, VerifyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(v.Suggestions) != 1 || v.Suggestions[0].Quote.Text != "The company employs 34,000 people." {
		t.Fatalf("suggestions %+v", v.Suggestions)
	}
	if s, _, ok := v.Ledger.Lookup(v.Suggestions[0].Quote.ID); !ok || s.ID != en {
		t.Errorf("the suggested quote is not in the ledger")
	}
	if got := v.Claims[0].Reason; !strings.HasSuffix(got, `; "Steel in spring" speaks of it`) {
		t.Errorf("reason %q", got)
	}
	if s, _ := l.Source(en); len(s.Quotes) != 0 {
		t.Error("verifying changed the ledger it was given")
	}
}

func TestVerifyTellsWhatCannotBeRead(t *testing.T) {
	l, texts, en, _ := steel(t)
	claims := []Claim{{Text: "Steel output rose in 2024.", Cites: []string{en}}, {Text: "Steel output rose in 2024.", Cites: []string{"S000000000001"}}}
	texts[Hash(steelPage)] = steelPage + "!"
	v, err := Verify(t.Context(), claims, l, texts, VerifyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{
		`the archived text of "Steel in spring" could not be read: it is not the text whose sha256 was recorded`,
		"a cited source is unknown",
	} {
		if got := v.Claims[i]; got.Label != Unchecked || got.Reason != want {
			t.Errorf("got %s, %q; want %q", got.Label, got.Reason, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Verify(ctx, claims, l, texts, VerifyOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v after the end of the context", err)
	}
}

// script is a judge that says what a test wants.
type script func(Case) Verdict

func (s script) Judge(_ context.Context, cases []Case) ([]Verdict, error) {
	out := make([]Verdict, len(cases))
	for i, c := range cases {
		out[i] = s(c)
	}
	return out, nil
}

func TestVerifyWithJudge(t *testing.T) {
	l, texts, en, _ := steel(t)
	output := addQuote(t, l, en, steelPage, "Steel output rose 4.2% to 12.5 million tonnes in March 2024").ID
	const claim = "Steel output went up in March 2024, the ministry reported."
	for _, c := range []struct {
		name    string
		claim   string
		verdict Verdict
		want    Label
		quotes  int
	}{
		{"supported", claim, Verdict{Label: Supported, Span: "steel OUTPUT rose 4.2%"}, Supported, 2},
		{"invented span", claim, Verdict{Label: Supported, Span: "Steel went up in spring."}, Unchecked, 1},
		{"no span", claim, Verdict{Label: Supported}, Unchecked, 1},
		{"contradicted", claim, Verdict{Label: Contradicted, Span: "Exports fell to 1,200 tonnes."}, Contradicted, 2},
		{"contradicted without span", claim, Verdict{Label: Contradicted, Span: "no"}, Unchecked, 1},
		{"partial", claim, Verdict{Label: Partial, Reason: "says March only"}, Partial, 1},
		{"unsupported", claim, Verdict{Label: Unsupported}, Unsupported, 1},
		{"no label", claim, Verdict{Label: "excellent"}, Unchecked, 1},
		{"number in no quote", "Steel output went up 5% in March 2024, the ministry reported.", Verdict{Label: Supported, Span: "Steel output rose 4.2%"}, Partial, 2},
		{"number in the judge's span", "In 2024 the company had 34,000 employees and more steel.", Verdict{Label: Supported, Span: "The company employs 34,000 people."}, Supported, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.verdict.Judge = "model"
			v, err := Verify(t.Context(), []Claim{{Text: c.claim, Cites: []string{output}}}, l, texts, VerifyOptions{Judge: script(func(Case) Verdict { return c.verdict })})
			if err != nil {
				t.Fatal(err)
			}
			got := v.Claims[0]
			if got.Label != c.want || len(got.Cites) != c.quotes {
				t.Errorf("got %+v, want %s and %d quotes", got, c.want, c.quotes)
			}
			if decided := got.Label == Supported || got.Label == Contradicted; decided && got.Judge != "model" {
				t.Errorf("the judge's name is missing: %+v", got)
			}
		})
	}
}

func TestJudgeReadsWhatItNeeds(t *testing.T) {
	l, texts, en, _ := steel(t)
	output := addQuote(t, l, en, steelPage, "Steel output rose 4.2% to 12.5 million tonnes in March 2024, the ministry said.").ID
	var seen []Case
	judge := script(func(c Case) Verdict { seen = append(seen, c); return Verdict{} })
	claims := []Claim{
		{Text: "Steel output rose 4.2% to 12.5 million tonnes in March 2024.", Cites: []string{output}},
		{Text: "It rose by 9%.", Cites: []string{output}, Context: "Steel output rose."},
		{Text: "No mark here in 2024."},
	}
	if _, err := Verify(t.Context(), claims, l, texts, VerifyOptions{Judge: judge}); err != nil {
		t.Fatal(err)
	}
	if len(seen) != 1 {
		t.Fatalf("the judge saw %d claims, want the open one: %+v", len(seen), seen)
	}
	if c := seen[0]; c.Context != "Steel output rose." || c.Passages[0].Text != steelPage[:len(c.Passages[0].Text)] {
		t.Errorf("case %+v", c)
	}
}

// broken is a judge that fails from its second call on.
type broken struct{ calls int }

func (b *broken) Judge(_ context.Context, cases []Case) ([]Verdict, error) {
	if b.calls++; b.calls > 1 {
		return nil, errors.New("no budget left")
	}
	out := make([]Verdict, len(cases))
	for i := range out {
		out[i] = Verdict{Label: Unsupported, Judge: "model"}
	}
	return out, nil
}

func TestVerifyGoesOnWithoutItsJudge(t *testing.T) {
	l, texts, en, _ := steel(t)
	claims := make([]Claim, 5)
	for i := range claims {
		claims[i] = Claim{Text: "The ministry spoke of steel output in March.", Cites: []string{en}}
	}
	judge := &broken{}
	v, err := Verify(t.Context(), claims, l, texts, VerifyOptions{Judge: judge, Batch: 2})
	if err != nil {
		t.Fatal(err)
	}
	if v.JudgeErr == nil || judge.calls != 2 {
		t.Errorf("error %v after %d calls", v.JudgeErr, judge.calls)
	}
	for i, c := range v.Claims {
		if want := map[bool]Label{true: Unsupported, false: Unchecked}[i < 2]; c.Label != want {
			t.Errorf("claim %d is %s, want %s", i, c.Label, want)
		}
	}
}

func BenchmarkVerify(b *testing.B) {
	l, texts := NewLedger(), memory{}
	var claims []Claim
	for i := range 50 {
		page := benchmarkPage(i)
		id := texts.add(b, l, Source{URL: fmt.Sprintf("https://host%d.example/", i)}, page)
		for j := range 2 {
			span := text.Sentences(page)[10*j+i%7]
			q, err := l.Quote(id, page, span)
			if err != nil {
				b.Fatal(err)
			}
			claims = append(claims, Claim{Text: "Reports agree: " + strings.Replace(q.Text, "the", "a", 2), Cites: []string{q.ID}})
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Verify(b.Context(), claims, l, texts, VerifyOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

// benchmarkPage is a page of 80 sentences, about 8 KB.
func benchmarkPage(seed int) string {
	words := strings.Fields("the output of steel and power rose in spring while exports to northern ports fell again because new rules for furnaces trade unions energy prices rail freight scrap iron ore markets cities Linz Duisburg ministry agency survey workers engineers budget quarter")
	var b strings.Builder
	n := uint32(seed*7919 + 1)
	for s := range 80 {
		for w := range 14 {
			n = n*1664525 + 1013904223
			word := words[int(n>>16)%len(words)]
			if w == 0 {
				word = strings.ToUpper(word[:1]) + word[1:]
			}
			b.WriteString(word + " ")
		}
		fmt.Fprintf(&b, "%d tonnes.", n%100000)
		if s%5 == 4 {
			b.WriteString("\n\n")
		} else {
			b.WriteByte(' ')
		}
	}
	return b.String()
}
