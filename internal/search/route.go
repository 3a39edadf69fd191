package search

import "slices"

// Route returns the names of the engines that Search asks when it is given
// none: those meant for the query's topic, and the general ones.
func (s *Searcher) Route(q Query) []string {
	var names []string
	for _, name := range s.names {
		c := s.lanes[name].caps
		if c.General() || slices.Contains(c.Topics, q.Topic) {
			names = append(names, name)
		}
	}
	return names
}
