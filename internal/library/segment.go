package library

import (
	"encoding/binary"
	"errors"
	"hash/fnv"
	"strings"

	"deepresearch/internal/text"
)

// Buckets is how many parts the index of a segment has. A query reads one part for
// each of its terms: some kilobytes.
const Buckets = 1024

// Segment is some hundred documents of a named library with an index of their own.
// It never changes: a change of one document writes its segment anew.
type Segment struct {
	Documents []SegmentDocument
	Table     []byte         // lengths of documents and passages
	Index     map[int][]byte // by bucket; an empty one has no entry
}

// SegmentDocument is a document to be saved.
type SegmentDocument struct {
	File
	Title string
	Body  []byte // JSON of document.Document
}

// errBroken is the error of an index that cannot be read.
var errBroken = errors.New("the index of the library is broken; add its files again")

// bucket is the part of the index that has a term.
func bucket(term string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(term)) // a hash never fails
	return int(h.Sum32() % Buckets)
}

// postings is where a term occurs in a segment: numbers of passages and of
// documents, each with how often, by rising number.
type postings struct{ passages, documents list }

// list is pairs of a number's distance from the one before and a count, as varints.
type list struct {
	bytes []byte
	last  int
}

func (l *list) add(number, count int) {
	l.bytes = binary.AppendUvarint(l.bytes, uint64(number-l.last))
	l.bytes = binary.AppendUvarint(l.bytes, uint64(count))
	l.last = number
}

// pair is one of a list: a number and how often.
type pair struct{ number, count int32 }

// appendPairs reads a list whose numbers count from first.
func appendPairs(to []pair, list []byte, first int) ([]pair, error) {
	number := first
	for i := 0; i < len(list); {
		var values [2]int
		for k := range values {
			if i < len(list) && list[i] < 0x80 { // most of them
				values[k] = int(list[i])
				i++
				continue
			}
			v, n := binary.Uvarint(list[i:])
			if n <= 0 {
				return to, errBroken
			}
			values[k] = int(v)
			i += n
		}
		number += values[0]
		to = append(to, pair{int32(number), int32(values[1])})
	}
	return to, nil
}

// writer puts a segment together.
type writer struct {
	documents []SegmentDocument
	size      int // bytes of text
	table     []byte
	passages  int
	terms     map[string]*postings
	count     map[string]int // of one text, kept to be used again
}

func newWriter() *writer { return &writer{terms: map[string]*postings{}, count: map[string]int{}} }

// add indexes a document.
func (w *writer) add(d SegmentDocument, pieces []piece, all []string, size int) {
	number := len(w.documents)
	w.documents = append(w.documents, d)
	w.size += size
	w.table = binary.AppendUvarint(w.table, uint64(len(all)))
	w.table = binary.AppendUvarint(w.table, uint64(len(pieces)))
	w.counted(all, func(p *postings, n int) { p.documents.add(number, n) })
	at := 0
	for _, p := range pieces {
		w.table = binary.AppendUvarint(w.table, uint64(p.span.Start-at))
		w.table = binary.AppendUvarint(w.table, uint64(p.span.Len()))
		w.table = binary.AppendUvarint(w.table, uint64(len(p.terms)))
		at = p.span.Start
		w.counted(p.terms, func(l *postings, n int) { l.passages.add(w.passages, n) })
		w.passages++
	}
}

func (w *writer) counted(terms []string, f func(*postings, int)) {
	clear(w.count)
	for _, t := range terms {
		w.count[t]++
	}
	for t, n := range w.count {
		p := w.terms[t]
		if p == nil {
			p = &postings{}
			w.terms[strings.Clone(t)] = p // t is a part of a whole text
		}
		f(p, n)
	}
}

// segment is what was added.
func (w *writer) segment() *Segment {
	s := &Segment{Documents: w.documents, Table: w.table, Index: map[int][]byte{}}
	for term, p := range w.terms {
		b := bucket(term)
		body := s.Index[b]
		for _, part := range [][]byte{[]byte(term), p.passages.bytes, p.documents.bytes} {
			body = append(binary.AppendUvarint(body, uint64(len(part))), part...)
		}
		s.Index[b] = body
	}
	return s
}

// lookUp finds a term in a bucket; empty lists when it is not there.
func lookUp(body []byte, term string) (passages, documents []byte, err error) {
	var parts [3][]byte
	for len(body) > 0 {
		for i := range parts {
			size, n := binary.Uvarint(body)
			if n <= 0 || size > uint64(len(body)-n) {
				return nil, nil, errBroken
			}
			parts[i], body = body[n:n+int(size)], body[n+int(size):]
		}
		if string(parts[0]) == term {
			return parts[1], parts[2], nil
		}
	}
	return nil, nil, nil
}

// lengths is the table of a segment as read.
type lengths struct {
	documents []int // terms
	passages  []storedPassage
}

type storedPassage struct {
	document int // in its segment
	span     text.Span
	terms    int
}

func readTable(table []byte) (lengths, error) {
	var out lengths
	next := func() int {
		v, n := binary.Uvarint(table)
		if n <= 0 {
			table = nil
			return -1
		}
		table = table[n:]
		return int(v)
	}
	for len(table) > 0 {
		terms, passages := next(), next()
		at := 0
		for range passages {
			start, size, n := next(), next(), next()
			if n < 0 {
				return out, errBroken
			}
			at += start
			out.passages = append(out.passages, storedPassage{len(out.documents), text.Span{Start: at, End: at + size}, n})
		}
		out.documents = append(out.documents, terms)
	}
	return out, nil
}
