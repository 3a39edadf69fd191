package tiny

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
)

// The types of values in a GGUF file; source: the format's specification in the
// ggml repository, docs/gguf.md.
const (
	typeUint32  = 4
	typeInt32   = 5
	typeFloat32 = 6
	typeBool    = 7
	typeString  = 8
	typeArray   = 9
)

// alignment of tensor data, in bytes.
const alignment = 32

type setting struct {
	key   string
	value any
}

type tensor struct {
	name   string
	dims   []int // the fastest first
	values []float32
}

// WriteTo writes the file.
func (m Model) WriteTo(w io.Writer) (int64, error) {
	if err := m.check(); err != nil {
		return 0, err
	}
	v := newVocabulary(m.Says)
	settings, tensors := m.settings(v), v.tensors()
	f := &file{}
	f.WriteString("GGUF")
	f.put(uint32(3), uint64(len(tensors)), uint64(len(settings)))
	for _, s := range settings {
		f.text(s.key)
		f.value(s.value)
	}
	offset := 0
	for _, t := range tensors {
		f.text(t.name)
		f.put(uint32(len(t.dims)))
		for _, d := range t.dims {
			f.put(uint64(d))
		}
		f.put(uint32(0), uint64(offset)) // 32-bit floats
		offset += (4*len(t.values) + alignment - 1) / alignment * alignment
	}
	f.align()
	for _, t := range tensors {
		f.put(t.values)
		f.align()
	}
	n, err := w.Write(f.Bytes())
	if err != nil {
		return int64(n), fmt.Errorf("writing model %q: %w", m.Name, err)
	}
	return int64(n), nil
}

// file is a GGUF file in the making.
type file struct{ bytes.Buffer }

// put appends values of fixed size, little-endian.
func (f *file) put(values ...any) {
	for _, v := range values {
		out, err := binary.Append(f.AvailableBuffer(), binary.LittleEndian, v)
		if err != nil {
			panic(fmt.Sprintf("tiny: %T has no fixed size", v)) // a mistake in this package
		}
		f.Write(out)
	}
}

func (f *file) text(s string) {
	f.put(uint64(len(s)))
	f.WriteString(s)
}

func (f *file) value(v any) {
	switch v := v.(type) {
	case uint32:
		f.put(uint32(typeUint32), v)
	case float32:
		f.put(uint32(typeFloat32), v)
	case bool:
		f.put(uint32(typeBool), v)
	case string:
		f.put(uint32(typeString))
		f.text(v)
	case []string:
		f.put(uint32(typeArray), uint32(typeString), uint64(len(v)))
		for _, s := range v {
			f.text(s)
		}
	case []float32:
		f.put(uint32(typeArray), uint32(typeFloat32), uint64(len(v)), v)
	case []int32:
		f.put(uint32(typeArray), uint32(typeInt32), uint64(len(v)), v)
	default:
		panic(fmt.Sprintf("tiny: no type for %T", v)) // a mistake in this package
	}
}

func (f *file) align() {
	for f.Len()%alignment != 0 {
		f.WriteByte(0)
	}
}
