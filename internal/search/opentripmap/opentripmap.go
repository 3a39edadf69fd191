// Package opentripmap asks OpenTripMap for the sights of the place that a query
// names: what OpenStreetMap, Wikidata and Wikipedia know of them, best rated
// first. Start with [New].
package opentripmap

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"deepresearch/internal/search"
	"deepresearch/internal/search/wire"
)

// New returns the engine. It needs a key, which is free for up to 5,000
// requests a day; a query takes up to seven.
func New(opt wire.Options) search.Engine {
	return wire.New(wire.Spec{
		Name: "opentripmap", Origin: "https://api.opentripmap.com", KeyName: "OPENTRIPMAP_API_KEY",
		Capabilities: search.Capabilities{
			MaxQuery: 200, MaxResults: mostDetailed, Site: "opentripmap.com", Topics: []string{search.Travel},
			Pace: search.Pace{Every: time.Second, Burst: 2, Parallel: 1},
		},
		Search: find,
	}, opt)
}

const (
	// mostDetailed is how many sights are asked about one by one.
	mostDetailed = 5
	// reach is how far from the middle of the place a sight may be, in metres.
	reach = 10000
	// mostListed is how many sights are looked at to find the best rated.
	mostListed = 50
)

func find(ctx context.Context, o wire.Options, send wire.Sender, q search.Query) ([]search.Result, error) {
	name := placeIn(q.Text)
	if name == "" {
		return nil, &search.Failure{Kind: search.Empty, Message: "the query names no place"}
	}
	get := func(path string, parameters ...string) (gjson.Result, error) {
		answer, err := send(ctx, wire.Request{
			Path: "/0.1/" + tongue(q) + "/places/" + path, Query: wire.Values(append(parameters, "apikey", o.Key)...),
		})
		if err != nil {
			return gjson.Result{}, err
		}
		return answer.Document()
	}
	place, err := get("geoname", "name", name)
	if err != nil {
		return nil, err
	}
	lat, lon := place.Get("lat"), place.Get("lon")
	switch {
	case place.Get("status").Str == "NOT_FOUND":
		return nil, &search.Failure{Kind: search.Empty, Message: fmt.Sprintf("no place is called %q", name)}
	case lat.Type != gjson.Number || lon.Type != gjson.Number:
		return nil, &search.Failure{Kind: search.LayoutChanged, Message: "the place has no coordinates"}
	}
	listed, err := get("radius", "radius", strconv.Itoa(reach), "lat", lat.Raw, "lon", lon.Raw, "kinds", kindsIn(q.Text), "rate", "2", "format", "json", "limit", strconv.Itoa(mostListed))
	if err != nil {
		return nil, err
	}
	sights, err := best(listed, min(q.N, mostDetailed))
	if err != nil {
		return nil, err
	}
	var results []search.Result
	for _, s := range sights {
		detail, err := get("xid/" + url.PathEscape(s.Get("xid").Str))
		if err != nil && len(results) > 0 {
			return results, &search.Failure{Kind: search.Degraded, Message: "not every sight could be asked about: " + err.Error(), Cause: err}
		}
		if err != nil {
			return nil, err
		}
		if r, ok := read(detail, place.Get("name").Str); ok {
			results = append(results, r)
		}
	}
	if len(results) == 0 {
		return nil, &search.Failure{Kind: search.LayoutChanged, Message: "no sight has a name and an address"}
	}
	return results, nil
}

// tongue is the language of the answer, one of the two there are.
func tongue(q search.Query) string {
	if wire.Primary(q) == "ru" {
		return "ru"
	}
	return "en"
}

// best returns the sights with a name, best rated first.
func best(listed gjson.Result, most int) ([]gjson.Result, error) {
	if !listed.IsArray() {
		return nil, &search.Failure{Kind: search.LayoutChanged, Message: "the answer is no list of sights"}
	}
	all := listed.Array()
	named := slices.DeleteFunc(slices.Clone(all), func(s gjson.Result) bool { return s.Get("xid").Str == "" || s.Get("name").Str == "" })
	switch {
	case len(all) == 0:
		return nil, &search.Failure{Kind: search.Empty, Message: "no sights of that kind are known there"}
	case len(named) == 0:
		return nil, &search.Failure{Kind: search.LayoutChanged, Message: "no sight in the list has a name"}
	}
	slices.SortStableFunc(named, func(a, b gjson.Result) int { return cmp.Compare(b.Get("rate").Num, a.Get("rate").Num) })
	return named[:min(len(named), most)], nil
}

// read makes a result of a sight. It leads to the article about the sight where
// there is one: the card at OpenTripMap holds no text without scripts.
func read(detail gjson.Result, city string) (r search.Result, ok bool) {
	name := detail.Get("name").Str
	links := slices.DeleteFunc([]string{detail.Get("wikipedia").Str, detail.Get("url").Str, detail.Get("otm").Str}, func(s string) bool {
		return !strings.HasPrefix(s, "https://") && !strings.HasPrefix(s, "http://")
	})
	if name == "" || len(links) == 0 {
		return r, false
	}
	about := cmp.Or(detail.Get("wikipedia_extracts.text").Str, wire.Plain(detail.Get("info.descr").Str))
	kinds := strings.ReplaceAll(strings.ReplaceAll(detail.Get("kinds").Str, "_", " "), ",", ", ")
	r = search.Result{Title: name, URL: links[0], Also: links[1:], Snippet: strings.Join(strings.Fields(about), " "), Licence: "ODbL-1.0"}
	if r.Title != city && city != "" {
		r.Title += ", " + city
	}
	if r.Snippet == "" {
		r.Snippet = "A sight of " + cmp.Or(city, "the place") + ": " + cmp.Or(kinds, "no kind given") + "."
	} else if detail.Get("wikipedia_extracts.text").Str != "" {
		r.Licence = "CC-BY-SA-4.0"
	}
	return wire.Shortened(r), true
}
