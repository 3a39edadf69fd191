package eval

import (
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"deepresearch/citations"
	"deepresearch/examples"
	"deepresearch/internal/text"
	"deepresearch/research"
)

// demoQuestion is an entry of examples/questions.json.
type demoQuestion struct {
	Question    string   `json:"question"`
	Language    string   `json:"language"`
	MustContain []string `json:"must_contain"`
	MustCite    []string `json:"must_cite"`
}

// demoDocuments are the documents of the demo as a caller hands them in.
func demoDocuments(t *testing.T) []research.Document {
	t.Helper()
	var out []research.Document
	err := fs.WalkDir(examples.Documents, ".", func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		body, err := fs.ReadFile(examples.Documents, p)
		out = append(out, research.Document{Name: path.Base(p), Text: string(body)})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestDemoQuestions asks the questions that come with the demo: each report
// holds the facts that answer it, quoted from the documents that state them.
func TestDemoQuestions(t *testing.T) {
	raw, err := os.ReadFile("../../examples/questions.json")
	if err != nil {
		t.Fatal(err)
	}
	var questions []demoQuestion
	if err := json.Unmarshal(raw, &questions); err != nil {
		t.Fatal(err)
	}
	documents := demoDocuments(t)
	r := newRig(t)
	for _, q := range questions {
		t.Run(q.Question, func(t *testing.T) {
			result := r.research(t, research.Question{Text: q.Question, Documents: documents, Offline: true})
			r.check(t, result)
			if testing.Verbose() {
				t.Log(result.Report)
			}
			quoted := text.Normalize(strings.Join(quotesOf(result), "\n"))
			for _, want := range q.MustContain {
				if !strings.Contains(quoted, text.Normalize(want)) {
					t.Errorf("the report does not quote %q", want)
				}
			}
			for _, want := range q.MustCite {
				if !slices.ContainsFunc(result.Sources, func(s citations.Source) bool { return path.Base(strings.TrimPrefix(s.URL, "document:")) == want }) {
					t.Errorf("the report does not cite %s", want)
				}
			}
			if base, _, _ := strings.Cut(result.Language, "-"); !strings.HasPrefix(q.Language, base) {
				t.Errorf("language %q, want %q", result.Language, q.Language)
			}
		})
	}
}
