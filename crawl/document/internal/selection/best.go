package selection

import (
	"cmp"
	"math"
	"slices"
)

// best keeps the blocks with the best word F1 that can be expected: of the blocks by
// falling chance, the first k for which
//
//	2 * sum of chance*words of the kept / (words of the kept + sum of chance*words of all)
//
// is largest (Nan and others, "Optimizing F-measure: a tale of two approaches", 2012,
// with sums in place of counts). The cut is thus chosen for each page, and lower on
// pages that are hard to tell.
//
// The formula takes blocks to be right or wrong each for itself. They are so together,
// which matters most where a page is prose: there what is doubtful is another article's
// teaser, on lists it is the next card. So chances are first raised to a power, above 1
// on pages of prose and below 1 on others.
func (s *Sheet) best(chance []float64) []bool {
	const strictness, byProse = .6, 1 // out of fold: .863 with them, .860 without
	power := strictness + byProse*s.proseShare(chance)
	sure := make([]float64, len(chance))
	for i, c := range chance {
		sure[i] = math.Pow(c, power)
	}
	keep := make([]bool, len(chance))
	order, n := s.ranked(sure)
	for _, i := range order[:n] {
		keep[i] = true
	}
	return keep
}

// proseShare is how much of the likely words stands in sentences.
func (s *Sheet) proseShare(chance []float64) float64 {
	all, prose := 0.0, 0.0
	for i, c := range chance {
		likely := c * s.weight(i)
		all += likely
		if s.wordings[i].sentence {
			prose += likely
		}
	}
	return prose / max(all, 1)
}

// ranked returns the blocks by falling chance and how many of them to keep.
func (s *Sheet) ranked(chance []float64) (order []int, n int) {
	order = make([]int, len(chance))
	all := 0.0
	for i, c := range chance {
		order[i] = i
		all += c * s.weight(i)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(chance[b], chance[a]) })
	top, hit, kept := -1.0, 0.0, 0.0
	for k, i := range order {
		w := s.weight(i)
		hit += chance[i] * w
		kept += w
		if f := hit / (kept + all); f > top {
			top, n = f, k+1
		}
	}
	return order, n
}

// weight is the words of a block, at least one.
func (s *Sheet) weight(i int) float64 { return float64(max(s.blocks[i].Words, 1)) }
