// Package duckduckgo reads the page of results that DuckDuckGo serves to
// browsers without scripts. It asks rarely, for one page, and stops at the
// first sign that it is taken for a robot: asking on lengthens the ban.
// Start with [New].
package duckduckgo

import (
	"bytes"
	"cmp"
	"net/url"
	"strings"
	"time"

	"github.com/PuerkitoBio/goquery"

	"deepresearch/internal/search"
	"deepresearch/internal/search/wire"
)

// New returns the engine.
func New(opt wire.Options) search.Engine {
	return wire.New(wire.Spec{
		Name:   "duckduckgo",
		Origin: "https://html.duckduckgo.com",
		Capabilities: search.Capabilities{
			Recency: true, Range: true, Sites: true, Language: true, Operators: true, MaxQuery: 499, MaxResults: 10,
			Family: "bing", Verified: true,
			Pace: search.Pace{Every: 5 * time.Second, Parallel: 1},
		},
		Ask: ask, Read: read, Refused: challenged,
	}, opt)
}

const site = "https://html.duckduckgo.com"

func ask(o wire.Options, q search.Query) wire.Request {
	form := url.Values{"q": {wire.WithSites(q.Text, q)}, "b": {""}}
	cookies := []string{}
	for name, value := range map[string]string{"kl": region(q.Region, q.Language), "df": period(o, q)} {
		if value != "" {
			form.Set(name, value)
			cookies = append(cookies, name+"="+value)
		}
	}
	return wire.Request{Path: "/html/", Form: form, Header: map[string]string{
		"User-Agent":      "Mozilla/5.0 (compatible; " + wire.Product + ")",
		"Accept":          "text/html",
		"Accept-Language": wire.AcceptLanguage(q.Language),
		"Referer":         site + "/",
		"Sec-Fetch-Dest":  "document", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Site": "same-origin", "Sec-Fetch-User": "?1",
		"Cookie": strings.Join(cookies, "; "),
	}}
}

// period is the value of df: one letter, or a range of dates with both ends.
func period(o wire.Options, q search.Query) string {
	switch q.Recency {
	case "":
		return ""
	case "day", "week", "month", "year":
		return q.Recency[:1]
	}
	from, to := wire.Dates(q, o.Now())
	return cmp.Or(from, "1990-01-01") + ".." + cmp.Or(to, o.Now().UTC().Format(time.DateOnly))
}

// challenged recognises the page that asks for a proof of being human; it comes
// with status 202 or 200.
func challenged(a wire.Reply) *search.Failure {
	for _, sign := range []string{`id="challenge-form"`, "anomaly-modal", "/anomaly.js"} {
		if bytes.Contains(a.Body, []byte(sign)) {
			return blocked()
		}
	}
	if a.Status == 202 || a.Status == 403 {
		return blocked()
	}
	return nil
}

func blocked() *search.Failure {
	return &search.Failure{
		Kind: search.Blocked, Message: "DuckDuckGo takes this network for a robot and asks for a challenge",
		Hint: "It is left alone for an hour. Set SEARXNG_URL or a key of another engine for dependable searches.",
	}
}

func read(_ search.Query, a wire.Reply) ([]search.Result, error) {
	page, err := goquery.NewDocumentFromReader(bytes.NewReader(a.Body))
	if err != nil {
		return nil, &search.Failure{Kind: search.LayoutChanged, Message: err.Error(), Cause: err}
	}
	var results []search.Result
	hits := page.Find("#links .result").Not(".result--ad, .result--no-result")
	hits.Each(func(_ int, hit *goquery.Selection) {
		if r, ok := result(hit); ok {
			results = append(results, r)
		}
	})
	switch {
	case len(results) > 0:
		return results, nil
	case page.Find(".no-results, .result--no-result").Length() > 0:
		return nil, wire.Nothing()
	case hits.Length() > 0:
		return nil, &search.Failure{Kind: search.LayoutChanged, Message: "the results on the page have no links that we can read"}
	}
	return nil, &search.Failure{Kind: search.LayoutChanged, Message: "the page has neither results nor the words for none"}
}

// result reads one hit; ok is false for advertisements and hits without a link.
func result(hit *goquery.Selection) (r search.Result, ok bool) {
	link := hit.Find("h2 a.result__a").First()
	href, _ := link.Attr("href")
	address, ok := target(href)
	if !ok {
		return r, false
	}
	return search.Result{
		Title:   strings.Join(strings.Fields(link.Text()), " "),
		URL:     address,
		Snippet: strings.Join(strings.Fields(hit.Find(".result__snippet").First().Text()), " "),
	}, true
}

// target returns the page that a link leads to: //duckduckgo.com/l/?uddg=PAGE
// is a redirect, y.js an advertisement.
func target(href string) (string, bool) {
	u, err := url.Parse(href)
	if err != nil || strings.HasSuffix(u.Path, "/y.js") {
		return "", false
	}
	if u.Path == "/l/" {
		if u, err = url.Parse(u.Query().Get("uddg")); err != nil || strings.HasSuffix(u.Path, "/y.js") {
			return "", false
		}
	}
	return u.String(), u.Host != "" && (u.Scheme == "https" || u.Scheme == "http")
}
