package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"

	"deepresearch/tools"
)

// writeWithin is how long a client may take to accept one message. One that
// stopped reading is cut off, or its call would wait for it.
const writeWithin = time.Minute

// ownStream has the progress of a call go out on the stream of that very call.
// The library has one queue a session, from which whichever of its calls comes
// first takes what belongs to another: with 20 calls at once, lines of progress
// reached clients after the answer that they belong to.
func ownStream(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			next.ServeHTTP(w, r)
			return
		}
		s := &stream{ResponseWriter: w, control: http.NewResponseController(w), header: http.Header{}}
		next.ServeHTTP(s, r.WithContext(tools.WithNotify(r.Context(), s.notify)))
	})
}

// stream is a response that notifications can be written into before the answer.
// It makes an event stream of it with the first one, unless the library has.
type stream struct {
	http.ResponseWriter
	control *http.ResponseController
	header  http.Header // the library's, which it sets while notify may be at work

	mu     sync.Mutex
	begun  bool // the header is out
	events bool // the body is an event stream
	theirs bool // the library writes events itself
}

const eventStream = "text/event-stream"

// notify writes a notification.
func (s *stream) notify(method string, params map[string]any) error {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
	if err != nil {
		return fmt.Errorf("writing a notification: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.begun {
		s.begin(http.StatusOK, http.Header{"Content-Type": {eventStream}, "Cache-Control": {"no-cache"}})
	}
	if !s.events {
		return nil // the answer is out: too late
	}
	return s.event(body)
}

func (s *stream) event(body []byte) error {
	s.deadline()
	if _, err := fmt.Fprintf(s.ResponseWriter, "event: message\ndata: %s\n\n", body); err != nil {
		return fmt.Errorf("writing an event: %w", err)
	}
	return s.control.Flush()
}

// begin sends the header.
func (s *stream) begin(status int, header http.Header) {
	s.begun, s.events = true, streams(header)
	maps.Copy(s.ResponseWriter.Header(), header)
	s.ResponseWriter.WriteHeader(status)
}

func streams(h http.Header) bool { return strings.HasPrefix(h.Get("Content-Type"), eventStream) }

func (s *stream) deadline() {
	// Where there are no deadlines, as in tests without a network, none is needed.
	_ = s.control.SetWriteDeadline(time.Now().Add(writeWithin))
}

// Header is the library's.
func (s *stream) Header() http.Header { return s.header }

// WriteHeader is called by the library. When the header is out already, it only
// tells how the library goes on.
func (s *stream) WriteHeader(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.theirs = streams(s.header)
	if !s.begun {
		s.begin(status, s.header)
	}
}

// Write is called by the library. An answer that it writes as plain JSON becomes
// the last event of a stream that was begun without it.
func (s *stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.begun {
		s.begin(http.StatusOK, s.header)
		s.theirs = s.events
	}
	if s.events && !s.theirs {
		return len(p), s.event([]byte(strings.TrimRight(string(p), "\n")))
	}
	s.deadline()
	return s.ResponseWriter.Write(p)
}

// Flush implements [http.Flusher], by which the library knows that it may stream.
func (s *stream) Flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.control.Flush() // what cannot be flushed is sent at the end
}
