package research

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"deepresearch/internal/graph"
	"deepresearch/internal/library"
)

// ErrNoRun is returned for a run that does not exist or belongs to another
// caller.
var ErrNoRun = errors.New("there is no such run")

// How long a run can be found again by asking the same.
const (
	reuseUnfinished = 24 * time.Hour
	reuseDone       = 10 * time.Minute
)

// Engine runs research. It is safe for concurrent use. Close it to pause its
// runs in order.
type Engine struct {
	ports Ports
	store graph.Store
	local *graph.Local
}

// New returns an engine over its ports that keeps its runs in store.
func New(ports Ports, store graph.Store) (*Engine, error) { return open(ports, store, nil) }

// open returns an engine that answers calls from a record, unless that is nil.
func open(ports Ports, store graph.Store, replay *graph.Replay) (*Engine, error) {
	if ports.Now == nil {
		ports.Now = time.Now
	}
	g, err := newGraph(nodes{Ports: ports, replays: replay != nil})
	if err != nil {
		return nil, fmt.Errorf("building the research graph: %w", err)
	}
	// A state is saved with every step, so that a caller who looks at a running
	// run sees what it knows. A run has about ten steps.
	local, err := graph.NewLocal(graph.Options{Store: store, Snapshot: 1, Replay: replay}, g)
	if err != nil {
		return nil, fmt.Errorf("starting the graph runner: %w", err)
	}
	return &Engine{ports: ports, store: store, local: local}, nil
}

// Close pauses all runs of this process. Calls in flight may finish until ctx
// ends.
func (e *Engine) Close(ctx context.Context) error { return e.local.Close(ctx) }

// Start makes a run durable and begins it, and returns its id. The same caller
// asking the same again gets the id of the unfinished run of the last 24 hours
// or of the finished one of the last 10 minutes, unless fresh is set. Mistakes
// in the question are an *InputError. Nobody holds the run yet: call Follow
// soon, or it pauses.
func (e *Engine) Start(ctx context.Context, caller string, q Question, fresh bool) (string, error) {
	if err := e.affordable(q); err != nil {
		return "", err
	}
	q, err := e.withPlan(ctx, q)
	if err != nil {
		return "", err
	}
	if q, err = q.Normalize(); err != nil {
		return "", err
	}
	q, before, err := e.before(ctx, caller, q)
	if err != nil {
		return "", err
	}
	fingerprint, err := e.fingerprint(ctx, q)
	if err != nil {
		return "", err
	}
	input, err := json.Marshal(State{Question: q, Before: before})
	if err != nil {
		return "", fmt.Errorf("starting a run: %w", err)
	}
	run, err := e.local.Start(ctx, graph.Request{
		Graph: graphName, Key: runKey(caller, q, fingerprint), Caller: caller, Title: cut(oneLine(q.Text), 200),
		Input: input, Budget: q.Limits.budget(),
		Reuse: graph.Reuse{Unfinished: reuseUnfinished, Done: reuseDone, Never: fresh},
	})
	if err != nil {
		return "", err
	}
	return run.ID, nil
}

// fingerprint of the user's documents, so that a changed file is another
// question.
func (e *Engine) fingerprint(ctx context.Context, q Question) (string, error) {
	if !q.HasLibrary() {
		return "", nil
	}
	lib, err := OpenFor(ctx, e.ports.Libraries, q)
	if bad := (*library.PathError)(nil); errors.As(err, &bad) {
		return "", &InputError{"files", bad.Error(), "name a readable file, or a folder with text, Markdown or HTML documents"}
	}
	if errors.Is(err, library.ErrNoLibrary) {
		return "", &InputError{"libraries", err.Error(), "library list shows those there are, library add makes one"}
	}
	if err != nil {
		return "", fmt.Errorf("reading the documents: %w", err)
	}
	return lib.Fingerprint(), nil
}

func runKey(caller string, q Question, fingerprint string) string {
	body, _ := json.Marshal(q) // a struct of strings and numbers
	sum := sha256.Sum256([]byte(caller + "\x00" + fingerprint + "\x00" + string(body)))
	return hex.EncodeToString(sum[:])
}

func (l Limits) budget() graph.Budget {
	return graph.Budget{
		Seconds: float64(l.Seconds), Calls: int64(l.Calls), Searches: int64(l.Searches), Pages: int64(l.Pages),
		Tokens: int64(l.Tokens), CostMicros: int64(l.Cost * 1e6),
	}
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// run finds a run that the caller may see. The empty caller sees all.
func (e *Engine) run(ctx context.Context, caller, id string) (graph.Run, error) {
	r, err := e.local.Get(ctx, id)
	if errors.Is(err, graph.ErrNotFound) || err == nil && caller != "" && r.Caller != caller {
		return graph.Run{}, fmt.Errorf("%w: %q", ErrNoRun, id)
	}
	return r, err
}

// Follow attaches to a run, which takes it up again if it was paused, and
// reports its progress to tell until it is at rest or wait is over; wait 0
// means until it is at rest. When wait is over the run works on for 15 minutes.
// When ctx ends the call only detaches and returns the context's cause.
func (e *Engine) Follow(ctx context.Context, caller, id string, wait time.Duration, tell func(Progress)) (Result, error) {
	run, err := e.run(ctx, caller, id)
	if err != nil {
		return Result{}, err
	}
	if !ended(run.Status) {
		if err := e.follow(ctx, run, wait, tell); err != nil {
			return Result{}, err
		}
	}
	return e.Result(ctx, caller, id)
}

func ended(s graph.Status) bool {
	return s == graph.StatusDone || s == graph.StatusFailed || s == graph.StatusCancelled
}

func (e *Engine) follow(ctx context.Context, run graph.Run, wait time.Duration, tell func(Progress)) error {
	a, err := e.local.Attach(ctx, run.ID)
	if err != nil {
		return err
	}
	waiting, stop := ctx, context.CancelFunc(func() {})
	if wait > 0 {
		waiting, stop = context.WithTimeout(ctx, wait)
	}
	defer stop()
	for event, err := range e.local.Tail(waiting, run.ID, 0) {
		if err != nil {
			break
		}
		if p, ok := progressOf(event); ok && tell != nil && event.Time.After(run.Updated.Add(-time.Second)) {
			tell(p)
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx) // the attachment is detached by its context
	}
	leave := graph.LeaveGone
	if waiting.Err() != nil {
		leave = graph.LeaveNext
	}
	return e.local.Detach(ctx, a, leave)
}

// progressOf reads a progress line out of an event.
func progressOf(event graph.Event) (Progress, bool) {
	var p Progress
	if event.Kind != graph.EventNote || json.Unmarshal(event.Body, &p) != nil || p.Text == "" {
		return p, false
	}
	return p, true
}

// Result is what a run has come to so far, without attaching to it.
func (e *Engine) Result(ctx context.Context, caller, id string) (Result, error) {
	run, s, err := e.state(ctx, caller, id)
	if err != nil {
		return Result{}, err
	}
	r := resultOf(run, s)
	r.Estimate = e.estimate(s.Question, s.Analysis)
	if !r.Status.Ended() {
		r.Found = e.found(ctx, s)
	}
	if r.Status == Done {
		if r.ReportFile, err = e.ports.Files.keep(id, s); err != nil {
			r.Warnings = append(r.Warnings, "the HTML of the report was not saved: "+err.Error())
		}
	}
	return r, nil
}

// state is a run that the caller may see, and its newest saved state.
func (e *Engine) state(ctx context.Context, caller, id string) (graph.Run, State, error) {
	run, err := e.run(ctx, caller, id)
	if err != nil {
		return run, State{}, err
	}
	var s State
	if len(run.State) > 0 {
		if err := json.Unmarshal(run.State, &s); err != nil {
			return run, s, fmt.Errorf("run %s: its saved state cannot be read: %w", id, err)
		}
	}
	return run, s, nil
}

// Summary is a run in a list.
type Summary struct {
	RunID      string    `json:"run_id"`
	Status     Status    `json:"status"`
	Question   string    `json:"question"`
	Effort     Effort    `json:"effort"`
	CreatedAt  time.Time `json:"created_at"`
	UpdatedAt  time.Time `json:"updated_at"`
	StopReason string    `json:"stop_reason"`
	Usage      Usage     `json:"usage"`
}

// List returns the caller's runs, the newest first, at most limit (0 is all).
func (e *Engine) List(ctx context.Context, caller string, limit int) ([]Summary, error) {
	runs, err := e.local.List(ctx, graph.Filter{Caller: caller, Limit: limit})
	if err != nil {
		return nil, fmt.Errorf("listing runs: %w", err)
	}
	out := make([]Summary, 0, len(runs))
	for _, r := range runs {
		full, err := e.Result(ctx, caller, r.ID)
		if err != nil {
			return nil, err
		}
		out = append(out, Summary{
			RunID: r.ID, Status: full.Status, Question: r.Title, Effort: full.Effort, CreatedAt: r.Created, UpdatedAt: r.Updated,
			StopReason: full.StopReason, Usage: full.Usage,
		})
	}
	return out, nil
}

// Cancel aborts a run, in whatever process it is worked on.
func (e *Engine) Cancel(ctx context.Context, caller, id, reason string) error {
	if _, err := e.run(ctx, caller, id); err != nil {
		return err
	}
	return e.local.Cancel(ctx, id, reason)
}

// Pause lets calls in flight finish and pauses the run.
func (e *Engine) Pause(ctx context.Context, caller, id string) error {
	if _, err := e.run(ctx, caller, id); err != nil {
		return err
	}
	return e.local.Pause(ctx, id)
}

// Resume takes up a run that is paused, failed or was cancelled. Follow it
// afterwards.
func (e *Engine) Resume(ctx context.Context, caller, id string) error {
	if _, err := e.run(ctx, caller, id); err != nil {
		return err
	}
	return e.local.Resume(ctx, id)
}

// Delete removes a run with all it stored that no other run cites.
func (e *Engine) Delete(ctx context.Context, caller, id string) error {
	if _, err := e.run(ctx, caller, id); err != nil {
		return err
	}
	if err := e.store.Delete(ctx, id); err != nil {
		return fmt.Errorf("deleting run %s: %w", id, err)
	}
	return e.ports.Files.drop(id)
}

// Source returns the archived text of source n of a run, byte for byte.
func (e *Engine) Source(ctx context.Context, caller, id string, n int) (string, error) {
	r, err := e.Result(ctx, caller, id)
	if err != nil {
		return "", err
	}
	if n < 1 || n > len(r.Sources) {
		return "", &InputError{"source", fmt.Sprintf("run %s has no source %d", id, n), fmt.Sprintf("give a number from 1 to %d", len(r.Sources))}
	}
	return e.ports.Archive.Text(ctx, r.Sources[n-1].SHA256)
}
