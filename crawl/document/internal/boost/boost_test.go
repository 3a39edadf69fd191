package boost

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"deepresearch/crawl/document/internal/selection"
)

// exclusive is rows whose label one column alone does not tell: 1 where exactly one
// of the first two is above a half.
func exclusive(n int) ([][]float32, Samples) {
	random := rand.New(rand.NewPCG(7, 7))
	var in Samples
	rows := make([][]float32, n)
	for i := range rows {
		rows[i] = []float32{random.Float32(), random.Float32(), random.Float32(), 1}
		label := float32(0)
		if (rows[i][0] > .5) != (rows[i][1] > .5) {
			label = 1
		}
		in.Rows = append(in.Rows, int32(i))
		in.Label = append(in.Label, label)
		in.Weight = append(in.Weight, 1)
		in.Page = append(in.Page, int32(i/10))
	}
	return rows, in
}

var settings = Settings{Trees: 40, Depth: 3, Rate: .3, Pages: .7, Columns: .8, Smooth: 1, Least: 1, Seed: 3}

func right(f selection.Forest, rows [][]float32, in Samples) float64 {
	n := 0
	for i, row := range rows {
		if (f.Chance(row) > .5) == (in.Label[i] > .5) {
			n++
		}
	}
	return float64(n) / float64(len(rows))
}

func TestGrow(t *testing.T) {
	rows, in := exclusive(2000)
	in.Rows = in.Rows[:1000]
	f := Grow(NewTable(rows), in, settings)
	if got := right(f, rows[1000:], Samples{Label: in.Label[1000:]}); got < .95 {
		t.Errorf("%.2f of the rows left out are told right, want .95", got)
	}
}

func TestSameRowsSameForest(t *testing.T) {
	rows, in := exclusive(500)
	a := Grow(NewTable(rows), in, settings)
	b := Grow(NewTable(rows), in, settings)
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("two forests of the same rows differ:\n%s", diff)
	}
}

func TestRowsLeftOutHaveNoSay(t *testing.T) {
	rows, in := exclusive(500)
	in.Rows = in.Rows[:250]
	a := Grow(NewTable(rows), in, settings)
	for i := range in.Label[250:] {
		in.Label[250+i] = 1 - in.Label[250+i]
	}
	if diff := cmp.Diff(a, Grow(NewTable(rows), in, settings)); diff != "" {
		t.Errorf("labels of rows left out change the forest:\n%s", diff)
	}
}

func TestBeside(t *testing.T) {
	rows, in := exclusive(500)
	left, right := make([][]float32, len(rows)), make([][]float32, len(rows))
	for i, row := range rows {
		left[i], right[i] = row[:1], row[1:]
	}
	a := Grow(NewTable(rows), in, settings)
	if diff := cmp.Diff(a, Grow(NewTable(left).Beside(NewTable(right)), in, settings)); diff != "" {
		t.Errorf("columns side by side give another forest:\n%s", diff)
	}
}
