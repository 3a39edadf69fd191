package tools

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"

	"deepresearch/research"
)

// wire records what a client would get, and when.
type wire struct {
	mu    sync.Mutex
	notes []mcp.ProgressNotificationParams
	times []time.Time
}

func (w *wire) send(p mcp.ProgressNotificationParams) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.notes = append(w.notes, p)
	w.times = append(w.times, time.Now())
}

func (w *wire) sent() []mcp.ProgressNotificationParams {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.notes)
}

func (w *wire) check(t *testing.T) {
	t.Helper()
	for i, n := range w.notes {
		if utf8.RuneCountInString(n.Message) > 150 || n.Message == "" {
			t.Errorf("message %q", n.Message)
		}
		if n.Total != 0 && n.Total < n.Progress {
			t.Errorf("%v of %v", n.Progress, n.Total)
		}
		if i == 0 {
			continue
		}
		if n.Progress <= w.notes[i-1].Progress {
			t.Errorf("progress goes from %v to %v", w.notes[i-1].Progress, n.Progress)
		}
		if gap := w.times[i].Sub(w.times[i-1]); gap < progressEvery || gap > heartbeatEvery {
			t.Errorf("%v between two notifications", gap)
		}
	}
}

func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w wire
		r := newReporter(w.send, "Starting")
		synctest.Wait()
		if got := w.sent(); len(got) != 1 || got[0].Message != "Starting" {
			t.Fatalf("nothing is sent at once: %v", got)
		}
		time.Sleep(25 * time.Second) // silence: two heartbeats
		for i := range 2000 {        // a burst
			r.tell(research.Progress{Phase: "reading", Text: fmt.Sprintf("page %d", i), Done: i + 1, Total: 2000})
		}
		time.Sleep(time.Second)
		r.tell(research.Progress{Phase: "writing", Text: strings.Repeat("長", 400), Done: 1, Total: 3})
		time.Sleep(time.Second)
		before := time.Now()
		r.close()
		if time.Since(before) != progressTail {
			t.Errorf("closing takes %v, want the tail of %v", time.Since(before), progressTail)
		}
		w.check(t)
		if n := len(w.notes); n != 6 {
			t.Errorf("%d notifications, want the first, two heartbeats, two of the burst and one more: %v", n, w.notes)
		}
		if last := w.notes[4]; last.Message != "page 1999" || last.Progress < 2000 {
			t.Errorf("of the burst came %v", last)
		}
		if got := len(r.lines()); got != keptLines {
			t.Errorf("%d lines are kept", got)
		}
	})
}

func TestNoTokenNoProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReporter(nil, "Starting")
		r.tell(research.Progress{Text: "line"})
		r.tell(research.Progress{Text: "another"})
		before := time.Now()
		if r.close(); time.Since(before) != 0 {
			t.Error("a call without progress waits")
		}
		if len(r.lines()) != 2 {
			t.Errorf("%v", r.lines())
		}
	})
}
