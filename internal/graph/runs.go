package graph

import (
	"context"
	"encoding/json"
	"io"
	"iter"
	"time"
)

// Runs is what front ends see of a driver. Only values that can be serialised cross it, so a driver may be remote.
type Runs interface {
	// Start makes a run durable and begins it, or finds the run that the key leads to and takes it up again. Attach
	// soon: a run that nobody holds pauses.
	Start(ctx context.Context, r Request) (Run, error)
	// Attach holds a run and takes it up again when it is paused. When ctx ends, the attachment is detached as gone.
	Attach(ctx context.Context, id string) (Attachment, error)
	// Detach ends an attachment. A run whose last attachment is gone takes no new work, lets calls in flight finish,
	// and pauses.
	Detach(ctx context.Context, a Attachment, l Leave) error
	// Answer answers an open question and takes the run up again.
	Answer(ctx context.Context, id, ask string, value json.RawMessage) error
	// Pause lets calls in flight finish and commit, and pauses the run until somebody resumes or attaches.
	Pause(ctx context.Context, id string) error
	// Cancel aborts the run, in whatever process it is. A finished run stays as it is.
	Cancel(ctx context.Context, id, reason string) error
	// Resume takes up a run without attaching, one that failed or was cancelled included, for the linger time.
	Resume(ctx context.Context, id string) error
}

// Reader is how front ends look at runs.
type Reader interface {
	Get(ctx context.Context, id string) (Run, error)
	// Wait returns when the run is at rest (any status but running), or with the context's error and what is known.
	Wait(ctx context.Context, id string) (Run, error)
	// Tail yields the events after a number as they come, until the run is at rest.
	Tail(ctx context.Context, id string, after int64) iter.Seq2[Event, error]
}

// Request asks for a run.
type Request struct {
	Graph  string          `json:"graph"`
	Key    string          `json:"key"` // the same key of the same caller leads to the same run; empty is a new run
	Caller string          `json:"caller,omitempty"`
	Title  string          `json:"title,omitempty"` // for lists
	Input  json.RawMessage `json:"input"`           // the first state
	Budget Budget          `json:"budget,omitzero"`
	Reuse  Reuse           `json:"reuse,omitzero"`
}

// Status of a run.
type Status string

// All but running are at rest; done, failed and cancelled are ends, though a failed or cancelled run can be resumed.
const (
	StatusRunning   Status = "running"
	StatusWaiting   Status = "waiting" // for an answer
	StatusPaused    Status = "paused"
	StatusDone      Status = "done"
	StatusFailed    Status = "failed"
	StatusCancelled Status = "cancelled"
)

// Reasons why a run is paused.
const (
	PausedRequested  = "requested"
	PausedDetached   = "detached"    // nobody holds it any more
	PausedShutdown   = "shutdown"    // its process ended in order
	PausedLost       = "lost"        // its process died
	PausedAskExpired = "ask_expired" // attach to be asked again
	PausedStore      = "store"       // the store refused a write; the detail follows
)

// Run is a run as seen from outside.
type Run struct {
	ID      string          `json:"id"`
	Graph   string          `json:"graph"`
	Version string          `json:"version"`
	Key     string          `json:"key,omitempty"`
	Caller  string          `json:"caller,omitempty"`
	Title   string          `json:"title,omitempty"`
	Status  Status          `json:"status"`
	Reason  string          `json:"reason,omitempty"` // done: the budget that was spent, if any; else why
	Budget  Budget          `json:"budget,omitzero"`
	Usage   Usage           `json:"usage,omitzero"`
	Asks    []Question      `json:"asks,omitempty"`
	Created time.Time       `json:"created"`
	Updated time.Time       `json:"updated"`
	Owned   bool            `json:"owned,omitempty"` // a live process works on it
	State   json.RawMessage `json:"state,omitempty"` // the newest saved state; not in lists
}

// Question waits for an answer.
type Question struct {
	ID      string          `json:"id"`
	Node    string          `json:"node"`
	Payload json.RawMessage `json:"payload"`
	Expires time.Time       `json:"expires,omitzero"` // zero: never
	Default json.RawMessage `json:"default,omitempty"`
	Answer  json.RawMessage `json:"answer,omitempty"`
}

// settled reports whether the branch that asked can go on.
func (q Question) settled(now time.Time) bool {
	return q.Answer != nil || (q.Default != nil && q.expired(now))
}

func (q Question) expired(now time.Time) bool { return !q.Expires.IsZero() && !now.Before(q.Expires) }

// Attachment is a call that holds a run.
type Attachment struct {
	ID  string `json:"id"`
	Run string `json:"run"`
}

// Leave says how an attachment ends.
type Leave string

// A caller that is gone only detaches; one that was told its next call has the run work on for the linger time.
const (
	LeaveGone Leave = "gone"
	LeaveNext Leave = "next"
)

// WriteTrace writes events as JSON lines.
func WriteTrace(w io.Writer, events iter.Seq2[Event, error]) error {
	enc := json.NewEncoder(w)
	for e, err := range events {
		if err != nil {
			return err
		}
		if err := enc.Encode(e); err != nil {
			return err
		}
	}
	return nil
}
