package llm

import (
	"fmt"
	"sync"
	"time"
)

// The breaker of a model opens after so many failures within the window, and
// lets one request through after the pause.
const (
	breakerFailures = 5
	breakerWindow   = 60 * time.Second
	breakerPause    = 30 * time.Second

	// codeOpen marks the error of an open breaker, which no retry helps.
	codeOpen = "breaker_open"
)

// breaker keeps requests from a model that fails again and again. Waits for a
// rate limit are no failures. The zero value is closed.
type breaker struct {
	mu       sync.Mutex
	failures []time.Time // the newest ones, while closed
	open     time.Time   // since when; zero while closed
	probing  bool
}

// enter returns an error while the breaker is open, else a function to be called
// with the outcome.
func (b *breaker) enter(model string, now time.Time) (done func(err error, now time.Time), err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open.IsZero() {
		return b.done, nil
	}
	if left := breakerPause - now.Sub(b.open); left > 0 || b.probing {
		return nil, &Error{Kind: Overloaded, Model: model, Code: codeOpen, RetryAfter: max(left, 0),
			Message: fmt.Sprintf("it failed %d times within a minute and is left alone for a while", breakerFailures),
			Hint:    "Try again in half a minute, or name another model."}
	}
	b.probing = true
	return b.done, nil
}

func (b *breaker) done(err error, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	kind := KindOf(err)
	probe := b.probing
	b.probing = false
	switch {
	case kind != Overloaded && kind != Network:
		if err == nil {
			b.failures, b.open = b.failures[:0], time.Time{}
		}
		return
	case probe:
		b.open = now
		return
	}
	b.failures = append(b.failures, now)
	if len(b.failures) > breakerFailures {
		b.failures = b.failures[1:]
	}
	if len(b.failures) == breakerFailures && now.Sub(b.failures[0]) <= breakerWindow {
		b.failures, b.open = b.failures[:0], now
	}
}
