package opentripmap

import (
	"testing"

	"deepresearch/internal/search"
	"deepresearch/internal/search/searchtest"
)

const (
	place  = `{"name": "Avonport", "country": "GB", "lat": 51.49, "lon": -2.7, "population": 9000, "status": "OK"}`
	sights = `[{"xid": "N1", "name": "", "rate": 7, "kinds": "other"}, {"xid": "Q3", "name": "Tide Mill", "rate": 2, "kinds": "museums"}, {"xid": "Q2", "name": "Sea Wall", "rate": 7, "kinds": "historic"}]`
	wall   = `{"xid": "Q2", "name": "Sea Wall", "rate": "3h", "kinds": "historic,sea_walls", "otm": "https://opentripmap.com/en/card/Q2", "wikipedia": "https://en.wikipedia.org/wiki/Sea_Wall",
 "url": "javascript:alert(1)", "wikipedia_extracts": {"title": "en:Sea Wall", "text": "The Sea Wall keeps the\n tides out.", "html": "<p>x</p>"}}`
)

var suite = searchtest.Case{
	New: New, Text: "museums in Avonport",
	Good: `{"xid": "Q3", "name": "Tide Mill", "kinds": "museums,water_mills", "otm": "https://opentripmap.com/en/card/Q3", "url": "https://mill.example/"}`,
	Before: map[string]string{
		"/0.1/en/places/geoname": place, "/0.1/en/places/radius": sights, "/0.1/en/places/xid/Q2": wall,
	},
	Want: []search.Result{
		{Title: "Sea Wall, Avonport", URL: "https://en.wikipedia.org/wiki/Sea_Wall", Also: []string{"https://opentripmap.com/en/card/Q2"},
			Snippet: "The Sea Wall keeps the tides out.", Licence: "CC-BY-SA-4.0"},
		{Title: "Tide Mill, Avonport", URL: "https://mill.example/", Also: []string{"https://opentripmap.com/en/card/Q3"},
			Snippet: "A sight of Avonport: museums, water mills.", Licence: "ODbL-1.0"},
	},
	Asked: []string{"GET /0.1/en/places/xid/Q3?", "apikey="},
}

// The suite wants an engine to fail when its last request does. This one
// has answers by then: its first two requests are held to the suite instead.
func TestEngine(t *testing.T) {
	for name, c := range map[string]searchtest.Case{
		"the place": {New: New, Text: suite.Text, Good: place, Empty: `{"status": "NOT_FOUND"}`, Asked: []string{"name=Avonport"},
			Before: map[string]string{"/0.1/en/places/radius": sights, "/0.1/en/places/xid/Q2": wall, "/0.1/en/places/xid/Q3": suite.Good}, Want: suite.Want},
		"the list": {New: New, Text: suite.Text, Good: sights, Empty: `[]`, Asked: []string{"kinds=museums", "lat=51.49", "radius=10000"},
			Before: map[string]string{"/0.1/en/places/geoname": place, "/0.1/en/places/xid/Q2": wall, "/0.1/en/places/xid/Q3": suite.Good}, Want: suite.Want},
	} {
		t.Run(name, func(t *testing.T) { searchtest.Run(t, c) })
	}
}

func FuzzAnswer(f *testing.F) {
	c := suite
	c.Empty = `{}`
	searchtest.Fuzz(f, c)
}

func TestPlaceInAQuery(t *testing.T) {
	for query, want := range map[string]string{
		"things to do in Lisbon with kids": "Lisbon", "best museums near new york": "new york", "Museums in Buenos Aires": "Buenos Aires",
		"3 day itinerary kyoto": "kyoto", "where to stay": "", "how do the tides of the northern sea change the coast": "",
	} {
		if got := placeIn(query); got != want {
			t.Errorf("%q: %q, want %q", query, got, want)
		}
	}
}

func TestKindsInAQuery(t *testing.T) {
	for query, want := range map[string]string{
		"Lisbon": "interesting_places", "beaches and castles of Malta": "beaches,fortifications", "seafood": "interesting_places",
	} {
		if got := kindsIn(query); got != want {
			t.Errorf("%q: %q, want %q", query, got, want)
		}
	}
}
