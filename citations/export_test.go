package citations

import (
	"encoding/json"
	"strings"
	"testing"
)

// shelf is one source of every kind that the formats tell apart.
func shelf() []Source {
	return []Source{
		{N: 1, URL: "https://bridge.example/a_(b)?x=1&y=%7B2%7D", Title: "Harbour Bridge: 100% steel & {stone}", Author: []string{"Ada M. Lane"}, Site: "Bridge Trust", Published: "2024-05-03", RetrievedAt: "2026-01-02T03:04:05Z"},
		{N: 2, URL: "https://journal.example/7", DOI: "https://doi.org/10.1000/xyz_7", Title: "On arches", Author: []string{"van der Berg, Jan", "Mary-Jane Ruiz", "Li Wei"}, Site: "Journal of Spans", Published: "2019-07", Type: "paper", Language: "en"},
		{N: 3, URL: "https://news.example/x", Title: "What did the bridge cost?", Author: []string{"Reuters"}, Site: "Reuters", Published: "2021", Type: "news"},
		{N: 4, URL: "https://gov.example/r", Title: "*Annual* report_1 [draft]", Author: []string{"Ministry of Works"}, Site: "Government Printing", Type: "government", RetrievedAt: "2026-01-02"},
		{N: 5, URL: "https://zh.example/", Title: "大桥通车", Author: []string{"王小明"}, Site: "日报", Published: "1932-03-19"},
		{N: 6, URL: "file:///home/u/memo.txt", Private: true},
		{N: 7, URL: "https://bridge.example/again", Title: "Harbour notes", Author: []string{"Lane, Ada"}, Site: "Bridge Trust", Published: "2024"},
		{N: 8, URL: "https://many.example/", Title: "Many hands", Author: []string{"A One", "B Two", "C Three", "D Four", "E Five", "F Six", "G Seven"}, Published: "2020-02-30"},
	}
}

func TestExportGolden(t *testing.T) {
	csl, err := CSL(shelf())
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "shelf.csl.json", string(csl))
	golden(t, "shelf.bib", BibTeX(shelf()))
	golden(t, "shelf.ris", RIS(shelf()))
	for _, style := range []Style{IEEE, APA} {
		list, err := Bibliography(shelf(), style)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "shelf."+string(style)+".md", list)
	}
	if _, err := Bibliography(shelf(), "mla"); err == nil {
		t.Error("an unknown style was written")
	}
}

// TestBibliographyAgainstTheGuides holds entries against the forms that the
// style guides print for such sources.
func TestBibliographyAgainstTheGuides(t *testing.T) {
	page := Source{N: 3, URL: "https://www.who.int/news-room/fact-sheets", Title: "The top 10 causes of death", Author: []string{"World Health Organization"}, Site: "World Health Organization", Published: "2018-05-24"}
	article := Source{N: 1, DOI: "10.1037/ppm0000185", Title: "The art of looking", Author: []string{"Jane B. Grady", "Paul Her", "Ana Moreno"}, Site: "Psychology of Media", Published: "2019", Type: "paper"}
	undated := Source{N: 2, URL: "https://www.census.gov/popclock/", Title: "U.S. and world population clock", Author: []string{"U.S. Census Bureau office"}, Site: "U.S. Department of Commerce", RetrievedAt: "2020-01-09T00:00:00Z"}
	for _, c := range []struct {
		style  Style
		source Source
		want   string
	}{
		{APA, page, "World Health Organization. (2018, May 24). *The top 10 causes of death*. <https://www.who.int/news-room/fact-sheets>"},
		{APA, article, "Grady, J. B., Her, P., & Moreno, A. (2019). The art of looking. *Psychology of Media*. <https://doi.org/10.1037/ppm0000185>"},
		{APA, undated, "U.S. Census Bureau office. (n.d.). *U.S. and world population clock*. U.S. Department of Commerce. Retrieved January 9, 2020, from <https://www.census.gov/popclock/>"},
		{IEEE, page, "[3] World Health Organization, “The top 10 causes of death,” World Health Organization, May 24, 2018. [Online]. Available: <https://www.who.int/news-room/fact-sheets>"},
		{IEEE, article, "[1] J. B. Grady, P. Her, and A. Moreno, “The art of looking,” *Psychology of Media*, 2019, doi: 10.1037/ppm0000185."},
	} {
		got, err := Bibliography([]Source{c.source}, c.style)
		if err != nil {
			t.Fatal(err)
		}
		if strings.TrimSpace(got) != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.style, strings.TrimSpace(got), c.want)
		}
	}
}

func TestPersonOf(t *testing.T) {
	for name, want := range map[string]person{
		"Ada Lane":               {given: "Ada", family: "Lane"},
		"Lane, Ada M.":           {given: "Ada M.", family: "Lane"},
		"Ludwig van Beethoven":   {given: "Ludwig", family: "van Beethoven"},
		"Martin Luther King Jr.": {given: "Martin Luther", family: "King Jr."},
		"Reuters":                {family: "Reuters", whole: true},
		"Ministry of Works":      {family: "Ministry of Works", whole: true},
		"王小明":                    {family: "王小明", whole: true},
		"R&D Team":               {family: "R&D Team", whole: true},
		"":                       {family: "", whole: true},
	} {
		if got := personOf(name); got != want {
			t.Errorf("%q: %+v, want %+v", name, got, want)
		}
	}
}

func FuzzBibTeX(f *testing.F) {
	f.Add("A {title} with \\ and $5", "Lane, Ada", "https://a.example/{x}", "2024-05")
	f.Add("}", "{", "https://a.example/}", "")
	f.Fuzz(func(t *testing.T, title, author, address, published string) {
		s := []Source{{N: 1, Title: title, Author: []string{author}, URL: address, Site: title, Published: published, DOI: address}}
		depth := 0
		bib := BibTeX(s)
		for i := 0; i < len(bib); i++ {
			switch bib[i] {
			case '\\':
				i++
			case '{':
				depth++
			case '}':
				if depth--; depth < 0 {
					t.Fatalf("unbalanced: %s", bib)
				}
			}
		}
		if depth != 0 {
			t.Fatalf("unbalanced: %s", bib)
		}
		if strings.Count(RIS(s), "\r\nER  - \r\n") != 1 || strings.Contains(strings.ReplaceAll(RIS(s), "\r\n", ""), "\n") {
			t.Fatalf("RIS: %q", RIS(s))
		}
		csl, err := CSL(s)
		if err != nil || !json.Valid(csl) {
			t.Fatalf("CSL: %v %s", err, csl)
		}
	})
}
