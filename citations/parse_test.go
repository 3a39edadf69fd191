package citations

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseMarks(t *testing.T) {
	const list = "\n\n## References\n[1] https://a.example/x - Page A\n[2] Page B. <https://b.example/>\n3. [Page C](https://c.example/c_(d))\n"
	for _, c := range []struct {
		name, sentence, text string
		marks                []int
	}{
		{"run", "Steel rose 4 % in 2024. [1][2]", "Steel rose 4 % in 2024.", []int{1, 2}},
		{"comma", "Steel rose 4 % in 2024 [1, 3].", "Steel rose 4 % in 2024.", []int{1, 3}},
		{"range", "Steel rose 4 % in 2024 [1-3].", "Steel rose 4 % in 2024.", []int{1, 2, 3}},
		{"en dash", "Steel rose 4 % in 2024 [1–2].", "Steel rose 4 % in 2024.", []int{1, 2}},
		{"lens", "Steel rose 4 % in 2024【2†L10-L12】.", "Steel rose 4 % in 2024.", []int{2}},
		{"footnote", "Steel rose 4 % in 2024[^3].", "Steel rose 4 % in 2024.", []int{3}},
		{"our own", "Steel rose 4 % in 2024 [[1]](https://a.example/x#:~:text=Steel).", "Steel rose 4 % in 2024.", []int{1}},
		{"number as link", "Steel rose 4 % in 2024 [1](https://a.example/x).", "Steel rose 4 % in 2024.", []int{1}},
		{"escaped brackets as link", `Steel rose 4 % in 2024 [\[1\]](https://a.example/x).`, "Steel rose 4 % in 2024.", []int{1}},
		{"link", "Steel rose 4 %, says [Page C](https://c.example/c_(d)).", "Steel rose 4 %, says Page C.", []int{3}},
		{"unlisted link", "Steel rose 4 %, says [D](https://d.example/).", "Steel rose 4 %, says D.", []int{4}},
		{"bare", "Steel rose 4 % in 2024 (https://b.example/).", "Steel rose 4 % in 2024 ().", []int{2}},
		{"escaped", `Steel rose 4 % in 2024 \[1\].`, "Steel rose 4 % in 2024 [1].", []int{}},
		{"year", "Steel rose 4 % [2024].", "Steel rose 4 % [2024].", []int{}},
		{"Chinese", "钢价在2024年上涨4%。[1][2]", "钢价在2024年上涨4%。", []int{1, 2}},
		{"image", "![steel](https://img.example/1.png) Steel rose 4 % [2].", "Steel rose 4 %.", []int{2}},
	} {
		p, err := ParseReport("# Steel\n\n" + c.sentence + list)
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Claims) != 1 {
			t.Errorf("%s: %d claims: %+v", c.name, len(p.Claims), p.Claims)
			continue
		}
		if p.Claims[0].Text != c.text || !cmp.Equal(p.Claims[0].Marks, c.marks) {
			t.Errorf("%s: got %q %v, want %q %v", c.name, p.Claims[0].Text, p.Claims[0].Marks, c.text, c.marks)
		}
		if len(p.Dangling) > 0 {
			t.Errorf("%s: dangling %v", c.name, p.Dangling)
		}
	}
}

func TestParseLists(t *testing.T) {
	want := []Source{
		{N: 1, URL: "https://a.example/x", Title: "Page A", Author: []string{}, Quotes: []Quote{}},
		{N: 2, URL: "https://b.example/(b)", Title: "Page B", Author: []string{}, Quotes: []Quote{}},
	}
	for name, list := range map[string]string{
		"url first":         "参考文献：\n[1] https://a.example/x - Page A\n[2] https://b.example/(b) - Page B",
		"title first":       "## Sources\n\n[1] Page A. <https://a.example/x>\n\n[2] Page B. <https://b.example/(b)>",
		"title dash url":    "**References**\n\n1. Page A - https://a.example/x\n2. Page B – https://b.example/(b)",
		"links":             "### 来源\n- [Page A](https://a.example/x)\n- [Page B](https://b.example/(b))",
		"footnotes":         "[^1]: Page A, https://a.example/x\n[^2]: [Page B](https://b.example/(b))",
		"definitions":       "[1]: https://a.example/x \"Page A\"\n[2]: https://b.example/(b) \"Page B\"",
		"no title of list":  "[1] https://a.example/x Page A\n[2] https://b.example/(b) Page B\n",
		"url on next line":  "Sources:\n[1] Page A\nhttps://a.example/x\n[2] Page B\nhttps://b.example/(b)",
		"with fragments":    "## Sources\n[1] [Page A](https://a.example/x#:~:text=Steel)\n[2] Page B (https://b.example/(b))",
		"followed by more":  "## Sources\n[1] https://a.example/x - Page A\n[2] https://b.example/(b) - Page B\n\n## Appendix\n\nNothing.",
		"numbered headings": "## 7. References\n\n1) Page A: https://a.example/x\n2) Page B: https://b.example/(b)",
	} {
		p, err := ParseReport("# Steel\n\nSteel rose 4 % in 2024 [1][2].\n\n" + list)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, p.Sources); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if len(p.Claims) != 1 {
			t.Errorf("%s: claims %+v", name, p.Claims)
		}
	}
}

func TestParseSkipsWhatClaimsNothing(t *testing.T) {
	p, err := ParseReport("# Report 2024\n\nI will search for 3 pages.\n\n## What is 5 %?\n\nIs it 5 %?\n\n```\nx[1] = 7 % of Paris\n```\n\n| Year | Value |\n| --- | --- |\n| 2024 | 5 % [1] |\n\n---\n[2]\n\n## Sources\n[1] https://a.example/\n")
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Claims) != 1 || p.Claims[0].Text != "5 %" || p.Title != "Report 2024" {
		t.Errorf("got %+v", p)
	}
	if !cmp.Equal(p.Dangling, []int{2}) {
		t.Errorf("dangling %v, want [2]", p.Dangling)
	}
}

func TestParseReportRefuses(t *testing.T) {
	for _, md := range []string{"", " \n", strings.Repeat("a", maxReport+1)} {
		if _, err := ParseReport(md); err == nil {
			t.Errorf("a report of %d bytes was read", len(md))
		}
	}
}

// TestParseRecordedReports reads eight reports that another system wrote: every
// mark must lead to an entry of the list, and every entry have an address.
func TestParseRecordedReports(t *testing.T) {
	for _, r := range readLines[struct {
		ID      int
		Article string
	}](t, fixture(t, "deepresearch_bench", "reports_claude37.jsonl")) {
		p, err := ParseReport(r.Article)
		if err != nil {
			t.Fatal(err)
		}
		cited := 0
		for _, c := range p.Claims {
			if len(c.Marks) > 0 {
				cited++
			}
			if strings.Contains(c.Text, "http") || numericMark.MatchString(c.Text) {
				t.Errorf("report %d: a mark is left in %q", r.ID, c.Text)
			}
		}
		listed := strings.Count(r.Article, "\n[")
		if len(p.Dangling) > 0 || len(p.Sources) != listed || cited < 8 {
			t.Errorf("report %d: %d claims, %d cited, %d of %d sources, dangling %v", r.ID, len(p.Claims), cited, len(p.Sources), listed, p.Dangling)
		}
		for _, s := range p.Sources {
			if s.URL == "" || s.Title == "" || strings.Contains(s.Title, "http") {
				t.Errorf("report %d: source %+v", r.ID, s)
			}
		}
		t.Logf("report %d (%s): %d claims, %d cited, %d sources", r.ID, p.Language, len(p.Claims), cited, len(p.Sources))
	}
}

// TestParseOwnReport reads back what Render wrote.
func TestParseOwnReport(t *testing.T) {
	d, l, _ := bridgeDraft(t)
	r := Render(d, l, RenderOptions{})
	p, err := ParseReport(r.Markdown)
	if err != nil {
		t.Fatal(err)
	}
	var want, got [][]int
	for _, c := range r.Claims {
		want = append(want, c.Marks)
	}
	for _, c := range p.Claims {
		got = append(got, c.Marks)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("marks (-written +read):\n%s\n%s", diff, r.Markdown)
	}
	for i, s := range p.Sources {
		if s.URL != r.Sources[i].URL {
			t.Errorf("source %d: %s, want %s", s.N, s.URL, r.Sources[i].URL)
		}
	}
}

func FuzzParseReport(f *testing.F) {
	f.Add("# A\n\nB is 5 % [1].\n\n## Sources\n[1] https://a.example/ - A")
	f.Add("B 【1†s】 [^2] [1-9999] ![x](y) [[1]](u) | a |\n[^2]: https://b.example")
	f.Add("```\n[1]\n~~~\n")
	f.Fuzz(func(t *testing.T, md string) {
		p, err := ParseReport(md)
		if err != nil {
			return
		}
		listed := map[int]bool{}
		for i, s := range p.Sources {
			if s.N < 1 || i > 0 && s.N <= p.Sources[i-1].N {
				t.Errorf("source numbers are not rising: %d", s.N)
			}
			listed[s.N] = true
		}
		for _, n := range p.Dangling {
			if listed[n] {
				t.Errorf("mark %d dangles and is listed", n)
			}
		}
		for _, c := range p.Claims {
			for _, n := range c.Marks {
				if n < 1 || n > 9999+len(md) {
					t.Errorf("mark %d", n)
				}
			}
		}
	})
}
