package llm

import (
	"errors"
	"fmt"
	"time"
)

// Kind is what went wrong, as far as it matters to what happens next.
type Kind string

// The kinds of failure, and who does what about them.
const (
	Auth           Kind = "auth"             // the key is missing, wrong or not allowed: a person sets it
	Quota          Kind = "quota"            // a day's quota, the credit or a spend limit is used up: another model
	Rate           Kind = "rate"             // too many requests: the same later
	Overloaded     Kind = "overloaded"       // the server is busy or broken: the same soon
	Timeout        Kind = "timeout"          // no answer in time: once more
	Network        Kind = "network"          // the connection broke, or what came back is no answer: the same soon
	Unreachable    Kind = "unreachable"      // nothing listens there: a person starts the server
	Denied         Kind = "denied"           // our own rules for addresses forbid the server: a person changes them
	NotFound       Kind = "not_found"        // there is no such model: a person names another
	BadRequest     Kind = "bad_request"      // the server does not take the request: another model
	ContextTooLong Kind = "context_too_long" // the caller shortens the input
	Blocked        Kind = "blocked"          // a filter or the model itself refuses: the caller changes the input
	Empty          Kind = "empty"            // no text came back, twice
	BrokenOutput   Kind = "broken_output"    // no JSON of the schema could be read, and there is no fallback
	Spent          Kind = "spent"            // our own budget is used up
)

// Error is the failure of a call. No text in it holds a key; it wraps no other
// error, because libraries put addresses and keys into theirs.
type Error struct {
	Kind    Kind   `json:"kind"`
	Model   string `json:"model,omitempty"`  // back end:name
	Status  int    `json:"status,omitempty"` // of HTTP; 0 when there was none
	Code    string `json:"code,omitempty"`   // the server's own word for it
	Message string `json:"message"`          // the fact, a clause without a full stop
	Hint    string `json:"hint,omitempty"`   // what a person or a model can do, a sentence
	// RetryAfter is how long the server asked to wait; 0 when it did not say.
	RetryAfter time.Duration `json:"retry_after,omitempty"`
}

func (e *Error) Error() string {
	if e.Model == "" {
		return e.Message
	}
	return fmt.Sprintf("model %s: %s", e.Model, e.Message)
}

// KindOf is the kind of the *Error in err, or "".
func KindOf(err error) Kind {
	if e := (*Error)(nil); errors.As(err, &e) {
		return e.Kind
	}
	return ""
}
