package rank

import (
	"math"
	"slices"
)

// MMR chooses up to k of n candidates by maximal marginal relevance (Carbonell
// & Goldstein, SIGIR 1998) and returns their numbers in the order chosen: each
// next one has the highest
//
//	lambda*relevance(i) - (1-lambda)*max similarity(i, j) over the chosen j
//
// Lambda 1 is relevance alone, 0 is variety alone. Relevance and similarity
// should share one scale, usually [0, 1]. Ties go to the lower number. It calls
// similarity at most n*k times and relevance n times.
func MMR(n int, relevance func(i int) float64, similarity func(i, j int) float64, lambda float64, k int) []int {
	k = min(k, n)
	if k <= 0 {
		return nil
	}
	relevant := make([]float64, n)
	nearest := make([]float64, n) // highest similarity to a chosen one
	chosen := make([]bool, n)
	for i := range n {
		relevant[i] = relevance(i)
	}
	order := make([]int, 0, k)
	for len(order) < k {
		best, value := -1, math.Inf(-1)
		for i := range n {
			if v := lambda*relevant[i] - (1-lambda)*nearest[i]; !chosen[i] && (best < 0 || v > value) {
				best, value = i, v
			}
		}
		chosen[best] = true
		order = append(order, best)
		if len(order) == k {
			break
		}
		for i := range n {
			if chosen[i] {
				continue
			}
			if s := similarity(i, best); len(order) == 1 || s > nearest[i] {
				nearest[i] = s
			}
		}
	}
	return order
}

// Set returns the terms sorted and without repeats, the form Jaccard takes. It
// leaves its argument as it is.
func Set(terms []string) []string {
	set := slices.Clone(terms)
	slices.Sort(set)
	return slices.Compact(set)
}

// Jaccard is the size of the intersection over the size of the union of two
// sets made by Set, in [0, 1]; two empty sets have 0.
func Jaccard(a, b []string) float64 {
	shared := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			shared++
			i++
			j++
		}
	}
	if shared == 0 {
		return 0
	}
	return float64(shared) / float64(len(a)+len(b)-shared)
}
