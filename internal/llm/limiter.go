package llm

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Limit is what one back end may be sent in a minute; 0 is no limit.
type Limit struct {
	Requests int
	Tokens   int // input, and a quarter of the output limit
}

// limiter holds back the requests to one server: all of them while the server
// has asked for a pause, and by the configured limit. It only ever delays.
type limiter struct {
	mu       sync.Mutex
	until    time.Time
	requests *rate.Limiter // nil: no limit
	tokens   *rate.Limiter
}

func newLimiter(l Limit) *limiter {
	perMinute := func(n int) *rate.Limiter {
		if n <= 0 {
			return nil
		}
		return rate.NewLimiter(rate.Limit(float64(n)/60), n)
	}
	return &limiter{requests: perMinute(l.Requests), tokens: perMinute(l.Tokens)}
}

// hold keeps every request back for d from now.
func (l *limiter) hold(d time.Duration) {
	if d <= 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if until := time.Now().Add(min(d, longestWait)); until.After(l.until) {
		l.until = until
	}
}

// pause returns when the server takes requests again, or with an error of kind
// Rate at once when that would be after the end of ctx.
func (l *limiter) pause(ctx context.Context) error {
	for {
		l.mu.Lock()
		left := time.Until(l.until)
		l.mu.Unlock()
		if left <= 0 {
			return nil
		}
		if !fits(ctx, left) {
			return &Error{Kind: Rate, Message: "the server's limit lasts longer than the time that is left", RetryAfter: left,
				Hint: fmt.Sprintf("The server takes requests again in %s.", left.Round(time.Second))}
		}
		if err := sleep(ctx, left); err != nil {
			return err
		}
	}
}

// take returns when the configured limit allows a request of that many tokens.
func (l *limiter) take(ctx context.Context, tokens int) error {
	if err := takeFrom(ctx, l.requests, 1); err != nil {
		return err
	}
	return takeFrom(ctx, l.tokens, tokens)
}

func takeFrom(ctx context.Context, l *rate.Limiter, n int) error {
	if l == nil {
		return nil
	}
	if err := l.WaitN(ctx, min(n, l.Burst())); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return &Error{Kind: Rate, Message: "the configured limit lasts longer than the time that is left", Hint: "Raise the limit or the time."}
	}
	return nil
}
