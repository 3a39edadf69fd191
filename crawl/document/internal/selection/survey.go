package selection

import (
	"golang.org/x/net/html/atom"
)

// Sheet holds what is measured on one page, with a row of numbers for each block.
type Sheet struct {
	page     *Page   // while it is surveyed
	blocks   []Block // of the page, at most maxBlocks
	elems    []measure
	wordings []wording
	words    []uint64 // hashes of the words of all blocks, in order
	byPath   map[uint64]*group
	byLeaf   map[uint64]*group

	total   float64 // words of the page, at least 1
	heading int     // block that is the page's heading, -1 without one
	prose   int32   // element with most of the page's sentences and little else
	rows    []float32
}

// measure is what is known of an element.
type measure struct {
	parent int32 // the root is its own
	depth  int32
	tag    atom.Atom
	look   uint64           // tag and class
	path   uint64           // the looks from the root down
	roles  [roleCount]uint8 // levels up to the nearest element with the role

	words         float64
	linkWords     float64
	sentenceWords float64
	blocks        int32
	children      int32
	alike         int32 // siblings of the same look, itself included
	first         int32 // its first block

	withHeading int32 // nearest element up that holds the page's heading
	withProse   int32 // nearest element up that holds the prose element
	outer       int32 // outermost element up with less than half of the page's words
	repeated    int32 // element up with the most siblings alike

	likely float64 // words times chance of the first forest
}

// group is the blocks whose elements look the same.
type group struct {
	blocks, words, linkWords, sentenceWords, likely float64
}

// Survey measures a page.
func Survey(p *Page) *Sheet {
	s := &Sheet{page: p, blocks: p.Blocks[:min(len(p.Blocks), maxBlocks)]}
	s.describeElems()
	s.readBlocks()
	s.sumUp()
	s.findHeading()
	s.findProse()
	s.placeElems()
	s.groupBlocks()
	s.writeRows()
	s.page = nil // a sheet may outlive the tree of its page
	return s
}

// describeElems reads names and tags from the root down.
func (s *Sheet) describeElems() {
	s.elems = make([]measure, len(s.page.Elems))
	names := newNamer()
	type family struct {
		parent int32
		look   uint64
	}
	alike := make(map[family]int32, len(s.elems))
	for i := range s.elems {
		e, n := &s.elems[i], s.page.Elems[i].Node
		e.parent = int32(max(s.page.Elems[i].Parent, 0))
		up := &s.elems[e.parent]
		e.tag, e.first = n.DataAtom, -1
		e.look = pair(hash(hashStart, class(n)), uint64(e.tag))
		if i == 0 {
			for r := range e.roles {
				e.roles[r] = roleNowhere
			}
		} else {
			e.depth, e.path = up.depth+1, pair(up.path, e.look)
			up.children++
			for r, levels := range up.roles {
				e.roles[r] = min(levels+1, roleNowhere)
			}
			alike[family{e.parent, e.look}]++
		}
		for set, r := names.roles(n), 0; set != 0; set, r = set>>1, r+1 {
			if set&1 != 0 {
				e.roles[r] = 0
			}
		}
	}
	for i := range s.elems {
		e := &s.elems[i]
		e.alike = alike[family{e.parent, e.look}]
	}
}

// readBlocks reads the text of the blocks and gives their words to their elements.
func (s *Sheet) readBlocks() {
	s.wordings = make([]wording, len(s.blocks))
	s.words = make([]uint64, 0, 1024)
	title := map[uint64]bool{}
	for _, h := range hashWords(nil, s.page.Title) {
		title[h] = true
	}
	for i, b := range s.blocks {
		s.wordings[i] = s.read(b, title)
		s.total += float64(b.Words)
		e := &s.elems[b.Elem]
		if e.first < 0 {
			e.first = int32(i)
		}
		e.blocks++
		e.words += float64(b.Words)
		e.linkWords += float64(b.LinkWords)
		if s.wordings[i].sentence {
			e.sentenceWords += float64(b.Words)
		}
	}
	s.total = max(s.total, 1)
}

// sumUp adds up the words from the leaves.
func (s *Sheet) sumUp() {
	for i := len(s.elems) - 1; i > 0; i-- {
		e := &s.elems[i]
		up := &s.elems[e.parent]
		up.words += e.words
		up.linkWords += e.linkWords
		up.sentenceWords += e.sentenceWords
		up.blocks += e.blocks
		if e.first >= 0 && (up.first < 0 || e.first < up.first) {
			up.first = e.first
		}
	}
}

// findHeading takes the h1 nearest to the title, or an h2 where no h1 is.
func (s *Sheet) findHeading() {
	const second = .6 // what an h2 must be nearer
	s.heading = -1
	best := -1.0
	for i, b := range s.blocks {
		level := s.level(b)
		if level == 0 || level > 2 || level == 2 && s.heading >= 0 {
			continue
		}
		t := &s.wordings[i]
		near := t.title * float64(t.words) / float64(t.words+2)
		if level == 2 {
			near -= second
		}
		if near > best {
			best, s.heading = near, i
		}
	}
}

// findProse takes the element with the best F1 of sentences: of its words those in
// sentences, of the page's sentences those inside.
func (s *Sheet) findProse() {
	best := -1.0
	for i := range s.elems {
		if f := s.elems[i].fit(s.elems[i].sentenceWords, s.elems[0].sentenceWords); f >= best {
			best, s.prose = f, int32(i)
		}
	}
}

// fit is the F1 of an element as the place of some weighed words of the page.
func (e *measure) fit(inside, all float64) float64 { return 2 * inside / (e.words + all + 1) }

// placeElems finds for each element the ones above that tell where it stands. What
// holds for the parent is known already, so a deep page costs no more than a flat
// one.
func (s *Sheet) placeElems() {
	holdsHeading, holdsProse := make([]bool, len(s.elems)), make([]bool, len(s.elems))
	if s.heading >= 0 {
		s.markUp(holdsHeading, int32(s.blocks[s.heading].Elem))
	}
	s.markUp(holdsProse, s.prose)
	for i := range s.elems {
		e, own := &s.elems[i], int32(i)
		up := &s.elems[e.parent]
		e.withHeading, e.withProse, e.outer, e.repeated = up.withHeading, up.withProse, up.outer, up.repeated
		if holdsHeading[i] {
			e.withHeading = own
		}
		if holdsProse[i] {
			e.withProse = own
		}
		if up.words >= s.total/2 {
			e.outer = own
		}
		if e.alike >= s.elems[up.repeated].alike {
			e.repeated = own
		}
	}
}

// markUp marks an element and all above it.
func (s *Sheet) markUp(marks []bool, e int32) {
	for ; !marks[e]; e = s.elems[e].parent {
		marks[e] = true
	}
}

func (s *Sheet) groupBlocks() {
	s.byPath, s.byLeaf = map[uint64]*group{}, map[uint64]*group{}
	for i, b := range s.blocks {
		for _, g := range []*group{entry(s.byPath, s.path(b)), entry(s.byLeaf, s.leaf(b))} {
			g.blocks++
			g.words += s.weight(i)
			g.linkWords += float64(b.LinkWords)
			if s.wordings[i].sentence {
				g.sentenceWords += s.weight(i)
			}
		}
	}
}

func entry(m map[uint64]*group, key uint64) *group {
	g := m[key]
	if g == nil {
		g = new(group)
		m[key] = g
	}
	return g
}

// path and leaf say which blocks are alike: in elements that look the same all the
// way down, or the element and its parent do.
func (s *Sheet) path(b Block) uint64 { return s.elems[b.Elem].path }

func (s *Sheet) leaf(b Block) uint64 {
	e := &s.elems[b.Elem]
	return pair(uint64(e.tag), s.elems[e.parent].look)
}

// level is that of a heading, 0 for other blocks.
func (s *Sheet) level(b Block) int {
	switch s.elems[b.Elem].tag {
	case atom.H1:
		return 1
	case atom.H2:
		return 2
	case atom.H3:
		return 3
	case atom.H4:
		return 4
	case atom.H5, atom.H6:
		return 5
	}
	return 0
}
