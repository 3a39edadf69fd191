// Package crossref asks Crossref for works that have a DOI. Start with [New].
package crossref

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"deepresearch/internal/search"
	"deepresearch/internal/search/wire"
)

// New returns the engine.
func New(opt wire.Options) search.Engine {
	return wire.New(wire.Spec{
		Name: "crossref", Origin: "https://api.crossref.org",
		Capabilities: search.Capabilities{
			Recency: true, Range: true, MaxQuery: 500, MaxResults: 100, Topics: []string{search.Academic, search.Medical}, Verified: true,
			// The public pool allows one request at a time; the polite one, for
			// those who leave an address, three.
			Pace: search.Pace{Every: 250 * time.Millisecond, Burst: 2, Parallel: 1},
		},
		Ask: ask, Read: read,
	}, opt)
}

func ask(o wire.Options, q search.Query) wire.Request {
	var filters []string
	from, to := wire.Dates(q, o.Now())
	for _, f := range []struct{ name, date string }{{"from-pub-date", from}, {"until-pub-date", to}} {
		if f.date != "" {
			filters = append(filters, f.name+":"+f.date)
		}
	}
	return wire.Request{Path: "/works", Query: wire.Values(
		"query.bibliographic", q.Text, "rows", strconv.Itoa(q.N), "filter", strings.Join(filters, ","), "mailto", mail(o.Contact),
		"select", "DOI,URL,title,abstract,published,container-title",
	)}
}

// mail returns the contact when it is an e-mail address.
func mail(contact string) string {
	if !strings.Contains(contact, "@") {
		return ""
	}
	return contact
}

func read(q search.Query, a wire.Reply) ([]search.Result, error) {
	doc, err := a.Document()
	if err != nil {
		return nil, err
	}
	if !doc.Get("message.items").IsArray() {
		return wire.List("message.items", wire.Fields{})(q, a)
	}
	return wire.Results(doc.Get("message.items"), work)
}

func work(w gjson.Result) search.Result {
	r := search.Result{Title: wire.Plain(w.Get("title.0").String()), Published: date(w.Get("published.date-parts.0"))}
	if doi := w.Get("DOI"); doi.Type == gjson.String && doi.Str != "" {
		r.URL = "https://doi.org/" + doi.Str
	} else if address := w.Get("URL"); address.Type == gjson.String {
		r.URL = address.Str
	}
	r.Snippet = wire.Plain(w.Get("abstract").String()) // JATS
	if r.Raw = r.Snippet; r.Snippet == "" {
		r.Snippet = wire.Plain(w.Get("container-title.0").String())
	}
	return wire.Shortened(r)
}

// date writes [2026, 1, 31], of which the end may be missing.
func date(parts gjson.Result) string {
	var out string
	for i, part := range parts.Array() {
		switch {
		case part.Int() <= 0 || i > 2:
			return out
		case i == 0:
			out = fmt.Sprintf("%04d", part.Int())
		default:
			out += fmt.Sprintf("-%02d", part.Int())
		}
	}
	return out
}
