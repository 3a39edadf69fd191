package eval

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"deepresearch/internal/library"
)

// Bars of retrieval over a folder, without a model: the share of gold documents
// among the first five, and of questions whose gold documents are all among the
// first ten. Passages alone reach .76 and .58 on the first set, .56 on the other.
const (
	barHotpotAt5   = 0.90
	barHotpotAllIn = 0.92
	barMusiqueAt5  = 0.58
)

// ranked are the documents that a question leads to, best first, as a run reads
// them: the hits, behind each of the best three those whose titles stand in it.
func ranked(t *testing.T, lib *library.Library, question string) []string {
	t.Helper()
	const hits, followed, each = 10, 3, 3
	found, err := lib.Search(t.Context(), question, hits)
	if err != nil {
		t.Fatal(err)
	}
	type placed struct {
		name string
		rank float64
	}
	var all []placed
	add := func(name string, rank float64) {
		if !slices.ContainsFunc(all, func(p placed) bool { return p.name == name }) {
			all = append(all, placed{name, rank})
		}
	}
	named, err := lib.Linked(t.Context(), question, each)
	if err != nil {
		t.Fatal(err)
	}
	for i, h := range found[:min(1, len(found))] {
		add(h.Name, float64(i))
	}
	for i, d := range named {
		add(d.Name, 0.1+0.01*float64(i))
	}
	for i, h := range found[:min(followed, len(found))] {
		add(h.Name, float64(i))
		linked, err := lib.Linked(t.Context(), h.Text, each)
		if err != nil {
			t.Fatal(err)
		}
		for n, d := range linked {
			add(d.Name, float64(i)+0.2*float64(n+1))
		}
	}
	for i, h := range found {
		add(h.Name, float64(i))
	}
	slices.SortStableFunc(all, func(a, b placed) int { return cmp.Compare(a.rank, b.rank) })
	names := make([]string, len(all))
	for i, p := range all {
		names[i] = strings.TrimSuffix(p.name, ".md")
	}
	return names
}

// within counts the gold documents among the first n.
func within(names, gold []string, n int) int {
	found := 0
	for _, g := range gold {
		if slices.Contains(names[:min(n, len(names))], g) {
			found++
		}
	}
	return found
}

// TestRecall measures retrieval alone, before anything is read closely.
func TestRecall(t *testing.T) {
	t.Run("HotpotQA", func(t *testing.T) {
		documents := rows[hotpotDocument](t, "eval/hotpotqa/corpus.jsonl")
		folder := t.TempDir()
		name := map[string]string{}
		for i, d := range documents {
			name[d.Title] = fmt.Sprintf("d%d", i)
			body := "# " + d.Title + "\n\n" + strings.Join(d.Sentences, " ")
			if err := os.WriteFile(filepath.Join(folder, name[d.Title]+".md"), []byte(body), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		lib, err := library.Open(t.Context(), []string{folder}, nil)
		if err != nil {
			t.Fatal(err)
		}
		golds, at5, all := 0, 0, 0
		questions := rows[hotpotQuestion](t, "eval/hotpotqa/questions.jsonl")
		for _, q := range questions {
			var gold []string
			for _, g := range q.Gold {
				if !slices.Contains(gold, name[g.Doc]) {
					gold = append(gold, name[g.Doc])
				}
			}
			names := ranked(t, lib, q.Question)
			golds, at5 = golds+len(gold), at5+within(names, gold, 5)
			if within(names, gold, 10) == len(gold) {
				all++
			}
		}
		t.Logf("HotpotQA: recall at 5 %.3f (bar %.2f), all gold in 10 %.3f (bar %.2f)", share(at5, golds), barHotpotAt5, share(all, len(questions)), barHotpotAllIn)
		if share(at5, golds) < barHotpotAt5 || share(all, len(questions)) < barHotpotAllIn {
			t.Error("below the bar")
		}
	})
	t.Run("MuSiQue", func(t *testing.T) {
		type document struct{ ID, Title, Text string }
		type question struct {
			Question string
			Gold     []string
		}
		folder := t.TempDir()
		for _, d := range rows[document](t, "eval/musique/corpus.jsonl") {
			if err := os.WriteFile(filepath.Join(folder, d.ID+".md"), []byte("# "+d.Title+"\n\n"+d.Text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		lib, err := library.Open(t.Context(), []string{folder}, nil)
		if err != nil {
			t.Fatal(err)
		}
		golds, at5 := 0, 0
		for _, q := range rows[question](t, "eval/musique/questions.jsonl") {
			golds, at5 = golds+len(q.Gold), at5+within(ranked(t, lib, q.Question), q.Gold, 5)
		}
		t.Logf("MuSiQue: recall at 5 %.3f (bar %.2f)", share(at5, golds), barMusiqueAt5)
		if share(at5, golds) < barMusiqueAt5 {
			t.Error("below the bar")
		}
	})
}
