// Package wikipedia asks the search of Wikipedia, in the language of the query,
// for articles with their first paragraphs. Start with [New].
package wikipedia

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/tidwall/gjson"

	"deepresearch/internal/search"
	"deepresearch/internal/search/wire"
)

// New returns the engine.
func New(opt wire.Options) search.Engine {
	return Site("wikipedia", "wikipedia.org", search.Capabilities{
		Topics: search.Topics,
	}, opt)
}

// Site returns an engine over another wiki of the Wikimedia family, which has
// one host a language.
func Site(name, domain string, c search.Capabilities, opt wire.Options) search.Engine {
	c.Site, c.Language, c.Verified = domain, true, true
	c.MaxQuery, c.MaxResults = 300, 20 // 300: the limit of CirrusSearch; 20: that of prop=extracts
	c.Pace = search.Pace{Every: 200 * time.Millisecond, Burst: 2, Parallel: 1}
	return wire.New(wire.Spec{
		Name: name, Origin: "https://{lang}." + domain, Capabilities: c, Ask: ask, Read: read, Refused: refused,
	}, opt)
}

func ask(_ wire.Options, q search.Query) wire.Request {
	return wire.Request{Path: "/w/api.php", Query: url.Values{
		"action": {"query"}, "format": {"json"}, "formatversion": {"2"}, "maxlag": {"5"},
		"generator": {"search"}, "gsrsearch": {q.Text}, "gsrlimit": {strconv.Itoa(q.N)},
		"prop": {"extracts|info"}, "exintro": {"1"}, "explaintext": {"1"}, "exlimit": {"max"}, "inprop": {"url"},
	}}
}

// codes of MediaWiki errors, which come with status 200.
var codes = map[string]search.Kind{
	"maxlag": search.Rate, "ratelimited": search.Rate, "readonly": search.Network,
	"blocked": search.Blocked, "autoblocked": search.Blocked,
	"badvalue": search.BadQuery, "nosearch": search.BadQuery, "cirrussearch-query-too-long": search.BadQuery,
}

func refused(a wire.Reply) *search.Failure {
	code := gjson.GetBytes(a.Body, "error.code").Str
	if a.Status != 200 || code == "" {
		return nil
	}
	return a.Fail(cmp.Or(codes[code], search.Network), "")
}

func read(_ search.Query, a wire.Reply) ([]search.Result, error) {
	doc, err := a.Document()
	if err != nil {
		return nil, err
	}
	pages := doc.Get("query.pages")
	if !pages.IsArray() {
		return nil, absent(doc)
	}
	// A generator returns pages in no order; index is their rank.
	list := pages.Array()
	slices.SortStableFunc(list, func(x, y gjson.Result) int { return cmp.Compare(x.Get("index").Int(), y.Get("index").Int()) })
	return wire.Hits(list, func(p gjson.Result) search.Result {
		r := wire.Fields{Title: "title", URL: "canonicalurl,fullurl", Snippet: "extract"}.Result(p)
		r.Licence = "CC-BY-SA-4.0"
		return r
	})
}

// absent tells an empty answer from one that is not understood: an unknown
// parameter gives warnings and no pages.
func absent(doc gjson.Result) error {
	if said := doc.Get("warnings.query.warnings").String(); said != "" || !doc.Get("batchcomplete").Exists() {
		return &search.Failure{Kind: search.LayoutChanged, Message: cmp.Or(said, `the answer has no "query.pages"`)}
	}
	return wire.Nothing()
}
