package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// slowServer has one tool, which ends when it is released or its caller gives up.
type slowServer struct {
	*httptest.Server
	mcp            *server.MCPServer
	begun, release chan struct{}
}

func newSlowServer(t *testing.T, opt httpOptions) *slowServer {
	t.Helper()
	w := &slowServer{begun: make(chan struct{}, 10), release: make(chan struct{})}
	w.mcp = w.tools()
	streamable := newStreamable(w.mcp, slog.New(slog.DiscardHandler))
	w.Server = httptest.NewServer(newHTTPHandler(streamable, opt))
	t.Cleanup(func() {
		w.Close()
		_ = streamable.Shutdown(context.Background())
	})
	return w
}

func (w *slowServer) tools() *server.MCPServer {
	m := server.NewMCPServer("slow", "1")
	m.AddTool(mcp.NewTool("slow"), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		w.begun <- struct{}{}
		select {
		case <-ctx.Done():
			return mcp.NewToolResultText("cancelled"), nil
		case <-w.release:
			return mcp.NewToolResultText("finished"), nil
		}
	})
	return m
}

const (
	handshake = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}`
	modern    = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"a","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	callSlow  = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"slow",` + modern + `}}`
	cancel7   = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7%s}}`
)

func TestHTTPChecks(t *testing.T) {
	open := httpOptions{Listen: "127.0.0.1:0", Origins: []string{"https://friend.example"}, Hosts: []string{"proxy.example"}}
	guarded := httpOptions{Listen: "0.0.0.0:0", Tokens: []string{"first", "second"}}
	for _, c := range []struct {
		name   string
		opt    httpOptions
		header map[string]string
		want   int
	}{
		{"a program", open, nil, 200},
		{"a name that was pointed here", open, map[string]string{"Host": "evil.example"}, 403},
		{"a name that was pointed here, with port", open, map[string]string{"Host": "evil.example:80"}, 403},
		{"localhost", open, map[string]string{"Host": "localhost:1"}, 200},
		{"IPv6", open, map[string]string{"Host": "[::1]:1"}, 200},
		{"a name that was allowed", open, map[string]string{"Host": "proxy.example"}, 200},
		{"a foreign page", open, map[string]string{"Origin": "https://evil.example"}, 403},
		{"a page of no origin", open, map[string]string{"Origin": "null"}, 403},
		{"a page on another port", open, map[string]string{"Origin": "http://127.0.0.1:1"}, 403},
		{"a friendly page", open, map[string]string{"Origin": "https://friend.example"}, 200},
		{"no token", guarded, nil, 401},
		{"a wrong token", guarded, map[string]string{"Authorization": "Bearer third"}, 401},
		{"part of a token", guarded, map[string]string{"Authorization": "Bearer firs"}, 401},
		{"an empty token", guarded, map[string]string{"Authorization": "Bearer "}, 401},
		{"another scheme", guarded, map[string]string{"Authorization": "Basic first"}, 401},
		{"the first token", guarded, map[string]string{"Authorization": "Bearer first"}, 200},
		{"the second token", guarded, map[string]string{"Authorization": "bearer second", "Host": "research.example"}, 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &httpSpeaker{url: newSlowServer(t, c.opt).URL + "/mcp"}
			res := s.post(t, []byte(handshake), c.header)
			defer res.Body.Close()
			if res.StatusCode != c.want {
				body, _ := io.ReadAll(res.Body)
				t.Errorf("status %d, want %d: %s", res.StatusCode, c.want, body)
			}
		})
	}
}

// The browser of a page on the list is told so, also when it asks before it calls.
func TestPagesOnTheListMayCall(t *testing.T) {
	const friend = "https://friend.example"
	url := newSlowServer(t, httpOptions{Listen: "127.0.0.1:0", Origins: []string{friend + "/"}, Tokens: []string{"t"}}).URL + "/mcp"
	for origin, want := range map[string]string{friend: friend, "https://evil.example": ""} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodOptions, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Origin", origin)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if got := res.Header.Get("Access-Control-Allow-Origin"); got != want || (res.StatusCode == http.StatusNoContent) != (want != "") {
			t.Errorf("%s: status %d, allowed %q", origin, res.StatusCode, got)
		}
	}
	s := &httpSpeaker{url: url, token: "t"}
	res := s.post(t, []byte(handshake), map[string]string{"Origin": friend})
	defer res.Body.Close()
	if res.StatusCode != 200 || res.Header.Get("Access-Control-Allow-Origin") != friend {
		t.Errorf("%d %v", res.StatusCode, res.Header)
	}
}

func TestHTTPBodyIsBounded(t *testing.T) {
	s := &httpSpeaker{url: newSlowServer(t, httpOptions{Listen: "127.0.0.1:0"}).URL + "/mcp"}
	res := s.post(t, bytes.Repeat([]byte(" "), maxBody+1), nil)
	defer res.Body.Close()
	if res.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("status %d", res.StatusCode)
	}
}

func TestHealthNeedsNoToken(t *testing.T) {
	w := newSlowServer(t, httpOptions{Listen: "127.0.0.1:0", Tokens: []string{"t"}})
	res, err := http.Get(w.URL + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if body, _ := io.ReadAll(res.Body); res.StatusCode != 200 || string(body) != "ok\n" {
		t.Errorf("%d %s", res.StatusCode, body)
	}
}

// One client's cancellation never ends another one's call.
func TestForeignCancellation(t *testing.T) {
	w := newSlowServer(t, httpOptions{Listen: "127.0.0.1:0"})
	s := &httpSpeaker{url: w.URL + "/mcp"}
	answer := make(chan string)
	go func() {
		res := s.post(t, []byte(callSlow), nil)
		defer res.Body.Close()
		body, _ := io.ReadAll(res.Body)
		answer <- string(body)
	}()
	<-w.begun
	for _, more := range []string{"", "," + modern} {
		res := (&httpSpeaker{url: w.URL + "/mcp"}).post(t, fmt.Appendf(nil, cancel7, more), nil)
		res.Body.Close()
		if res.StatusCode != http.StatusAccepted {
			t.Errorf("status %d", res.StatusCode)
		}
	}
	close(w.release)
	if got := <-answer; !strings.Contains(got, "finished") {
		t.Errorf("the call was cancelled by another client: %s", got)
	}
}

// Within its own session a client does cancel its calls.
func TestOwnCancellation(t *testing.T) {
	w := newSlowServer(t, httpOptions{Listen: "127.0.0.1:0"})
	s := &httpSpeaker{url: w.URL + "/mcp"}
	s.say(t, []byte(handshake))
	answer := make(chan string)
	go func() {
		res := s.post(t, []byte(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"slow"}}`), nil)
		defer res.Body.Close()
		body, _ := io.ReadAll(res.Body)
		answer <- string(body)
	}()
	<-w.begun
	s.say(t, fmt.Appendf(nil, cancel7, ""))
	if got := <-answer; strings.Contains(got, "finished") {
		t.Errorf("the call went on: %s", got)
	}
}

func TestHTTPRefusesToListenOpenly(t *testing.T) {
	for listen, opt := range map[string]httpOptions{
		"0.0.0.0:0": {}, ":0": {}, "192.0.2.1:80": {}, "[::]:0": {}, "example.org:80": {}, "127.0.0.1": {}, "127.0.0.1:0": {Tokens: []string{" "}}, "127.0.0.1:00": {Origins: []string{"example.org"}},
	} {
		opt.Listen = listen
		if err := serveHTTP(t.Context(), server.NewMCPServer("x", "1"), opt, io.Discard); err == nil {
			t.Errorf("%s: listened", listen)
		}
	}
}

// A server that is told to end ends the calls that wait, and no connection is cut.
func TestHTTPEndsInOrder(t *testing.T) {
	w := &slowServer{begun: make(chan struct{}, 1), release: make(chan struct{})}
	ctx, end := context.WithCancel(t.Context())
	lines, complaints := io.Pipe()
	ended := make(chan error)
	go func() { ended <- serveHTTP(ctx, w.tools(), httpOptions{Listen: "127.0.0.1:0"}, complaints) }()
	line, err := bufio.NewReader(lines).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	s := &httpSpeaker{url: strings.TrimPrefix(strings.TrimSpace(line), "listening on ")}
	answered := make(chan struct{})
	go func() {
		s.say(t, []byte(callSlow))
		close(answered)
	}()
	<-w.begun
	end()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	<-answered
}
