// Package rank orders things by relevance without a model: BM25 over terms,
// maximal marginal relevance, reciprocal rank fusion and near-duplicate
// hashing. Start with [Index]: add one list of terms (as [text.Terms] returns
// them) per document, then Search.
//
// The package knows nothing of pages, engines or languages; it never reads a
// document's text, keeps everything in memory and stores nothing.
package rank

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Options are the two free parameters of BM25. The zero value means k1 = 1.2
// and b = 0.75, the defaults of Robertson & Zaragoza, "The Probabilistic
// Relevance Framework: BM25 and Beyond" (2009).
type Options struct {
	K1 float64 // saturation of term frequency; 0 means 1.2
	B  float64 // weight of document length, in (0, 1]; 0 means 0.75
}

// Hit is one document of a search with its score (higher is better, always
// above zero).
type Hit struct {
	Doc   int
	Score float64
}

// Weighted is a query term with a weight: 1 is neutral, 2 counts the term
// twice, a weight of 0 or less leaves it out.
type Weighted struct {
	Term   string
	Weight float64
}

// Index is an in-memory BM25 index. Documents are numbered from 0 in the order
// of Add. Add and Search may alternate freely; searches may run at the same
// time as one another, but not at the same time as Add.
type Index struct {
	k1, b    float64
	ids      map[string]int32 // term -> position in postings
	postings [][]posting      // per term, by rising document number
	lengths  []int32          // terms per document
	total    int64            // sum of lengths
}

type posting struct {
	doc, count int32
}

// NewIndex returns an empty index.
func NewIndex(opt Options) *Index {
	return &Index{
		k1:  cmp.Or(opt.K1, 1.2),
		b:   cmp.Or(opt.B, 0.75),
		ids: make(map[string]int32),
	}
}

// Len is the number of documents added.
func (x *Index) Len() int { return len(x.lengths) }

// Add puts one document into the index and returns its number. The index
// copies the terms it keeps, so the text they were cut from can be freed.
func (x *Index) Add(terms []string) int {
	doc := int32(len(x.lengths))
	x.lengths = append(x.lengths, int32(len(terms)))
	x.total += int64(len(terms))
	for _, term := range terms {
		list := &x.postings[x.intern(term)]
		if n := len(*list); n > 0 && (*list)[n-1].doc == doc {
			(*list)[n-1].count++
		} else {
			*list = append(*list, posting{doc, 1})
		}
	}
	return int(doc)
}

func (x *Index) intern(term string) int32 {
	id, ok := x.ids[term]
	if !ok {
		id = int32(len(x.postings))
		x.ids[strings.Clone(term)] = id
		x.postings = append(x.postings, nil)
	}
	return id
}

// IDF is the inverse document frequency of a term, ln(1 + (N-n+0.5)/(n+0.5)):
// the form that never becomes negative (as in Lucene). A term that no document
// holds has the highest value.
func (x *Index) IDF(term string) float64 {
	n := 0
	if id, ok := x.ids[term]; ok {
		n = len(x.postings[id])
	}
	return math.Log1p((float64(len(x.lengths)-n) + 0.5) / (float64(n) + 0.5))
}

// Search returns the k best documents, best first; equal scores keep the order
// of document numbers. A term named twice in the query counts twice. Documents
// that share no term with the query are never returned.
func (x *Index) Search(query []string, k int) []Hit {
	return x.SearchWeighted(unweighted(query), k)
}

// SearchWeighted is Search with a weight for each query term.
func (x *Index) SearchWeighted(query []Weighted, k int) []Hit {
	if k <= 0 || len(x.lengths) == 0 {
		return nil
	}
	scores, average := make([]float64, len(x.lengths)), x.average()
	var hits []Hit
	for _, q := range query {
		id, ok := x.ids[q.Term]
		if !ok || q.Weight <= 0 {
			continue
		}
		idf := q.Weight * x.IDF(q.Term)
		for _, p := range x.postings[id] {
			if scores[p.doc] == 0 {
				hits = append(hits, Hit{Doc: int(p.doc)})
			}
			scores[p.doc] += idf * x.saturation(p, average)
		}
	}
	for i := range hits {
		hits[i].Score = scores[hits[i].Doc]
	}
	slices.SortFunc(hits, byScore)
	return slices.Clip(hits[:min(k, len(hits))])
}

// Score is the BM25 score of one document for the query, 0 when they share no
// term. It panics when doc is not a document number of the index.
func (x *Index) Score(query []string, doc int) float64 {
	_ = x.lengths[doc]
	var sum float64
	for _, term := range query {
		id, ok := x.ids[term]
		if !ok {
			continue
		}
		list := x.postings[id]
		i, found := slices.BinarySearchFunc(list, int32(doc), func(p posting, d int32) int { return cmp.Compare(p.doc, d) })
		if found {
			sum += x.IDF(term) * x.saturation(list[i], x.average())
		}
	}
	return sum
}

// average is the mean length of a document.
func (x *Index) average() float64 { return float64(x.total) / float64(len(x.lengths)) }

// saturation is the term-frequency part of BM25, below k1+1.
func (x *Index) saturation(p posting, average float64) float64 {
	norm := 1 - x.b + x.b*float64(x.lengths[p.doc])/average
	tf := float64(p.count)
	return tf * (x.k1 + 1) / (tf + x.k1*norm)
}

func byScore(a, b Hit) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Doc, b.Doc))
}

func unweighted(query []string) []Weighted {
	out := make([]Weighted, len(query))
	for i, term := range query {
		out[i] = Weighted{term, 1}
	}
	return out
}
