package llm

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// The waits of a retry. Times that a server names decide; without them the wait
// is drawn from [0, backoff) ("full jitter", Brooker, AWS Architecture Blog 2015).
const (
	longestWait  = 60 * time.Second // that a server may ask for
	waitJitter   = 0.1              // of a wait that the server named, on top
	firstBackoff = 500 * time.Millisecond
	lastBackoff  = 8 * time.Second
)

// tries is how often a request is sent in all, by what went wrong: failures that
// cost nothing but time. Other kinds are final here.
var tries = map[Kind]int{Rate: 4, Overloaded: 4, Network: 4}

// retry sends the request again while that may help.
func (s *stack) retry(ctx context.Context, r Request, e *emission) (Reply, error) {
	failed := map[Kind]int{}
	spent := Usage{}
	for {
		reply, err := s.attempt(ctx, r, e)
		spent = spent.Add(reply.Usage)
		reply.Usage = spent
		failure := (*Error)(nil)
		if err == nil || !errors.As(err, &failure) {
			return reply, err
		}
		failed[failure.Kind]++
		wait, ok := s.waitAfter(failure, failed[failure.Kind])
		if !ok || !fits(ctx, wait) {
			return reply, err
		}
		if failure.Kind == Rate {
			s.server.limiter.hold(wait)
		}
		s.tell(ctx, Event{Kind: Waiting, Role: r.Role, Wait: wait, Error: failure, Say: sayWait(failure.Kind, wait)})
		if err := sleep(ctx, wait); err != nil {
			return reply, err
		}
	}
}

// waitAfter is how long to wait after the nth failure of its kind; ok is false
// when the failure is final.
func (s *stack) waitAfter(e *Error, n int) (wait time.Duration, ok bool) {
	if n >= tries[e.Kind] || e.Code == codeOpen || e.RetryAfter > longestWait {
		return 0, false
	}
	if e.RetryAfter > 0 {
		return e.RetryAfter + time.Duration(waitJitter*s.opt.Rand()*float64(e.RetryAfter)), true
	}
	backoff := min(firstBackoff<<(n-1), lastBackoff)
	return time.Duration(s.opt.Rand() * float64(backoff)), true
}

// fits reports whether the wait ends before ctx does.
func fits(ctx context.Context, wait time.Duration) bool {
	deadline, ok := ctx.Deadline()
	return !ok || time.Until(deadline) > wait
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func sayWait(k Kind, wait time.Duration) string {
	what := map[Kind]string{Rate: "rate limited", Overloaded: "the server is busy", Network: "the connection broke"}[k]
	return fmt.Sprintf("%s, resuming in %s", what, max(wait.Round(time.Second), time.Second))
}
