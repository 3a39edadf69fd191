package llm

import (
	"errors"
	"time"
)

// EventKind is what an [Event] tells.
type EventKind string

// The kinds of event.
const (
	Called   EventKind = "called"   // an attempt ended
	Waiting  EventKind = "waiting"  // the same request is sent again after Wait
	Switched EventKind = "switched" // Model failed for good, the next one of the chain is asked
)

// Event is one step of the policy, for traces and progress. It holds no prompt,
// no answer and no key.
type Event struct {
	Kind   EventKind     `json:"kind"`
	Role   Role          `json:"role,omitempty"`
	Model  string        `json:"model"`
	Start  time.Time     `json:"start,omitzero"`
	Took   time.Duration `json:"took,omitempty"`
	Wait   time.Duration `json:"wait,omitempty"`
	Usage  Usage         `json:"usage,omitzero"`
	Finish Finish        `json:"finish,omitempty"`
	Error  *Error        `json:"error,omitempty"`
	Say    string        `json:"say,omitempty"` // for progress, such as "rate limited, resuming in 36s"
}

func errorOf(err error) *Error {
	e := (*Error)(nil)
	if err == nil || errors.As(err, &e) {
		return e
	}
	return &Error{Message: "the call was given up"}
}
