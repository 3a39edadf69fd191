package document

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// selectBlocks says for each block whether it belongs to the main content.
//
// It is a plain scorer, in three steps. Elements that by tag, role or name hold
// navigation, notices, offers and the like are put aside. Of the others, the
// smallest element that holds most of the page's prose (words outside links, in
// blocks that read like sentences) becomes the root, or with most of the words where
// prose is only a small part. Blocks of the root stay, save runs of links on a page
// of prose; elsewhere links are the content.
//
// Mean word F1 on the 1,497 development pages of WCXB, whose thresholds these are:
// .84 (articles .94, documentation .93, service .79, forum .77, listing .70,
// collection .63, product .60; the halves of the set by host .85 and .84).
func selectBlocks(t *tree) []bool {
	s := scorer{tree: t, aside: make([]bool, len(t.elems)), prose: make([]float64, len(t.elems))}
	s.before = make([]int, len(t.blocks)+1)
	for i, p := range t.pieces {
		s.before[i+1] = s.before[i] + p.words
	}
	s.judgeElems()
	s.weighProse()
	return s.inside(s.root())
}

// Thresholds of the scorer.
const (
	rootShare  = .7  // of the prose (or words) that the root holds
	thinShare  = .25 // of the words: a root with less misses most of the page
	thinProse  = 80  // words: less prose than this is no main content
	fewWords   = 60  // a page so short that nothing stands out is kept whole
	leastProse = 8   // words outside links in a block of prose
	proseShare = .6  // of its words that a page of prose has in such blocks
	linkRun    = 3   // blocks in a row that are only links
)

type scorer struct {
	*tree
	aside  []bool    // elements put aside, with all below them
	before []int     // words before each block
	prose  []float64 // words of prose in each element, outside those put aside
}

func (s *scorer) judgeElems() {
	for i := range s.elems {
		e := &s.elems[i]
		s.aside[i] = e.parent >= 0 && (s.aside[e.parent] || s.boilerplate(i))
	}
}

// boilerplate judges one element by tag, role and name.
func (s *scorer) boilerplate(i int) bool {
	n := s.elems[i].node
	switch n.DataAtom {
	case atom.Nav, atom.Aside, atom.Footer, atom.Dialog:
		return true
	case atom.Body, atom.Main, atom.Article, atom.Pre, atom.Blockquote, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return false
	}
	for k := range n.Attr {
		a := &n.Attr[k]
		switch a.Key {
		case "role":
			switch a.Val {
			case "navigation", "banner", "contentinfo", "complementary", "search", "dialog", "alertdialog", "menu", "menubar", "toolbar", "tablist":
				return true
			case "main", "article":
				return false
			}
		case "class", "id", "data-testid", "data-component":
			if namedAside(a.Val) && !s.large(i) {
				return true
			}
		}
	}
	return n.DataAtom == atom.Header && !s.large(i) && find(n, atom.H1) == nil
}

// large reports an element with a third of the page's words: whatever its name
// says, it is not an aside.
func (s *scorer) large(i int) bool {
	e := &s.elems[i]
	return (s.before[e.last]-s.before[e.first])*3 > s.before[len(s.blocks)]
}

var asideNames = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`nav navbar navigation menu submenu megamenu breadcrumb breadcrumbs crumbs footer sidebar
		cookie cookies consent gdpr onetrust share sharing social related recommended recommendations recommendation
		newsletter subscribe subscription signup signin login register modal popup overlay lightbox tooltip
		advert advertisement ads adsense sponsor sponsored promo promotion banner pagination pager paginator
		comments respond disqus masthead topbar toolbar copyright skiplink
		tagcloud trending popular search searchform filters facets cart minicart wishlist alert notice
		offscreen jumplinks toc tableofcontents backtotop announcement sitemap`) {
		m[w] = true
	}
	return m
}()

func namedAside(s string) bool {
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !(r >= 'a' && r <= 'z') }) {
		if asideNames[w] {
			return true
		}
	}
	return false
}

func (s *scorer) weighProse() {
	for i := range s.blocks {
		w := s.proseWords(i)
		for e := s.pieces[i].elem; w > 0 && e >= 0; e = s.elems[e].parent {
			s.prose[e] += w
		}
	}
}

func (s *scorer) proseWords(i int) float64 {
	p := s.pieces[i]
	if s.aside[p.elem] || s.blocks[i].Kind == KindHeading {
		return 0
	}
	own := p.words - p.linkWords
	if own < leastProse || p.linkWords*2 > p.words {
		return 0
	}
	return float64(own)
}

// root is the smallest element with most of the prose, or where prose is only a
// small part of the page, as on lists of products, with most of the words.
func (s *scorer) root() int {
	best := s.smallest(s.prose)
	words := make([]float64, len(s.elems))
	for _, p := range s.pieces {
		if s.aside[p.elem] {
			continue
		}
		for e := p.elem; e >= 0; e = s.elems[e].parent {
			words[e] += float64(p.words)
		}
	}
	if words[best] < thinShare*words[0] || s.prose[best] < thinProse {
		best = s.smallest(words)
	}
	if words[0] < fewWords {
		return 0
	}
	for s.elems[best].parent >= 0 && !container(s.elems[best].node) {
		best = s.elems[best].parent
	}
	return best
}

// container reports an element that can be the whole of a main content.
func container(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Div, atom.Main, atom.Article, atom.Section, atom.Body, atom.Td, atom.Form, atom.Center, 0:
		return true
	}
	return false
}

// smallest is the innermost element with most of a weight.
func (s *scorer) smallest(weight []float64) int {
	best := 0
	for i := range s.elems {
		if weight[i] >= rootShare*weight[0] && weight[0] > 0 && !s.aside[i] {
			best = i // a later one that holds so much lies inside the earlier
		}
	}
	return best
}

// inside keeps the blocks of the root, without what was put aside and, on a page of
// prose, runs of links. Where nothing would be left it keeps everything.
func (s *scorer) inside(root int) []bool {
	keep := make([]bool, len(s.blocks))
	e := s.elems[root]
	for i := e.first; i < e.last; i++ {
		keep[i] = !s.aside[s.pieces[i].elem]
	}
	if total := s.before[e.last] - s.before[e.first]; s.prose[root] >= proseShare*float64(total) {
		s.dropLinkRuns(keep)
	}
	if !slices.Contains(keep, true) {
		for i := range keep {
			keep[i] = true
		}
	}
	return keep
}

// dropLinkRuns drops linkRun and more blocks in a row that are only links.
func (s *scorer) dropLinkRuns(keep []bool) {
	var run []int
	for i := range keep {
		switch {
		case !keep[i]:
		case s.onlyLinks(i):
			run = append(run, i)
		default:
			drop(keep, run)
			run = run[:0]
		}
	}
	drop(keep, run)
}

func drop(keep []bool, run []int) {
	if len(run) < linkRun {
		return
	}
	for _, i := range run {
		keep[i] = false
	}
}

func (s *scorer) onlyLinks(i int) bool {
	p := s.pieces[i]
	return p.linkWords > 0 && p.linkWords*5 >= p.words*4 && s.blocks[i].Kind != KindRow
}
