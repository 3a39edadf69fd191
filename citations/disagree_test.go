package citations

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"deepresearch/internal/text"
)

func TestDisagreements(t *testing.T) {
	for _, c := range []struct {
		name, a, b string
		about      string // "" when they agree
	}{
		{"other figure", "The Harbour Bridge carries 160,000 vehicles a day.", "About 200,000 vehicles a day cross the Harbour Bridge.", "Harbour Bridge: vehicles day"},
		{"rounded", "The Harbour Bridge carries 160,000 vehicles a day.", "The Harbour Bridge carries 161,000 vehicles a day.", ""},
		{"other unit", "The Harbour Bridge spans 503 metres.", "The Harbour Bridge weighs 52,800 tonnes.", ""},
		{"same in another unit", "The Harbour Bridge spans 1.5 km.", "The Harbour Bridge spans 1,500 metres.", ""},
		{"other subject", "The Harbour Bridge carries 160,000 vehicles a day.", "The Tower Bridge carries 40,000 vehicles a day.", ""},
		{"other year", "Steel output reached 12 million tonnes in 2023.", "Steel output reached 14 million tonnes in 2024.", ""},
		{"same year", "Steel output reached 12 million tonnes in 2023.", "Steel output reached 14 million tonnes in 2023.", "Steel: output reached million tonnes"},
		{"year of an event", "The Harbour Bridge opened in 1932.", "The Harbour Bridge opened in 1931.", "Harbour Bridge: opened"},
		{"denied", "The plant in Linz closed its old furnace.", "The plant in Linz did not close its old furnace.", "Linz: plant close old furnace"},
		{"direction", "Exports of steel to Asia rose in spring.", "Exports of steel to Asia fell in spring.", "Exports: steel Asia spring"},
		{"one figure shared", "The bridge has 6 lanes and 52,800 tonnes of steel.", "The bridge has 6 lanes and 53,000 tonnes of steel.", ""},
		{"range", "The bridge carries 150,000-170,000 vehicles a day.", "The bridge carries 200,000 vehicles a day.", ""},
		{"whose statement it is", "The replay ran 4.2 times slower with the detector, according to the Kestrel team.", "The replay ran 9.7 times slower with the detector, according to the Marlin team.", "replay ran times slower detector"},
		{"whose measurement it is", "The detector reported 14 distinct races in the Kestrel measurement.", "The detector reported 11 distinct races in the Marlin measurement.", "detector reported distinct races measurement"},
		{"a denial of something else", "The Linux kernel does not use the memory model of C.", "The Linux kernel memory model was presented at ASPLOS.", ""},
		{"Chinese", "大桥每天有16万辆车通过。", "大桥每天有20万辆车通过。", "大桥每天有 万辆车通过"},
	} {
		l := NewLedger()
		for i, page := range []string{c.a, c.b} {
			id, err := l.AddSource(Source{URL: fmt.Sprintf("https://host%d.example/", i), Site: fmt.Sprintf("Host %d", i), Published: "2024"}, page)
			if err != nil {
				t.Fatal(err)
			}
			addQuote(t, l, id, page, page)
		}
		found := Disagreements(l.Sources())
		about := ""
		if len(found) > 0 {
			about = found[0].About
		}
		if len(found) > 1 || about != c.about {
			t.Errorf("%s: got %q, want %q: %+v", c.name, about, c.about, found)
		}
	}
}

func TestDisagreementsWithinOneSourceDoNotCount(t *testing.T) {
	l := NewLedger()
	const page = "The Harbour Bridge carries 160,000 vehicles a day. The Harbour Bridge carries 200,000 vehicles a day."
	id := addSource(t, l, "https://a.example/", "A", page)
	addQuote(t, l, id, page, "The Harbour Bridge carries 160,000 vehicles a day.")
	addQuote(t, l, id, page, "The Harbour Bridge carries 200,000 vehicles a day.")
	if found := Disagreements(l.Sources()); len(found) != 0 {
		t.Errorf("%+v", found)
	}
}

func TestDisagreementSentences(t *testing.T) {
	d := Disagreement{Sides: []Side{{Quote: "It has **6** lanes.", ID: "S1", Publisher: "Bridge Trust", Published: "2024-05"}, {Quote: "共八条车道。", ID: "S2", Publisher: "日报"}}}
	want := []Sentence{{Text: "Bridge Trust, 2024-05: “It has 6 lanes.”", Quotes: []string{"S1"}}, {Text: "日报: “共八条车道。”", Quotes: []string{"S2"}}}
	if diff := cmp.Diff(want, d.Sentences("en")); diff != "" {
		t.Error(diff)
	}
	if got := d.Sentences("zh")[1].Text; got != "日报：“共八条车道。”" {
		t.Error(got)
	}
}

// BenchmarkDisagreements compares the 800 sentences that are compared at most,
// of 40 sources.
func BenchmarkDisagreements(b *testing.B) {
	l := NewLedger()
	for i := range 40 {
		page := benchmarkPage(i)
		id, err := l.AddSource(Source{URL: fmt.Sprintf("https://host%d.example/", i)}, page)
		if err != nil {
			b.Fatal(err)
		}
		for _, span := range text.Sentences(page)[:20] {
			if _, err := l.Quote(id, page, span); err != nil {
				b.Fatal(err)
			}
		}
	}
	sources := l.Sources()
	b.ReportAllocs()
	for b.Loop() {
		Disagreements(sources)
	}
}
