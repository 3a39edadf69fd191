package search

import (
	"errors"
	"strings"
	"time"
)

// Kind says what went wrong with an engine; callers decide by it.
type Kind string

// The kinds of failure.
const (
	// Auth: the key is missing, wrong or not allowed to search.
	Auth Kind = "auth"
	// Quota: the plan is used up; waiting minutes does not help.
	Quota Kind = "quota"
	// Rate: too many requests for now.
	Rate Kind = "rate"
	// Blocked: the engine takes us for a robot or refuses this network.
	Blocked Kind = "blocked"
	// BadQuery: the engine refuses this query; another wording may pass.
	BadQuery Kind = "bad_query"
	// Empty: the engine worked and found nothing.
	Empty Kind = "empty"
	// Degraded: the engine answered, but not from its whole index or not to
	// the question, so that nothing follows from what is missing.
	Degraded Kind = "degraded"
	// LayoutChanged: the answer is not in the shape that we can read.
	LayoutChanged Kind = "layout_changed"
	// Network: the engine was not reached or broke down.
	Network Kind = "network"
	// Timeout: the engine did not answer in time.
	Timeout Kind = "timeout"
)

// Failure is the error that engines return.
type Failure struct {
	Engine string `json:"engine"`
	Kind   Kind   `json:"kind"`
	// Message is the fact, in the engine's own words where it gave any.
	Message string `json:"message"`
	// Hint is what a person can do about it; it may be empty.
	Hint string `json:"hint,omitempty"`
	// RetryAfter is how long the engine asked us to wait; zero means it did not
	// say.
	RetryAfter time.Duration `json:"-"`
	// Cause is the error beneath, if there is one.
	Cause error `json:"-"`
}

// Error writes the failure as one sentence.
func (f *Failure) Error() string {
	parts := []string{f.Engine, string(f.Kind)}
	if f.Message != "" {
		parts = append(parts, f.Message)
	}
	return strings.Join(parts, ": ")
}

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Cause }

// AsFailure returns err as the failure of the named engine. An error that is
// no [*Failure] becomes one of kind [Timeout] or [Network]; nil stays nil.
func AsFailure(engine string, err error) *Failure {
	if err == nil {
		return nil
	}
	if f, ok := errors.AsType[*Failure](err); ok {
		if f.Engine == "" {
			named := *f
			named.Engine = engine
			return &named
		}
		return f
	}
	kind := Network
	var slow interface{ Timeout() bool }
	if errors.As(err, &slow) && slow.Timeout() {
		kind = Timeout
	}
	return &Failure{Engine: engine, Kind: kind, Message: err.Error(), Cause: err}
}
