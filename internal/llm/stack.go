package llm

import (
	"context"
	"errors"
	"sync"
	"time"
)

// stack is one model with its policy: retry -> breaker -> limiter -> slots ->
// trace -> model. The parts that runs share are here and in its server.
type stack struct {
	model   Model
	traits  Traits
	server  *server
	opt     *Options
	price   *Price
	breaker breaker

	mu     sync.Mutex
	ratio  float64 // tokens counted by the model / our estimate; 0: none counted yet
	loaded bool    // it has answered once
}

// server is the state that the models of one server share.
type server struct {
	slots   chan struct{}
	limiter *limiter
}

func newServer(opt Options, t Traits) *server {
	n := opt.Concurrency
	switch {
	case t.Local:
		n = 1
	case n == 0:
		n = 4
	}
	return &server{slots: make(chan struct{}, n), limiter: newLimiter(opt.Limits[t.BackEnd])}
}

// attempt makes one request, once the breaker, the limiter and the slots let it.
func (s *stack) attempt(ctx context.Context, r Request, e *emission) (Reply, error) {
	done, err := s.breaker.enter(s.model.Name(), time.Now())
	if err != nil {
		return Reply{}, err
	}
	reply, err := s.limited(ctx, r, e)
	done(err, time.Now())
	return reply, err
}

func (s *stack) limited(ctx context.Context, r Request, e *emission) (Reply, error) {
	if err := s.server.limiter.take(ctx, s.estimate(r)+r.OutputLimit()/4); err != nil {
		return Reply{}, s.named(err)
	}
	select {
	case s.server.slots <- struct{}{}:
		defer func() { <-s.server.slots }()
	case <-ctx.Done():
		return Reply{}, context.Cause(ctx)
	}
	// Another request may have been told to wait while this one stood in line.
	if err := s.server.limiter.pause(ctx); err != nil {
		return Reply{}, s.named(err)
	}
	return s.traced(ctx, r, e)
}

// named adds the model to an error of the limiter, which many models share.
func (s *stack) named(err error) error {
	if e := (*Error)(nil); errors.As(err, &e) {
		e.Model = s.model.Name()
	}
	return err
}

// errSlow is the cause of our own deadline for one answer.
var errSlow = errors.New("the answer took too long")

// traced asks the model under the deadline for one answer.
func (s *stack) traced(ctx context.Context, r Request, e *emission) (Reply, error) {
	start := time.Now()
	limit := s.deadline()
	inner, cancel := context.WithTimeoutCause(ctx, limit, errSlow)
	defer cancel()
	reply, err := s.ask(inner, r, e.next())
	if err != nil {
		err = s.clean(ctx, err, limit)
		if e != nil && e.failed != nil {
			err = e.failed
		}
		if worked(err) && reply.Usage == (Usage{}) {
			reply.Usage = Usage{Calls: 1, In: s.estimate(r), Estimated: true}
		}
	} else {
		s.learn(r, reply)
	}
	if reply.Usage.Cost == nil {
		reply.Usage.Cost = s.cost(reply.Usage)
	}
	s.server.limiter.hold(reply.Pause)
	s.tell(ctx, Event{Kind: Called, Role: r.Role, Start: start, Took: time.Since(start), Usage: reply.Usage, Finish: reply.Finish, Error: errorOf(err)})
	return reply, err
}

func (s *stack) ask(ctx context.Context, r Request, emit func(string) error) (Reply, error) {
	if emit == nil {
		return s.model.Generate(ctx, r)
	}
	if m, ok := s.model.(Streamer); ok {
		return m.Stream(ctx, r, emit)
	}
	reply, err := s.model.Generate(ctx, r)
	if err == nil {
		err = emit(reply.Text)
	}
	return reply, err
}

// clean makes an *Error of err that holds no secret; the end of the caller's
// context stays what it is.
func (s *stack) clean(ctx context.Context, err error, limit time.Duration) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	e := (*Error)(nil)
	switch {
	case errors.Is(err, errSlow) || errors.Is(err, context.DeadlineExceeded):
		return &Error{Kind: Timeout, Model: s.model.Name(), Message: "no answer within " + limit.String(),
			Hint: "A smaller model or less text is faster."}
	case !errors.As(err, &e):
		return &Error{Kind: Network, Model: s.model.Name(), Message: s.opt.Redactor.Redact(err.Error())}
	}
	out := *e
	out.Model = s.model.Name()
	out.Message, out.Hint, out.Code = s.opt.Redactor.Redact(e.Message), s.opt.Redactor.Redact(e.Hint), s.opt.Redactor.Redact(e.Code)
	return &out
}

// worked reports whether the model may have worked for nothing, which is paid.
func worked(err error) bool { return KindOf(err) == Timeout }

func (s *stack) deadline() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.loaded {
		return s.traits.Timeout
	}
	return s.traits.First
}

// learnRate is the weight of the newest count in the ratio of an estimate.
const learnRate = 0.3

// learn corrects the estimate by what the model counted. A cut prompt or a count
// of another thing would spoil it, so the ratio stays between a half and two.
func (s *stack) learn(r Request, reply Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loaded = true
	estimate := EstimateInput(r)
	if reply.Usage.Estimated || reply.Usage.In == 0 || reply.Usage.Searches > 0 || estimate < 50 {
		return
	}
	ratio := min(max(float64(reply.Usage.In)/float64(estimate), 0.5), 2)
	if s.ratio == 0 {
		s.ratio = 1
	}
	s.ratio += learnRate * (ratio - s.ratio)
}

func (s *stack) estimate(r Request) int {
	n := EstimateInput(r)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ratio == 0 {
		return n
	}
	return int(float64(n)*s.ratio + 0.5)
}

// cost is what u costs with this model, nil when its price is unknown.
func (s *stack) cost(u Usage) *float64 {
	if s.price == nil || u.Calls == 0 {
		return nil
	}
	c := s.price.Of(u)
	return &c
}

func (s *stack) tell(ctx context.Context, e Event) {
	if s.opt.Trace != nil {
		e.Model = s.model.Name()
		s.opt.Trace(ctx, e)
	}
}
