// Package llmtest is the suite that every back end of package llm passes. A back
// end's test describes in a [Wire] how its server speaks and calls [Run]; the
// suite then plays that server on a loopback port and checks what a model makes
// of good answers, of every failure and of connections that break.
package llmtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"deepresearch/internal/guard"
	"deepresearch/internal/llm"
)

// Key is the key that the suite plants. Servers repeat it in every error, and no
// text that comes back may hold it.
const Key = "planted-key-4c9f0b7d2e61"

// Wire is how the server of one back end speaks.
type Wire struct {
	// New makes a model called "m" of the server at base, which may be extended by
	// the path that such servers have.
	New func(t *testing.T, client *http.Client, base string) llm.Model
	// Keyless servers take no key.
	Keyless bool
	// Answer is the body of an answer of 12 input and 7 output tokens.
	Answer func(text string) string
	// Cut is the body of an answer that ended at the output limit.
	Cut func(text string) string
	// Blocked is the body of an answer that a filter stopped; nil: there is none.
	Blocked func() string
	// Stream is the body of a streamed answer, cut where it may arrive in pieces.
	Stream func(texts ...string) []string
	// Failure is the body of an error.
	Failure func(status int, code, message string) string
	// Aside answers requests that are not for an answer, such as for the list of
	// models; false for those that are. nil: there are none.
	Aside func(w http.ResponseWriter, r *http.Request) bool
	// Asked reads a request: the system prompt, the texts of the conversation, and
	// whether the answer is bound to JSON.
	Asked func(body []byte) (system string, texts []string, bound bool)
}

// Server plays the server of a Wire.
type Server struct {
	URL    string
	Client *http.Client

	mu     sync.Mutex
	asked  [][]byte
	seen   []*http.Request
	answer http.HandlerFunc
}

// NewServer starts a server that answers every request for an answer as f does.
func NewServer(t *testing.T, w Wire, f http.HandlerFunc) *Server {
	t.Helper()
	s := &Server{answer: f}
	h := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if w.Aside != nil && w.Aside(out, r) {
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		s.mu.Lock()
		s.asked, s.seen = append(s.asked, body), append(s.seen, r)
		answer := s.answer
		s.mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		answer(out, r)
	}))
	t.Cleanup(h.Close)
	g, err := guard.New(guard.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.URL, s.Client = h.URL, g.Client(guard.Loopback())
	return s
}

// Asked returns the bodies of the requests for answers so far.
func (s *Server) Asked() [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([][]byte(nil), s.asked...)
}

// Seen returns those requests.
func (s *Server) Seen() []*http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*http.Request(nil), s.seen...)
}

// Body answers with status 200 and a body.
func Body(body string) http.HandlerFunc { return Status(http.StatusOK, nil, body) }

// Status answers with any status.
func Status(status int, header map[string]string, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for k, v := range header {
			w.Header().Set(k, v)
		}
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

// InTurn answers each request by the next of the answers, and by the last from
// then on.
func InTurn(answers ...http.HandlerFunc) http.HandlerFunc {
	var mu sync.Mutex
	n := 0
	return func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		answer := answers[min(n, len(answers)-1)]
		n++
		mu.Unlock()
		answer(w, r)
	}
}

// Pieces answers piece by piece.
func Pieces(pieces ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for _, p := range pieces {
			io.WriteString(w, p)
			if f, ok := w.(http.Flusher); ok {
				f.Flush()
			}
		}
	}
}

// Request is the request of the suite.
func Request() llm.Request {
	return llm.Request{System: "You are a test.", Messages: []llm.Message{{From: llm.User, Text: "first"}, {From: llm.Assistant, Text: "second"}, {From: llm.User, Text: "third"}}}
}

// Schema is a schema for answers of the suite.
var Schema = json.RawMessage(`{"type":"object","properties":{"queries":{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":3},"why":{"type":"string"}},"required":["queries"]}`)

// Run checks a back end.
func Run(t *testing.T, w Wire) {
	t.Run("answer", func(t *testing.T) { testAnswer(t, w) })
	t.Run("schema", func(t *testing.T) { testSchema(t, w) })
	t.Run("cut", func(t *testing.T) { testCut(t, w) })
	t.Run("blocked", func(t *testing.T) { testBlocked(t, w) })
	t.Run("failures", func(t *testing.T) { testFailures(t, w) })
	t.Run("connections", func(t *testing.T) { testConnections(t, w) })
	t.Run("stream", func(t *testing.T) { testStream(t, w) })
	t.Run("cancelled", func(t *testing.T) { testCancelled(t, w) })
	t.Run("policy", func(t *testing.T) { testPolicy(t, w) })
}

func testAnswer(t *testing.T, w Wire) {
	const said = "Zürich, 北京 & \"quotes\" <b>"
	s := NewServer(t, w, Body(w.Answer(said)))
	m := w.New(t, s.Client, s.URL)
	reply, err := m.Generate(context.Background(), Request())
	if err != nil || reply.Text != said || reply.Finish != llm.Stopped || reply.Model != m.Name() {
		t.Fatalf("got %+v, %v", reply, err)
	}
	if u := reply.Usage; u.Calls != 1 || u.In != 12 || u.Out != 7 || u.Estimated {
		t.Errorf("usage %+v, want one call, 12 in, 7 out", u)
	}
	asked := s.Asked()
	if len(asked) != 1 {
		t.Fatalf("%d requests for one answer", len(asked))
	}
	system, texts, bound := w.Asked(asked[0])
	if system != "You are a test." || strings.Join(texts, " ") != "first second third" || bound {
		t.Errorf("the request says system %q, texts %q, JSON %v", system, texts, bound)
	}
	request := s.Seen()[0]
	if strings.Contains(request.URL.String(), Key) {
		t.Errorf("the key is in the address %s", request.URL)
	}
	if has := strings.Contains(fmt.Sprint(request.Header), Key); has == w.Keyless {
		t.Errorf("the key is in a header: %v", has)
	}
}

func testSchema(t *testing.T, w Wire) {
	s := NewServer(t, w, Body(w.Answer(`{"queries":["a b"]}`)))
	m := w.New(t, s.Client, s.URL)
	for _, form := range []llm.Form{"", llm.TextForm} {
		r := Request()
		r.Schema, r.Form = Schema, form
		if _, err := m.Generate(context.Background(), r); err != nil {
			t.Fatal(err)
		}
		asked := s.Asked()
		system, _, bound := w.Asked(asked[len(asked)-1])
		if form == "" && !bound && !strings.Contains(system, "JSON") {
			t.Error("nothing in the request asks for JSON")
		}
		if form == llm.TextForm && (bound || !strings.Contains(system, `"queries"`)) {
			t.Errorf("in the loosest form the request is bound: %v, and says %q", bound, system)
		}
	}
}

func testCut(t *testing.T, w Wire) {
	s := NewServer(t, w, Body(w.Cut("half a sen")))
	reply, err := w.New(t, s.Client, s.URL).Generate(context.Background(), Request())
	if err != nil || reply.Finish != llm.Length || reply.Text != "half a sen" {
		t.Errorf("got %+v, %v", reply, err)
	}
}

func testBlocked(t *testing.T, w Wire) {
	if w.Blocked == nil {
		t.Skip("this server has no filter")
	}
	s := NewServer(t, w, Body(w.Blocked()))
	if _, err := w.New(t, s.Client, s.URL).Generate(context.Background(), Request()); llm.KindOf(err) != llm.Blocked {
		t.Errorf("got %v, want a blocked answer", err)
	}
}

// failure is one row of the table of failures.
type failure struct {
	name          string
	status        int
	header        map[string]string
	code, message string
	body          string // instead of the server's own form
	kind          llm.Kind
	wait          time.Duration
}

// failures are what servers of any kind answer, in the words of real ones.
var failures = []failure{
	{name: "wrong key", status: 401, code: "invalid_api_key", message: "Incorrect API key provided: " + Key, kind: llm.Auth},
	{name: "forbidden", status: 403, code: "PERMISSION_DENIED", message: "Your key " + Key + " may not", kind: llm.Auth},
	{name: "wrong key as 400", status: 400, code: "INVALID_ARGUMENT", message: "API key not valid. Please pass a valid API key.", kind: llm.Auth},
	{name: "no credit", status: 402, message: "Insufficient credits", kind: llm.Quota},
	{name: "no such model", status: 404, code: "not_found_error", message: "model: m", kind: llm.NotFound},
	{name: "rate, in seconds", status: 429, header: map[string]string{"Retry-After": "36"}, message: "Rate limit reached", kind: llm.Rate, wait: 36 * time.Second},
	{name: "rate, in milliseconds", status: 429, header: map[string]string{"Retry-After-Ms": "1500"}, message: "Rate limit reached", kind: llm.Rate, wait: 1500 * time.Millisecond},
	{name: "rate, in words", status: 429, message: "You exceeded your current quota. Please retry in 45.57s.", kind: llm.Rate, wait: 45570 * time.Millisecond},
	{name: "rate, in minutes", status: 429, message: "Please try again in 1m2.5s", kind: llm.Rate, wait: 62500 * time.Millisecond},
	{name: "rate, nothing said", status: 429, message: "slow down", kind: llm.Rate},
	{name: "a limit of hours", status: 429, header: map[string]string{"Retry-After": "3600"}, message: "Rate limit reached", kind: llm.Quota, wait: time.Hour},
	{name: "no quota", status: 429, code: "insufficient_quota", message: "You exceeded your current quota, please check your plan and billing details.", kind: llm.Quota},
	{name: "spend limit", status: 400, message: "This workspace has reached its spend limit.", kind: llm.Quota},
	{name: "overloaded", status: 529, code: "overloaded_error", message: "Overloaded", kind: llm.Overloaded},
	{name: "unavailable", status: 503, code: "UNAVAILABLE", message: "The model is overloaded.", kind: llm.Overloaded},
	{name: "internal", status: 500, message: "internal error " + Key, kind: llm.Overloaded},
	{name: "bad gateway", status: 502, body: "<html><body>502 Bad Gateway</body></html>", kind: llm.Overloaded},
	{name: "gateway timeout", status: 504, body: "upstream timed out", kind: llm.Overloaded},
	{name: "too long", status: 400, code: "context_length_exceeded", message: "This model's maximum context length is 8192 tokens.", kind: llm.ContextTooLong},
	{name: "too long, in other words", status: 400, message: "the input length exceeds the context length", kind: llm.ContextTooLong},
	{name: "too long for Gemini", status: 400, code: "INVALID_ARGUMENT", message: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", kind: llm.ContextTooLong},
	{name: "too large", status: 413, message: "request too large", kind: llm.ContextTooLong},
	{name: "bad request", status: 400, message: "unknown field", kind: llm.BadRequest},
	{name: "filter", status: 400, code: "content_filter", message: "The response was filtered", kind: llm.Blocked},
	{name: "HTML with status 200", status: 200, body: "<!doctype html><title>Sign in</title>", kind: llm.Network},
	{name: "nothing with status 200", status: 200, body: "", kind: llm.Network},
	{name: "half a document", status: 200, body: `{"choices":[{"mess`, kind: llm.Network},
}

func testFailures(t *testing.T, w Wire) {
	for _, f := range failures {
		t.Run(f.name, func(t *testing.T) {
			body := f.body
			if body == "" && f.message != "" {
				body = w.Failure(f.status, f.code, f.message)
			}
			s := NewServer(t, w, Status(f.status, f.header, body))
			_, err := w.New(t, s.Client, s.URL).Generate(context.Background(), Request())
			e := (*llm.Error)(nil)
			if !errors.As(err, &e) || e.Kind != f.kind || e.RetryAfter != f.wait {
				t.Fatalf("got %#v, want kind %s and a wait of %v", err, f.kind, f.wait)
			}
			if n := len(s.Asked()); n != 1 {
				t.Errorf("%d requests were sent: the policy above decides about a second one", n)
			}
			checkError(t, e)
		})
	}
}

// checkError looks for the key, for a hint and for a message of one clause.
func checkError(t *testing.T, e *llm.Error) {
	t.Helper()
	all := fmt.Sprintf("%+v %#v %s %v", e, e, e.Error(), errors.Unwrap(e))
	if strings.Contains(all, Key) {
		t.Errorf("the key is in %s", all)
	}
	if e.Hint == "" || e.Message == "" || strings.Contains(e.Message, "\n") || len(e.Message) > 400 {
		t.Errorf("message %q, hint %q", e.Message, e.Hint)
	}
}

func testConnections(t *testing.T, w Wire) {
	hijack := func(write string) http.HandlerFunc {
		return func(out http.ResponseWriter, _ *http.Request) {
			h, ok := out.(http.Hijacker)
			if !ok {
				t.Error("the server cannot break a connection")
				return
			}
			conn, _, err := h.Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			io.WriteString(conn, write)
			conn.Close()
		}
	}
	for name, f := range map[string]http.HandlerFunc{
		"closed at once":        hijack(""),
		"closed in the answer":  hijack("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{\"a\":"),
		"closed in the headers": hijack("HTTP/1.1 200 OK\r\nContent-"),
		"no HTTP at all":        hijack("SSH-2.0-OpenSSH\r\n"),
	} {
		t.Run(name, func(t *testing.T) {
			s := NewServer(t, w, f)
			_, err := w.New(t, s.Client, s.URL).Generate(context.Background(), Request())
			e := (*llm.Error)(nil)
			if !errors.As(err, &e) || e.Kind != llm.Network {
				t.Fatalf("got %#v, want a broken connection", err)
			}
			checkError(t, e)
		})
	}
	t.Run("nothing listens", func(t *testing.T) {
		gone := httptest.NewServer(http.NotFoundHandler())
		gone.Close()
		s := NewServer(t, w, nil)
		_, err := w.New(t, s.Client, gone.URL).Generate(context.Background(), Request())
		e := (*llm.Error)(nil)
		if !errors.As(err, &e) || e.Kind != llm.Unreachable {
			t.Fatalf("got %#v, want that nothing listens", err)
		}
		checkError(t, e)
	})
	t.Run("our own rules", func(t *testing.T) {
		s := NewServer(t, w, nil)
		_, err := w.New(t, s.Client, "http://192.0.2.1").Generate(context.Background(), Request())
		if llm.KindOf(err) != llm.Denied {
			t.Errorf("got %v, want a refusal of our own", err)
		}
	})
}

func testStream(t *testing.T, w Wire) {
	stream := func(t *testing.T, emit func(string) error, f http.HandlerFunc) (llm.Reply, error) {
		s := NewServer(t, w, f)
		m, ok := w.New(t, s.Client, s.URL).(llm.Streamer)
		if !ok {
			t.Skip("this back end does not stream")
		}
		return m.Stream(context.Background(), Request(), emit)
	}
	whole := w.Stream("Zür", "ich is", " a city.")
	t.Run("whole", func(t *testing.T) {
		var got strings.Builder
		reply, err := stream(t, func(s string) error { got.WriteString(s); return nil }, Pieces(whole...))
		if err != nil || reply.Text != "Zürich is a city." || got.String() != reply.Text || reply.Usage.In != 12 || reply.Usage.Out != 7 {
			t.Errorf("got %+v, %v, handed out %q", reply, err, got.String())
		}
	})
	joined := strings.Join(whole, "")
	for cut := range []int{1, 2, 3} {
		at := len(joined) * (cut + 1) / 5
		t.Run(fmt.Sprintf("broken off at byte %d", at), func(t *testing.T) {
			_, err := stream(t, func(string) error { return nil }, Pieces(joined[:at]))
			if llm.KindOf(err) != llm.Network {
				t.Errorf("got %v, want that it broke off", err)
			}
		})
	}
	t.Run("given up", func(t *testing.T) {
		enough := errors.New("enough")
		if _, err := stream(t, func(string) error { return enough }, Pieces(whole...)); !errors.Is(err, enough) {
			t.Errorf("got %v, want the error of emit", err)
		}
	})
	t.Run("refused", func(t *testing.T) {
		_, err := stream(t, func(string) error { return nil }, Status(429, map[string]string{"Retry-After": "7"}, w.Failure(429, "", "slow down, "+Key)))
		e := (*llm.Error)(nil)
		if !errors.As(err, &e) || e.Kind != llm.Rate || e.RetryAfter != 7*time.Second {
			t.Fatalf("got %#v", err)
		}
		checkError(t, e)
	})
}

func testCancelled(t *testing.T, w Wire) {
	cause := errors.New("the host left")
	ctx, cancel := context.WithCancelCause(context.Background())
	s := NewServer(t, w, func(_ http.ResponseWriter, r *http.Request) {
		cancel(cause)
		<-r.Context().Done()
	})
	_, err := w.New(t, s.Client, s.URL).Generate(ctx, Request())
	if !errors.Is(err, cause) && !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the cause of the end", err)
	}
}

// testPolicy puts the policy around the back end: one bad answer, one refusal and
// one readable answer make one reply, and no trace of the key.
func testPolicy(t *testing.T, w Wire) {
	answers := []http.HandlerFunc{
		Status(503, nil, w.Failure(503, "", "busy, "+Key)),
		Body(w.Answer("I would rather talk about " + Key)),
		Body(w.Answer("<think>{\"queries\":[\"no\"]}</think>```json\n{\"Queries\":[\"a b\",]}\n```")),
	}
	s := NewServer(t, w, InTurn(answers...))
	var trace strings.Builder
	models, err := llm.New(llm.Options{
		Default: []llm.Model{w.New(t, s.Client, s.URL)}, Rand: func() float64 { return 0 },
		Trace: func(_ context.Context, e llm.Event) { fmt.Fprintf(&trace, "%+v %+v\n", e, e.Error) },
	})
	if err != nil {
		t.Fatal(err)
	}
	r := Request()
	r.Schema = Schema
	reply, err := models.Generate(context.Background(), r)
	if err != nil || string(reply.JSON) != `{"queries":["a b"]}` || reply.Usage.Calls != 2 {
		t.Errorf("got %+v, %v", reply, err)
	}
	stored, err := json.Marshal(reply)
	if err != nil || strings.Contains(trace.String()+string(stored), Key) {
		t.Errorf("the key is in the trace %s or the reply %s, %v", trace.String(), stored, err)
	}
}
