package graph

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Errors of a store, matched with errors.Is.
var (
	ErrNotFound = errors.New("no such run")
	ErrOwned    = errors.New("the run is worked on by another live process")
	ErrDone     = errors.New("the run is done")
	ErrFenced   = errors.New("the run was taken over by another process")
)

// VersionError refuses a run that was saved by another version of its graph.
type VersionError struct{ Run, Graph, Saved, Have string }

func (e *VersionError) Error() string {
	return fmt.Sprintf("run %s was saved by version %s of graph %s and this program has version %s: finish it with the program that began it, or start a new run",
		e.Run, e.Saved, e.Graph, e.Have)
}

// Store keeps runs. Every method is safe for use by several goroutines and, where the store is a file, processes.
// What a method has returned without error is durable.
type Store interface {
	Catalogue
	Journal
	Mailbox
}

// Catalogue is what is known of runs from outside.
type Catalogue interface {
	// Create saves a new run with its first step, or returns the newest run of the same key and caller that may be used
	// again, and whether it is new.
	Create(ctx context.Context, r Run, first StepRow, reuse Reuse) (Run, bool, error)
	Get(ctx context.Context, id string) (Run, error)
	// List returns runs, the newest first.
	List(ctx context.Context, f Filter) ([]Run, error)
	// Events returns up to limit events numbered above after, in order.
	Events(ctx context.Context, id string, after int64, limit int) ([]Event, error)
	// Calls returns every call that a run made, in branch order.
	Calls(ctx context.Context, id string) ([]CallRow, error)
	// Delete removes all of a run. ErrOwned while somebody works on it.
	Delete(ctx context.Context, id string) error
}

// Journal is what the one owner of a run reads and writes.
type Journal interface {
	// Claim makes the caller the owner under a new fence, at once when the last owner has died. ErrOwned while another
	// lives, ErrDone when there is nothing left to do.
	Claim(ctx context.Context, id string) (Lease, error)
	Load(ctx context.Context, id string) (Saved, error)
	// Commit writes a batch wholly or not at all. ErrFenced when the lease is no longer the newest.
	Commit(ctx context.Context, l Lease, b Batch) error
}

// Mailbox carries what others want of a run to its owner.
type Mailbox interface {
	Post(ctx context.Context, id string, m Message) error
	// Inbox returns what is posted for each of the runs.
	Inbox(ctx context.Context, ids ...string) (map[string]Inbox, error)
}

// Reuse bounds the age of a run that a key leads back to. 0 is any age; failed and cancelled runs are never reused.
type Reuse struct {
	Unfinished time.Duration `json:"unfinished,omitempty"` // since it was created
	Done       time.Duration `json:"done,omitempty"`       // since it was last updated
	Never      bool          `json:"never,omitempty"`
}

// Allows reports whether a run may be used again at a time.
func (u Reuse) Allows(r Run, now time.Time) bool {
	young := func(t time.Time, most time.Duration) bool { return most == 0 || now.Sub(t) <= most }
	switch {
	case u.Never || r.Status == StatusFailed || r.Status == StatusCancelled:
		return false
	case r.Status == StatusDone:
		return young(r.Updated, u.Done)
	default:
		return young(r.Created, u.Unfinished)
	}
}

// Filter selects runs; zero fields select all.
type Filter struct {
	Caller string
	Limit  int
}

// Lease is the right to write a run until somebody claims it anew.
type Lease struct {
	Run   string
	Fence int64
}

// Batch is what is written together. Usage replaces the run's running total.
type Batch struct {
	Usage    Usage
	Calls    []CallRow
	Branches []BranchRow
	Step     *StepRow
	Events   []Event
	Status   *StatusRow // gives the lease back
	Version  string     // not empty: the run was migrated to this version of its graph
}

// CallKey names a call within its run: the same call of the same branch has the same key when the branch runs again.
type CallKey struct {
	Step, Index int
	Hash        string // of kind and request
	Occurrence  int    // of this hash in the branch
}

// CallRow is one call: reserved, then settled. The rows are the usage ledger and the replay record.
type CallRow struct {
	CallKey
	Try     int // a failed call is made again under the next try
	Kind    string
	Request json.RawMessage
	State   CallState
	Usage   Usage // reserved, until it is settled
	Result  json.RawMessage
	Err     string
	At      time.Time
	Seconds float64 // how long it took
}

// CallState is what became of a call.
type CallState string

// A reserved call that nobody settled counts as spent in full.
const (
	CallReserved CallState = "reserved"
	CallDone     CallState = "done"
	CallFailed   CallState = "failed"
)

// BranchRow is a finished branch: its [Result] in JSON.
type BranchRow struct {
	Step, Index int
	Result      json.RawMessage
}

// StepRow is the frontier after a step; now and then with the state, which supersedes the states before it.
type StepRow struct {
	Step     int
	Frontier json.RawMessage
	State    json.RawMessage // nil: the last state and the branches since then
}

// StatusRow ends a drive.
type StatusRow struct {
	Status Status
	Reason string
	Asks   []Question
}

// Event is one line of a run's log, numbered from 1 without gaps.
type Event struct {
	Seq   int64           `json:"seq"`
	Time  time.Time       `json:"time"`
	Step  int             `json:"step"`
	Index int             `json:"index"`
	Node  string          `json:"node,omitempty"`
	Kind  string          `json:"kind"` // the kinds below
	Body  json.RawMessage `json:"body,omitempty"`
}

// Kinds of events.
const (
	EventRun    = "run"    // body {status, reason}: the run begins or comes to rest
	EventStep   = "step"   // body {node: branches}: a step begins
	EventBranch = "branch" // body {seconds, usage, skipped, err}: a branch has ended
	EventRetry  = "retry"  // body {attempt, err}: an attempt failed and another follows
	EventLand   = "land"   // body {spent}: a budget is spent, the landing begins
	EventOver   = "over"   // body {kind, reserved, used}: a call spent more than it had reserved
	EventNote   = "note"   // body as a node gave it to Emit
)

// Saved is all that the owner of a run needs to go on.
type Saved struct {
	Run      Run
	Frontier json.RawMessage // of the newest step
	Step     int
	State    json.RawMessage // after step StateStep
	At       int             // StateStep
	Branches []BranchRow     // of step At and later, in order
	Calls    []CallRow       // of the newest step
	Events   int64           // how many there are
}

// Message is posted to a run by anybody; nil and zero parts say nothing.
type Message struct {
	Hold    *Hold
	Command Command
	Reason  string // of a cancel
	Answer  *Answer
}

// Hold keeps a run working until a time; a time in the past lets go.
type Hold struct {
	ID    string
	Until time.Time
}

// Answer is the answer to a question. The first one counts.
type Answer struct {
	ID    string
	Value json.RawMessage
}

// Command is what a run is told to do. A status batch clears it.
type Command string

// Cancel is never overridden; resume takes back a pause.
const (
	CommandPause  Command = "pause"
	CommandCancel Command = "cancel"
	CommandResume Command = "resume"
)

// Inbox is what is posted for a run.
type Inbox struct {
	Held    time.Time // the latest end of a hold
	Command Command
	Reason  string
}
