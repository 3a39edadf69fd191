package text_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"deepresearch/internal/text"
)

// splitCase is a text with the sentences it should become.
type splitCase struct {
	ID, Lang, Text string
	Sentences      []string
}

func TestSentencesReference(t *testing.T) {
	checkSentences(t, fixtures[splitCase](t, "eval/sentences/cases.jsonl"))
}

func checkSentences(t *testing.T, cases []splitCase) {
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			var got []string
			for _, span := range text.Sentences(c.Text) {
				got = append(got, span.In(c.Text))
			}
			if diff := cmp.Diff(c.Sentences, got); diff != "" {
				t.Errorf("Sentences(%q) (-want +got):\n%s", c.Text, diff)
			}
		})
	}
}

func TestSentencesOwn(t *testing.T) {
	checkSentences(t, rows[splitCase](t, "testdata/sentences.jsonl"))
}

// The paragraphs of HotpotQA come split by another tool. Where we differ it is
// mostly that tool that errs, so agreement is a floor, not a score.
func TestSentencesAgreement(t *testing.T) {
	type paragraph struct{ Sentences []string }
	want, agreed, extra := 0, 0, 0
	for _, p := range fixtures[paragraph](t, "eval/hotpotqa/corpus.jsonl") {
		whole, ends := "", map[int]bool{}
		for _, s := range p.Sentences {
			whole += s
			ends[len(whole)] = true
		}
		want += len(ends)
		for _, span := range text.Sentences(whole) {
			if ends[span.End] {
				agreed++
			} else {
				extra++
			}
		}
	}
	t.Logf("%d of %d sentence ends agree, %d further ones", agreed, want, extra)
	if agreed*100 < want*98 || extra*100 > want {
		t.Error("agreement fell below 98 %, or more than 1 % are ours alone")
	}
}
