package wire

import (
	"bytes"
	"fmt"
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
		return Results(list, f.at(a.At))
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

// at returns a reader of hits in an answer of that time.
func (f Fields) at(t time.Time) func(gjson.Result) search.Result {
	return func(hit gjson.Result) search.Result {
		r := f.Result(hit)
		if r.Published == "" {
			r.Published = DateAt(first(hit, f.Published), t)
		}
		return r
	}
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
	return Shortened(r)
}

// longestSnippet bounds a snippet, in bytes: some engines send pages as such.
const longestSnippet = 1200

// Shortened returns the result with a snippet of bearable length; the whole of
// a longer one is its raw text, when it has no other.
func Shortened(r search.Result) search.Result {
	if len(r.Snippet) <= longestSnippet {
		return r
	}
	if r.Raw == "" {
		r.Raw = r.Snippet
	}
	cut := strings.ToValidUTF8(r.Snippet[:longestSnippet], "")
	if i := strings.LastIndexByte(cut, ' '); i > longestSnippet/2 {
		cut = cut[:i]
	}
	r.Snippet = cut + " …"
	return r
}

// first returns the text at the first of the paths that has one. A list of
// texts is joined.
func first(hit gjson.Result, paths string) string {
	if paths == "" {
		return ""
	}
	for path := range strings.SplitSeq(paths, ",") {
		if s := stringOf(hit.Get(path)); s != "" {
			return s
		}
	}
	return ""
}

func stringOf(v gjson.Result) string {
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
			name, _ := z.TagName()
			if _, local, ok := bytes.Cut(name, []byte(":")); ok { // jats:italic
				name = local
			}
			if !inline[string(name)] {
				b.WriteByte(' ')
			}
		}
	}
}

// inline are the tags that do not separate words.
var inline = map[string]bool{
	"a": true, "b": true, "bold": true, "code": true, "em": true, "i": true, "italic": true, "mark": true, "sc": true, "span": true, "strong": true,
	"sub": true, "sup": true, "u": true, "wbr": true,
}
