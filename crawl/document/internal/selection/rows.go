package selection

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Width is the number of columns of a row of the first forest.
const Width = 256

// Row is what is known of a block before the first forest, Width numbers.
func (s *Sheet) Row(i int) []float32 { return s.rows[i*Width : (i+1)*Width] }

// Columns names the columns of both forests, Width+Around names, for reports of
// training.
func Columns() []string {
	p := &Page{Elems: []Elem{{Node: &html.Node{}, Parent: -1}}, Blocks: []Block{{}}}
	var names []string
	s := Survey(p)
	s.page = p // which a survey lets go of
	w := writer{names: &names}
	s.writeRow(&w, 0, newScan(s))
	s.writePage(&w)
	s.around([]float64{0}).columns(&w, 0)
	return names
}

// writer appends numbers to rows, or takes the names of the columns.
type writer struct {
	out   []float32
	names *[]string
}

func (w *writer) put(name string, v float64) {
	w.out = append(w.out, float32(v))
	if w.names != nil {
		*w.names = append(*w.names, name)
	}
}

func (w *writer) flag(name string, on bool) {
	if on {
		w.put(name, 1)
	} else {
		w.put(name, 0)
	}
}

// writeRows writes the row of each block: its own columns, then those of the page.
func (s *Sheet) writeRows() {
	var page writer
	s.writePage(&page)
	w := writer{out: make([]float32, 0, len(s.blocks)*Width)}
	sc := newScan(s)
	for i := range s.blocks {
		s.writeRow(&w, i, sc)
		w.out = append(w.out, page.out...)
	}
	s.rows = w.out
}

// scan is what the rows so far leave for the next ones.
type scan struct {
	repeats    map[uint64]int // blocks with the same words, on the page
	seen       map[uint64]int // of these, so far
	before     float64        // words
	heading    int            // last heading, -1 before the first
	structured triples
	about      triples
	authors    map[uint64]bool
	sums       []window // over the blocks before each
}

// window sums words.
type window struct{ words, linkWords, sentenceWords float64 }

func newScan(s *Sheet) *scan {
	sc := &scan{repeats: map[uint64]int{}, seen: map[uint64]int{}, heading: -1, authors: map[uint64]bool{}}
	sc.structured = tripleSet(s.page.Structured)
	sc.about = tripleSet(s.page.Description)
	for _, name := range s.page.Authors {
		for _, h := range hashWords(nil, name) {
			sc.authors[h] = true
		}
	}
	sc.sums = make([]window, len(s.blocks)+1)
	for i, b := range s.blocks {
		sc.repeats[s.wordings[i].key]++
		sum := sc.sums[i]
		sum.words += float64(b.Words)
		sum.linkWords += float64(b.LinkWords)
		if s.wordings[i].sentence {
			sum.sentenceWords += float64(b.Words)
		}
		sc.sums[i+1] = sum
	}
	return sc
}

func (s *Sheet) writeRow(w *writer, i int, sc *scan) {
	s.writeText(w, i, sc)
	s.writeElem(w, i)
	s.writePosition(w, i, sc)
	s.writeHeading(w, i, sc)
	s.writeNeighbours(w, i, sc)
	s.writeContainers(w, i)
	s.writeAlike(w, i)
	sc.before += float64(s.blocks[i].Words)
}

// writeText: the words of the block itself.
func (s *Sheet) writeText(w *writer, i int, sc *scan) {
	b, t := s.blocks[i], &s.wordings[i]
	words := s.words[t.start : t.start+t.words]
	w.put("words", float64(b.Words))
	w.put("link share", float64(b.LinkWords)/s.weight(i))
	w.put("links", float64(b.Links))
	w.put("stop words", t.stop)
	w.put("digits", t.digits)
	w.put("capitals", t.capitals)
	w.put("word length", t.length)
	w.put("commas", t.commas)
	w.put("full stops", t.stops)
	w.put("questions", t.questions)
	w.flag("ends a sentence", t.ends)
	w.flag("begins with a capital", t.capital)
	w.put("title words", t.title)
	for topic, name := range topicNames {
		w.flag(name, t.topics>>topic&1 != 0)
	}
	w.put("in structured data", sc.structured.share(words))
	w.put("in description", sc.about.share(words))
	authors := 0
	for _, h := range words[:min(len(words), topicWords)] {
		if sc.authors[h] {
			authors++
		}
	}
	w.put("author words", float64(authors)/float64(max(t.words, 1)))
	w.put("repeats", float64(sc.repeats[t.key]))
	w.put("repeats before", float64(sc.seen[t.key]))
	sc.seen[t.key]++
}

// writeElem: the element it stands in, and what those above are for.
func (s *Sheet) writeElem(w *writer, i int) {
	b := s.blocks[i]
	e := &s.elems[b.Elem]
	w.put("kind", kindCode(b.Kind))
	w.put("tag", tagCode(e.tag))
	w.put("parent tag", tagCode(s.elems[e.parent].tag))
	w.put("depth", float64(e.depth))
	w.put("level", float64(s.level(b)))
	for r, levels := range e.roles {
		w.put(roleName(w, r), float64(levels))
	}
}

// roleName spells a name only where names are asked for.
func roleName(w *writer, role int) string {
	if w.names == nil {
		return ""
	}
	if role < len(roles) {
		return "role " + roles[role]
	}
	for tag, r := range tagRoles {
		if r == role {
			return "role of tag " + tag.String()
		}
	}
	return "role"
}

// writePosition: where on the page, from the ends, the heading and the prose.
func (s *Sheet) writePosition(w *writer, i int, sc *scan) {
	e := &s.elems[s.blocks[i].Elem]
	w.put("blocks before", float64(i))
	w.put("blocks after", float64(len(s.blocks)-i))
	w.put("words before", sc.before)
	w.put("words after", s.total-sc.before)
	w.put("share before", sc.before/s.total)
	headingAt := 0.0
	if s.heading >= 0 {
		headingAt = sc.sums[s.heading].words
	}
	w.put("blocks from heading", float64(i-s.heading))
	w.put("words from heading", sc.before-headingAt)
	up := &s.elems[e.withHeading]
	w.put("levels to heading", float64(e.depth-up.depth))
	w.put("share with heading", up.words/s.total)
	w.put("depth with heading", float64(up.depth))
	up = &s.elems[e.withProse]
	prose := &s.elems[s.prose]
	w.put("levels to prose", float64(e.depth-up.depth))
	w.put("levels over prose", float64(prose.depth-up.depth))
	w.put("blocks from prose", float64(int32(i)-prose.first))
}

// headingTopics are the phrases in a heading that tell of the blocks below it.
var headingTopics = [...]int{topicSubscribe, topicShare, topicMore, topicRelated, topicComment, topicRating}

// writeHeading: the last heading.
func (s *Sheet) writeHeading(w *writer, i int, sc *scan) {
	const none = 9
	level := s.level(s.blocks[i])
	if level > 0 {
		sc.heading = i
	}
	distance, topics := float64(len(s.blocks)), uint32(0)
	above := float64(none)
	if sc.heading >= 0 {
		distance, topics = float64(i-sc.heading), s.wordings[sc.heading].topics
		above = float64(s.level(s.blocks[sc.heading]))
	}
	w.put("blocks since last heading", distance)
	w.put("level of last heading", above)
	for _, topic := range headingTopics {
		w.flag("last heading", topics>>topic&1 != 0)
	}
}

// writeNeighbours: the three blocks on either side, and a window.
func (s *Sheet) writeNeighbours(w *writer, i int, sc *scan) {
	for _, d := range [...]int{-3, -2, -1, 1, 2, 3} {
		j := i + d
		if j < 0 || j >= len(s.blocks) {
			w.put("neighbour words", -1)
			w.put("neighbour link share", -1)
			w.put("neighbour stop words", -1)
			continue
		}
		w.put("neighbour words", float64(s.blocks[j].Words))
		w.put("neighbour link share", float64(s.blocks[j].LinkWords)/s.weight(j))
		w.put("neighbour stop words", s.wordings[j].stop)
	}
	const reach = 8
	a, b := sc.sums[max(i-reach, 0)], sc.sums[min(i+reach+1, len(s.blocks))]
	words := b.words - a.words
	w.put("window words", words)
	w.put("window link share", (b.linkWords-a.linkWords)/(words+1))
	w.put("window sentences", (b.sentenceWords-a.sentenceWords)/(words+1))
}

// containerLevels is how many elements up a row looks.
const containerLevels = 6

// writeContainers: the elements around.
func (s *Sheet) writeContainers(w *writer, i int) {
	at := int32(s.blocks[i].Elem)
	for range containerLevels {
		e := &s.elems[at]
		w.put("container words", e.words)
		w.put("container share", e.words/s.total)
		w.put("container link share", e.linkWords/(e.words+1))
		w.put("container sentences", e.sentenceWords/(e.words+1))
		w.put("container blocks", float64(e.blocks))
		w.put("container children", float64(e.children))
		w.put("container alike", float64(e.alike))
		at = e.parent
	}
	outer := &s.elems[s.elems[s.blocks[i].Elem].outer]
	w.put("outer share", outer.words/s.total)
	w.put("outer link share", outer.linkWords/(outer.words+1))
	w.put("outer sentences", outer.sentenceWords/(outer.words+1))
	w.put("outer blocks", float64(outer.blocks))
	w.put("outer begins", float64(outer.first)/float64(len(s.blocks)))
	w.put("outer share of sentences", outer.sentenceWords/(s.elems[0].sentenceWords+1))
}

// writeAlike: repeated siblings (cards, posts, rows), and blocks in elements of the
// same look.
func (s *Sheet) writeAlike(w *writer, i int) {
	b := s.blocks[i]
	e := &s.elems[b.Elem]
	r := &s.elems[e.repeated]
	w.put("most siblings alike", float64(r.alike))
	w.put("levels to these", float64(e.depth-r.depth))
	w.put("words of one", r.words)
	w.put("link share of one", r.linkWords/(r.words+1))
	w.put("sentences of one", r.sentenceWords/(r.words+1))
	for _, g := range []*group{s.byPath[s.path(b)], s.byLeaf[s.leaf(b)]} {
		w.put("alike blocks", g.blocks)
		w.put("alike words", g.words/g.blocks)
		w.put("alike link share", g.linkWords/g.words)
		w.put("alike sentences", g.sentenceWords/g.words)
		w.put("alike share", g.words/s.total)
	}
}

// kindCode puts kinds in an order from labels to prose, so that one split parts
// them well.
func kindCode(kind string) float64 {
	for i, k := range [...]string{"caption", "row", "term", "definition", "item", "code", "quote", "paragraph", "heading"} {
		if kind == k {
			return float64(i + 1)
		}
	}
	return 0
}

// tagCode does so for tags.
func tagCode(tag atom.Atom) float64 {
	switch tag {
	case atom.Label, atom.Form:
		return 1
	case atom.Figcaption, atom.Caption, atom.Figure:
		return 2
	case atom.Div, atom.Section, atom.Article, atom.Main:
		return 3
	case atom.Dd, atom.Dt:
		return 4
	case atom.Td, atom.Table:
		return 5
	case atom.Li, atom.Ul, atom.Ol:
		return 6
	case atom.Pre:
		return 7
	case atom.Blockquote:
		return 8
	case atom.P:
		return 9
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return 10
	}
	return 0
}

// Len is the number of blocks that have a row.
func (s *Sheet) Len() int { return len(s.blocks) }
