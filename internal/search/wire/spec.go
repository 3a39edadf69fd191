package wire

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"deepresearch/internal/search"
)

// Options are what the configuration says about one engine.
type Options struct {
	// Client sends the requests; it must not be nil.
	Client *http.Client
	// BaseURL replaces scheme and host of the engine; a path in it goes before
	// the engine's own. Empty means the real address.
	BaseURL string
	// Key is the API key, empty for none. It never appears in an error.
	Key string
	// Contact is an e-mail address or URL of the operator, which some free
	// services ask for; empty means that none is sent.
	Contact string
	// Clock is what the time is; nil means time.Now.
	Clock func() time.Time
}

// Now is the time by the clock of the options.
func (o Options) Now() time.Time {
	if o.Clock == nil {
		return time.Now()
	}
	return o.Clock()
}

// Spec is one engine as a table.
type Spec struct {
	Name         string
	Capabilities search.Capabilities
	// Origin is scheme and host of the engine, as in https://api.example.org.
	// It may hold {lang}, which is replaced by the primary language of the
	// query.
	Origin string
	// KeyName is the environment variable of the key; empty when the engine
	// takes none.
	KeyName string
	// KeyOptional tells that the engine answers without the key, too.
	KeyOptional bool
	// ByName tells that the engine is asked only when the user has named it or
	// given its key or address.
	ByName bool
	// NamedOnly tells that the engine is asked only when the user has named it.
	NamedOnly bool
	// Ask writes the request for a query.
	Ask func(o Options, q search.Query) Request
	// Read reads an answer of status 200. It returns at least one result or a
	// [*search.Failure]; both together mean a partial answer.
	Read func(q search.Query, a Reply) ([]search.Result, error)
	// Refused turns an answer into a failure where the engine differs from
	// [Reply.Failure]; nil, or a nil failure, means that it does not. It sees
	// every answer before Read does.
	Refused func(a Reply) *search.Failure
	// Wait returns how long the answer asks to be left in peace although it is
	// a good one; nil means that the engine never does.
	Wait func(a Reply) time.Duration
	// Search takes the place of Ask and Read for engines that need several
	// requests. Each is sent by send, which fails as Refused and the status
	// tell it.
	Search func(ctx context.Context, o Options, send Sender, q search.Query) ([]search.Result, error)
}

// Sender sends one request and returns the good answer to it.
type Sender func(ctx context.Context, r Request) (Reply, error)

// Engine is the engine of a spec; New returns one.
type Engine struct {
	spec  Spec
	opt   Options
	quiet atomic.Int64 // nanoseconds since 1970 until which the engine wants no request
}

// New returns the engine of a spec.
func New(spec Spec, opt Options) search.Engine {
	if spec.KeyName == "" {
		opt.Key = ""
	}
	if opt.BaseURL != "" {
		spec.Origin = strings.TrimRight(opt.BaseURL, "/")
		spec.Capabilities.Loopback = IsLoopback(opt.BaseURL)
	}
	return &Engine{spec: spec, opt: opt}
}

// Name returns the name of the spec.
func (e *Engine) Name() string { return e.spec.Name }

// Capabilities returns those of the spec.
func (e *Engine) Capabilities() search.Capabilities { return e.spec.Capabilities }

// KeyName returns the environment variable of the engine's key, empty for none.
func (e *Engine) KeyName() string { return e.spec.KeyName }

// On returns what makes an engine be asked although the user has not named it.
func (e *Engine) On() search.On {
	switch {
	case e.spec.NamedOnly:
		return search.OnName
	case e.spec.KeyName != "" && (e.spec.ByName || !e.spec.KeyOptional):
		return search.OnKey
	case e.spec.ByName:
		return search.OnAddress
	}
	return search.OnAlways
}

// Ready reports whether the engine should be asked although the user has not
// named it: it has the key or the address it needs, or needs none.
func (e *Engine) Ready() bool {
	switch e.On() {
	case search.OnAlways:
		return true
	case search.OnKey:
		return e.opt.Key != ""
	case search.OnAddress:
		return e.opt.BaseURL != ""
	}
	return false
}

// Search asks the engine once.
func (e *Engine) Search(ctx context.Context, q search.Query) ([]search.Result, error) {
	results, err := e.search(ctx, q)
	if err == nil {
		return results, nil
	}
	failure := *search.AsFailure(e.spec.Name, err)
	failure.Engine = e.spec.Name
	if e.opt.Key != "" {
		failure.Message = strings.ReplaceAll(failure.Message, e.opt.Key, "***")
	}
	if failure.Hint == "" {
		failure.Hint = e.hint(failure.Kind)
	}
	return results, &failure
}

func (e *Engine) search(ctx context.Context, q search.Query) ([]search.Result, error) {
	if e.spec.KeyName != "" && !e.spec.KeyOptional && e.opt.Key == "" {
		return nil, &search.Failure{Kind: search.Auth, Message: "no API key"}
	}
	if wait := time.Unix(0, e.quiet.Load()).Sub(e.opt.Now()); wait > 0 {
		return nil, &search.Failure{Kind: search.Rate, Message: "the engine asked for a pause", RetryAfter: wait}
	}
	origin := strings.ReplaceAll(e.spec.Origin, "{lang}", primary(q.Language))
	send := func(ctx context.Context, r Request) (Reply, error) { return e.send(ctx, r, origin) }
	if e.spec.Search != nil {
		return e.spec.Search(ctx, e.opt, send, q)
	}
	reply, err := send(ctx, e.spec.Ask(e.opt, q))
	if err != nil {
		return nil, err
	}
	return e.spec.Read(q, reply)
}

func (e *Engine) send(ctx context.Context, r Request, origin string) (Reply, error) {
	reply, err := r.send(ctx, e.opt, origin)
	if err != nil {
		return Reply{}, err
	}
	if e.spec.Refused != nil {
		if f := e.spec.Refused(reply); f != nil {
			return Reply{}, f
		}
	}
	if f := reply.Failure(); f != nil {
		return Reply{}, f
	}
	if e.spec.Wait != nil {
		if wait := e.spec.Wait(reply); wait > 0 {
			e.quiet.Store(reply.At.Add(wait).UnixNano())
		}
	}
	return reply, nil
}

// primary returns the primary subtag of a language tag, English for none.
func primary(language string) string {
	tag, _, _ := strings.Cut(strings.ToLower(language), "-")
	for _, r := range tag {
		if r < 'a' || r > 'z' {
			return "en"
		}
	}
	if len(tag) < 2 || len(tag) > 3 {
		return "en"
	}
	return tag
}

// hint says what a person can do about a failure that came without advice.
func (e *Engine) hint(kind search.Kind) string {
	switch {
	case kind == search.Auth && e.spec.KeyName != "":
		return fmt.Sprintf("Set %s to a valid key of %s.", e.spec.KeyName, e.spec.Name)
	case kind == search.Quota:
		return fmt.Sprintf("The plan at %s is used up: raise it, or use other engines.", e.spec.Name)
	case kind == search.Rate && e.spec.KeyOptional && e.opt.Key == "":
		return fmt.Sprintf("Without a key %s allows few requests: set %s.", e.spec.Name, e.spec.KeyName)
	case kind == search.LayoutChanged:
		return fmt.Sprintf("%s answers in a new shape, or DEEPRESEARCH_%s_URL points elsewhere.", e.spec.Name, strings.ToUpper(e.spec.Name))
	}
	return ""
}
