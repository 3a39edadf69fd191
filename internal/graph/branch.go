package graph

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"time"
)

// PanicError is a panic of a node or route, with the stack it had.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v\n%s", e.Value, e.Stack) }

// contain turns a panic of the surrounding function into its error.
func contain(err *error) {
	if p := recover(); p != nil {
		*err = &PanicError{p, debug.Stack()}
	}
}

// errIdle and errTimeout are the causes of an attempt that was ended for its time.
var (
	errIdle    = errors.New("no progress within the idle timeout")
	errTimeout = errors.New("not done within the attempt timeout")
)

// Clock is a driver's time and randomness.
type Clock struct {
	Now  func() time.Time
	Rand func() float64 // in [0, 1), for the jitter of backoff
}

// ExecBranch runs one branch under its node's policy. An error is final for the branch: ErrPaused and the context's
// cause leave it to be run again, any other fails the run. Result.Usage is for the driver to fill in.
func (g *Graph[S, D]) ExecBranch(ctx context.Context, s S, b Branch, h Host, c Clock) (Result[D], error) {
	n := g.nodes[b.Next.Node]
	if n == nil {
		return Result[D]{}, fmt.Errorf("%q is not a node of graph %s", b.Next.Node, g.name)
	}
	b.Landing = b.Landing || n.policy.Landing
	sc := &scope{outer: ctx, branch: b, host: h, now: c.Now}
	update, err := n.attempts(ctx, s, sc, c)
	sc.mu.Lock()
	defer sc.mu.Unlock()
	res := Result[D]{Spent: sc.spent}
	switch {
	case sc.cut != nil:
		return res, sc.cut
	case sc.ask != nil:
		return Result[D]{Ask: sc.ask}, nil
	case ctx.Err() != nil && err != nil:
		return res, context.Cause(ctx)
	case err == nil:
		res.Update = update
		return res, nil
	}
	if n.policy.OnError != nil {
		if update, ok := n.policy.OnError(err); ok {
			res.Update, res.Err = update, err.Error()
			return res, nil
		}
	}
	if spent := (*BudgetError)(nil); errors.As(err, &spent) && !b.Landing {
		return Result[D]{Skipped: "budget", Spent: spent.Name, Err: err.Error()}, nil
	}
	return res, fmt.Errorf("node %s: %w", n.name, err)
}

// attempts tries a branch until it succeeds, must not be tried again, or has no attempt left.
func (n *node[S, D]) attempts(ctx context.Context, s S, sc *scope, c Clock) (D, error) {
	for attempt := 1; ; attempt++ {
		update, err := n.attempt(ctx, s, sc)
		if err == nil || attempt >= n.policy.Attempts || !n.again(ctx, sc, err) {
			return update, err
		}
		body, _ := json.Marshal(map[string]any{"attempt": attempt, "err": err.Error()})
		sc.host.Emit(sc.branch, EventRetry, body)
		half := n.policy.Backoff << min(attempt-1, 16) / 2
		select {
		case <-time.After(half + time.Duration(c.Rand()*float64(half))):
		case <-ctx.Done():
			return update, context.Cause(ctx)
		}
	}
}

// again reports whether a failed attempt may be followed by another.
func (n *node[S, D]) again(ctx context.Context, sc *scope, err error) bool {
	sc.mu.Lock()
	held := sc.cut != nil || sc.ask != nil
	sc.mu.Unlock()
	return !held && ctx.Err() == nil && !errors.Is(err, ErrBudget) && (n.policy.RetryIf == nil || n.policy.RetryIf(err))
}

// attempt runs the node once, within its time and without letting a panic out.
func (n *node[S, D]) attempt(ctx context.Context, s S, sc *scope) (update D, err error) {
	defer contain(&err)
	inner := context.WithValue(ctx, scopeKey{}, sc)
	sc.mu.Lock()
	sc.seen, sc.asked, sc.beat = nil, 0, nil
	sc.mu.Unlock()
	if n.policy.Timeout > 0 {
		var cancel context.CancelFunc
		inner, cancel = context.WithTimeoutCause(inner, n.policy.Timeout, errTimeout)
		defer cancel()
	}
	if idle := n.policy.Idle; idle > 0 {
		var cancel context.CancelCauseFunc
		inner, cancel = context.WithCancelCause(inner)
		defer cancel(nil)
		timer := time.AfterFunc(idle, func() { cancel(errIdle) })
		defer timer.Stop()
		sc.mu.Lock()
		sc.beat = func() { timer.Reset(idle) }
		sc.mu.Unlock()
	}
	update, err = n.run(inner, s, sc.branch.Next.Arg)
	if err != nil && inner.Err() != nil && ctx.Err() == nil {
		err = fmt.Errorf("%w: %w", context.Cause(inner), err)
	}
	return update, err
}
