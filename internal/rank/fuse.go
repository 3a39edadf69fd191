package rank

import (
	"cmp"
	"slices"
)

// Fused is one key of several ranked lists with its common score.
type Fused struct {
	Key   string
	Score float64
	Ranks []int // place in each list, 1 for the first, 0 when absent
}

// Fuse joins ranked lists by weighted reciprocal rank fusion (Cormack, Clarke &
// Büttcher, SIGIR 2009): a key scores the sum over lists of weight / (k + rank).
// K is 60 when 0, the value of the paper. Weights belong to lists by position; a
// missing one is 1. A key that a list names twice counts at its first place.
// Best first; equal scores are ordered by best rank, then by key.
func Fuse(lists [][]string, weights []float64, k float64) []Fused {
	k = cmp.Or(k, 60)
	place := make(map[string]int)
	var fused []Fused
	for l, list := range lists {
		weight := 1.0
		if l < len(weights) {
			weight = weights[l]
		}
		for r, key := range list {
			i, ok := place[key]
			if !ok {
				i = len(fused)
				place[key] = i
				fused = append(fused, Fused{Key: key, Ranks: make([]int, len(lists))})
			}
			if fused[i].Ranks[l] == 0 {
				fused[i].Ranks[l] = r + 1
				fused[i].Score += weight / (k + float64(r+1))
			}
		}
	}
	slices.SortFunc(fused, func(a, b Fused) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.best(), b.best()), cmp.Compare(a.Key, b.Key))
	})
	return fused
}

// best is the lowest rank in any list.
func (f Fused) best() int {
	best := 0
	for _, r := range f.Ranks {
		if r > 0 && (best == 0 || r < best) {
			best = r
		}
	}
	return best
}
