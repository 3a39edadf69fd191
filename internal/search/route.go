package search

import (
	"slices"
	"strings"

	"deepresearch/internal/text"
)

// How many engines one query goes to when the user named none.
const (
	mostGeneral  = 2
	mostVertical = 4
)

// Route returns the names of the engines that Search asks when it is given
// none: general ones, those good at the query's language first, and those
// meant for its topics.
func (s *Searcher) Route(q Query) ([]string, error) {
	r, err := s.read(q)
	if err != nil {
		return nil, err
	}
	lanes, _ := s.route(r)
	var names []string
	for _, l := range lanes {
		names = append(names, l.engine.Name())
	}
	return names, nil
}

// route returns the engines to ask, and general ones to ask when none of those
// answers.
func (s *Searcher) route(q request) (first, spare []*lane) {
	var general, vertical []*lane
	for _, name := range s.names {
		switch l := s.lanes[name]; {
		case s.askEach || l.caps.General():
			general = append(general, l)
		case l.caps.covers(q.topics):
			vertical = append(vertical, l)
		}
	}
	if s.askEach {
		return general, nil
	}
	fluent := func(l *lane) int {
		if slices.Contains(l.caps.Languages, q.language) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(general, func(a, b *lane) int { return fluent(a) - fluent(b) })
	n := min(len(general), mostGeneral)
	first = slices.Concat(general[:n], vertical[:min(len(vertical), mostVertical)])
	return first, general[n:]
}

// enoughWords is how long a query in Latin script must be before its language
// is guessed: names such as Los Angeles or de Broglie deceive in shorter ones.
const enoughWords = 5

// language returns the primary tag of the language of a query, empty when it
// cannot be told.
func language(query string) string {
	tag := text.Language(query)
	switch {
	case tag == "und":
		return ""
	case regions[tag] != "" || tag == "ar" || tag == "en": // told by script, or harmless
		return tag
	case len(strings.Fields(query)) < enoughWords:
		return ""
	}
	return tag
}

// regions are the countries that a script suggests. Languages in Latin script
// suggest none: who writes English may be anywhere.
var regions = map[string]string{
	"zh": "CN", "ja": "JP", "ko": "KR", "ru": "RU", "uk": "UA", "el": "GR", "th": "TH", "he": "IL", "hi": "IN",
}
