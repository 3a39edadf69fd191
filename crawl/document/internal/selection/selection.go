// Package selection decides which blocks of a page are its main content. Begin with
// [Select].
//
// It looks at the page once: every block becomes a row of numbers about its words,
// its place and the elements around it. A first forest of boosted trees gives each
// row the chance that the block is main content; a second one sees the same row and
// the chances of the blocks around it, so that one post, card or paragraph is judged
// with its likes. Of the blocks by falling chance, as many are kept as give the best
// word F1 that can be expected. There are no rules by page type.
//
// The forests are in model.bin, which crawl/document/train wrote from the development
// pages of WCXB (Web Content eXtraction Benchmark, Murrough-Foley, 2026; annotations
// under CC BY 4.0). The package reads no HTML: what no reader of a page sees has been left out before.
package selection

import "golang.org/x/net/html"

// Page is a page before selection.
type Page struct {
	URL         string
	Title       string          // of the title element
	Description string          // of the meta tags
	OpenGraph   string          // og:type, lower case
	Types       map[string]bool // @type values of the JSON-LD
	Structured  string          // prose of the JSON-LD, such as the body or description
	Authors     []string

	Elems  []Elem // block-level elements, parents before children; the first is the root
	Blocks []Block
}

// Elem is a block-level element.
type Elem struct {
	Node   *html.Node
	Parent int // index in Page.Elems, -1 for the root
}

// Block is a paragraph, heading, list entry and so on.
type Block struct {
	Elem      int    // the element it stands in
	Kind      string // as in the package document
	Text      []byte
	Words     int
	LinkWords int // of these, in links
	Links     int
}

// maxBlocks bounds the blocks that are judged one by one. The largest of 1,497 pages
// of a public benchmark has 9,000.
const maxBlocks = 20_000

// Select says for each block of the page whether it is main content. It keeps at
// least one block of a page that has any.
func Select(p *Page) []bool {
	rest := p.Blocks[min(len(p.Blocks), maxBlocks):]
	s := Survey(p)
	keep := s.Choose(shipped())
	return append(keep, s.follow(keep, rest)...)
}

// fewWords is the size of a page below which nothing stands out: there are no such
// pages to learn from.
const fewWords = 80

// notAside keeps all of a page but what tags and names put aside.
func (s *Sheet) notAside() []bool {
	keep, any := make([]bool, len(s.blocks)), false
	for i, b := range s.blocks {
		keep[i] = true
		for _, role := range asideRoles {
			keep[i] = keep[i] && s.elems[b.Elem].roles[role] == roleNowhere
		}
		any = any || keep[i]
	}
	if !any {
		for i := range keep {
			keep[i] = true
		}
	}
	return keep
}

// follow decides on blocks beyond maxBlocks: each goes with the last judged block
// that stands in an element of the same path, or is kept.
func (s *Sheet) follow(keep []bool, rest []Block) []bool {
	if len(rest) == 0 {
		return nil
	}
	known := make(map[uint64]bool)
	for i, b := range s.blocks {
		known[s.elems[b.Elem].path] = keep[i]
	}
	out := make([]bool, len(rest))
	for i, b := range rest {
		kept, ok := known[s.elems[b.Elem].path]
		out[i] = kept || !ok
	}
	return out
}

// Choose says for each block of a page whether a model takes it for main content.
func (s *Sheet) Choose(m *Model) []bool {
	if s.total < fewWords {
		return s.notAside()
	}
	return s.best(s.judge(m))
}

// judge returns the chance of each block that it is main content.
func (s *Sheet) judge(m *Model) []float64 {
	chance := s.First(&m.First)
	around := s.around(chance)
	out := make([]float64, len(chance))
	row := make([]float32, Width+Around)
	for i := range out {
		copy(row, s.Row(i))
		around.write(i, row[Width:])
		out[i] = m.Second.Chance(row)
	}
	s.join(out)
	return out
}

// First returns the chance that a first forest gives each block.
func (s *Sheet) First(f *Forest) []float64 {
	chance := make([]float64, len(s.blocks))
	for i := range chance {
		chance[i] = f.Chance(s.Row(i))
	}
	return chance
}

// Around returns the columns that the second forest sees beside those of
// [Sheet.Row], for chances of the first one.
func (s *Sheet) Around(chance []float64) [][]float32 {
	around := s.around(chance)
	out := make([][]float32, len(chance))
	for i := range out {
		out[i] = make([]float32, Around)
		around.write(i, out[i])
	}
	return out
}
