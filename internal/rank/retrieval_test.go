package rank_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"deepresearch/internal/rank"
	"deepresearch/internal/text"
)

// fixtures returns the rows of a data set that lives outside the repository, and
// skips the test when it is absent.
func fixtures[T any](t testing.TB, name string) []T {
	t.Helper()
	root := os.Getenv("DEEPRESEARCH_FIXTURES")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared", "fixtures")
	}
	f, err := os.Open(filepath.Join(root, name))
	if os.IsNotExist(err) {
		t.Skipf("data set %s is not here: set DEEPRESEARCH_FIXTURES", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []T
	for dec := json.NewDecoder(bufio.NewReader(f)); dec.More(); {
		var row T
		if err := dec.Decode(&row); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out = append(out, row)
	}
	return out
}

// recall is the mean share of gold keys among the first k.
type recall struct {
	k, n int
	sum  float64
}

func (r *recall) add(hits []rank.Hit, keys []string, gold map[string]bool) {
	found := 0
	for _, h := range hits[:min(r.k, len(hits))] {
		if gold[keys[h.Doc]] {
			found++
		}
	}
	r.n++
	r.sum += float64(found) / float64(len(gold))
}

// check fails the test when the mean is below the floor.
func (r *recall) check(t *testing.T, name string, floor float64) {
	t.Helper()
	mean := r.sum / float64(r.n)
	t.Logf("%s recall@%d = %.3f (%d questions)", name, r.k, mean, r.n)
	if mean < floor {
		t.Errorf("%s recall@%d = %.3f, want at least %.2f", name, r.k, mean, floor)
	}
}

// CMRC 2018 (Cui et al., EMNLP 2019): find the Chinese paragraph that answers.
func TestRetrievalChinese(t *testing.T) {
	type doc struct{ ID, Title, Text string }
	type question struct {
		Question string
		Gold     []string
	}
	index := rank.NewIndex(rank.Options{})
	var keys []string
	for _, d := range fixtures[doc](t, "eval/cmrc2018/corpus.jsonl") {
		index.Add(text.Words(d.Title + "\n" + d.Text))
		keys = append(keys, d.ID)
	}
	first, fifth := recall{k: 1}, recall{k: 5}
	for _, q := range fixtures[question](t, "eval/cmrc2018/questions.jsonl") {
		gold := map[string]bool{}
		for _, id := range q.Gold {
			gold[id] = true
		}
		hits := index.Search(text.Terms(q.Question), 5)
		first.add(hits, keys, gold)
		fifth.add(hits, keys, gold)
	}
	first.check(t, "CMRC 2018 paragraphs", .96)
	fifth.check(t, "CMRC 2018 paragraphs", .99)
}

// HotpotQA (Yang et al., EMNLP 2018): find the two paragraphs, and the sentences
// in them, that a question needs.
func TestRetrievalMultiHop(t *testing.T) {
	type doc struct {
		ID, Title string
		Sentences []string
	}
	type place struct {
		Doc      string
		Sentence int
	}
	type question struct {
		Question string
		Gold     []place
	}
	paragraphs, sentences := rank.NewIndex(rank.Options{}), rank.NewIndex(rank.Options{})
	var paragraphKeys, sentenceKeys []string
	sentenceKey := func(p place) string { return p.Doc + "#" + string(rune('0'+p.Sentence)) }
	for _, d := range fixtures[doc](t, "eval/hotpotqa/corpus.jsonl") {
		terms := text.Words(d.Title + "\n" + d.Title) // a title counts twice
		title := terms[:len(terms)/2]
		for i, s := range d.Sentences {
			own := text.Words(s)
			sentences.Add(append(slices.Clip(title), own...))
			sentenceKeys = append(sentenceKeys, sentenceKey(place{d.ID, i}))
			terms = append(terms, own...)
		}
		paragraphs.Add(terms)
		paragraphKeys = append(paragraphKeys, d.ID)
	}
	p5, p10, s10 := recall{k: 5}, recall{k: 10}, recall{k: 10}
	for _, q := range fixtures[question](t, "eval/hotpotqa/questions.jsonl") {
		goldDocs, goldSentences := map[string]bool{}, map[string]bool{}
		for _, p := range q.Gold {
			goldDocs[p.Doc] = true
			goldSentences[sentenceKey(p)] = true
		}
		terms := text.Terms(q.Question)
		hits := paragraphs.Search(terms, 10)
		p5.add(hits, paragraphKeys, goldDocs)
		p10.add(hits, paragraphKeys, goldDocs)
		s10.add(sentences.Search(terms, 10), sentenceKeys, goldSentences)
	}
	p5.check(t, "HotpotQA paragraphs", .76)
	p10.check(t, "HotpotQA paragraphs", .85)
	s10.check(t, "HotpotQA sentences", .70)
}

// MuSiQue (Trivedi et al., TACL 2022): questions that need two to four paragraphs.
func TestRetrievalManyHops(t *testing.T) {
	type doc struct{ ID, Title, Text string }
	type question struct {
		Question string
		Gold     []string
	}
	index := rank.NewIndex(rank.Options{})
	var keys []string
	for _, d := range fixtures[doc](t, "eval/musique/corpus.jsonl") {
		index.Add(text.Words(d.Title + "\n" + d.Title + "\n" + d.Text))
		keys = append(keys, d.ID)
	}
	fifth := recall{k: 5}
	for _, q := range fixtures[question](t, "eval/musique/questions.jsonl") {
		gold := map[string]bool{}
		for _, id := range q.Gold {
			gold[id] = true
		}
		fifth.add(index.Search(text.Terms(q.Question), 5), keys, gold)
	}
	fifth.check(t, "MuSiQue paragraphs", .56)
}
