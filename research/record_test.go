package research_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"deepresearch/internal/graph/mem"
	"deepresearch/internal/library"
	"deepresearch/research"
	"deepresearch/research/extract"
)

// record exports a run and returns the file.
func (r rig) record(t *testing.T, id string) []byte {
	t.Helper()
	rec, err := r.Record(t.Context(), "test", id)
	if err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(rec)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// replay runs a record where nothing else is.
func replay(t *testing.T, body []byte) (research.Result, error) {
	t.Helper()
	rec, err := research.ReadRecord(bytes.NewReader(body))
	if err != nil {
		return research.Result{}, err
	}
	e, err := research.NewReplay(rec, extract.New(rec.Archive(), &library.Cache{}), mem.New())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Close(context.Background()) }()
	return e.Replay(t.Context(), rec)
}

// same compares all that a reader sees of two runs.
func same(t *testing.T, want, got research.Result) {
	t.Helper()
	for _, r := range []*research.Result{&want, &got} {
		r.RunID, r.ReportFile, r.Usage.Seconds = "", "", 0
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestReplay(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"bridge.md": "# Varn Bridge\n\nThe Varn Bridge was opened in 1931. Its engineer was Maren Holt.",
		"holt.md":   "# Maren Holt\n\nMaren Holt was born in 1889 in the village of Sandvik.",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	down := bridges()
	down.down = true
	for _, c := range []struct {
		name string
		web  *web
		q    research.Question
	}{
		{"the web", bridges(), research.Question{Text: "Where was the engineer of the Varn Bridge born?"}},
		{"few searches and pages", bridges(), research.Question{Text: "Where was the engineer of the Varn Bridge born?", Limits: research.Limits{Searches: 2, Pages: 2}}},
		{"files", bridges(), research.Question{Text: "Where was the engineer of the Varn Bridge born?", Files: []string{dir}, Offline: true}},
		{"files, the engines fail", down, research.Question{Text: "Where was the engineer of the Varn Bridge born?", Files: []string{dir}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, c.web)
			want := r.ask(t, c.q)
			if want.Report == "" {
				t.Fatalf("no report: %q", want.Warnings)
			}
			body := r.record(t, want.RunID)
			if len(c.q.Files) > 0 { // the record needs none of them
				kept := c.q.Files[0]
				if err := os.Rename(kept, kept+"-away"); err != nil {
					t.Fatal(err)
				}
				defer func() { _ = os.Rename(kept+"-away", kept) }()
			}
			got, err := replay(t, body)
			if err != nil {
				t.Fatal(err)
			}
			same(t, want, got)
		})
	}
}

func TestReplayContinuedRun(t *testing.T) {
	r := newRig(t, bridges())
	first := r.ask(t, research.Question{Text: "When was the Varn Bridge opened?"})
	want := r.ask(t, research.Question{Text: "Where was its engineer born?", ContinueFrom: first.RunID})
	got, err := replay(t, r.record(t, want.RunID))
	if err != nil {
		t.Fatal(err)
	}
	same(t, want, got)
}

func TestChangedRecordsAreRefused(t *testing.T) {
	r := newRig(t, bridges())
	body := string(r.record(t, r.ask(t, research.Question{Text: "When was the Varn Bridge opened?"}).RunID))
	for _, c := range []struct{ name, body, want string }{
		{"another figure", strings.Replace(body, "1931", "1932", 1), "changed after it was written"},
		{"another version", strings.Replace(body, `"graph":"`, `"graph":"x`, 1), "replay it with the build that wrote it"},
		{"cut off", body[:len(body)/2], "no replay record"},
		{"another file", "{}", "no replay record"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := replay(t, []byte(c.body))
			bad := (*research.InputError)(nil)
			if !errors.As(err, &bad) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want an InputError with %q", err, c.want)
			}
		})
	}
}

func TestRecordNeedsAReport(t *testing.T) {
	w := bridges()
	w.down = true
	r := newRig(t, w)
	got := r.ask(t, research.Question{Text: "When was the Varn Bridge opened?"})
	if _, err := r.Record(t.Context(), "test", got.RunID); err == nil || !strings.Contains(err.Error(), "has no report") {
		t.Errorf("error %v", err)
	}
}
