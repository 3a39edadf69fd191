// Package worldbank asks the World Bank for series of its development
// indicators: one table a country and indicator, with unit, years and the day
// of the last update. Start with [New].
package worldbank

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"deepresearch/internal/search"
	"deepresearch/internal/search/wire"
)

// New returns the engine. It fetches the lists of indicators and countries with
// the first query and keeps them: the World Bank has no search by words.
func New(opt wire.Options) search.Engine {
	c := &catalogues{}
	return wire.New(wire.Spec{
		Name: "worldbank", Origin: "https://api.worldbank.org",
		Capabilities: search.Capabilities{
			Language: true, MaxQuery: 300, MaxResults: 10, Site: "data.worldbank.org", Topics: []string{search.Statistics, search.Finance},
			Pace: search.Pace{Every: 200 * time.Millisecond, Burst: 2, Parallel: 2},
		},
		Search: c.find, Refused: refused,
	}, opt)
}

// refused reads the error that comes with status 200.
func refused(a wire.Reply) *search.Failure {
	if said := gjson.GetBytes(a.Body, "0.message.0.value"); a.Status == 200 && said.Exists() {
		return a.Fail(search.BadQuery, "")
	}
	return nil
}

// mostSeries bounds the indicators that are fetched for one query.
const mostSeries = 2

func (c *catalogues) find(ctx context.Context, o wire.Options, send wire.Sender, q search.Query) ([]search.Result, error) {
	known, err := c.in(ctx, send, tongue(q))
	if err != nil {
		return nil, err
	}
	countries, rest := known.countriesIn(q.Text)
	indicators := known.indicatorsFor(rest)
	if len(indicators) == 0 {
		return nil, &search.Failure{Kind: search.Empty, Message: "no development indicator fits the query"}
	}
	years := yearsIn(q.Text, o.Now().Year())
	var results []search.Result
	for _, i := range indicators[:min(len(indicators), mostSeries)] {
		answer, err := send(ctx, wire.Request{
			Path:  "/v2/" + tongue(q) + "/country/" + strings.Join(countries, ";") + "/indicator/" + i.id,
			Query: wire.Values("format", "json", "date", years, "per_page", "1000"), // the default of 50 cuts without a word
		})
		if err != nil && len(results) > 0 {
			break // one series is an answer
		}
		if err != nil {
			return nil, err
		}
		series, err := read(answer, i)
		if err != nil {
			return nil, err
		}
		results = append(results, series...)
	}
	if len(results) == 0 {
		return nil, &search.Failure{Kind: search.Empty, Message: "the indicators that fit have no values for these countries and years"}
	}
	return results[:min(len(results), q.N)], nil
}

// tongue is the language of the World Bank's answers, one of the five it knows.
func tongue(q search.Query) string {
	switch p := wire.Primary(q); p {
	case "es", "fr", "ar", "zh":
		return p
	}
	return "en"
}

// read makes one result for each country in the answer, [meta, values].
func read(a wire.Reply, i indicator) ([]search.Result, error) {
	doc, err := a.Document()
	if err != nil {
		return nil, err
	}
	values := doc.Get("1")
	switch {
	case doc.Get("0.page").Exists() && values.Type == gjson.Null:
		return nil, nil // no such values
	case !values.IsArray():
		return nil, &search.Failure{Kind: search.LayoutChanged, Message: "the answer holds no list of values"}
	}
	var tables []*table
	byCountry := map[string]*table{}
	for _, v := range values.Array() {
		code := v.Get("country.id").String()
		if v.Get("value").Type != gjson.Number || code == "" {
			continue
		}
		t := byCountry[code]
		if t == nil {
			t = &table{code: code, country: v.Get("country.value").String(), unit: v.Get("unit").String()}
			byCountry[code] = t
			tables = append(tables, t)
		}
		t.rows = append(t.rows, [2]string{v.Get("date").String(), v.Get("value").Raw})
	}
	var results []search.Result
	for _, t := range tables {
		results = append(results, t.result(i, doc.Get("0.lastupdated").String()))
	}
	return results, nil
}

// table is the series of one country, newest year first as the World Bank
// sends it.
type table struct {
	code, country, unit string
	rows                [][2]string
}

// shownYears is how many years stand in a snippet.
const shownYears = 5

func (t *table) result(i indicator, updated string) search.Result {
	unit := ""
	if t.unit != "" {
		unit = " Unit: " + t.unit + "."
	}
	var recent []string
	var all strings.Builder
	fmt.Fprintf(&all, "%s (%s), %s. Source: World Bank, last updated %s.%s\n\n| Year | Value |\n| --- | --- |\n", i.name, i.id, t.country, updated, unit)
	for n, row := range t.rows {
		if n < shownYears {
			recent = append(recent, row[0]+": "+row[1])
		}
		fmt.Fprintf(&all, "| %s | %s |\n", row[0], row[1])
	}
	return search.Result{
		Title:     fmt.Sprintf("%s, %s (World Bank)", i.name, t.country),
		URL:       "https://data.worldbank.org/indicator/" + i.id + "?locations=" + t.code,
		Snippet:   fmt.Sprintf("%s, %s: %s.%s Last updated %s.", i.name, t.country, strings.Join(recent, "; "), unit, updated),
		Published: wire.Date(updated), Raw: all.String(), Licence: "CC-BY-4.0",
	}
}
