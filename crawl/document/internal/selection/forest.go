package selection

import (
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"
)

// Node is a split or a leaf of a tree.
type Node struct {
	// Feature is the column that a split looks at: rows with less than Value go to
	// the node Left, the others to Left+1. It is -1 for a leaf, whose Value is added
	// to the sum.
	Feature int16
	Left    uint16
	Value   float32
}

// Forest is a sum of trees that gives the logarithm of the odds.
type Forest struct {
	Start float32 // of the sum
	Trees [][]Node
}

// Model is the two forests of a selection.
type Model struct {
	First  Forest // over rows of Width
	Second Forest // over rows of Width + Around
}

// Chance is the probability that a forest gives a row.
func (f *Forest) Chance(row []float32) float64 {
	sum := f.Start
	for _, t := range f.Trees {
		n := &t[0]
		for n.Feature >= 0 {
			next := n.Left
			if row[n.Feature] >= n.Value {
				next++
			}
			n = &t[next]
		}
		sum += n.Value
	}
	return 1 / (1 + math.Exp(-float64(sum)))
}

//go:embed model.bin
var modelBytes []byte

// shipped is the embedded model, unpacked at first use. A test reads it, so it is
// whole.
var shipped = sync.OnceValue(func() *Model {
	m, err := ReadModel(modelBytes)
	if err != nil {
		panic(err)
	}
	return m
})

var errModel = errors.New("not a model of this version")

// The size of a packed node, and the bound on the trees of a forest.
const (
	nodeBytes = 8
	maxTrees  = 10_000
)

// Append packs the model: for each forest the start and the number of trees, for
// each tree the number of nodes and the nodes, little-endian; in front the widths
// of the rows, so that a model is not read by a version with other columns.
func (m *Model) Append(b []byte) []byte {
	le := binary.LittleEndian
	b = le.AppendUint32(le.AppendUint32(b, Width), Around)
	for _, f := range []*Forest{&m.First, &m.Second} {
		b = le.AppendUint32(b, math.Float32bits(f.Start))
		b = le.AppendUint32(b, uint32(len(f.Trees)))
		for _, t := range f.Trees {
			b = le.AppendUint32(b, uint32(len(t)))
			for _, n := range t {
				b = le.AppendUint16(le.AppendUint16(b, uint16(n.Feature)), n.Left)
				b = le.AppendUint32(b, math.Float32bits(n.Value))
			}
		}
	}
	return b
}

// ReadModel unpacks a model and checks that every path through it ends in a leaf.
func ReadModel(b []byte) (*Model, error) {
	r := unpacker{b: b}
	m := new(Model)
	if r.uint32() != Width || r.uint32() != Around {
		return nil, errModel
	}
	for _, f := range []struct {
		forest *Forest
		width  int
	}{{&m.First, Width}, {&m.Second, Width + Around}} {
		r.forest(f.forest, f.width)
	}
	if r.err == nil && len(r.b) > 0 {
		r.err = fmt.Errorf("reading model: %d bytes too many", len(r.b))
	}
	return m, r.err
}

type unpacker struct {
	b   []byte
	err error
}

func (r *unpacker) uint32() uint32 {
	if len(r.b) < 4 {
		r.b, r.err = nil, errModel
		return 0
	}
	v := binary.LittleEndian.Uint32(r.b)
	r.b = r.b[4:]
	return v
}

func (r *unpacker) forest(f *Forest, width int) {
	f.Start = math.Float32frombits(r.uint32())
	trees := r.uint32()
	if trees > maxTrees {
		r.err = errModel
		return
	}
	for range trees {
		f.Trees = append(f.Trees, r.tree(width))
		if r.err != nil {
			return
		}
	}
}

func (r *unpacker) tree(width int) []Node {
	n := int(r.uint32())
	if n == 0 || n*nodeBytes > len(r.b) {
		r.err = errModel
		return nil
	}
	t := make([]Node, n)
	for i := range t {
		v := r.uint32()
		t[i] = Node{Feature: int16(v), Left: uint16(v >> 16), Value: math.Float32frombits(r.uint32())}
		if split := t[i].Feature >= 0; split && (int(t[i].Feature) >= width || int(t[i].Left) <= i || int(t[i].Left)+1 >= n) {
			r.err = errModel
		}
	}
	return t
}
