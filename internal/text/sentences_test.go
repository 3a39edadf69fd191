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
