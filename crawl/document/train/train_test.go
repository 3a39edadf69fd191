package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fixtures is the folder of data sets that are not part of the repository.
func fixtures() string {
	if dir := os.Getenv("DEEPRESEARCH_FIXTURES"); dir != "" {
		return dir
	}
	return filepath.Join("..", "..", "..", "..", "shared", "fixtures")
}

// TestOutOfFold trains a model for each fold of hosts and scores it on the pages of
// that fold. It takes about four minutes of processor time.
func TestOutOfFold(t *testing.T) {
	if os.Getenv("DEEPRESEARCH_EVAL") != "full" {
		t.Skip("set DEEPRESEARCH_EVAL=full to train and score out of fold")
	}
	dir := filepath.Join(fixtures(), "extract", "wcxb-dev")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("annotated pages are not here: %v", err)
	}
	pages, err := readPages(dir, shippedRecipe.Folds)
	if err != nil {
		t.Fatal(err)
	}
	var sum tally
	newCourse(pages, shippedRecipe).outOfFold(sum.add)
	t.Logf("word F1 out of fold, %d folds by host, hidden text left out:\n%v", shippedRecipe.Folds, &sum)
	for kind, least := range leastScore {
		if got := sum.mean(kind); got < least {
			t.Errorf("%s: F1 %.3f, want at least %.3f", kind, got, least)
		}
	}
}

// leastScore is what a model has to reach: for each type of page the score of
// go-trafilatura v1.12.2 with its fallback on the same pages.
var leastScore = map[string]float64{
	"article": .938, "documentation": .918, "service": .766, "listing": .609, "collection": .575, "forum": .572, "product": .566,
}

func TestLabels(t *testing.T) {
	for _, c := range []struct {
		name   string
		blocks []string
		want   string
		label  []float32
	}{
		{"in and out", []string{"Home", "One two three four.", "Five six seven"}, "one two three four", []float32{0, 1, 0}},
		{"a part", []string{"a b c d e f"}, "a b c", []float32{.5}},
		{"across blocks", []string{"Title", "one two three"}, "Title one two three", []float32{1, 1}},
		{"said twice, wanted once", []string{"a b c", "a b c"}, "a b c", []float32{.5, .5}},
		{"a label no neighbour confirms", []string{"alone", "x y z w v"}, "other alone words of it", []float32{.3, 0}},
		{"no words", []string{"—", "a b c"}, "a b c", []float32{0, 1}},
	} {
		p := &annotated{}
		for _, b := range c.blocks {
			p.words = append(p.words, words(b))
		}
		want := words(c.want)
		p.want, p.count = bag(want), len(want)
		p.setLabels(want)
		if diff := cmp.Diff(c.label, p.label); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestScore(t *testing.T) {
	p := &annotated{words: [][]string{{"a", "b"}, {"a", "c"}, {"d"}}, want: bag([]string{"a", "b", "d", "e"}), count: 4}
	for _, c := range []struct {
		keep []bool
		want float64
	}{
		{[]bool{true, false, true}, 2 * 3. / 7},
		{[]bool{true, true, true}, 2 * 3. / 9},
		{[]bool{false, false, false}, 0},
	} {
		if got := p.score(c.keep); got != c.want {
			t.Errorf("score of %v = %v, want %v", c.keep, got, c.want)
		}
	}
	empty := &annotated{words: [][]string{{"a"}}}
	if got := empty.score([]bool{false}); got != 1 {
		t.Errorf("nothing kept where nothing is wanted scores %v, want 1", got)
	}
}

func TestFoldsKeepHostsTogether(t *testing.T) {
	const folds = 5
	if a, b := foldOf("https://www.example.com/a", folds), foldOf("http://example.com/b?c", folds); a != b {
		t.Errorf("two pages of a host are in folds %d and %d", a, b)
	}
}
