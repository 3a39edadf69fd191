package eval

import (
	"testing"

	"deepresearch/internal/library"
)

// barChinese is the share of CMRC 2018 questions whose document is the first
// hit. Splitting Chinese at white space reaches .21, single characters .90.
const barChinese = 0.96

// TestCMRC looks up 501 Chinese questions in 556 Chinese documents.
func TestCMRC(t *testing.T) {
	type document struct{ ID, Title, Text string }
	type question struct {
		Question string
		Gold     []string
	}
	documents := rows[document](t, "eval/cmrc2018/corpus.jsonl")
	questions := rows[question](t, "eval/cmrc2018/questions.jsonl")
	handed := make([]library.Handed, len(documents))
	for i, d := range documents {
		handed[i] = library.Handed{Name: d.ID + ".txt", Text: d.Title + "\n\n" + d.Text}
	}
	lib, err := library.Open(t.Context(), nil, handed)
	if err != nil {
		t.Fatal(err)
	}
	first, fifth := 0, 0
	for _, q := range questions {
		hits, err := lib.Search(t.Context(), q.Question, 5)
		if err != nil {
			t.Fatal(err)
		}
		for rank, hit := range hits {
			if hit.Name == q.Gold[0]+".txt" {
				fifth++
				if rank == 0 {
					first++
				}
			}
		}
	}
	t.Logf("CMRC 2018: recall at 1 %.3f (bar %.2f), at 5 %.3f over %d questions", share(first, len(questions)), barChinese, share(fifth, len(questions)), len(questions))
	if share(first, len(questions)) < barChinese {
		t.Error("below the bar")
	}
}
