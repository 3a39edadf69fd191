package worldbank

import (
	"slices"
	"strings"
	"testing"

	"deepresearch/internal/rank"
	"deepresearch/internal/search"
	"deepresearch/internal/search/searchtest"
	"deepresearch/internal/search/wire"
	"deepresearch/internal/text"
)

var before = map[string]string{
	"/v2/en/indicator": `[{"page": 1, "total": 2}, [
 {"id": "SP.POP.TOTL", "name": "Population, total", "source": {"id": "2"}}, {"id": "AG.LND.FRST.ZS", "name": "Forest area (% of land area)"}]]`,
	"/v2/en/country": `[{"page": 1, "total": 2}, [{"id": "ATL", "iso2Code": "AT", "name": "Atlantis"}, {"id": "YSS", "iso2Code": "YS", "name": "Ys"}]]`,
}

var suite = searchtest.Case{
	New:  New,
	Text: "population of Atlantis and Ys since 2020", Before: before,
	Good: `[{"page": 1, "pages": 1, "per_page": 1000, "total": 4, "sourceid": "2", "lastupdated": "2026-07-13"}, [
 {"indicator": {"id": "SP.POP.TOTL", "value": "Population, total"}, "country": {"id": "AT", "value": "Atlantis"}, "countryiso3code": "ATL", "date": "2021", "value": 336755052, "unit": "", "decimal": 0},
 {"indicator": {"id": "SP.POP.TOTL", "value": "Population, total"}, "country": {"id": "AT", "value": "Atlantis"}, "countryiso3code": "ATL", "date": "2020", "value": 333996304.5, "unit": "", "decimal": 0},
 {"indicator": {"id": "SP.POP.TOTL", "value": "Population, total"}, "country": {"id": "YS", "value": "Ys"}, "countryiso3code": "YSS", "date": "2021", "value": null, "unit": "", "decimal": 0},
 {"indicator": {"id": "SP.POP.TOTL", "value": "Population, total"}, "country": {"id": "YS", "value": "Ys"}, "countryiso3code": "YSS", "date": "2020", "value": 7, "unit": "persons", "decimal": 0}]]`,
	Empty: `[{"page": 1, "pages": 1, "per_page": 1000, "total": 0}, null]`,
	Want: []search.Result{
		{Title: "Population, total, Atlantis (World Bank)", URL: "https://data.worldbank.org/indicator/SP.POP.TOTL?locations=AT",
			Snippet: "Population, total, Atlantis: 2021: 336755052; 2020: 333996304.5. Last updated 2026-07-13.", Published: "2026-07-13", Licence: "CC-BY-4.0",
			Raw: "Population, total (SP.POP.TOTL), Atlantis. Source: World Bank, last updated 2026-07-13.\n\n| Year | Value |\n| --- | --- |\n| 2021 | 336755052 |\n| 2020 | 333996304.5 |\n"},
		{Title: "Population, total, Ys (World Bank)", URL: "https://data.worldbank.org/indicator/SP.POP.TOTL?locations=YS",
			Snippet: "Population, total, Ys: 2020: 7. Unit: persons. Last updated 2026-07-13.", Published: "2026-07-13", Licence: "CC-BY-4.0",
			Raw: "Population, total (SP.POP.TOTL), Ys. Source: World Bank, last updated 2026-07-13. Unit: persons.\n\n| Year | Value |\n| --- | --- |\n| 2020 | 7 |\n"},
	},
	Asked: []string{"GET /v2/en/country/ATL;YSS/indicator/SP.POP.TOTL?", "per_page=1000", "date=2020%3A20"},
	Kinds: map[string]search.Kind{"403": search.Blocked},
}

func TestEngine(t *testing.T) { searchtest.Run(t, suite) }
func FuzzAnswer(f *testing.F) { searchtest.Fuzz(f, suite) }

func TestErrorWithStatus200(t *testing.T) {
	_, err := searchtest.Answer(t, New, "application/json", 200, `[{"message": [{"id": "120", "key": "Invalid value", "value": "The provided parameter value is not valid"}]}]`)
	if f := search.AsFailure("", err); f == nil || f.Kind != search.BadQuery || !strings.Contains(f.Message, "not valid") {
		t.Errorf("got %v", err)
	}
}

func TestRecordedSeries(t *testing.T) {
	body, _ := searchtest.Recorded(t, "worldbank/indicator.json")
	results, err := read(wire.Reply{Status: 200, Body: []byte(body)}, indicator{"SP.POP.TOTL", "Population, total"})
	if err != nil || len(results) != 1 || !strings.Contains(results[0].Raw, "| 2023 | 336755052 |") || results[0].Published != "2026-07-13" {
		t.Errorf("got %+v and %v", results, err)
	}
}

func TestQuery(t *testing.T) {
	c := &catalogue{index: rank.NewIndex(rank.Options{})}
	for _, i := range []indicator{{"SP.POP.FEMA", "Population, female"}, {"SP.POP.TOTL", "Population, total"}, {"NY.GDP.PCAP.CD", "GDP per capita (current US$)"},
		{"NY.GDP.MKTP.CD", "GDP (current US$)"}, {"EN.ATM.METH", "Methane emissions"}} {
		c.indicators = append(c.indicators, i)
		c.index.Add(text.Terms(i.name))
	}
	c.countries = []country{{"GIN", "guinea"}, {"GNB", "guinea-bissau"}, {"FRA", "france"}, {"CHN", "中国"}}
	slices.SortStableFunc(c.countries, func(a, b country) int { return len(b.name) - len(a.name) })
	for _, q := range []struct{ text, countries, first, years string }{
		{"population of France", "FRA", "SP.POP.TOTL", "2006:2026"},
		{"GDP per capita Guinea-Bissau 2010 to 2015", "GNB", "NY.GDP.PCAP.CD", "2010:2015"},
		{"gdp of the USA and the UK since 2019", "GBR USA", "NY.GDP.MKTP.CD", "2019:2026"},
		{"methane emissions", "WLD", "EN.ATM.METH", "2006:2026"},
		{"中国人口", "CHN", "SP.POP.TOTL", "2006:2026"},
		{"price of bananas", "WLD", "", "2006:2026"},
	} {
		codes, rest := c.countriesIn(q.text)
		slices.Sort(codes)
		if got := strings.Join(codes, " "); got != q.countries {
			t.Errorf("%q: countries %s, want %s", q.text, got, q.countries)
		}
		first := ""
		if fit := c.indicatorsFor(rest); len(fit) > 0 {
			first = fit[0].id
		}
		if first != q.first {
			t.Errorf("%q: indicator %q, want %q", q.text, first, q.first)
		}
		if got := yearsIn(q.text, 2026); got != q.years {
			t.Errorf("%q: years %s, want %s", q.text, got, q.years)
		}
	}
}
