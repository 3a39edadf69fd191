package boost

import (
	"slices"
	"sort"
	"sync"
)

// maxBins is the number of bins of a column.
const maxBins = 64

// quantileRows is how many rows, spread evenly, decide where a column is cut.
const quantileRows = 50_000

// Table is rows of numbers by column, each number replaced by its bin.
type Table struct {
	cuts [][]float32 // by column: bin b holds what is below cuts[b] and not below cuts[b-1]
	bins [][]uint8   // by column, then row
}

// NewTable bins rows of equal width. Where a column is cut depends on the numbers
// alone, never on labels.
func NewTable(rows [][]float32) *Table {
	width := len(rows[0])
	t := &Table{cuts: make([][]float32, width), bins: make([][]uint8, width)}
	parallel(width, func(c int) {
		t.cuts[c] = quantiles(rows, c)
		t.bins[c] = make([]uint8, len(rows))
		for i, row := range rows {
			t.bins[c][i] = uint8(sort.Search(len(t.cuts[c]), func(k int) bool { return row[c] < t.cuts[c][k] }))
		}
	})
	return t
}

// Beside joins the columns of two tables with the same rows.
func (t *Table) Beside(o *Table) *Table {
	return &Table{cuts: slices.Concat(t.cuts, o.cuts), bins: slices.Concat(t.bins, o.bins)}
}

// quantiles cuts a column so that its bins hold about as many rows each; a column of
// few values is cut between any two.
func quantiles(rows [][]float32, c int) []float32 {
	step := len(rows)/quantileRows + 1
	values := make([]float32, 0, len(rows)/step+1)
	for i := 0; i < len(rows); i += step {
		values = append(values, rows[i][c])
	}
	slices.Sort(values)
	distinct := slices.Compact(slices.Clone(values))
	var cuts []float32
	if len(distinct) <= maxBins {
		for i := range len(distinct) - 1 {
			cuts = append(cuts, (distinct[i]+distinct[i+1])/2)
		}
		return cuts
	}
	for k := 1; k < maxBins; k++ {
		v := values[k*len(values)/maxBins]
		if v > values[0] && (len(cuts) == 0 || v > cuts[len(cuts)-1]) {
			cuts = append(cuts, v)
		}
	}
	return cuts
}

// parallel calls f for 0 to n-1 on two goroutines.
func parallel(n int, f func(i int)) {
	var wg sync.WaitGroup
	for first := range 2 {
		wg.Go(func() {
			for i := first; i < n; i += 2 {
				f(i)
			}
		})
	}
	wg.Wait()
}
