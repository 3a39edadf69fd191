package llm

import (
	"fmt"
	"sync"
)

// Budget limits what is spent by all callers of a [Models]. A field of 0 is no
// limit. What a call may spend at most is reserved before it and settled after,
// so parallel calls cannot pass it together.
type Budget struct {
	Calls  int
	Tokens int     // in and out together
	Cost   float64 // US dollars; models without a known price are refused

	mu       sync.Mutex
	spent    Usage
	reserved Usage
}

// Spent is what was settled so far.
func (b *Budget) Spent() Usage {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.spent
}

// spend reserves the ceiling, calls f and settles what its reply says was used.
// A nil budget only calls f.
func (b *Budget) spend(ceiling Usage, f func() (Reply, error)) (Reply, error) {
	if b == nil {
		return f()
	}
	if err := b.reserve(ceiling); err != nil {
		return Reply{}, err
	}
	var used Usage
	defer func() { b.settle(ceiling, used) }()
	reply, err := f()
	used = reply.Usage
	return reply, err
}

func (b *Budget) reserve(u Usage) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	after := b.spent.Add(b.reserved).Add(u)
	what := ""
	switch {
	case b.Calls > 0 && after.Calls > b.Calls:
		what = fmt.Sprintf("%d calls", b.Calls)
	case b.Tokens > 0 && after.In+after.Out > b.Tokens:
		what = fmt.Sprintf("%d tokens", b.Tokens)
	case b.Cost > 0 && u.Cost == nil:
		return &Error{Kind: Spent, Message: "the price of the model is unknown, so a limit on cost cannot be kept",
			Hint: "Drop the limit on cost, or name a model with a known price."}
	case b.Cost > 0 && after.Cost != nil && *after.Cost > b.Cost:
		what = fmt.Sprintf("%.2f US dollars", b.Cost)
	}
	if what != "" {
		return &Error{Kind: Spent, Message: "the call may go beyond the budget of " + what, Hint: "Raise the budget, or go on without a model."}
	}
	b.reserved = b.reserved.Add(u)
	return nil
}

func (b *Budget) settle(reserved, used Usage) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.spent = b.spent.Add(used)
	b.reserved.Calls -= reserved.Calls
	b.reserved.In -= reserved.In
	b.reserved.Out -= reserved.Out
	if b.reserved.Cost != nil && reserved.Cost != nil {
		left := *b.reserved.Cost - *reserved.Cost
		b.reserved.Cost = &left
	}
	if b.reserved.Calls == 0 {
		b.reserved = Usage{}
	}
}
