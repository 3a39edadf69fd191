package opentripmap

import (
	"slices"
	"strings"

	"deepresearch/internal/search/wire"
	"deepresearch/internal/text"
)

// kinds of sights by words of a query, in the words of OpenTripMap's catalogue.
var kinds = []struct{ words, kind string }{
	{"museum museums gallery galleries", "museums"},
	{"beach beaches", "beaches"},
	{"church churches cathedral cathedrals mosque mosques temple temples monastery", "religion"},
	{"castle castles fortress fort palace palaces", "fortifications"},
	{"park parks garden gardens", "gardens_and_parks"},
	{"nature hike hiking waterfall waterfalls mountain mountains lake lakes", "natural"},
	{"theatre theater theatres opera concert", "theatres_and_entertainments"},
	{"restaurant restaurants food eat cafe", "foods"},
	{"hotel hotels hostel hostels stay accommodation", "accomodations"}, //nolint:misspell // the catalogue spells it so
}

// kindsIn returns the kinds of sights that a query asks for, all that interest
// a traveller when it names none.
func kindsIn(query string) string {
	var found []string
	for _, w := range wire.Words(query, 50) {
		if kind := kindOf(strings.ToLower(w)); kind != "" && !slices.Contains(found, kind) {
			found = append(found, kind)
		}
	}
	if len(found) == 0 {
		return "interesting_places"
	}
	return strings.Join(found, ",")
}

// kindOf returns the kind of sights that a word names, empty for none.
func kindOf(word string) string {
	for _, k := range kinds {
		if holds(" "+k.words+" ", word) {
			return k.kind
		}
	}
	return ""
}

// holds reports whether a word is in a list with a space around each.
func holds(list, word string) bool { return strings.Contains(list, " "+word+" ") }

// notPlaces are words of questions about travel that name no place.
const notPlaces = " things do see visit visiting travel travelling trip trips itinerary day days week weekend best top sights sightseeing attractions tourist tourism guide plan planning " +
	"where stay must family kids cheap free open near around city old town spend hours night nights "

// placeIn returns the name of a place in a query: the last name it holds, or
// its words that are not about travel as such when all are in lower case.
func placeIn(query string) string {
	for _, span := range slices.Backward(text.Names(query)) {
		if name := span.In(query); about(name) != "" {
			return name
		}
	}
	return about(query)
}

// about returns the words that may be a place.
func about(query string) string {
	var words []string
	for _, w := range wire.Words(query, 20) {
		if lower := strings.ToLower(w); !holds(notPlaces, lower) && kindOf(lower) == "" && strings.Trim(w, "0123456789") != "" {
			words = append(words, w)
		}
	}
	if len(words) > 3 { // no place, but a sentence
		return ""
	}
	return strings.Join(words, " ")
}
