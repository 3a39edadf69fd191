package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// bench runs the program for a benchmark, with a SearXNG that handles what is
// asked of it.
func bench(b *testing.B, instance http.HandlerFunc, in io.Reader, out, complaints io.Writer, command ...string) {
	b.Helper()
	searxng := httptest.NewServer(instance)
	ctx, cancel := context.WithCancel(b.Context())
	p := process{ctx: ctx, in: in, out: out, err: complaints, exit: func(int) {}, env: []string{
		"HOME=" + b.TempDir(), "SEARXNG_URL=" + searxng.URL, "DEEPRESEARCH_SEARCH=searxng", "DEEPRESEARCH_NO_MODEL=true",
	}}
	ended := make(chan int)
	go func() { ended <- p.run(command) }()
	b.Cleanup(func() {
		cancel()
		<-ended
		searxng.Close()
	})
}

const cachedSearch = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"web_search","arguments":{"query":"tcp congestion control"}}}` + "\n"

// timed measures calls of ask and reports their median in milliseconds.
func timed(b *testing.B, ask func() []byte) {
	b.Helper()
	for range 3 { // the first one fills the cache
		if answer := ask(); !bytes.Contains(answer, []byte("rfc5681")) {
			b.Fatalf("answered %.300s", answer)
		}
	}
	var took []time.Duration
	b.ReportAllocs()
	for b.Loop() {
		begun := time.Now()
		ask()
		took = append(took, time.Since(begun))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
}

// BenchmarkCallOverStdio is a whole call of web_search whose answer is cached.
func BenchmarkCallOverStdio(b *testing.B) {
	in, send := io.Pipe()
	receive, out := io.Pipe()
	bench(b, answer, in, out, io.Discard, "stdio")
	lines := bufio.NewReaderSize(receive, 1<<20)
	say := func(message string) []byte {
		if _, err := io.WriteString(send, message); err != nil {
			b.Fatal(err)
		}
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				b.Fatal(err)
			}
			if bytes.Contains(line, []byte(`"id":`)) {
				return line
			}
		}
	}
	say(handshake + "\n")
	timed(b, func() []byte { return say(cachedSearch) })
	b.Cleanup(func() { _ = send.Close() }) // before the server is waited for
}

// BenchmarkCallOverHTTP is the same over HTTP, on one connection.
func BenchmarkCallOverHTTP(b *testing.B) {
	s := benchHTTP(b, answer)
	timed(b, func() []byte {
		res := s.post(b, cachedSearch)
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			b.Fatal(err)
		}
		return body
	})
}

// BenchmarkWaitingCalls is what 200 calls hold that wait for their runs at once,
// those who call included.
func BenchmarkWaitingCalls(b *testing.B) {
	const calls = 200
	s := benchHTTP(b, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	held := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapInuse + m.StackInuse
	}
	for b.Loop() {
		before := held()
		var bodies [calls]io.ReadCloser
		var wg sync.WaitGroup
		for i := range calls {
			wg.Go(func() {
				res := s.post(b, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"_meta":{"progressToken":%[1]d},"name":"deep_research","arguments":{"question":"What is the number %[1]d?","effort":"quick","fresh":true}}}`, i))
				bodies[i] = res.Body
				for lines := bufio.NewReader(res.Body); ; {
					if line, err := lines.ReadString('\n'); err != nil || strings.Contains(line, "searching") {
						if err != nil {
							b.Error(err)
						}
						return
					}
				}
			})
		}
		wg.Wait()
		b.ReportMetric(float64(held()-before)/1e6, "MB")
		for _, body := range bodies {
			_ = body.Close()
		}
	}
}

type benchSpeaker struct {
	url, session string
	client       http.Client
}

func benchHTTP(b *testing.B, instance http.HandlerFunc) *benchSpeaker {
	b.Helper()
	lines, complaints := io.Pipe()
	bench(b, instance, strings.NewReader(""), io.Discard, complaints, "http", "--listen", "127.0.0.1:0")
	read := bufio.NewReader(lines)
	for {
		line, err := read.ReadString('\n')
		if err != nil {
			b.Fatal(err)
		}
		if url, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on "); ok {
			go func() { _, _ = io.Copy(io.Discard, read) }()
			s := &benchSpeaker{url: url}
			res := s.post(b, handshake)
			s.session = res.Header.Get("Mcp-Session-Id")
			_ = res.Body.Close()
			return s
		}
	}
}

func (s *benchSpeaker) post(b *testing.B, message string) *http.Response {
	b.Helper()
	req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, s.url, strings.NewReader(message))
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if s.session != "" {
		req.Header.Set("Mcp-Session-Id", s.session)
	}
	res, err := s.client.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	return res
}
