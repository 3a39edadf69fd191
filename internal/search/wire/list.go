package wire

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"
	"golang.org/x/net/html"

	"deepresearch/internal/search"
)

// Fields are the paths, inside one hit, of what a result is made of. Several
// paths are separated by commas; the first that holds text is taken.
type Fields struct {
	Title, URL, Snippet, Published, Raw string
	// HTML tells that title and snippet hold tags and entities.
	HTML bool
}

// List returns a reader of the JSON list at path. The list itself must be
// there; null and an empty list mean that nothing was found.
func List(path string, f Fields) func(search.Query, Reply) ([]search.Result, error) {
	return read(path, f, false)
}

// OptionalList is List for engines that leave the list out when nothing was
// found; other is a path that every answer has, to tell an empty answer from
// another shape.
func OptionalList(path, other string, f Fields) func(search.Query, Reply) ([]search.Result, error) {
	list := read(path, f, true)
	return func(q search.Query, a Reply) ([]search.Result, error) {
		if doc, err := a.Document(); err == nil && !doc.Get(other).Exists() {
			return nil, missing(other)
		}
		return list(q, a)
	}
}

func read(path string, f Fields, optional bool) func(search.Query, Reply) ([]search.Result, error) {
	return func(_ search.Query, a Reply) ([]search.Result, error) {
		doc, err := a.Document()
		if err != nil {
			return nil, err
		}
		list := doc.Get(path)
		switch {
		case list.Type == gjson.Null && (optional || list.Exists()):
			return nil, Nothing()
		case !list.IsArray():
			return nil, missing(path)
		}
		return Results(list, f.Result)
	}
}

// Results reads each hit of a list; those without an address are left out. A
// list in which no hit can be read is of another shape.
func Results(list gjson.Result, one func(gjson.Result) search.Result) ([]search.Result, error) {
	return Hits(list.Array(), one)
}

// Hits is Results for hits in an order of the caller's.
func Hits(hits []gjson.Result, one func(gjson.Result) search.Result) ([]search.Result, error) {
	var results []search.Result
	for _, hit := range hits {
		if r := one(hit); webAddress(r.URL) {
			if r.Title == "" {
				r.Title = r.URL
			}
			results = append(results, r)
		}
	}
	switch {
	case len(hits) == 0:
		return nil, Nothing()
	case len(results) == 0:
		return nil, &search.Failure{Kind: search.LayoutChanged, Message: fmt.Sprintf("none of %d hits has an address", len(hits))}
	}
	return results, nil
}

// Nothing is the failure of an engine that worked and found nothing.
func Nothing() *search.Failure {
	return &search.Failure{Kind: search.Empty, Message: "no results"}
}

func missing(path string) *search.Failure {
	return &search.Failure{Kind: search.LayoutChanged, Message: fmt.Sprintf("the answer has no %q", path)}
}

// webAddress reports whether a page can be fetched from the address.
func webAddress(s string) bool {
	return strings.HasPrefix(s, "https://") || strings.HasPrefix(s, "http://")
}

// Result reads one hit.
func (f Fields) Result(hit gjson.Result) search.Result {
	r := search.Result{
		Title: first(hit, f.Title), URL: strings.TrimSpace(first(hit, f.URL)), Snippet: first(hit, f.Snippet),
		Published: Date(first(hit, f.Published)), Raw: first(hit, f.Raw),
	}
	if f.HTML {
		r.Title, r.Snippet = Plain(r.Title), Plain(r.Snippet)
	}
	r.Title, r.Snippet = oneLine(r.Title), oneLine(r.Snippet)
	return r
}

// first returns the text at the first of the paths that has one. A list of
// texts is joined.
func first(hit gjson.Result, paths string) string {
	if paths == "" {
		return ""
	}
	for path := range strings.SplitSeq(paths, ",") {
		if s := text(hit.Get(path)); s != "" {
			return s
		}
	}
	return ""
}

func text(v gjson.Result) string {
	switch {
	case v.Type == gjson.String:
		return v.Str
	case v.Type == gjson.Number:
		return v.Raw
	case v.IsArray():
		var parts []string
		for _, one := range v.Array() {
			if one.Type == gjson.String && one.Str != "" {
				parts = append(parts, one.Str)
			}
		}
		return strings.Join(parts, " … ")
	}
	return ""
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// Plain returns the text of an HTML fragment on one line.
func Plain(fragment string) string {
	if !strings.ContainsAny(fragment, "<&") {
		return oneLine(fragment)
	}
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(fragment))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return oneLine(b.String())
		case html.TextToken:
			b.Write(z.Text())
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			if name, _ := z.TagName(); breaks[string(name)] {
				b.WriteByte(' ')
			}
		}
	}
}

// breaks are the tags that separate words.
var breaks = map[string]bool{"br": true, "p": true, "div": true, "li": true, "td": true, "tr": true, "title": true, "sec": true}

// dateLayouts are the forms of dates seen in answers, exact ones first.
var dateLayouts = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04Z07:00", "2006-01-02", "2006/01/02",
	"2006-1-2", "2006-01", "Jan 2, 2006", "January 2, 2006", "2 Jan 2006", "2 January 2006",
	time.RFC1123, time.RFC1123Z, "2006年1月2日", "2006",
}

// Date returns a date as 2006-01-02, or as a time in RFC 3339 when the hour is
// known; nothing when the text is no date that stands by itself.
func Date(s string) string {
	s = strings.TrimSpace(s)
	if s == "" {
		return ""
	}
	if unix, err := strconv.ParseInt(s, 10, 64); err == nil && len(s) >= 9 {
		if len(s) >= 12 { // milliseconds
			unix /= 1000
		}
		return time.Unix(unix, 0).UTC().Format(time.RFC3339)
	}
	for _, layout := range dateLayouts {
		t, err := time.Parse(layout, s)
		switch {
		case err != nil:
			continue
		case strings.Contains(layout, ":"):
			return t.UTC().Format(time.RFC3339)
		case layout == "2006" || layout == "2006-01":
			return s
		}
		return t.Format(time.DateOnly)
	}
	return ""
}
