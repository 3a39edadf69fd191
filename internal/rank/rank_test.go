package rank_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"deepresearch/internal/rank"
	"deepresearch/internal/text"
)

var approx = cmpopts.EquateApprox(0, 1e-9)

func build(opt rank.Options, docs ...string) *rank.Index {
	x := rank.NewIndex(opt)
	for _, d := range docs {
		x.Add(strings.Fields(d))
	}
	return x
}

// Worked by hand: N = 3, lengths 2, 3, 1, average 2.
func TestSearchScores(t *testing.T) {
	x := build(rank.Options{}, "a b", "a a c", "b")
	idf := math.Log(1 + 1.5/2.5) // a and b are each in 2 of 3
	want := []rank.Hit{
		{Doc: 1, Score: idf * 2 * 2.2 / (2 + 1.2*(.25+.75*1.5))},
		{Doc: 0, Score: idf * 2.2 / (1 + 1.2)},
	}
	if diff := cmp.Diff(want, x.Search([]string{"a", "zzz"}, 10), approx); diff != "" {
		t.Errorf("Search (-want +got):\n%s", diff)
	}
	if got := x.IDF("a"); math.Abs(got-idf) > 1e-12 {
		t.Errorf("IDF(a) = %v, want %v", got, idf)
	}
	if got, want := x.IDF("zzz"), math.Log(1+3.5/.5); math.Abs(got-want) > 1e-12 {
		t.Errorf("IDF of an unknown term = %v, want %v", got, want)
	}
}

func TestSearchAgreesWithScore(t *testing.T) {
	x := build(rank.Options{K1: .9, B: .4}, "a b c", "a a", "c c d e", "b a d")
	query := []string{"a", "d", "a"}
	for _, h := range x.Search(query, 10) {
		if got := x.Score(query, h.Doc); math.Abs(got-h.Score) > 1e-12 {
			t.Errorf("Score(%d) = %v, Search says %v", h.Doc, got, h.Score)
		}
	}
}

func TestSearchOrder(t *testing.T) {
	x := build(rank.Options{}, "a", "b", "a", "a")
	docs := func(hits []rank.Hit) (out []int) {
		for _, h := range hits {
			out = append(out, h.Doc)
		}
		return out
	}
	if diff := cmp.Diff([]int{0, 2, 3}, docs(x.Search([]string{"a"}, 9))); diff != "" {
		t.Errorf("equal scores (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{0, 2}, docs(x.Search([]string{"a"}, 2))); diff != "" {
		t.Errorf("k = 2 (-want +got):\n%s", diff)
	}
	if got := x.Add([]string{"a", "a"}); got != 4 || x.Len() != 5 {
		t.Errorf("Add after Search = %d, Len = %d", got, x.Len())
	}
	if diff := cmp.Diff([]int{4}, docs(x.Search([]string{"a"}, 1))); diff != "" {
		t.Errorf("after a further Add (-want +got):\n%s", diff)
	}
	if hits := x.Search([]string{"zzz"}, 5); hits != nil {
		t.Errorf("unknown term found %v", hits)
	}
	if hits := rank.NewIndex(rank.Options{}).Search([]string{"a"}, 5); hits != nil {
		t.Errorf("empty index found %v", hits)
	}
}

func TestSearchWeighted(t *testing.T) {
	x := build(rank.Options{}, "a", "b")
	hits := x.SearchWeighted([]rank.Weighted{{Term: "a", Weight: 1}, {Term: "b", Weight: 2}, {Term: "a", Weight: 0}}, 5)
	if len(hits) != 2 || hits[0].Doc != 1 || math.Abs(hits[0].Score-2*hits[1].Score) > 1e-12 {
		t.Errorf("hits %v, want document 1 with twice the score of 0", hits)
	}
}

func TestMMR(t *testing.T) {
	relevance := []float64{.9, .89, .5, .1}
	similarity := func(i, j int) float64 { // 0 and 1 are twins
		if i+j == 1 {
			return 1
		}
		return 0
	}
	cases := []struct {
		lambda float64
		k      int
		want   []int
	}{
		{1, 4, []int{0, 1, 2, 3}},
		{.6, 3, []int{0, 2, 1}},
		{.5, 4, []int{0, 2, 3, 1}},
		{.6, 9, []int{0, 2, 1, 3}},
		{.6, 0, nil},
	}
	for _, c := range cases {
		got := rank.MMR(4, func(i int) float64 { return relevance[i] }, similarity, c.lambda, c.k)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("MMR lambda %v, k %d (-want +got):\n%s", c.lambda, c.k, diff)
		}
	}
}

func TestJaccard(t *testing.T) {
	cases := []struct {
		a, b string
		want float64
	}{
		{"a b c", "b c d", .5},
		{"b a a", "a b", 1},
		{"a", "b", 0},
		{"", "", 0},
	}
	for _, c := range cases {
		a, b := rank.Set(strings.Fields(c.a)), rank.Set(strings.Fields(c.b))
		if got := rank.Jaccard(a, b); got != c.want {
			t.Errorf("Jaccard(%q, %q) = %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

func TestFuse(t *testing.T) {
	lists := [][]string{{"a", "b", "c"}, {"c", "a", "c"}, nil}
	want := []rank.Fused{
		{Key: "a", Score: 1./61 + 1./62, Ranks: []int{1, 2, 0}},
		{Key: "c", Score: 1./63 + 1./61, Ranks: []int{3, 1, 0}},
		{Key: "b", Score: 1. / 62, Ranks: []int{2, 0, 0}},
	}
	if diff := cmp.Diff(want, rank.Fuse(lists, nil, 0), approx); diff != "" {
		t.Errorf("Fuse (-want +got):\n%s", diff)
	}
	weighted := rank.Fuse(lists, []float64{1, 3}, 10)
	if weighted[0].Key != "c" || math.Abs(weighted[0].Score-(1./13+3./11)) > 1e-12 {
		t.Errorf("weighted Fuse puts %v first, want c", weighted[0])
	}
	tie := rank.Fuse([][]string{{"y"}, {"x"}}, nil, 0)
	if tie[0].Key != "x" {
		t.Errorf("tie goes to %q, want x", tie[0].Key)
	}
}

func TestSimhash(t *testing.T) {
	press := "The company said on Monday that it will build a new battery plant near the city of Leipzig and hire about two thousand workers over the next three years, the largest such investment in the region since 2010, officials said."
	edited := strings.Replace(press, "battery plant", "battery factory", 1)
	other := "Researchers have found that a diet rich in fibre changes the bacteria of the gut within weeks, according to a trial with two hundred adults whose results were published in a medical journal on Thursday and reviewed by others."
	hash := func(s string) uint64 { return rank.Simhash(text.Terms(s)) }
	if d := rank.Distance(hash(press), hash(press)); d != 0 {
		t.Errorf("distance to itself = %d", d)
	}
	near, far := rank.Distance(hash(press), hash(edited)), rank.Distance(hash(press), hash(other))
	t.Logf("near %d, far %d", near, far)
	if near > 12 || far < 20 {
		t.Errorf("distance near = %d, want at most 12; far = %d, want at least 20", near, far)
	}
	if rank.Simhash(nil) != 0 || rank.Simhash([]string{"a"}) == 0 {
		t.Error("no terms must give 0, one term must not")
	}
	if rank.Simhash([]string{"ab", "c"}) == rank.Simhash([]string{"a", "bc"}) {
		t.Error("term borders do not count")
	}
}

func ExampleIndex() {
	index := rank.NewIndex(rank.Options{})
	for _, page := range []string{"Tides follow the moon.", "The moon is a rock.", "Rocks are old."} {
		index.Add(text.Words(page))
	}
	for _, hit := range index.Search(text.Terms("what do tides follow?"), 1) {
		fmt.Println(hit.Doc)
	}
	// Output: 0
}

func ExampleFuse() {
	first, second := []string{"a.org", "b.org"}, []string{"b.org", "c.org"}
	for _, f := range rank.Fuse([][]string{first, second}, nil, 0) {
		fmt.Println(f.Key, f.Ranks)
	}
	// Output:
	// b.org [2 1]
	// a.org [1 0]
	// c.org [0 2]
}
