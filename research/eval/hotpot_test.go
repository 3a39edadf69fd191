package eval

import (
	"strings"
	"testing"

	"deepresearch/internal/text"
	"deepresearch/research"
)

// hotpotDocument and hotpotQuestion are rows of the HotpotQA fixture.
type hotpotDocument struct {
	Title     string
	Sentences []string
}

type hotpotQuestion struct {
	Question, Answer string
	Gold             []struct {
		Doc      string
		Sentence int
	}
}

// Bars of the extractive report on HotpotQA (50 questions over 994 documents):
// plain BM25 over sentences reaches .70 and .80.
const (
	barAnswer    = 0.80
	barGold      = 0.85
	mostSentence = 15
	mostWords    = 450
)

// TestHotpotQA researches every question over a folder of all documents, with
// the whole graph, and counts how often the answer and the gold sentences stand
// in the report.
func TestHotpotQA(t *testing.T) {
	documents := rows[hotpotDocument](t, "eval/hotpotqa/corpus.jsonl")
	questions := rows[hotpotQuestion](t, "eval/hotpotqa/questions.jsonl")
	folder, sentences := hotpotFolder(t, documents)
	r := newRig(t)
	var answered, spans, gold, golds, longest, words int
	for _, q := range questions {
		result := r.research(t, research.Question{Text: q.Question, Files: []string{folder}, Offline: true})
		r.check(t, result)
		quoted := quotesOf(result)
		if n := len(quoted); n > mostSentence {
			t.Errorf("%q: %d sentences, want at most %d", q.Question, n, mostSentence)
		}
		n := len(strings.Fields(result.Report))
		if n > mostWords {
			t.Errorf("%q: the report has %d words, want at most %d:\n%s", q.Question, n, mostWords, result.Report)
		}
		longest, words = max(longest, n), words+n
		if q.Answer != "yes" && q.Answer != "no" {
			spans++
			if strings.Contains(text.Normalize(result.Report), text.Normalize(q.Answer)) {
				answered++
			} else {
				t.Logf("no answer: %q (%s)", q.Question, q.Answer)
			}
		}
		for _, g := range q.Gold {
			golds++
			if g.Sentence < len(sentences[g.Doc]) && contains(quoted, sentences[g.Doc][g.Sentence]) {
				gold++
			}
		}
	}
	t.Logf("HotpotQA: answer in the report %.3f (%d of %d, bar %.2f), gold sentences %.3f (%d of %d, bar %.2f), words mean %d longest %d (bar %d)",
		share(answered, spans), answered, spans, barAnswer, share(gold, golds), gold, golds, barGold, words/len(questions), longest, mostWords)
	if share(answered, spans) < barAnswer || share(gold, golds) < barGold {
		t.Error("below the bar")
	}
}

// contains reports whether one of the quotes holds the sentence, or most of it
// where the splitter cut elsewhere than the fixture.
func contains(quotes []string, sentence string) bool {
	want := text.Normalize(sentence)
	for _, q := range quotes {
		have := text.Normalize(q)
		if strings.Contains(have, want) || len(have) > len(want)/2 && strings.Contains(want, have) {
			return true
		}
	}
	return false
}
