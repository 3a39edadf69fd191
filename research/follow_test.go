package research_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"deepresearch/citations"
	"deepresearch/internal/library"
	"deepresearch/internal/store"
	storedtexts "deepresearch/internal/store/archive"
	"deepresearch/internal/store/runs"
	"deepresearch/research"
	"deepresearch/research/extract"
)

// kept is the archive of a store: what no run cites is swept.
type kept struct{ *storedtexts.Archive }

func (k kept) Put(ctx context.Context, run, text string) (string, error) {
	sha, err := k.Archive.Put(ctx, text)
	if err != nil {
		return sha, err
	}
	return sha, k.Cite(ctx, run, sha)
}

func (k kept) Text(ctx context.Context, sha string) (string, error) { return k.Get(ctx, sha) }

// newStored is a rig whose runs and texts lie in a database.
func newStored(t *testing.T, w *web) rig {
	t.Helper()
	db, err := store.Open(t.Context(), store.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	texts, libraries := kept{storedtexts.New(db)}, &library.Cache{}
	e, err := research.New(research.Ports{
		Method: extract.New(texts, libraries), Searcher: w, Reader: w, Archive: texts, Libraries: libraries,
	}, runs.New(db))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = errors.Join(e.Close(context.Background()), db.Close()) })
	return rig{Engine: e, web: w}
}

func TestFollowUpBeginsWithWhatWasRead(t *testing.T) {
	r := newStored(t, bridges())
	first := r.ask(t, research.Question{Text: "When was the Varn Bridge opened?", Effort: research.Quick})
	read, asked := slices.Clone(r.web.reads), slices.Clone(r.web.queries)
	next := r.ask(t, research.Question{Text: "And who was its engineer?", ContinueFrom: first.RunID})
	if next.Status != research.Done || !strings.Contains(next.Report, "Maren Holt") {
		t.Fatalf("status %s, report:\n%s", next.Status, next.Report)
	}
	for i, url := range r.web.reads {
		if slices.Contains(r.web.reads[:i], url) {
			t.Errorf("%s was read twice", url)
		}
	}
	if !slices.ContainsFunc(next.Sources, func(s citations.Source) bool { return slices.Contains(read, s.URL) }) {
		t.Errorf("no source of the run before is cited: %v", next.Sources)
	}
	for _, q := range r.web.queries[len(asked):] {
		if slices.Contains(asked, q) {
			t.Errorf("the query %q was sent again", q)
		}
	}
	if next.Usage.Pages != len(r.web.reads)-len(read) {
		t.Errorf("usage counts %d pages, the new run fetched %d", next.Usage.Pages, len(r.web.reads)-len(read))
	}
	if err := r.Delete(t.Context(), "test", first.RunID); err != nil {
		t.Fatal(err)
	}
	checked(t, r, next)
	third := r.ask(t, research.Question{Text: "How long is it?", ContinueFrom: next.RunID, Effort: research.Quick})
	if !strings.Contains(third.Report, "412 metres") {
		t.Errorf("a follow-up of a follow-up does not know the bridge:\n%s\nqueries %q", third.Report, r.web.queries)
	}
}

// TestSameQuestionAgainSendsNothing: all its queries were asked, so it is
// answered from what is at hand.
func TestSameQuestionAgainSendsNothing(t *testing.T) {
	r := newRig(t, bridges())
	q := research.Question{Text: "When was the Varn Bridge opened?", Effort: research.Quick}
	q.ContinueFrom = r.ask(t, q).RunID
	sent, read := len(r.web.queries), len(r.web.reads)
	again := r.ask(t, q)
	if len(r.web.queries) != sent || len(r.web.reads) != read {
		t.Errorf("%d queries and %d pages more, want none", len(r.web.queries)-sent, len(r.web.reads)-read)
	}
	if !strings.Contains(again.Report, "1931") {
		t.Errorf("the report does not answer:\n%s", again.Report)
	}
	checked(t, r, again)
}

func TestFollowUpKeepsPrivateMarks(t *testing.T) {
	note := filepath.Join(t.TempDir(), "note.md")
	body := "# Varn Bridge survey\n\nThe Varn Bridge survey of 2025 was led by Quilliam Abernathy. Quilliam Abernathy lives in Oldby.\n"
	if err := os.WriteFile(note, []byte(body), 0o600); err != nil {
		t.Fatal(err)
	}
	r := newRig(t, bridges())
	first := r.ask(t, research.Question{Text: "Who led the survey of the Varn Bridge?", Files: []string{note}})
	next := r.ask(t, research.Question{Text: "Where does the leader of the Varn Bridge survey live?", ContinueFrom: first.RunID})
	at := slices.IndexFunc(next.Sources, func(s citations.Source) bool { return strings.HasPrefix(s.URL, "file:") })
	if at < 0 || !next.Sources[at].Private {
		t.Errorf("the note is not cited as private: %+v", next.Sources)
	}
	for _, q := range r.web.queries {
		if strings.Contains(q, "Abernathy") {
			t.Errorf("the query %q tells an engine what the note says", q)
		}
	}
}

func TestFollowUpOfNoRun(t *testing.T) {
	r := newRig(t, bridges())
	mine := r.ask(t, research.Question{Text: "When was the Varn Bridge opened?", Effort: research.Quick}).RunID
	for name, try := range map[string]struct{ caller, id string }{
		"unknown":             {"test", "r_AAAAAAAAAAAAAAAAAAAA"},
		"not an id":           {"test", "../etc"},
		"of another caller's": {"someone else", mine},
	} {
		_, err := r.Start(t.Context(), try.caller, research.Question{Text: "And now?", ContinueFrom: try.id}, true)
		bad := (*research.InputError)(nil)
		if !errors.As(err, &bad) || bad.Field != "continue_from" {
			t.Errorf("%s: error %v, want an InputError on continue_from", name, err)
		}
	}
}

// TestFollowUpOffersALongPageAnew: what the question before left out of a long
// page can be quoted for the next one.
func TestFollowUpOffersALongPageAnew(t *testing.T) {
	paragraphs := []string{}
	for i := range 60 {
		paragraphs = append(paragraphs, "The Varn Bridge was opened to its traffic stage "+strings.Repeat("by ", i%3)+"by stage.")
	}
	paragraphs = append(paragraphs, "Gulls nest on the eastern pylon every single spring.")
	r := newRig(t, newWeb(map[string]string{"https://site1.example/page": page("Varn Bridge", paragraphs...)}))
	first := r.ask(t, research.Question{Text: "When was the Varn Bridge opened to traffic?", Effort: research.Quick})
	next := r.ask(t, research.Question{Text: "Which gulls nest on the pylon?", ContinueFrom: first.RunID, Effort: research.Quick})
	if !strings.Contains(next.Report, "eastern pylon") {
		t.Errorf("the sentence that the first question left out is not quoted:\n%s", next.Report)
	}
	checked(t, r, next)
}
