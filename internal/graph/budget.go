package graph

import (
	"fmt"
	"math"
	"sync"
)

// Usage is what was spent, or what a call may spend at most.
type Usage struct {
	Seconds    float64 `json:"seconds,omitempty"` // active time: a paused or waiting run spends none
	Calls      int64   `json:"calls,omitempty"`   // of models
	Searches   int64   `json:"searches,omitempty"`
	Pages      int64   `json:"pages,omitempty"`
	Steps      int64   `json:"steps,omitempty"`
	TokensIn   int64   `json:"tokens_in,omitempty"`
	TokensOut  int64   `json:"tokens_out,omitempty"`
	CostMicros int64   `json:"cost_micros,omitempty"` // millionths of a US dollar
}

// Budget limits a run. 0 is no limit. Calls, searches, pages and steps are exact; tokens and cost are reserved before
// a call and can be overshot only by the error of that estimate.
type Budget struct {
	Seconds    float64 `json:"seconds,omitempty"`
	Calls      int64   `json:"calls,omitempty"`
	Searches   int64   `json:"searches,omitempty"`
	Pages      int64   `json:"pages,omitempty"`
	Steps      int64   `json:"steps,omitempty"`
	Tokens     int64   `json:"tokens,omitempty"` // in and out together
	TokensIn   int64   `json:"tokens_in,omitempty"`
	TokensOut  int64   `json:"tokens_out,omitempty"`
	CostMicros int64   `json:"cost_micros,omitempty"`
}

// ErrBudget matches every [BudgetError] in errors.Is.
var ErrBudget = &BudgetError{}

// BudgetError says which budget is spent: "seconds", "calls", "searches", "pages", "steps", "tokens" or "cost".
type BudgetError struct{ Name string }

func (e *BudgetError) Error() string { return fmt.Sprintf("the budget of %s is spent", e.Name) }

// Is makes any BudgetError match [ErrBudget].
func (e *BudgetError) Is(target error) bool { return target == error(ErrBudget) }

// landingShare is the part of a budget that is kept for the landing at least.
const landingShare = 0.15

// amounts are the budgeted fields side by side; exact float64 arithmetic up to 2^53.
type amounts [9]float64

const (
	seconds = iota
	calls
	searches
	pages
	steps
	tokens
	tokensIn
	tokensOut
	cost
)

var budgetNames = [...]string{"seconds", "calls", "searches", "pages", "steps", "tokens", "tokens", "tokens", "cost"}

func (u Usage) amounts() amounts {
	return amounts{u.Seconds, float64(u.Calls), float64(u.Searches), float64(u.Pages), float64(u.Steps),
		float64(u.TokensIn + u.TokensOut), float64(u.TokensIn), float64(u.TokensOut), float64(u.CostMicros)}
}

func (b Budget) amounts() amounts {
	return amounts{b.Seconds, float64(b.Calls), float64(b.Searches), float64(b.Pages), float64(b.Steps),
		float64(b.Tokens), float64(b.TokensIn), float64(b.TokensOut), float64(b.CostMicros)}
}

// Add is the sum of both.
func (u Usage) Add(v Usage) Usage { return u.plus(v, 1) }

// Sub is what remains of u without v.
func (u Usage) Sub(v Usage) Usage { return u.plus(v, -1) }

func (u Usage) plus(v Usage, sign int64) Usage {
	return Usage{
		Seconds: u.Seconds + float64(sign)*v.Seconds,
		Calls:   u.Calls + sign*v.Calls, Searches: u.Searches + sign*v.Searches, Pages: u.Pages + sign*v.Pages,
		Steps: u.Steps + sign*v.Steps, TokensIn: u.TokensIn + sign*v.TokensIn, TokensOut: u.TokensOut + sign*v.TokensOut,
		CostMicros: u.CostMicros + sign*v.CostMicros,
	}
}

// exceeds reports whether u is more than v in anything that v has.
func (u Usage) exceeds(v Usage) bool {
	most := v.amounts()
	for i, n := range u.amounts() {
		if most[i] > 0 && n > most[i] {
			return true
		}
	}
	return false
}

// limits are what may be spent in all: without the reserve before the landing, with it afterwards. +Inf is no limit.
func limits(b Budget, reserve Usage, landing bool) amounts {
	most, keep := b.amounts(), reserve.amounts()
	for i := range most {
		switch {
		case most[i] == 0:
			most[i] = math.Inf(1)
		case landing || i == searches || i == pages || i == steps:
		default:
			share := most[i] * landingShare
			if i != seconds {
				share = math.Ceil(share)
			}
			most[i] -= min(most[i], math.Max(share, keep[i]))
		}
	}
	return most
}

// ledger arbitrates a run's budget between parallel branches.
type ledger struct {
	mu       sync.Mutex
	step     int
	budget   Budget
	reserve  Usage
	used     Usage // settled, without seconds
	held     Usage // reserved by calls in flight
	accounts map[int]*account
}

// account is one branch's part of the ledger in the current step.
type account struct {
	used, held Usage
	closed     bool // skipped: what it held counts as spent
}

// open begins a step: past usage is settled and every branch starts an account.
func (l *ledger) open(f Frontier) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.step, l.budget, l.reserve, l.used, l.held = f.Step, f.Budget, f.Reserve, f.Usage, Usage{}
	l.accounts = map[int]*account{}
}

// at is the step and the budget of it.
func (l *ledger) at() (step int, b Budget) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.step, l.budget
}

// of returns a branch's account; the caller holds mu.
func (l *ledger) of(index int) *account {
	a := l.accounts[index]
	if a == nil {
		a = &account{}
		l.accounts[index] = a
	}
	return a
}

// take reserves u or names the budget that refuses it. A zero part of u asks nothing of its budget.
func (l *ledger) take(index int, u Usage, landing bool, active float64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	spent, want, most := l.used.Add(l.held).amounts(), u.amounts(), limits(l.budget, l.reserve, landing)
	if active >= most[seconds] {
		return &BudgetError{budgetNames[seconds]}
	}
	for i := calls; i < len(want); i++ {
		if want[i] > 0 && spent[i]+want[i] > most[i] {
			return &BudgetError{budgetNames[i]}
		}
	}
	a := l.of(index)
	a.held, l.held = a.held.Add(u), l.held.Add(u)
	return nil
}

// settle replaces a reservation by what was spent, unless the branch was skipped and its reservation charged in full.
func (l *ledger) settle(step, index int, reserved, used Usage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.accounts[index]
	if step != l.step || a == nil || a.closed {
		return
	}
	a.held, l.held = a.held.Sub(reserved), l.held.Sub(reserved)
	a.used, l.used = a.used.Add(used), l.used.Add(used)
}

// charge books what an earlier life of the run spent on a branch of this step.
func (l *ledger) charge(index int, u Usage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.of(index)
	a.used, l.used = a.used.Add(u), l.used.Add(u)
}

// close ends a branch's account and returns all it spent, calls still in flight included.
func (l *ledger) close(index int) Usage {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.accounts[index]
	if a == nil {
		return Usage{}
	}
	l.held, l.used = l.held.Sub(a.held), l.used.Add(a.held)
	a.used, a.held, a.closed = a.used.Add(a.held), Usage{}, true
	return a.used
}

// total is all that is spent or held.
func (l *ledger) total(active float64) Usage {
	l.mu.Lock()
	defer l.mu.Unlock()
	u := l.used.Add(l.held)
	u.Seconds = active
	return u
}

// left is what may still be spent, math.MaxInt64 (seconds: +Inf) where there is no limit.
func (l *ledger) left(landing bool, active float64) Usage {
	spent := l.total(active).amounts()
	l.mu.Lock()
	most := limits(l.budget, l.reserve, landing)
	l.mu.Unlock()
	n := func(i int) int64 {
		if math.IsInf(most[i], 1) {
			return math.MaxInt64
		}
		return int64(math.Max(0, most[i]-spent[i]))
	}
	return Usage{
		Seconds: math.Max(0, most[seconds]-active), Calls: n(calls), Searches: n(searches), Pages: n(pages), Steps: n(steps),
		TokensIn: min(n(tokens), n(tokensIn)), TokensOut: min(n(tokens), n(tokensOut)), CostMicros: n(cost),
	}
}
