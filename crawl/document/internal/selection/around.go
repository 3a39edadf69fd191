package selection

// Around is the number of columns that the rows of the second forest have more.
const Around = 31

// around holds the chances that the first forest gave, by place.
type around struct {
	*Sheet
	chance []float64
	sums   []float64 // chance times words, over the blocks before each
	words  []float64
	up     []int32 // for each element, the nearest one up that holds the best one
	best   int32   // element with most of the likely words and little else
	fit    float64
	top    float64 // highest chance
	cut    float64 // lowest chance among the blocks that would be kept
	head   []float64
}

// around prepares the second forest's columns.
func (s *Sheet) around(chance []float64) *around {
	a := &around{Sheet: s, chance: chance}
	a.sum()
	a.findBest()
	order, n := s.ranked(chance)
	if n > 0 {
		a.top, a.cut = chance[order[0]], chance[order[n-1]]
	}
	return a
}

func (a *around) sum() {
	n := len(a.blocks)
	a.sums, a.words, a.head = make([]float64, n+1), make([]float64, n+1), make([]float64, n)
	for i := range a.elems {
		a.elems[i].likely = 0
	}
	for _, m := range []map[uint64]*group{a.byPath, a.byLeaf} {
		for _, g := range m {
			g.likely = 0
		}
	}
	last := .5 // chance of the heading above
	for i, b := range a.blocks {
		likely := a.chance[i] * a.weight(i)
		a.sums[i+1], a.words[i+1] = a.sums[i]+likely, a.words[i]+a.weight(i)
		a.elems[b.Elem].likely += likely
		a.byPath[a.path(b)].likely += likely
		a.byLeaf[a.leaf(b)].likely += likely
		a.head[i] = last
		if a.level(b) > 0 {
			last = a.chance[i]
		}
	}
	for i := len(a.elems) - 1; i > 0; i-- {
		a.elems[a.elems[i].parent].likely += a.elems[i].likely
	}
}

func (a *around) findBest() {
	a.fit = -1
	for i := range a.elems {
		if f := a.elems[i].fit(a.elems[i].likely, a.elems[0].likely); f >= a.fit {
			a.fit, a.best = f, int32(i)
		}
	}
	holds := make([]bool, len(a.elems))
	a.markUp(holds, a.best)
	a.up = make([]int32, len(a.elems))
	for i := range a.elems {
		a.up[i] = a.up[a.elems[i].parent]
		if holds[i] {
			a.up[i] = int32(i)
		}
	}
}

// write fills the columns of block i into row.
func (a *around) write(i int, row []float32) {
	w := writer{out: row[:0]}
	a.columns(&w, i)
}

func (a *around) columns(w *writer, i int) {
	w.put("chance", a.chance[i])
	for _, d := range [...]int{-3, -2, -1, 1, 2, 3} {
		if j := i + d; j >= 0 && j < len(a.chance) {
			w.put("neighbour chance", a.chance[j])
		} else {
			w.put("neighbour chance", -1)
		}
	}
	for _, reach := range [...]int{5, 12} {
		w.put("chance before", a.mean(i-reach, i))
		w.put("chance after", a.mean(i+1, i+1+reach))
	}
	b := a.blocks[i]
	at := int32(b.Elem)
	for range containerLevels + 1 {
		w.put("container chance", a.elems[at].mean())
		at = a.elems[at].parent
	}
	e := &a.elems[b.Elem]
	w.put("outer chance", a.elems[e.outer].mean())
	w.put("chance of one", a.elems[e.repeated].mean())
	for _, g := range []*group{a.byPath[a.path(b)], a.byLeaf[a.leaf(b)]} {
		w.put("alike chance", g.likely/g.words)
	}
	up := &a.elems[a.up[b.Elem]]
	w.put("levels to best", float64(e.depth-up.depth))
	w.put("levels over best", float64(a.elems[a.best].depth-up.depth))
	w.put("fit of best", a.fit)
	all := a.sums[len(a.blocks)]
	w.put("page chance", all/a.total)
	w.put("page likely words", all)
	w.put("highest chance", a.top)
	w.put("cut", a.cut)
	w.put("likely share before", a.sums[i]/(all+1))
	w.put("chance of last heading", a.head[i])
}

// mean is the chance of a word in blocks from to, as far as there are any.
func (a *around) mean(from, to int) float64 {
	from, to = max(from, 0), min(to, len(a.blocks))
	if from >= to {
		return 0
	}
	return (a.sums[to] - a.sums[from]) / (a.words[to] - a.words[from])
}

func (e *measure) mean() float64 { return e.likely / (e.words + 1) }
