package selection

import "golang.org/x/net/html/atom"

// join gives blocks that only make sense together one chance: the rows of a table
// and the entries of a list. Code and definitions get at least that of the
// text on both sides of them. So nothing is torn; the score out of fold moves by less
// than .0005.
func (s *Sheet) join(chance []float64) {
	type whole struct{ words, likely float64 }
	wholes := map[int32]*whole{}
	for i := range chance {
		if e, ok := s.whole(i); ok {
			w := wholes[e]
			if w == nil {
				w = new(whole)
				wholes[e] = w
			}
			w.words += s.weight(i)
			w.likely += s.weight(i) * chance[i]
		}
	}
	for i := range chance {
		if e, ok := s.whole(i); ok {
			chance[i] = wholes[e].likely / wholes[e].words
		}
	}
	for start := 0; start < len(chance); {
		end := start
		for end < len(chance) && within(s.blocks[end].Kind) {
			end++
		}
		if start > 0 && start < end && end < len(chance) {
			around := min(chance[start-1], chance[end])
			for i := start; i < end; i++ {
				chance[i] = max(chance[i], around)
			}
		}
		start = max(end, start+1)
	}
}

// within reports kinds of block that belong to the text around them.
func within(kind string) bool {
	return kind == "code" || kind == "term" || kind == "definition"
}

// whole is the element of the table or list that a block is a part of.
func (s *Sheet) whole(i int) (elem int32, ok bool) {
	at := int32(s.blocks[i].Elem)
	switch e := &s.elems[at]; {
	case s.blocks[i].Kind == "row":
		return at, true
	case e.tag == atom.Li:
		return e.parent, true
	}
	return 0, false
}
