package research

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"deepresearch/citations"
	"deepresearch/crawl"
	"deepresearch/internal/graph"
	"deepresearch/internal/library"
	"deepresearch/internal/search"
)

// recordFormat names the form of a record and its version.
const recordFormat = "deepresearch-replay/1"

// maxRecord is the longest record that is read, in bytes.
const maxRecord = 512 << 20

// Record is a finished run with all that it was told: enough to run it again
// without network, models and the user's files, to the same report. Texts of
// private documents are in it. [Engine.Record] makes one, [ReadRecord] reads it
// and [NewReplay] runs it.
type Record struct {
	Format   string            `json:"format"`
	Graph    string            `json:"graph"` // version of the research graph
	RunID    string            `json:"run_id"`
	Question Question          `json:"question"`
	Asked    []string          `json:"asked,omitempty"` // queries of the run that this one continued
	Date     string            `json:"date"`            // on which the run began, YYYY-MM-DD
	Models   bool              `json:"models"`          // the method that uses models worked
	Replay   graph.Replay      `json:"replay"`
	Texts    map[string]string `json:"texts"`  // of all pages that were read, by SHA-256
	Report   string            `json:"report"` // SHA-256 of its Markdown
	Sum      string            `json:"sha256"` // of this record in JSON with an empty sum
}

// sum is the SHA-256 of the record without its own.
func (r Record) sum() (string, error) {
	r.Sum = ""
	body, err := json.Marshal(r)
	if err != nil {
		return "", fmt.Errorf("summing the record: %w", err)
	}
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:]), nil
}

// Private reports whether texts of the user's own documents are in the record.
func (r Record) Private() bool { return r.Question.HasLibrary() }

// Record is what a finished run needs to be run again. A run without a report is
// an *InputError.
func (e *Engine) Record(ctx context.Context, caller, id string) (Record, error) {
	run, s, err := e.state(ctx, caller, id)
	if err != nil {
		return Record{}, err
	}
	if run.Status != graph.StatusDone || s.Report == nil || s.Report.Markdown == "" {
		return Record{}, &InputError{"run_id", fmt.Sprintf("run %s has no report", id), "wait until its status is done"}
	}
	r := Record{
		Format: recordFormat, Graph: run.Version, RunID: id, Question: s.Question, Date: s.Analysis.Date,
		Texts: map[string]string{}, Report: citations.Hash(s.Report.Markdown),
	}
	r.Question.Clarified = "" // the run comes to it by itself
	if s.Before != nil {
		r.Asked = s.Before.Asked
	}
	if r.Replay, err = e.replay(ctx, id); err != nil {
		return Record{}, err
	}
	for _, c := range r.Replay.Calls {
		r.Models = r.Models || c.Kind == "model"
	}
	for _, p := range s.Pages {
		if r.Texts[p.Source.SHA256], err = e.ports.Archive.Text(ctx, p.Source.SHA256); err != nil {
			return Record{}, fmt.Errorf("recording run %s: the text of %s: %w", id, p.Source.Name(), err)
		}
	}
	r.Sum, err = r.sum()
	return r, err
}

// replay reads the calls of a run and how it landed.
func (e *Engine) replay(ctx context.Context, id string) (graph.Replay, error) {
	calls, err := e.store.Calls(ctx, id)
	if err != nil {
		return graph.Replay{}, fmt.Errorf("reading the calls of run %s: %w", id, err)
	}
	var events []graph.Event
	for event, err := range e.local.Tail(ctx, id, 0) {
		if err != nil {
			return graph.Replay{}, fmt.Errorf("reading the trace of run %s: %w", id, err)
		}
		events = append(events, event)
	}
	return graph.ReplayOf(calls, events), nil
}

// ReadRecord reads a record and refuses, as an *InputError, one that was changed
// or that another version wrote.
func ReadRecord(in io.Reader) (Record, error) {
	refuse := func(reason, fix string) (Record, error) { return Record{}, &InputError{"replay", reason, fix} }
	body, err := io.ReadAll(io.LimitReader(in, maxRecord+1))
	if err != nil {
		return Record{}, fmt.Errorf("reading the record: %w", err)
	}
	var r Record
	switch err := json.Unmarshal(body, &r); {
	case len(body) > maxRecord:
		return refuse("the file is longer than 512 MiB", "name a file of mcp-server runs export --format replay")
	case err != nil || !strings.HasPrefix(r.Format, "deepresearch-replay/"):
		return refuse("the file is no replay record", "name a file of mcp-server runs export --format replay")
	case r.Format != recordFormat || r.Graph != graphVersion:
		return refuse(fmt.Sprintf("the record is of form %s and graph version %s, this build replays %s and %s", r.Format, r.Graph, recordFormat, graphVersion), "replay it with the build that wrote it")
	}
	sum, err := r.sum()
	if err != nil {
		return Record{}, err
	}
	if sum != r.Sum {
		return refuse("the record was changed after it was written", "export the run again")
	}
	for sha, text := range r.Texts {
		if citations.Hash(text) != sha {
			return refuse(fmt.Sprintf("the text %.12s of the record is not what was archived", sha), "export the run again")
		}
	}
	return r, nil
}

// Day is the day of the recorded run, at its beginning.
func (r Record) Day() time.Time {
	day, _ := time.Parse(time.DateOnly, r.Date) // its sum was checked
	return day
}

// Archive gives the texts of the record.
func (r Record) Archive() Archive { return recordArchive(r.Texts) }

// NewReplay returns an engine that runs the record and nothing else: it reaches
// neither network nor files. The method must be the one that the recorded run
// had, over [Record.Archive], with models that need not answer.
func NewReplay(r Record, m Method, store graph.Store) (*Engine, error) {
	return open(Ports{Method: m, Searcher: nothing{}, Reader: nothing{}, Archive: r.Archive(), Libraries: nothing{}, Now: r.Day}, store, &r.Replay)
}

// Replay runs the record of an engine of [NewReplay]. It is an error when a call
// is not in the record or another report comes out.
func (e *Engine) Replay(ctx context.Context, r Record) (Result, error) {
	s := State{Question: r.Question}
	if r.Question.ContinueFrom != "" {
		s.Before = &Before{Asked: r.Asked}
	}
	input, err := json.Marshal(s)
	if err != nil {
		return Result{}, fmt.Errorf("replaying run %s: %w", r.RunID, err)
	}
	run, err := e.local.Start(ctx, graph.Request{Graph: graphName, Title: cut(oneLine(r.Question.Text), 200), Input: input, Budget: r.Question.Limits.budget()})
	if err != nil {
		return Result{}, fmt.Errorf("replaying run %s: %w", r.RunID, err)
	}
	result, err := e.Follow(ctx, "", run.ID, 0, nil)
	switch {
	case err != nil:
		return Result{}, err
	case result.Status == Failed:
		return result, fmt.Errorf("replaying run %s: %s", r.RunID, result.Warnings[len(result.Warnings)-1])
	case citations.Hash(result.Report) != r.Report:
		return result, fmt.Errorf("replaying run %s: another report came out than the recorded one: replay it with the build that wrote it", r.RunID)
	}
	return result, nil
}

// errNothing is what the ports of a replay answer.
var errNothing = errors.New("a replay asks nothing of the world")

// nothing are the ports of a replay: all that they could give is in the record.
type nothing struct{}

func (nothing) Search(context.Context, search.Query, []string) (search.Answer, error) {
	return search.Answer{}, errNothing
}

func (nothing) Read(_ context.Context, r crawl.Request) crawl.Page {
	return crawl.Page{URL: r.URL, Outcome: crawl.Failed, Hint: errNothing.Error()}
}

func (nothing) Open(context.Context, library.Request) (*library.Library, error) {
	return nil, errNothing
}

// recordArchive holds texts by their SHA-256 and takes none.
type recordArchive map[string]string

func (recordArchive) Put(context.Context, string, string) (string, error) { return "", errNothing }

func (a recordArchive) Text(_ context.Context, sha256 string) (string, error) {
	text, ok := a[sha256]
	if !ok {
		return "", fmt.Errorf("the record has no text %s", sha256)
	}
	return text, nil
}
