package tools_test

import (
	"context"
	"fmt"
	"path"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"deepresearch/research"
)

// ear is a session that keeps what it is told.
type ear struct {
	id   string
	told chan mcp.JSONRPCNotification
}

func newEar(id string) *ear { return &ear{id, make(chan mcp.JSONRPCNotification, 100)} }

func (e *ear) Initialize()                                         {}
func (e *ear) Initialized() bool                                   { return true }
func (e *ear) NotificationChannel() chan<- mcp.JSONRPCNotification { return e.told }
func (e *ear) SessionID() string                                   { return e.id }

// heard are the notifications since the last time, one a line.
func (e *ear) heard() string {
	var b strings.Builder
	for {
		select {
		case n := <-e.told:
			b.WriteString(strings.TrimSpace(path.Base(n.Method)+" "+uriOf(n)) + "\n")
		default:
			return b.String()
		}
	}
}

func uriOf(n mcp.JSONRPCNotification) string {
	if uri := n.Params.AdditionalFields["uri"]; uri != nil {
		return fmt.Sprint(uri)
	}
	return ""
}

// stepping is an engine whose run changes while others look.
type stepping struct {
	fake
	mu sync.Mutex
}

func (s *stepping) set(change func(*research.Result)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.result)
}

func (s *stepping) Result(ctx context.Context, caller, id string) (research.Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if caller != remote.ID {
		return research.Result{}, fmt.Errorf("%w: %q", research.ErrNoRun, id)
	}
	return s.fake.Result(ctx, caller, id)
}
