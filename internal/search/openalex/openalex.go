// Package openalex asks OpenAlex for scholarly works. Without a key it allows
// some ten to a hundred searches a day. Start with [New].
package openalex

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"deepresearch/internal/search"
	"deepresearch/internal/search/wire"
)

// New returns the engine.
func New(opt wire.Options) search.Engine {
	return wire.New(wire.Spec{
		Name: "openalex", Origin: "https://api.openalex.org", KeyName: "OPENALEX_API_KEY", KeyOptional: true, ByName: true,
		Capabilities: search.Capabilities{
			Recency: true, Range: true, Language: true, MaxQuery: 500, MaxResults: 100,
			Topics: []string{search.Academic, search.Medical}, Cost: 0.001, Verified: true,
		},
		Ask: ask, Read: read,
	}, opt)
}

func ask(o wire.Options, q search.Query) wire.Request {
	var filters []string
	from, to := wire.Dates(q, o.Now())
	for _, f := range []struct{ name, value string }{
		{"from_publication_date", from}, {"to_publication_date", to},
	} {
		if f.value != "" {
			filters = append(filters, f.name+":"+f.value)
		}
	}
	return wire.Request{Path: "/works", Query: wire.Values(
		"search", q.Text, "per-page", strconv.Itoa(q.N), "filter", strings.Join(filters, ","), "api_key", o.Key,
		"select", "id,doi,title,publication_date,abstract_inverted_index,primary_location,best_oa_location",
	)}
}

func read(q search.Query, a wire.Reply) ([]search.Result, error) {
	doc, err := a.Document()
	if err != nil {
		return nil, err
	}
	if !doc.Get("results").IsArray() {
		return wire.List("results", wire.Fields{})(q, a)
	}
	return wire.Results(doc.Get("results"), work)
}

func work(w gjson.Result) search.Result {
	r := wire.Fields{Title: "title", URL: "doi,primary_location.landing_page_url,id", Published: "publication_date", HTML: true}.Result(w)
	r.Raw = abstract(w.Get("abstract_inverted_index"))
	if r.Snippet = r.Raw; r.Snippet == "" {
		r.Snippet = w.Get("primary_location.source.display_name").String()
	}
	// A DOI often leads to a wall; the open copy does not.
	for _, path := range []string{"best_oa_location.landing_page_url", "best_oa_location.pdf_url"} {
		if open := w.Get(path); open.Type == gjson.String && open.Str != r.URL && strings.HasPrefix(open.Str, "http") {
			r.Also = append(r.Also, open.Str)
		}
	}
	return wire.Shortened(r)
}

// longestAbstract bounds an abstract, in words.
const longestAbstract = 5000

// abstract puts the words of an inverted index, word to places, in order.
func abstract(index gjson.Result) string {
	type placed struct {
		place int64
		word  string
	}
	var words []placed
	index.ForEach(func(word, places gjson.Result) bool {
		for _, p := range places.Array() {
			words = append(words, placed{p.Int(), word.String()})
		}
		return len(words) < longestAbstract
	})
	slices.SortStableFunc(words, func(a, b placed) int { return cmp.Compare(a.place, b.place) })
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.word
	}
	return strings.Join(texts, " ")
}
