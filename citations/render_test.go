package citations

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"deepresearch/citations/check"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write golden files")

// golden compares got with testdata/name.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// bridgeDraft is a report over two web pages and a file, with every kind of
// block.
func bridgeDraft(t testing.TB) (Draft, *Ledger, map[string]string) {
	t.Helper()
	l := NewLedger()
	add := func(s Source, page string) string {
		id, err := l.AddSource(s, page)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	const memo = "The 1931 memo puts the cost at 4.2 million pounds."
	bridge := add(Source{URL: "https://bridge.example/arch_(steel)", Title: "Harbour Bridge [official]", Site: "Bridge Trust",
		Author: []string{"Ada Lane"}, Published: "2024-05-03", RetrievedAt: "2026-01-02T03:04:05Z", Type: "primary"}, bridgePage)
	ferry := add(Source{URL: "https://ferry.example/", Title: "Ferries", Published: "2020"}, ferryPage)
	file := add(Source{URL: "file:///home/u/memo.txt", Private: true}, memo)
	texts := map[string]string{Hash(bridgePage): bridgePage, Hash(ferryPage): ferryPage, Hash(memo): memo}

	opened := addQuote(t, l, bridge, bridgePage, "The Harbour Bridge opened in 1932 after eight years of work.")
	traffic := addQuote(t, l, bridge, bridgePage, "It carries 160,000 vehicles a day.")
	arch := addQuote(t, l, bridge, bridgePage, "The arch spans 503 metres")
	march := addQuote(t, l, ferry, ferryPage, "The bridge opened in March 1932.")
	fell := addQuote(t, l, ferry, ferryPage, "Traffic fell by two thirds when the bridge opened.")
	cost := addQuote(t, l, file, memo, memo)
	return Draft{Title: "The bridge & the ferries", Language: "en", Blocks: []Block{
		{Kind: Heading, Level: 2, Sentences: []Sentence{{Text: "What was built"}}},
		{Kind: Paragraph, Sentences: []Sentence{
			{Text: "The bridge opened in March 1932 " + Token(march.ID) + Token(opened.ID) + ", and ferry traffic fell by two thirds.", Quotes: []string{fell.ID}},
			{Text: "It carries 160,000 vehicles a day.", Quotes: []string{traffic.ID}},
			{Text: "A page may say [3] or <b>bold</b> and mean neither [[S999999999999.q000000000001]]."},
		}},
		{Kind: Table, Header: []string{"", "Span"}, Rows: [][]Sentence{{{Text: "Arch | steel"}, {Text: "503 metres", Quotes: []string{arch.ID}}}}},
		{Kind: List, Rows: [][]Sentence{{{Text: "**Cost:** 4.2 million pounds.", Quotes: []string{cost.ID}}}}},
		{Kind: Code, Text: "a [1] in code"},
		{Kind: Note, Sentences: []Sentence{{Text: "No language model was used."}}},
	}}, l, texts
}

func TestRenderGolden(t *testing.T) {
	d, l, _ := bridgeDraft(t)
	r := Render(d, l, RenderOptions{})
	golden(t, "bridge.md", r.Markdown)
	claims, _ := json.MarshalIndent(r.Claims, "", " ")
	golden(t, "bridge.claims.json", string(claims)+"\n")
	if r.Dropped != 1 {
		t.Errorf("%d ids dropped, want 1", r.Dropped)
	}
}

// TestRenderPassesCheck hands a rendered report to the checker that shares no
// code with the writer.
func TestRenderPassesCheck(t *testing.T) {
	d, l, texts := bridgeDraft(t)
	r := Render(d, l, RenderOptions{})
	structured, err := json.Marshal(map[string]any{"status": "done", "report": r.Markdown, "claims": r.Claims, "sources": r.Sources})
	if err != nil {
		t.Fatal(err)
	}
	archived := func(n int) ([]byte, error) {
		if n < 1 || n > len(r.Sources) {
			return nil, errors.New("no such source")
		}
		return []byte(texts[r.Sources[n-1].SHA256]), nil
	}
	for _, v := range check.Result(structured, archived, check.Options{}) {
		t.Error(v)
	}
}

func TestRenderLeavesTheDraft(t *testing.T) {
	d, l, _ := bridgeDraft(t)
	before, _ := json.Marshal(d)
	Render(d, l, RenderOptions{})
	if after, _ := json.Marshal(d); string(before) != string(after) {
		t.Error("rendering changed the draft")
	}
}

func TestRenderChinese(t *testing.T) {
	l := NewLedger()
	const page = "大桥于1932年通车。每天有16万辆车通过。"
	id := addSource(t, l, "https://bridge.example/zh", "大桥", page)
	q := addQuote(t, l, id, page, "大桥于1932年通车。")
	d := Draft{Title: "大桥", Language: "zh-Hans", Blocks: []Block{{Kind: Paragraph, Sentences: []Sentence{
		{Text: "大桥于1932年通车。", Quotes: []string{q.ID}}, {Text: "桥很长。"},
	}}}}
	got := Render(d, l, RenderOptions{NoLinks: true}).Markdown
	want := "# 大桥\n\n大桥于1932年通车[1]。桥很长。\n\n## 来源\n\n[1] 大桥. <https://bridge.example/zh>\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMarksStandBeforeTheStop(t *testing.T) {
	known := func(id string) bool { return true }
	const id = "S000000000001.q000000010002"
	for text, want := range map[string]string{
		"It rose.":                "It rose[x].",
		"It rose":                 "It rose[x]",
		"It rose [[" + id + "]].": "It rose[x].",
		"It rose [[" + id + "]] [[" + id[:len(id)-1] + "3]].": "It rose[x][x].",
		"It rose [[" + id[:len(id)-1] + "3]].":                "It rose[x][x].",
		"He said “no.”":                                       "He said “no.”[x]",
		"...":                                                 "...[x]",
		"":                                                    "[x]",
	} {
		ps, _ := pieces(Sentence{Text: text, Quotes: []string{id}}, known)
		var b strings.Builder
		for _, p := range ps {
			b.WriteString(p.text)
			b.WriteString(strings.Repeat("[x]", len(p.ids)))
		}
		if b.String() != want {
			t.Errorf("%q: got %q, want %q", text, b.String(), want)
		}
	}
}
