package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
)

// taskTaker knows messages about protocol tasks, which the library does not, and
// answers them. Every other message is the library's. See [tools.Server.Task].
type taskTaker func(message []byte) (answer func(context.Context) mcp.JSONRPCMessage, taken bool)

// overHTTP puts tasks before the library's half of HTTP. A message whose headers
// disagree with its body goes on, because the library refuses it.
func (take taskTaker) overHTTP(next http.Handler) http.Handler {
	if take == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || !mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion)) {
			next.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, "the request ended early", http.StatusBadRequest)
			return
		}
		if headersAgree(r.Header, body) {
			if answer, taken := take(body); taken {
				writeAnswer(w, answer(r.Context()))
				return
			}
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}

// headersAgree reports whether the headers repeat what the body says, as the
// protocol demands since 2026-07-28. Of tasks/* they name the task.
func headersAgree(h http.Header, body []byte) bool {
	var m struct {
		Method string `json:"method"`
		Params struct {
			Name   string    `json:"name"`
			TaskID string    `json:"taskId"`
			Meta   *mcp.Meta `json:"_meta"`
		} `json:"params"`
	}
	if json.Unmarshal(body, &m) != nil {
		return false
	}
	name, ok := mcp.DecodeHeaderValue(h.Get(mcp.HeaderName))
	return ok && h.Get(mcp.HeaderProtocolVersion) == m.Params.Meta.ProtocolVersion() &&
		h.Get(mcp.HeaderMethod) == m.Method && name == m.Params.Name+m.Params.TaskID
}

func writeAnswer(w http.ResponseWriter, answer mcp.JSONRPCMessage) {
	w.Header().Set("Content-Type", "application/json")
	if failed, ok := answer.(mcp.JSONRPCError); ok && failed.Error.Code != mcp.INTERNAL_ERROR {
		w.WriteHeader(http.StatusBadRequest) // as the library answers requests that are wrong
	}
	_ = json.NewEncoder(w).Encode(answer) // a client that is gone needs no answer
}

// stdioTasks puts tasks before the library's half of stdio.
type stdioTasks struct {
	take taskTaker
	out  io.Writer

	mu      sync.Mutex
	closed  bool
	answers sync.WaitGroup
}

// read returns what in says beside messages about tasks, which are answered.
// The goroutine that reads ends with in, or with the first message after close:
// reading stdin cannot be broken off.
func (s *stdioTasks) read(ctx context.Context, in io.Reader) *io.PipeReader {
	rest, pass := io.Pipe()
	go func() {
		lines := bufio.NewReader(in)
		for {
			line, long, err := readLine(lines)
			if long != nil {
				s.answer(long.refusal())
			} else if !s.taken(ctx, line) {
				if _, closed := pass.Write(line); closed != nil {
					return
				}
			}
			if err != nil {
				_ = pass.CloseWithError(err)
				return
			}
		}
	}()
	return rest
}

// readLine reads a line. Of one that is longer than a request may be only the
// gist is kept.
func readLine(r *bufio.Reader) (line []byte, long *gist, err error) {
	var whole bytes.Buffer
	for {
		part, err := r.ReadSlice('\n')
		switch {
		case long != nil:
			long.add(part)
		case whole.Len()+len(part) > maxLine:
			long = &gist{}
			long.add(whole.Bytes())
			long.add(part)
			whole = bytes.Buffer{}
		default:
			whole.Write(part)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return whole.Bytes(), long, err
		}
	}
}

// taken begins to answer a message about tasks. A look at a task may wait, so
// other messages pass it.
func (s *stdioTasks) taken(ctx context.Context, line []byte) bool {
	answer, ok := s.take(line)
	s.mu.Lock()
	defer s.mu.Unlock()
	if ok && !s.closed {
		s.answers.Go(func() {
			s.answer(answer(ctx))
		})
	}
	return ok
}

func (s *stdioTasks) answer(message mcp.JSONRPCMessage) {
	if line, err := json.Marshal(message); err == nil {
		_, _ = s.out.Write(append(line, '\n')) // a host that is gone needs no answer
	}
}

// close waits for the answers that are being made.
func (s *stdioTasks) close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.answers.Wait()
}
