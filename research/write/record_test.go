package write_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"deepresearch/internal/graph/mem"
	"deepresearch/internal/library"
	"deepresearch/internal/llm"
	"deepresearch/research"
	"deepresearch/research/extract"
	"deepresearch/research/write"
)

// silent is a model that nobody must ask.
type silent struct{ t *testing.T }

func (s silent) Generate(context.Context, llm.Request) (llm.Reply, error) {
	s.t.Error("a replay asked a model")
	return llm.Reply{}, errors.New("silent")
}

// TestReplayAsksNoModel: the same report comes out of the record alone, also
// where the budget refused calls at prices that the replay does not know.
func TestReplayAsksNoModel(t *testing.T) {
	for _, c := range []struct {
		name   string
		limits research.Limits
		prices bool
	}{
		{"plain", research.Limits{}, false},
		{"few calls", research.Limits{Calls: 6}, false},
		{"little money", research.Limits{Cost: 0.05}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, setup{prices: c.prices})
			want := r.ask(t, research.Question{Text: "How long is the Varn Bridge and what did it cost?", Effort: research.Standard, Limits: c.limits})
			r.replayed(t, want)
		})
	}
}

// replayed runs the record of a run without models and expects the same. The
// method can compute as that of the run could.
func (r rig) replayed(t *testing.T, want research.Result) {
	t.Helper()
	rec, err := r.Record(t.Context(), "test", want.RunID)
	if err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(rec)
	if err != nil {
		t.Fatal(err)
	}
	if rec, err = research.ReadRecord(bytes.NewReader(body)); err != nil {
		t.Fatal(err)
	}
	var sandbox write.Sandbox
	if r.setup.sandbox != nil {
		sandbox = broken{errors.New("a replay ran a program")}
	}
	method := write.New(write.Options{Models: silent{t}, Extract: extract.New(rec.Archive(), &library.Cache{}), Archive: rec.Archive(), Now: rec.Day, Sandbox: sandbox})
	e, err := research.NewReplay(rec, method, mem.New())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Close(context.Background()) }()
	got, err := e.Replay(t.Context(), rec)
	if err != nil {
		t.Fatal(err)
	}
	for _, diff := range []string{cmp.Diff(want.Report, got.Report), cmp.Diff(want.Claims, got.Claims), cmp.Diff(want.Sources, got.Sources), cmp.Diff(want.Plan, got.Plan)} {
		if diff != "" {
			t.Error(diff)
		}
	}
}
