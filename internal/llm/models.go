package llm

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"deepresearch/internal/safe"
)

// Options configure [New]. Only Default or Chains is needed.
type Options struct {
	// Chains are the models of each role in the order in which they are tried.
	Chains map[Role][]Model
	// Default is the chain of the roles that have none.
	Default []Model

	// Budget limits what all callers together may spend; nil: no limit. A run
	// keeps its own budget outside, by [Models.Ceiling].
	Budget *Budget
	// Limits slow requests down, by the name of the back end, such as "gemini".
	Limits map[string]Limit
	// Concurrency is how many requests one server gets at once; 0: four, and one
	// on this machine, where a second one only waits in memory.
	Concurrency int
	// Prices are in US dollars by "back end:name" and win over the known ones.
	Prices map[string]Price
	// Trace is told of every attempt, wait and change of model; it must be quick
	// and may be called from several goroutines. nil: nobody is told.
	Trace func(context.Context, Event)
	// Redactor knows the keys. nil masks by form alone.
	Redactor *safe.Redactor
	// Rand returns numbers in [0,1) for waits; nil: math/rand.
	Rand func() float64
}

// Models is a model for every role. It is safe for concurrent use, and all runs
// of a process should share one, for the limits are of the process.
type Models struct {
	opt    Options
	chains map[Role][]*stack
}

// New wraps the models with the policy: from outside in the budget, the chain of
// models, the reading of answers, retries, a breaker, the limiter, the number of
// requests at once, and the trace.
func New(opt Options) (*Models, error) {
	if opt.Rand == nil {
		opt.Rand = rand.Float64
	}
	if opt.Redactor == nil {
		opt.Redactor = safe.NewRedactor()
	}
	m := &Models{opt: opt, chains: map[Role][]*stack{}}
	b := builder{opt: opt, servers: map[string]*server{}, stacks: map[Model]*stack{}}
	for _, role := range Roles {
		chain := opt.Chains[role]
		if len(chain) == 0 {
			chain = opt.Default
		}
		for _, model := range chain {
			m.chains[role] = append(m.chains[role], b.stack(model))
		}
	}
	if len(m.chains) == 0 {
		return nil, errors.New("choosing models: no role has one")
	}
	return m, nil
}

// Has reports whether the role has a model. Asking for one without is an error
// of kind NotFound.
func (m *Models) Has(role Role) bool { return len(m.chains[role]) > 0 }

// Generate asks the models of r.Role (Plan when empty) until one gives an answer
// that can be read. The reply's usage holds every attempt, also beside an error.
// The error is an *Error, or the cause of the end of ctx.
func (m *Models) Generate(ctx context.Context, r Request) (Reply, error) {
	return m.call(ctx, r, nil)
}

// Stream is Generate that also hands out the text as it comes, thinking
// included where a model mixes it in. When an attempt fails after its text
// began, nothing more is handed out: the reply alone counts. An error of emit
// ends the call and is returned as it is.
func (m *Models) Stream(ctx context.Context, r Request, emit func(text string) error) (Reply, error) {
	return m.call(ctx, r, once(emit))
}

func (m *Models) call(ctx context.Context, r Request, e *emission) (Reply, error) {
	chain, err := m.chain(r.Role)
	if err != nil {
		return Reply{}, err
	}
	if len(r.Messages) == 0 || r.Messages[len(r.Messages)-1].From != User {
		return Reply{}, &Error{Kind: BadRequest, Message: "the last message must be from the user"}
	}
	reply, err := m.opt.Budget.spend(m.ceiling(chain, r), func() (Reply, error) { return m.along(ctx, chain, r, e) })
	if err != nil {
		return Reply{Usage: reply.Usage}, err
	}
	return reply, nil
}

func (m *Models) chain(role Role) ([]*stack, error) {
	if role == "" {
		role = Plan
	}
	if m.Has(role) {
		return m.chains[role], nil
	}
	return nil, &Error{Kind: NotFound, Message: fmt.Sprintf("no model was chosen for the role %q", role), Hint: "Name one with --model or the setting of the role."}
}

// Name is the model that is asked first, by role where they differ.
func (m *Models) Name() string {
	var names []string
	for _, role := range Roles {
		if m.Has(role) && !slices.Contains(names, m.chains[role][0].model.Name()) {
			names = append(names, m.chains[role][0].model.Name())
		}
	}
	return strings.Join(names, ", ")
}

// For returns the models of a role, in order, as they were given.
func (m *Models) For(role Role) []Model {
	var models []Model
	for _, s := range m.chains[role] {
		models = append(models, s.model)
	}
	return models
}

// ErrUnknown says that no model of a role knows the answer.
var ErrUnknown = errors.New("no model of this role knows")

// ContextLength is the context of the first model of the role, in tokens of
// input and output together, or ErrUnknown.
func (m *Models) ContextLength(ctx context.Context, role Role) (int, error) {
	chain, err := m.chain(role)
	if err != nil {
		return 0, err
	}
	w, ok := chain[0].model.(Windowed)
	if !ok {
		return 0, ErrUnknown
	}
	return w.ContextLength(ctx)
}

// EstimateInput is the package's estimate for the first model of the role,
// corrected by what that model counted so far.
func (m *Models) EstimateInput(r Request) int {
	chain, err := m.chain(r.Role)
	if err != nil {
		return EstimateInput(r)
	}
	return chain[0].estimate(r)
}

// Ceiling is the most that Generate may spend on r: a call whose attempts all
// fail to be read. Its cost is nil when a price is unknown.
func (m *Models) Ceiling(r Request) Usage {
	chain, err := m.chain(r.Role)
	if err != nil {
		return Usage{}
	}
	return m.ceiling(chain, r)
}

func (m *Models) ceiling(chain []*stack, r Request) Usage {
	u := Usage{Calls: r.attempts(), Estimated: true}
	for _, s := range chain {
		u.In = max(u.In, u.Calls*(s.estimate(r)+askAgainTokens)-askAgainTokens)
	}
	u.Out = r.outputCeiling()
	if r.Grounding {
		u.Searches = mostSearches * u.Calls
	}
	for i, s := range chain {
		cost := s.cost(u)
		if i == 0 || cost == nil || u.Cost != nil && *cost > *u.Cost {
			u.Cost = cost
		}
		if cost == nil {
			break
		}
	}
	return u
}

const (
	// askAgainTokens is what asking again adds to the input: the bad answer, cut,
	// and what is wrong with it.
	askAgainTokens = 300
	// mostSearches is how many searches are reserved for one grounded answer. The
	// model alone decides how many it runs; what it ran is counted afterwards.
	mostSearches = 5
)

// emission hands out the text of one attempt and then no more.
type emission struct {
	emit   func(string) error
	begun  bool
	failed error // what emit returned to give up, which no other attempt helps
}

func once(emit func(string) error) *emission {
	if emit == nil {
		return nil
	}
	return &emission{emit: emit}
}

// next returns the function for one attempt, nil when an earlier one began.
func (e *emission) next() func(string) error {
	if e == nil || e.begun {
		return nil
	}
	return func(text string) error {
		e.begun = e.begun || text != ""
		e.failed = e.emit(text)
		return e.failed
	}
}

// builder makes one stack a model and one server state a server.
type builder struct {
	opt     Options
	servers map[string]*server
	stacks  map[Model]*stack
}

func (b *builder) stack(m Model) *stack {
	if s := b.stacks[m]; s != nil {
		return s
	}
	traits := TraitsOf(m)
	srv := b.servers[traits.Server]
	if srv == nil {
		srv = newServer(b.opt, traits)
		b.servers[traits.Server] = srv
	}
	s := &stack{model: m, traits: traits, server: srv, opt: &b.opt, price: b.price(m.Name(), traits)}
	b.stacks[m] = s
	return s
}

func (b *builder) price(name string, traits Traits) *Price {
	if p, ok := b.opt.Prices[name]; ok {
		return &p
	}
	switch {
	case traits.Free:
		return &Price{}
	case traits.Listed:
		return listPrice(name, time.Now())
	}
	return nil
}

// Traits are what the policy must know about a model.
type Traits struct {
	BackEnd string        // such as "gemini"
	Server  string        // models of one server share its limits; its base URL, say
	Local   bool          // it runs on this machine
	Free    bool          // its tokens cost nothing
	Listed  bool          // the vendor's list prices hold
	First   time.Duration // for the first answer, which may load the model; 0: as Timeout
	Timeout time.Duration // for one answer; 0: 120 seconds
}

// Described is a model that says its traits. Another one is taken to stand
// alone, elsewhere.
type Described interface{ Traits() Traits }

// TraitsOf returns the traits of m, with the deadlines filled in.
func TraitsOf(m Model) Traits {
	backEnd, _, _ := strings.Cut(m.Name(), ":")
	t := Traits{BackEnd: backEnd, Server: m.Name()}
	if d, ok := m.(Described); ok {
		t = d.Traits()
	}
	if t.Timeout == 0 {
		t.Timeout = 120 * time.Second
	}
	t.First = max(t.First, t.Timeout)
	return t
}

// outputCeiling bounds the output of all attempts together, in tokens: one as
// asked and one of twice the length, or of the default where that is more.
func (r Request) outputCeiling() int {
	limit := r.OutputLimit()
	if r.attempts() == 1 {
		return limit
	}
	return limit + max(2*limit, DefaultMaxOutput)
}

// attempts is how many answers may be asked for and paid.
func (r Request) attempts() int {
	if r.Attempts > 0 {
		return r.Attempts
	}
	return DefaultAttempts
}

var _ Model = (*Models)(nil)
