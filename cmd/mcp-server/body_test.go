package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a listener whose connections never leave the process, so that their
// deadlines keep the time of a test.
type pipes struct {
	dialed chan net.Conn
	closed context.Context
	close  context.CancelFunc
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.dialed:
		return c, nil
	case <-p.closed.Done():
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.close()
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// dial opens a connection to a server with the bounds of this one.
func dial(t *testing.T, opt httpOptions) net.Conn {
	t.Helper()
	logger := slog.New(slog.DiscardHandler)
	answer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(time.Hour): // longer than any bound
		case <-r.Context().Done():
		}
		_, _ = io.Copy(w, r.Body)
	})
	srv := newHTTPServer(newHTTPHandler(answer, opt), logger)
	l := &pipes{dialed: make(chan net.Conn, 1)}
	l.closed, l.close = context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- srv.Serve(l) }()
	here, there := net.Pipe()
	l.dialed <- there
	t.Cleanup(func() {
		_ = here.Close()
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	return here
}

// Whoever sends half a request is answered, at once where the half is enough to
// refuse it, and cut off in the end.
func TestUnfinishedRequestsAreAnswered(t *testing.T) {
	const sized, chunked = "Content-Length: 10\r\n\r\n{}", "Transfer-Encoding: chunked\r\n\r\na\r\n{}"
	local := httpOptions{Listen: "127.0.0.1:0"}
	for _, c := range []struct {
		name, request string
		opt           httpOptions
		status        string // empty: closed without an answer
		after         time.Duration
	}{
		{"a foreign name", "POST /mcp HTTP/1.1\r\nHost: evil.example\r\n" + sized, local, "403", 0},
		{"a foreign page", "POST /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: https://evil.example\r\n" + chunked, local, "403", 0},
		{"no token", "POST /mcp HTTP/1.1\r\nHost: localhost\r\n" + sized, httpOptions{Listen: "127.0.0.1:0", Tokens: []string{"t"}}, "401", 0},
		{"no such path", "POST /nowhere HTTP/1.1\r\nHost: localhost\r\n" + chunked, local, "404", 0},
		{"no such method", "POST /healthz HTTP/1.1\r\nHost: localhost\r\n" + sized, local, "405", 0},
		{"health", "GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + sized, local, "200", 0},
		{"half a body", "POST /mcp HTTP/1.1\r\nHost: localhost\r\n" + sized, local, "408", bodyWithin},
		{"half a chunk", "POST /mcp HTTP/1.1\r\nHost: localhost\r\n" + chunked, local, "408", bodyWithin},
		{"half a body of a stream", "GET /mcp HTTP/1.1\r\nHost: localhost\r\n" + sized, local, "408", bodyWithin},
		{"half a header", "POST /mcp HTTP/1.1\r\nHost: local", local, "", headWithin},
		{"a whole one that waits", "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}", local, "200", time.Hour},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				conn, begun := dial(t, c.opt), time.Now()
				go func() { _, _ = io.WriteString(conn, c.request) }()
				read := bufio.NewReader(conn)
				line, err := read.ReadString('\n')
				if got := strings.TrimPrefix(line, "HTTP/1.1 "); !strings.HasPrefix(got, c.status) || (err != nil) != (c.status == "") {
					t.Errorf("answered %q, %v, want %s", line, err, c.status)
				}
				if took := time.Since(begun); took != c.after {
					t.Errorf("answered after %s, want %s", took, c.after)
				}
				if strings.HasPrefix(c.status, "2") && c.after > 0 {
					return
				}
				_, _ = io.Copy(io.Discard, read)
				if took := time.Since(begun); took > bodyWithin+time.Second {
					t.Errorf("closed after %s", took)
				}
			})
		})
	}
}
