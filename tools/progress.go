package tools

import (
	"context"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"deepresearch/research"
)

const (
	progressEvery  = 500 * time.Millisecond // at most two a second: clients' channels hold 100 and refuse more
	heartbeatEvery = 10 * time.Second       // hosts give up on silence, the strictest known after 30 s
	progressChars  = 150                    // hosts cut messages at about 200
	// progressTail is how long a call waits after its last notification: sent with
	// the answer at its heels it is lost or overtaken (measured: 34 of 60 calls
	// over HTTP lost one without a wait, none of 60 with 15 ms).
	progressTail = 20 * time.Millisecond
)

// keptLines bounds the lines of progress that one call remembers.
const keptLines = 500

// reporter sends the progress of one call to its client, from a goroutine that
// close waits for. Without a progress token it only collects.
type reporter struct {
	send func(mcp.ProgressNotificationParams) // nil without a token
	news chan research.Progress
	stop chan struct{}
	done chan struct{}

	mu   sync.Mutex
	told []research.Progress

	last  float64 // progress as it was sent
	start float64 // where the counting of the current phase begins
	phase string
}

// report begins to report on a call and says at once that it is alive: that
// opens the stream of an HTTP response.
func (c *call) report(ctx context.Context, first string) *reporter {
	var send func(mcp.ProgressNotificationParams)
	if c.token != nil && c.server != nil {
		send = func(p mcp.ProgressNotificationParams) {
			fields := map[string]any{"progressToken": c.token, "progress": p.Progress, "message": p.Message}
			if p.Total > 0 {
				fields["total"] = p.Total
			}
			// A client that takes no more misses a line, which the next one replaces.
			_ = Notify(ctx, string(mcp.MethodNotificationProgress), fields)
		}
	}
	return newReporter(send, first)
}

type notifyKey struct{}

// WithNotify has notifications that belong to a call sent by a function of the
// transport, instead of through the session's queue, which all calls share.
func WithNotify(ctx context.Context, notify func(method string, params map[string]any) error) context.Context {
	return context.WithValue(ctx, notifyKey{}, notify)
}

// Notify sends the client of a call a notification that belongs to it.
func Notify(ctx context.Context, method string, params map[string]any) error {
	if notify, ok := ctx.Value(notifyKey{}).(func(string, map[string]any) error); ok {
		return notify(method, params)
	}
	return server.ServerFromContext(ctx).SendNotificationToClient(ctx, method, params)
}

func newReporter(send func(mcp.ProgressNotificationParams), first string) *reporter {
	r := &reporter{send: send, news: make(chan research.Progress, 1), stop: make(chan struct{}), done: make(chan struct{})}
	if send == nil {
		close(r.done)
		return r
	}
	go func() {
		defer close(r.done)
		for p, open := (research.Progress{Text: first}), true; open; p, open = r.next(p) {
			r.notify(p)
		}
	}()
	return r
}

// tell takes a line of progress. It never blocks: of several that come close
// together the client sees the last.
func (r *reporter) tell(p research.Progress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.told) < keptLines {
		r.told = append(r.told, p)
	}
	select {
	case <-r.news:
	default:
	}
	r.news <- p // there is room: nobody else sends
}

// lines are the lines of progress of this call so far.
func (r *reporter) lines() []research.Progress {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.told
}

// close ends the reports and, when there were any, waits until the last one is
// surely ahead of the answer.
func (r *reporter) close() {
	close(r.stop)
	<-r.done
	if r.send != nil {
		time.Sleep(progressTail)
	}
}

// next is the line to send after p: the latest one, no earlier than the distance
// between two lines and no later than a heartbeat. It is false when the call is
// over.
func (r *reporter) next(p research.Progress) (research.Progress, bool) {
	select {
	case <-time.After(progressEvery):
	case <-r.stop:
		return p, false
	}
	select {
	case p = <-r.news:
		return p, true
	case <-time.After(heartbeatEvery - progressEvery):
		return research.Progress{Phase: p.Phase, Text: p.Text}, true
	case <-r.stop:
		return p, false
	}
}

// notify sends one line. The number always grows, as the protocol demands, while
// the counts of a phase start at 0 again.
func (r *reporter) notify(p research.Progress) {
	if p.Phase != r.phase {
		r.phase, r.start = p.Phase, r.last
	}
	note := mcp.ProgressNotificationParams{Message: clip(p.Text, progressChars)}
	note.Progress = max(r.start+float64(p.Done), r.last+0.01)
	if p.Total > 0 {
		note.Total = max(r.start+float64(p.Total), note.Progress)
	}
	r.last = note.Progress
	r.send(note)
}
