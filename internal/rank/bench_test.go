package rank_test

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"deepresearch/internal/rank"
)

// collection is n documents of 100 terms with a natural spread of frequencies.
func collection(n int) [][]string {
	rng := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(rng, 1.1, 4, 20_000)
	docs := make([][]string, n)
	for i := range docs {
		for range 100 {
			docs[i] = append(docs[i], "w"+strconv.FormatUint(zipf.Uint64(), 36))
		}
	}
	return docs
}

func BenchmarkAdd(b *testing.B) {
	docs := collection(2000)
	b.ReportAllocs()
	for b.Loop() {
		x := rank.NewIndex(rank.Options{})
		for _, d := range docs {
			x.Add(d)
		}
	}
}

func BenchmarkSearch(b *testing.B) {
	docs := collection(10_000)
	x := rank.NewIndex(rank.Options{})
	for _, d := range docs {
		x.Add(d)
	}
	query := docs[5][:8]
	b.ReportAllocs()
	for b.Loop() {
		x.Search(query, 10)
	}
}

func BenchmarkMMR(b *testing.B) {
	docs := collection(300)
	for i := range docs {
		docs[i] = rank.Set(docs[i])
	}
	b.ReportAllocs()
	for b.Loop() {
		rank.MMR(len(docs), func(i int) float64 { return 1 / float64(i+1) },
			func(i, j int) float64 { return rank.Jaccard(docs[i], docs[j]) }, .6, 20)
	}
}

func BenchmarkFuse(b *testing.B) {
	docs := collection(8)
	b.ReportAllocs()
	for b.Loop() {
		rank.Fuse(docs, nil, 0)
	}
}

func BenchmarkSimhash(b *testing.B) {
	doc := collection(1)[0]
	b.ReportAllocs()
	for b.Loop() {
		rank.Simhash(doc)
	}
}
