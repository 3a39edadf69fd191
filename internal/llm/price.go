package llm

import (
	"strings"
	"time"
)

// Price is what a model costs in US dollars.
type Price struct {
	In, Out float64 // for a million tokens; Out counts thinking too
	// Long prices hold for the whole of a call with more than LongFrom input
	// tokens; LongFrom 0: there are none.
	LongFrom        int
	LongIn, LongOut float64
	Search          float64 // for one web search
}

// Of is what one call of that usage costs. Cached input is counted in full, so
// the true cost may be lower.
func (p Price) Of(u Usage) float64 {
	in, out := p.In, p.Out
	if p.LongFrom > 0 && u.In > p.LongFrom {
		in, out = p.LongIn, p.LongOut
	}
	return (float64(u.In)*in+float64(u.Out)*out)/1e6 + float64(u.Searches)*p.Search
}

// PricesRead is when the list prices were last compared with the price pages of
// Google, OpenAI and Anthropic.
const PricesRead = "2026-10-24"

// listed is a list price, valid until the end of a day when it says so.
type listed struct {
	name  string // "back end:name"; dated versions of the name cost the same
	until string
	price Price
}

// googleSearch is the price of one search of a grounded call of Gemini 3, beyond
// a monthly allowance that we cannot see.
const googleSearch = 0.014

// listPrices are the prices for text at the standard tier. Sources: the vendors'
// price pages as of PricesRead.
var listPrices = []listed{
	{"gemini:gemini-3.8-flash", "2026-12-31", Price{In: 0.75, Out: 3.75, Search: googleSearch}},
	{"gemini:gemini-3.8-flash", "", Price{In: 1.50, Out: 7.50, Search: googleSearch}},
	{"gemini:gemini-3.5-flash-lite", "", Price{In: 0.30, Out: 2.50, Search: googleSearch}},
	{"gemini:gemini-3.5-flash", "", Price{In: 1.50, Out: 9, Search: googleSearch}},
	{"gemini:gemini-3.1-pro", "", Price{In: 2, Out: 12, LongFrom: 200_000, LongIn: 4, LongOut: 18, Search: googleSearch}},
	{"gemini:gemini-2.5-flash-lite", "", Price{In: 0.10, Out: 0.40, Search: 0.035}},
	{"openai:gpt-6-astra", "", Price{In: 10, Out: 50, Search: 0.01}},
	{"openai:gpt-5.6-sol", "", Price{In: 4, Out: 20, Search: 0.01}},
	{"openai:gpt-5.6-terra", "", Price{In: 2, Out: 12, Search: 0.01}},
	{"openai:gpt-5.6-luna", "", Price{In: 0.20, Out: 1.20, Search: 0.01}},
	{"openai:gpt-5.4-mini", "", Price{In: 0.75, Out: 4.50, Search: 0.01}},
	{"anthropic:claude-opus-5-5", "", Price{In: 4, Out: 20, Search: 0.01}},
	{"anthropic:claude-sonnet-5-5", "", Price{In: 2, Out: 10, Search: 0.01}},
	{"anthropic:claude-haiku-5-5", "", Price{In: 0.10, Out: 0.50, LongFrom: 100_000, LongIn: 0.50, LongOut: 2.50, Search: 0.01}},
}

// listPrice is the list price of a model on that day, nil when it is unknown.
func listPrice(name string, day time.Time) *Price {
	today := day.Format(time.DateOnly)
	for i := range listPrices {
		l := &listPrices[i]
		if sameModel(name, l.name) && (l.until == "" || today <= l.until) {
			return &l.price
		}
	}
	return nil
}

// sameModel reports whether name is the listed one or a dated or preview version
// of it, such as claude-sonnet-5-5-20260922.
func sameModel(name, listed string) bool {
	rest, ok := strings.CutPrefix(name, listed)
	return ok && (rest == "" || strings.Trim(rest, "-0123456789") == "" || rest == "-preview" || rest == "-latest")
}
