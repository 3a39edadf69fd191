// Package boost grows forests of boosted trees for labels between 0 and 1. Begin
// with [NewTable] and [Grow].
//
// It is gradient boosting of the logistic loss on histograms (Friedman, "Greedy
// function approximation: a gradient boosting machine", 2001; Chen and Guestrin,
// "XGBoost", 2016): columns are cut into bins, every tree sees a part of the pages
// and of the columns, grows level by level and splits where the second-order
// approximation of the loss falls most. The same rows and settings give the same
// forest on one architecture, bit for bit: sums are taken in a fixed order, however
// many processors share the columns. It serves training only.
package boost

import (
	"math"
	"math/rand/v2"

	"deepresearch/crawl/document/internal/selection"
)

// Settings of one forest.
type Settings struct {
	Trees   int
	Depth   int     // splits on the longest path
	Rate    float64 // what a tree counts
	Pages   float64 // share of the pages a tree sees
	Columns float64 // share of the columns a tree sees
	Smooth  float64 // added to the curvature of a leaf
	Least   float64 // curvature on either side of a split
	Seed    uint64
}

// Samples are the rows to learn from, by their index in a table.
type Samples struct {
	Rows   []int32
	Label  []float32 // of every row of the table
	Weight []float32 // of every row of the table
	Page   []int32   // of every row of the table; rows of a page stand and are drawn together
}

// Grow learns a forest.
func Grow(t *Table, in Samples, s Settings) selection.Forest {
	g := &grower{
		Table: t, Samples: in, Settings: s,
		random: rand.New(rand.NewPCG(s.Seed, s.Seed)), // #nosec G404 -- must repeat
		sum:    make([]float64, len(in.Label)),
		slope:  make([][2]float64, len(in.Label)),
	}
	f := selection.Forest{Start: g.start()}
	for _, r := range in.Rows {
		g.sum[r] = float64(f.Start)
	}
	for range s.Trees {
		f.Trees = append(f.Trees, g.tree())
	}
	return f
}

type grower struct {
	*Table
	Samples
	Settings
	random *rand.Rand
	sum    []float64    // of the trees so far, by row
	slope  [][2]float64 // first and second derivative of the loss, by row

	nodes []selection.Node
	bin   []uint8 // of each split: rows up to it go left
}

// start is the logarithm of the odds of all rows together.
func (g *grower) start() float32 {
	label, weight := 0.0, 0.0
	for _, r := range g.Rows {
		label += float64(g.Label[r] * g.Weight[r])
		weight += float64(g.Weight[r])
	}
	return float32(math.Log(label / (weight - label)))
}

// leaf is a node that may still be split.
type leaf struct {
	node   int
	rows   []int32
	total  [2]float64 // of slope
	parent int        // index in the level above, -1 for the root
	twin   int        // index of the sibling with fewer rows, -1 if it is this one
}

// split is the best way found to part a leaf.
type split struct {
	column int
	bin    int
	gain   float64
}

func (g *grower) tree() []selection.Node {
	rows := g.draw()
	g.nodes, g.bin = []selection.Node{{Feature: -1}}, []uint8{0}
	level := []leaf{g.leaf(0, rows, -1)}
	columns := g.random.Perm(len(g.cuts))[:max(1, int(float64(len(g.cuts))*g.Columns))]
	above := make([][]histogram, len(columns))
	for depth := 0; depth < g.Depth && len(level) > 0; depth++ {
		found := make([][]split, len(columns))
		parallel(len(columns), func(k int) {
			above[k] = g.histograms(columns[k], level, above[k])
			found[k] = g.splits(columns[k], level, above[k])
		})
		level = g.part(level, found)
	}
	g.apply()
	return g.nodes
}

// draw picks the pages of a tree and derives the loss on their rows.
func (g *grower) draw() []int32 {
	rows := make([]int32, 0, len(g.Rows))
	for rest := g.Rows; len(rest) > 0; {
		n := 1
		for n < len(rest) && g.Page[rest[n]] == g.Page[rest[0]] {
			n++
		}
		if g.random.Float64() < g.Pages {
			g.derive(rest[:n])
			rows = append(rows, rest[:n]...)
		}
		rest = rest[n:]
	}
	return rows
}

// derive takes the derivatives of the weighed logistic loss.
func (g *grower) derive(rows []int32) {
	const flattest = 1e-4 // curvature where chances are nearly certain
	for _, r := range rows {
		p, w := 1/(1+math.Exp(-g.sum[r])), float64(g.Weight[r])
		g.slope[r] = [2]float64{w * (p - float64(g.Label[r])), w * max(p*(1-p), flattest)}
	}
}

func (g *grower) leaf(node int, rows []int32, parent int) leaf {
	l := leaf{node: node, rows: rows, parent: parent, twin: -1}
	for _, r := range rows {
		l.total[0] += g.slope[r][0]
		l.total[1] += g.slope[r][1]
	}
	g.nodes[node].Value = float32(-l.total[0] / (l.total[1] + g.Smooth) * g.Rate)
	return l
}

// histogram sums the slopes of the rows in each bin.
type histogram [maxBins][2]float64

// histograms sums one column for the leaves of a level. Of two siblings only the
// one with fewer rows is read; the other is what is left of their parent.
func (g *grower) histograms(column int, level []leaf, above []histogram) []histogram {
	out := make([]histogram, len(level))
	bins := g.bins[column]
	for i, l := range level {
		if l.twin >= 0 {
			continue
		}
		h := &out[i]
		for _, r := range l.rows {
			cell, s := &h[bins[r]], &g.slope[r]
			cell[0] += s[0]
			cell[1] += s[1]
		}
	}
	for i, l := range level {
		if l.twin < 0 {
			continue
		}
		for b, sum := range above[l.parent] {
			out[i][b] = [2]float64{sum[0] - out[l.twin][b][0], sum[1] - out[l.twin][b][1]}
		}
	}
	return out
}

// splits finds the best bin of one column for each leaf.
func (g *grower) splits(column int, level []leaf, sums []histogram) []split {
	out := make([]split, len(level))
	for i, l := range level {
		out[i] = split{column: column, bin: -1}
		var left [2]float64
		for b := range len(g.cuts[column]) {
			left[0] += sums[i][b][0]
			left[1] += sums[i][b][1]
			right := [2]float64{l.total[0] - left[0], l.total[1] - left[1]}
			if left[1] < g.Least || right[1] < g.Least {
				continue
			}
			if gain := g.gain(left) + g.gain(right) - g.gain(l.total); gain > out[i].gain {
				out[i].gain, out[i].bin = gain, b
			}
		}
	}
	return out
}

func (g *grower) gain(s [2]float64) float64 { return s[0] * s[0] / (s[1] + g.Smooth) }

// part splits the leaves of a level and returns those of the next one.
func (g *grower) part(level []leaf, found [][]split) []leaf {
	const least = 1e-3 // gain below which a split only follows noise
	var next []leaf
	for i, l := range level {
		best := split{bin: -1}
		for _, column := range found {
			if s := column[i]; s.bin >= 0 && s.gain > best.gain {
				best = s
			}
		}
		if best.bin < 0 || best.gain < least {
			continue
		}
		left := len(g.nodes)
		g.nodes = append(g.nodes, selection.Node{Feature: -1}, selection.Node{Feature: -1})
		g.bin = append(g.bin, 0, 0)
		g.nodes[l.node] = selection.Node{Feature: int16(best.column), Left: uint16(left), Value: g.cuts[best.column][best.bin]}
		g.bin[l.node] = uint8(best.bin)
		low, high := g.divide(l.rows, best)
		a, b := g.leaf(left, low, i), g.leaf(left+1, high, i)
		if len(low) <= len(high) {
			b.twin = len(next)
		} else {
			a.twin = len(next) + 1
		}
		next = append(next, a, b)
	}
	return next
}

func (g *grower) divide(rows []int32, s split) (low, high []int32) {
	bins := g.bins[s.column]
	low, high = make([]int32, 0, len(rows)), make([]int32, 0, len(rows)/2)
	for _, r := range rows {
		if int(bins[r]) <= s.bin {
			low = append(low, r)
		} else {
			high = append(high, r)
		}
	}
	return low, high
}

// apply adds the tree to the sums of all rows, drawn or not.
func (g *grower) apply() {
	const chunk = 4096
	parallel((len(g.Rows)+chunk-1)/chunk, func(k int) {
		for _, r := range g.Rows[k*chunk : min((k+1)*chunk, len(g.Rows))] {
			n := 0
			for f := g.nodes[n].Feature; f >= 0; f = g.nodes[n].Feature {
				high := 0
				if g.bins[f][r] > g.bin[n] {
					high = 1
				}
				n = int(g.nodes[n].Left) + high
			}
			g.sum[r] += float64(g.nodes[n].Value)
		}
	})
}
