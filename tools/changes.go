package tools

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"deepresearch/research"
)

const (
	// lookEvery is how often a run that somebody wants to hear of is looked at.
	lookEvery = 3 * time.Second
	// lookWithin bounds one look.
	lookWithin = 10 * time.Second
	// mostFollowed bounds the runs that are looked at, and the subscriptions to
	// each.
	mostFollowed = 1000
)

// changes tells clients what no answer tells them: that a run came to its end,
// so that there are more resources, and that a run whose resources they
// subscribed to got further. One goroutine looks while there is something to
// look at; close waits for it.
type changes struct {
	engine Engine
	server *server.MCPServer

	mu      sync.Mutex
	runs    map[runOf]*followed
	looking bool
	stop    chan struct{}
	closed  bool
	looks   sync.WaitGroup
}

// followed is a run that is looked at.
type followed struct {
	seen    string // what it looked like last
	ends    bool   // its end is to be announced
	hearing map[subscription]struct{}
}

type subscription struct {
	session server.ClientSession
	uri     string
}

func newChanges(engine Engine) *changes {
	return &changes{engine: engine, runs: map[runOf]*followed{}, stop: make(chan struct{})}
}

// close stops looking.
func (c *changes) close() {
	c.mu.Lock()
	if !c.closed {
		c.closed = true
		close(c.stop)
	}
	c.mu.Unlock()
	c.looks.Wait()
}

// announceEnd has the end of a run announced.
func (c *changes) announceEnd(caller, run string) {
	c.change(runOf{caller, run}, func(f *followed) { f.ends = true })
}

// subscribe has a session told of changes of a resource. An address that belongs
// to no run never changes.
func (c *changes) subscribe(ctx context.Context, uri string) (subscription, bool) {
	rest, of := strings.CutPrefix(uri, runsURI+"/")
	run, _, _ := strings.Cut(rest, "/")
	s := subscription{server.ClientSessionFromContext(ctx), uri}
	if !of || run == "" || s.session == nil {
		return s, false
	}
	c.change(runOf{callerOf(ctx).ID, run}, func(f *followed) {
		if len(f.hearing) < mostFollowed {
			f.hearing[s] = struct{}{}
		}
	})
	return s, true
}

// change notes what is wanted of a run, and begins to look.
func (c *changes) change(key runOf, note func(*followed)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.runs[key]
	if f == nil {
		if c.closed || len(c.runs) >= mostFollowed {
			return
		}
		f = &followed{hearing: map[subscription]struct{}{}}
		c.runs[key] = f
	}
	note(f)
	if !c.looking && !c.closed {
		c.looking = true
		c.looks.Go(c.look)
	}
}

// forget ends subscriptions.
func (c *changes) forget(which func(subscription) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range c.runs {
		maps.DeleteFunc(f.hearing, func(s subscription, _ struct{}) bool { return which(s) })
	}
}

// look looks at the runs until there are none, or until close.
func (c *changes) look() {
	for {
		select {
		case <-c.stop:
			return
		case <-time.After(lookEvery):
		}
		c.mu.Lock()
		keys := slices.Collect(maps.Keys(c.runs))
		c.looking = len(keys) > 0
		c.mu.Unlock()
		if len(keys) == 0 {
			return
		}
		for _, key := range keys {
			c.lookAt(key)
		}
	}
}

// lookAt looks at one run and tells who wants to know. A store that does not
// answer now is asked again at the next look.
func (c *changes) lookAt(key runOf) {
	ctx, cancel := context.WithTimeout(context.Background(), lookWithin)
	defer cancel()
	r, err := c.engine.Result(ctx, key.caller, key.run)
	if err != nil && !errors.Is(err, research.ErrNoRun) {
		return
	}
	announce, tell := c.compare(key, r, err == nil)
	for _, s := range tell {
		// A client that takes no more misses a hint, which the next one replaces.
		_ = c.server.SendNotificationToClient(c.server.WithContext(ctx, s.session), mcp.MethodNotificationResourceUpdated, map[string]any{"uri": s.uri})
	}
	if announce {
		c.server.SendNotificationToAllClients(mcp.MethodNotificationResourcesListChanged, nil)
	}
}

// compare notes what a run looks like now, and says what there is to tell. Runs
// that nobody wants to hear of any more are dropped.
func (c *changes) compare(key runOf, r research.Result, known bool) (announce bool, tell []subscription) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.runs[key]
	now := fmt.Sprint(r.Status, len(r.Claims), len(r.Sources), len(r.Queries), r.Usage.Pages, r.Usage.Searches, r.Usage.ModelCalls)
	over := r.Status.Ended()
	if f.seen != now && (f.seen != "" || over) {
		tell = slices.Collect(maps.Keys(f.hearing))
	}
	announce = f.ends && over
	f.seen, f.ends = now, f.ends && r.Status == research.Running
	if !known || over || !f.ends && len(f.hearing) == 0 {
		delete(c.runs, key)
	}
	return announce, tell
}

// hooks are how the library says who subscribes and who leaves. It keeps no
// subscriptions itself.
func (c *changes) hooks() *server.Hooks {
	h := &server.Hooks{}
	h.AddAfterSubscribe(func(ctx context.Context, _ any, req *mcp.SubscribeRequest, _ *mcp.EmptyResult) {
		c.subscribe(ctx, req.Params.URI)
	})
	h.AddAfterUnsubscribe(func(ctx context.Context, _ any, req *mcp.UnsubscribeRequest, _ *mcp.EmptyResult) {
		left := subscription{server.ClientSessionFromContext(ctx), req.Params.URI}
		c.forget(func(s subscription) bool { return s == left })
	})
	h.AddOnUnregisterSession(func(_ context.Context, session server.ClientSession) {
		c.forget(func(s subscription) bool { return s.session == session })
	})
	h.AddBeforeSubscriptionsListen(func(ctx context.Context, _ any, req *mcp.SubscriptionsListenRequest) {
		c.listen(ctx, req.Params.Notifications.ResourceSubscriptions)
	})
	return h
}

// listen subscribes for as long as a request lasts, as the protocol has it since
// 2026-07-28.
func (c *changes) listen(ctx context.Context, uris []string) {
	for _, uri := range uris[:min(len(uris), mostFollowed)] {
		if opened, ok := c.subscribe(ctx, uri); ok {
			context.AfterFunc(ctx, func() { c.forget(func(s subscription) bool { return s == opened }) })
		}
	}
}
