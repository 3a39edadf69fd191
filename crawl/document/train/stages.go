package main

import (
	"math"
	"sync"

	"deepresearch/crawl/document/internal/boost"
	"deepresearch/crawl/document/internal/selection"
)

// recipe is how a model is trained. Its numbers were chosen by the score out of
// fold.
type recipe struct {
	Folds         int
	First, Second boost.Settings
}

var shippedRecipe = recipe{
	Folds:  5,
	First:  boost.Settings{Trees: 200, Depth: 5, Rate: .06, Pages: .4, Columns: .2, Smooth: 5, Least: 4, Seed: 1},
	Second: boost.Settings{Trees: 140, Depth: 5, Rate: .06, Pages: .4, Columns: .2, Smooth: 5, Least: 4, Seed: 2},
}

// course is the pages as rows to learn from.
type course struct {
	recipe
	pages []*annotated
	first *boost.Table // of all rows, for the first forest
	all   boost.Samples
	grown map[[2]int]selection.Forest // first forests, by the folds left out
}

func newCourse(pages []*annotated, r recipe) *course {
	c := &course{recipe: r, pages: pages, grown: map[[2]int]selection.Forest{}}
	var rows [][]float32
	for n, p := range pages {
		total := 0.0
		for _, w := range p.words {
			total += float64(len(w))
		}
		count := float64(p.count)
		size := count + min(total, 2*count) + 50
		for i, w := range p.words {
			rows = append(rows, p.sheet.Row(i))
			c.all.Label = append(c.all.Label, p.label[i])
			// Long blocks count more, and no page counts more than another of its kind.
			c.all.Weight = append(c.all.Weight, float32(math.Sqrt(float64(max(len(w), 1))/size)))
			c.all.Page = append(c.all.Page, int32(n))
		}
	}
	c.level()
	c.first = boost.NewTable(rows)
	return c
}

// level scales the weights to a mean of 1.
func (c *course) level() {
	sum := 0.0
	for _, w := range c.all.Weight {
		sum += float64(w)
	}
	scale := float32(float64(len(c.all.Weight)) / sum)
	for i := range c.all.Weight {
		c.all.Weight[i] *= scale
	}
}

// without returns the samples of all folds but those given.
func (c *course) without(folds ...int) boost.Samples {
	s := c.all
	s.Rows = nil
	for r, n := range c.all.Page {
		out := false
		for _, f := range folds {
			out = out || c.pages[n].fold == f
		}
		if !out {
			s.Rows = append(s.Rows, int32(r))
		}
	}
	return s
}

// each calls f for all pages, two at a time.
func (c *course) each(f func(n int, p *annotated)) {
	var wg sync.WaitGroup
	for first := range 2 {
		wg.Go(func() {
			for n := first; n < len(c.pages); n += 2 {
				f(n, c.pages[n])
			}
		})
	}
	wg.Wait()
}

// second learns a second forest from the chances that first forests gave to pages
// they had not seen. Pages without chances are left out by the samples.
func (c *course) second(chance [][]float64, in boost.Samples) selection.Forest {
	rows := make([][]float32, 0, len(c.all.Page))
	wide := make([][][]float32, len(c.pages))
	c.each(func(n int, p *annotated) {
		ch := chance[n]
		if ch == nil {
			ch = make([]float64, p.sheet.Len())
		}
		wide[n] = p.sheet.Around(ch)
	})
	for _, w := range wide {
		rows = append(rows, w...)
	}
	return boost.Grow(c.first.Beside(boost.NewTable(rows)), in, c.Second)
}

// train learns the model from all pages. The second forest learns from chances out
// of fold.
func (c *course) train() *selection.Model {
	all := c.without()
	return &selection.Model{
		First:  boost.Grow(c.first, all, c.First),
		Second: c.second(c.unseen(none), all),
	}
}

// outOfFold scores every page with a model that was trained without its host: for
// each fold a model of its own, whose second forest learned from chances out of
// fold, too.
func (c *course) outOfFold(report func(pageType string, f1 float64)) {
	for fold := range c.Folds {
		m := &selection.Model{First: c.firstWithout(fold, fold), Second: c.second(c.unseen(fold), c.without(fold))}
		scores := make([]float64, len(c.pages))
		c.each(func(n int, p *annotated) {
			if p.fold == fold {
				scores[n] = p.score(p.sheet.Choose(m))
			}
		})
		for n, p := range c.pages {
			if p.fold == fold {
				report(p.PageType, scores[n])
			}
		}
	}
}

// none is a fold without pages.
const none = -1

// unseen returns chances for the pages outside a fold, from first forests that saw
// neither that fold nor the page's own.
func (c *course) unseen(fold int) [][]float64 {
	chance := make([][]float64, len(c.pages))
	for other := range c.Folds {
		if other != fold {
			f := c.firstWithout(fold, other)
			c.each(func(n int, p *annotated) {
				if p.fold == other {
					chance[n] = p.sheet.First(&f)
				}
			})
		}
	}
	return chance
}

// firstWithout grows the first forest of all pages outside two folds, once.
func (c *course) firstWithout(a, b int) selection.Forest {
	if a == none {
		a = b
	}
	pair := [2]int{min(a, b), max(a, b)}
	f, ok := c.grown[pair]
	if !ok {
		f = boost.Grow(c.first, c.without(a, b), c.First)
		c.grown[pair] = f
	}
	return f
}
