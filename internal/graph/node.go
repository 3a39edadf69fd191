package graph

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"sync"
	"time"
)

// Branch is one execution of a node in one step; with the state it is all that any driver needs to run it.
type Branch struct {
	Run     string                     `json:"run"`
	Step    int                        `json:"step"`
	Index   int                        `json:"index"` // merge order within the step
	Next    Next                       `json:"next"`
	Landing bool                       `json:"landing,omitempty"` // may spend the reserve
	Spent   string                     `json:"spent,omitempty"`   // the budget that led to the landing
	Answers map[string]json.RawMessage `json:"answers,omitempty"` // to the run's questions
}

// Host is what a driver gives to the branches it runs.
type Host interface {
	// Begin returns a call's committed result, or commits its reservation and says when it must have ended (zero:
	// whenever). It returns a *BudgetError when the reservation is refused and ErrPaused when the run takes no new work.
	Begin(ctx context.Context, b Branch, r CallRow) (done json.RawMessage, try int, deadline time.Time, err error)
	// Settle commits what became of a call.
	Settle(b Branch, r CallRow, reserved Usage) error
	Emit(b Branch, kind string, body json.RawMessage)
	Left(b Branch) Usage
}

// ErrPaused is what a new call gets in a run that is being paused. The branch runs again when the run is resumed,
// whatever the node makes of the error.
var ErrPaused = errors.New("the run is pausing and takes no new work")

// scope is a branch's side of the context.
type scope struct {
	outer  context.Context // of the branch: when it is over, so is all of its work
	branch Branch
	host   Host
	now    func() time.Time

	mu    sync.Mutex
	seen  map[string]int // occurrences by request hash, in this attempt
	asked int
	ask   *Question
	cut   error // why the branch could not do all of its work and must run again
	spent string
	beat  func() // progress, for the idle timeout
}

type scopeKey struct{}

func scopeOf(ctx context.Context) *scope {
	sc, _ := ctx.Value(scopeKey{}).(*scope)
	return sc
}

// Emit writes a progress event, which survives as JSON, into the run's log. It counts as progress for the idle
// timeout. A value that JSON cannot encode becomes its Go form in quotes.
func Emit(ctx context.Context, v any) {
	sc := scopeOf(ctx)
	if sc == nil {
		return
	}
	body, err := json.Marshal(v)
	if err != nil {
		body, _ = json.Marshal(fmt.Sprintf("%+v", v))
	}
	sc.progress()
	sc.host.Emit(sc.branch, EventNote, body)
}

func (sc *scope) progress() {
	sc.mu.Lock()
	beat := sc.beat
	sc.mu.Unlock()
	if beat != nil {
		beat()
	}
}

// Remaining is what the node may still spend, calls in flight taken off: math.MaxInt64, or +Inf seconds, where there is
// no limit. A node that plans its calls by it never spends a budget by accident.
func Remaining(ctx context.Context) Usage {
	if sc := scopeOf(ctx); sc != nil {
		return sc.host.Left(sc.branch)
	}
	const most = math.MaxInt64
	return Usage{math.Inf(1), most, most, most, most, most, most, most}
}

// RunID is the id of the run that the node works for, or empty outside a run.
func RunID(ctx context.Context) string {
	if sc := scopeOf(ctx); sc != nil {
		return sc.branch.Run
	}
	return ""
}

// Spent names the budget that led to the landing, or is empty. A landing node puts it into its update, so that routes
// see it in the state.
func Spent(ctx context.Context) string {
	if sc := scopeOf(ctx); sc != nil {
		return sc.branch.Spent
	}
	return ""
}

// Terms of a question. Without a TTL it never expires; without a default an expired question leaves the run paused,
// and is asked anew when somebody takes the run up.
type Terms[A any] struct {
	TTL     time.Duration
	Default *A
}

// Ask puts a question to the person behind the run. The first time it returns an error that the node must hand on: the
// run waits, and when the answer is there the node alone runs again from its first line and Ask returns it. Outside a
// run the answer is the default.
func Ask[A any](ctx context.Context, payload any, t Terms[A]) (A, error) {
	var a A
	sc := scopeOf(ctx)
	if sc == nil {
		if t.Default == nil {
			return a, errors.New("asking: outside a run and without a default answer")
		}
		return *t.Default, nil
	}
	q := Question{Node: sc.branch.Next.Node}
	var err error
	if q.Payload, err = json.Marshal(payload); err != nil {
		return a, fmt.Errorf("asking: encoding the question: %w", err)
	}
	if t.Default != nil {
		if q.Default, err = json.Marshal(*t.Default); err != nil {
			return a, fmt.Errorf("asking: encoding the default: %w", err)
		}
	}
	if t.TTL > 0 {
		q.Expires = sc.now().Add(t.TTL)
	}
	answer, err := sc.question(q)
	if err != nil {
		return a, err
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		return a, fmt.Errorf("asking: decoding the answer: %w", err)
	}
	return a, nil
}

var errAsking = errors.New("the run waits for an answer")

func (sc *scope) question(q Question) (json.RawMessage, error) {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	q.ID = fmt.Sprintf("%d.%d.%d", sc.branch.Step, sc.branch.Index, sc.asked)
	sc.asked++
	if answer, ok := sc.branch.Answers[q.ID]; ok {
		return answer, nil
	}
	if sc.ask == nil {
		sc.ask = &q
	}
	return nil, errAsking
}

// Call is the identity and the price of one call to the outside.
type Call struct {
	Kind    string // "model", "search" or "page", which count as such, or any other
	Request any    // as JSON it identifies the call within its branch
	// Reserve is the most the call may spend. Its own kind counts at least once; all its retries must be in it.
	Reserve Usage
	// Optional calls have a fallback: their refusal does not lead to the landing.
	Optional bool
}

func (c Call) reserve() Usage {
	u := c.Reserve
	switch c.Kind {
	case "model":
		u.Calls = max(u.Calls, 1)
	case "search":
		u.Searches = max(u.Searches, 1)
	case "page":
		u.Pages = max(u.Pages, 1)
	}
	u.Seconds, u.Steps = 0, 0
	return u
}

// Once makes a call whose result is committed before it returns, and which is not made again when the node runs again
// with the same request: the committed result is returned. The usage f returns, with or without an error, is charged
// exactly: a result from a cache spends nothing. A failed call is made anew the next time. Results pass through JSON.
//
// Equal requests of one branch are told apart by their order. It may be called from several goroutines, which must end
// before the node does. A refused reservation is a [BudgetError]. Outside a run it only calls f.
func Once[T any](ctx context.Context, c Call, f func(context.Context) (T, Usage, error)) (T, error) {
	sc := scopeOf(ctx)
	if sc == nil {
		v, _, err := f(ctx)
		return v, err
	}
	var v T
	raw, err := sc.once(ctx, c, func(ctx context.Context) (json.RawMessage, Usage, error) {
		v, u, err := f(ctx)
		if err != nil {
			return nil, u, err
		}
		raw, err := json.Marshal(v)
		return raw, u, err
	})
	if err != nil {
		return v, err
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		return v, fmt.Errorf("%s call: decoding the committed result: %w", c.Kind, err)
	}
	return v, nil
}

func (sc *scope) once(ctx context.Context, c Call, f func(context.Context) (json.RawMessage, Usage, error)) (json.RawMessage, error) {
	row, err := sc.row(c)
	if err != nil {
		return nil, err
	}
	reserved := row.Usage
	done, try, deadline, err := sc.host.Begin(ctx, sc.branch, row)
	if err != nil || done != nil {
		sc.refused(err, c.Optional)
		return done, err
	}
	row.Try = try
	err = sc.call(ctx, &row, deadline, f)
	sc.refused(err, c.Optional)
	sc.progress()
	if serr := sc.host.Settle(sc.branch, row, reserved); serr != nil {
		sc.refused(serr, c.Optional)
		return nil, fmt.Errorf("%s call: committing its result: %w", c.Kind, serr)
	}
	if row.Usage.exceeds(reserved) {
		body, _ := json.Marshal(map[string]any{"kind": c.Kind, "reserved": reserved, "used": row.Usage})
		sc.host.Emit(sc.branch, EventOver, body)
	}
	return row.Result, err
}

// call makes a call and writes into its row what became of it. A panic is an error. An aborted call keeps its
// reservation as its usage: nobody knows what it spent.
func (sc *scope) call(ctx context.Context, row *CallRow, deadline time.Time, f func(context.Context) (json.RawMessage, Usage, error)) (err error) {
	if !deadline.IsZero() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadlineCause(ctx, deadline, &BudgetError{budgetNames[seconds]})
		defer cancel()
	}
	begun, used := sc.now(), row.Usage
	row.State = CallFailed
	func() {
		defer contain(&err)
		row.Result, used, err = f(ctx)
	}()
	row.Seconds = sc.now().Sub(begun).Seconds()
	if err == nil || ctx.Err() == nil {
		row.Usage = used
	}
	if err == nil {
		row.State = CallDone
		return nil
	}
	if spent := (*BudgetError)(nil); errors.As(context.Cause(ctx), &spent) {
		err = fmt.Errorf("%w: %w", spent, err)
	}
	row.Err = first(err.Error(), "unknown error")
	return err
}

// row identifies a call.
func (sc *scope) row(c Call) (CallRow, error) {
	request, err := json.Marshal(c.Request)
	if err != nil {
		return CallRow{}, fmt.Errorf("%s call: encoding the request: %w", c.Kind, err)
	}
	sum := sha256.Sum256([]byte(strconv.Itoa(len(c.Kind)) + c.Kind + string(request)))
	row := CallRow{Kind: c.Kind, Request: request, State: CallReserved, Usage: c.reserve(), At: sc.now()}
	row.Step, row.Index, row.Hash = sc.branch.Step, sc.branch.Index, hex.EncodeToString(sum[:])
	sc.mu.Lock()
	defer sc.mu.Unlock()
	if sc.seen == nil {
		sc.seen = map[string]int{}
	}
	row.Occurrence = sc.seen[row.Hash]
	sc.seen[row.Hash]++
	return row, nil
}

// refused notes why a call of the branch was not made or not finished, whatever the node makes of the error.
func (sc *scope) refused(err error, optional bool) {
	if err == nil {
		return
	}
	sc.mu.Lock()
	defer sc.mu.Unlock()
	spent := (*BudgetError)(nil)
	switch {
	case errors.Is(err, ErrPaused):
		sc.cut = ErrPaused
	case sc.outer.Err() != nil:
		sc.cut = context.Cause(sc.outer)
	case errors.As(err, &spent) && !optional:
		sc.spent = first(sc.spent, spent.Name)
	}
}
