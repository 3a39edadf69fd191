package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"deepresearch/tools"
)

// alive checks that a server answers as if nothing had happened.
func alive(t *testing.T, s speaker) {
	t.Helper()
	if answer := s.say(t, []byte(`{"jsonrpc":"2.0","id":99,"method":"ping"}`)); !bytes.Contains(answer, []byte(`"id":99`)) {
		t.Errorf("the next message is answered %.300s", answer)
	}
}

// garbage is what no client should send, each with what the answer must hold.
var garbage = map[string]struct{ message, want string }{
	"cut off":          {`{"jsonrpc":"2.0","id":1,"method":"tools/ca`, "error"},
	"no JSON":          {`hello`, "error"},
	"deep":             {strings.Repeat("[", 1_000_000), "error"},
	"deep and closed":  {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + strings.Repeat(`{"a":`, 200_000) + `1` + strings.Repeat(`}`, 200_000) + `}`, "error"},
	"a batch":          {`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]`, "error"},
	"another version":  {`{"jsonrpc":"1.0","id":1,"method":"ping"}`, "error"},
	"no such method":   {`{"jsonrpc":"2.0","id":1,"method":"tools/destroy"}`, "error"},
	"no such tool":     {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rm","arguments":{}}}`, "error"},
	"odd arguments":    {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"crawl","arguments":[1,2]}}`, "rror"},
	"a lone surrogate": {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"research_status","arguments":{"run_id":"\ud800"}}}`, "no such run"},
	"not UTF-8":        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"research_status\",\"arguments\":{\"run_id\":\"\xff\xfe\"}}}", "no such run"},
}

func TestGarbage(t *testing.T) {
	for transport, start := range map[string]func(*testing.T, ...string) speaker{"stdio": startStdio, "http": startHTTP} {
		t.Run(transport, func(t *testing.T) {
			s := start(t)
			shake(t, s)
			for name, g := range garbage {
				if answer := say(t, s, g.message); !strings.Contains(answer, g.want) {
					t.Errorf("%s is answered %.300q", name, answer)
				}
				alive(t, s)
			}
		})
	}
}

// say sends a message that may have no id, and returns its answer all the same.
func say(t *testing.T, s speaker, message string) string {
	t.Helper()
	pipe, ok := s.(stdioSpeaker)
	if !ok {
		return string(s.say(t, []byte(message)))
	}
	if _, err := io.WriteString(pipe.in, message+"\n"); err != nil {
		t.Fatal(err)
	}
	return string(pipe.answer(t))
}

// flood is a body that is far larger than a request may be.
type flood struct{ left int }

func (f *flood) Read(p []byte) (int, error) {
	if f.left <= 0 {
		return 0, io.EOF
	}
	n := min(len(p), f.left)
	for i := range p[:n] {
		p[i] = 'x'
	}
	f.left -= n
	return n, nil
}

const flooded = 5 * maxLine

// A body far beyond the limit is refused and never held in memory.
func TestFlood(t *testing.T) {
	for transport, start := range map[string]func(*testing.T, ...string) speaker{"stdio": startStdio, "http": startHTTP} {
		t.Run(transport, func(t *testing.T) {
			s := start(t)
			shake(t, s)
			before := allocated()
			switch s := s.(type) {
			case stdioSpeaker:
				if _, err := io.Copy(s.in, io.MultiReader(&flood{flooded}, strings.NewReader("\n"))); err != nil {
					t.Fatal(err)
				}
				if answer := s.answer(t); !bytes.Contains(answer, []byte("error")) {
					t.Errorf("answered %.300s", answer)
				}
			case *httpSpeaker:
				req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url, &flood{flooded})
				if err != nil {
					t.Fatal(err)
				}
				req.Header.Set("Content-Type", "application/json")
				// The server may close the connection before all is sent.
				if res, err := http.DefaultClient.Do(req); err == nil {
					if res.Body.Close(); res.StatusCode != http.StatusRequestEntityTooLarge {
						t.Errorf("status %d", res.StatusCode)
					}
				}
			}
			if grown := allocated() - before; grown > flooded {
				t.Errorf("%d MB were allocated for it", grown>>20)
			}
			alive(t, s)
		})
	}
}

// allocated is what was ever allocated, in bytes.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// A thousand clients that shake hands and fall silent cost little, and the server
// goes on.
func TestIdleSessions(t *testing.T) {
	s, ok := startHTTP(t).(*httpSpeaker)
	if !ok {
		t.Fatal("no HTTP")
	}
	shake(t, s)
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	for range 1000 {
		(&httpSpeaker{url: s.url}).say(t, []byte(handshake))
	}
	if grown := int64(heap()) - int64(before); grown > 32<<20 {
		t.Errorf("1,000 sessions hold %d MB", grown>>20)
	}
	alive(t, s)
}

// A client that goes away in the middle of its request, or never reads its answer,
// holds up nobody else.
func TestClientsThatStall(t *testing.T) {
	s, ok := startHTTP(t).(*httpSpeaker)
	if !ok {
		t.Fatal("no HTTP")
	}
	shake(t, s)
	address := strings.TrimSuffix(strings.TrimPrefix(s.url, "http://"), "/mcp")
	head := "POST /mcp HTTP/1.1\r\nHost: " + address + "\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
	list := `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + modern + `}}`
	for _, sent := range []string{
		"POST /mcp HT",
		head + "Content-Length: 1000\r\n\r\n{\"jsonrpc\"",
		head + "Transfer-Encoding: chunked\r\n\r\n5\r\n{\"jso",
		head + fmt.Sprintf("Mcp-Protocol-Version: 2026-07-28\r\nMcp-Method: server/discover\r\nContent-Length: %d\r\n\r\n%s", len(list), list),
	} {
		var d net.Dialer
		c, err := d.DialContext(t.Context(), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := io.WriteString(c, sent); err != nil {
			t.Fatal(err)
		}
	}
	alive(t, s)
}

// What a host says last before it closes stdin is no reason not to end.
func TestEOFInTheMiddle(t *testing.T) {
	for name, last := range map[string]string{
		"of a call":    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"deep_research","arguments":{"question":"Who?","wait_seconds":45}}}` + "\n",
		"of a task":    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"deep_research","arguments":{"question":"Who?"},` + strings.Replace(modern, "{}", `{"extensions":{"io.modelcontextprotocol/tasks":{}}}`, 1) + `}}` + "\n",
		"of a message": `{"jsonrpc":"2.0","id":1,"meth`,
		"of nothing":   "",
	} {
		t.Run(name, func(t *testing.T) {
			theirs, in := io.Pipe()
			over(t, theirs, io.Discard, t.Output(), append([]string{"stdio"}, offlineFlags(t, nil)...)...)
			for _, message := range []string{handshake + "\n", last} {
				if _, err := io.WriteString(in, message); err != nil {
					t.Fatal(err)
				}
			}
			_ = in.Close() // over checks that the process ends well
		})
	}
}

// Lines of progress of calls at once, in one session, each go out on the stream of
// their own call and before its answer.
func TestProgressStaysWithItsCall(t *testing.T) {
	m := newSlowServer(t, httpOptions{Listen: "127.0.0.1:0"})
	m.mcp.AddTool(mcp.NewTool("steps"), func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for i := range 20 {
			if err := tools.Notify(ctx, "notifications/progress", map[string]any{"progressToken": req.Params.Meta.ProgressToken, "progress": i}); err != nil {
				return nil, err
			}
			runtime.Gosched()
		}
		return mcp.NewToolResultText("finished"), nil
	})
	s := &httpSpeaker{url: m.URL + "/mcp"}
	shake(t, s)
	var calls sync.WaitGroup
	for i := range 20 {
		calls.Go(func() {
			res := s.post(t, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"steps","_meta":{"progressToken":"own-%d"}}}`, i+10, i), nil)
			defer res.Body.Close()
			body, err := io.ReadAll(res.Body)
			events := strings.Split(strings.TrimSpace(string(body)), "\n\n")
			own := strings.Count(string(body), fmt.Sprintf(`"own-%d"`, i))
			if err != nil || len(events) != 21 || own != 20 || !strings.Contains(events[20], "finished") {
				t.Errorf("call %d: %v, %d events, %d of its own: %s", i, err, len(events), own, body)
			}
		})
	}
	calls.Wait()
}
