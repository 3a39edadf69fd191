// Package wire is the HTTP and JSON plumbing that the back ends share: one
// request, never retried, with a size cap; statuses, error bodies and broken
// connections turned into an [llm.Error]; answers that come in pieces.
//
// Start with a [Server]. The package builds no HTTP client: the caller hands one
// in that keeps the rules for addresses. Keys travel in headers, and no text
// that leaves here holds one.
package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"

	"github.com/tidwall/gjson"

	"deepresearch/internal/llm"
	"deepresearch/internal/safe"
)

// MaxAnswer is the largest answer that is read, in bytes: the longest output of
// any model as of 2026 (128k tokens) in a stream with its wrapping stays below.
const MaxAnswer = 64 << 20

// Product is the token that names us to servers.
const Product = "deepresearch/1.0"

// Server is where models are reached. It is safe for concurrent use and not
// changed after it was made.
type Server struct {
	Client   *http.Client
	Base     string            // without a trailing slash
	Header   map[string]string // of every request, the key among them
	BackEnd  string            // as models are named, such as "openai"
	KeyName  string            // the environment variable of the key, for hints; empty: takes none
	Redactor *safe.Redactor    // knows the key; nil masks by form alone
}

// Local reports whether the server is on this machine.
func (s *Server) Local() bool { return Loopback(s.Base) }

// Loopback reports whether the address is of this machine by definition.
func Loopback(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	addr, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && addr.Unmap().IsLoopback()
}

// Redact masks every secret in text.
func (s *Server) Redact(text string) string {
	if s.Redactor == nil {
		return (&safe.Redactor{}).Redact(text)
	}
	return s.Redactor.Redact(text)
}

// Answer is a whole answer with status 200.
type Answer struct {
	Header http.Header
	JSON   gjson.Result
}

// Get asks for path.
func (s *Server) Get(ctx context.Context, path string) (Answer, error) {
	return s.whole(ctx, http.MethodGet, path, nil)
}

// Post sends body as JSON.
func (s *Server) Post(ctx context.Context, path string, body any) (Answer, error) {
	return s.whole(ctx, http.MethodPost, path, body)
}

func (s *Server) whole(ctx context.Context, method, path string, body any) (Answer, error) {
	response, err := s.send(ctx, method, path, body)
	if err != nil {
		return Answer{}, err
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(response.Body, MaxAnswer+1))
	switch {
	case err != nil:
		return Answer{}, s.Unreached(ctx, err)
	case len(raw) > MaxAnswer:
		return Answer{}, s.Fail(llm.Network, fmt.Sprintf("the answer is longer than %d bytes", MaxAnswer))
	case !gjson.ValidBytes(raw):
		return Answer{}, s.Fail(llm.Network, "the answer is "+whatInstead(raw))
	}
	answer := Answer{response.Header, gjson.ParseBytes(raw)}
	if e := s.inside(answer.JSON, response.Header); e != nil {
		return Answer{}, e
	}
	return answer, nil
}

// inside finds the error that a server, or a gateway before it, hides in an
// answer with status 200.
func (s *Server) inside(doc gjson.Result, h http.Header) error {
	e := doc.Get("error")
	if !e.Exists() || e.Type == gjson.Null {
		return nil
	}
	status := int(e.Get("code").Int())
	if status < 400 {
		status = http.StatusInternalServerError
	}
	return s.Failure(status, h, []byte(doc.Raw))
}

// send makes the request and returns the answer only when its status is 200.
func (s *Server) send(ctx context.Context, method, path string, body any) (*http.Response, error) {
	var reader io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return nil, s.Fail(llm.BadRequest, "the request cannot be written as JSON")
		}
		reader = bytes.NewReader(raw)
	}
	request, err := http.NewRequestWithContext(ctx, method, s.Base+path, reader)
	if err != nil {
		return nil, s.Fail(llm.BadRequest, "the base URL is not usable")
	}
	request.Header.Set("User-Agent", Product)
	request.Header.Set("Accept", "application/json")
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	for name, value := range s.Header {
		request.Header.Set(name, value)
	}
	response, err := s.Client.Do(request)
	if err != nil {
		return nil, s.Unreached(ctx, err)
	}
	if response.StatusCode == http.StatusOK {
		return response, nil
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(response.Body, maxFailure))
	if err != nil {
		raw = nil // the status says enough
	}
	return nil, s.Failure(response.StatusCode, response.Header, raw)
}

func whatInstead(raw []byte) string {
	switch raw = bytes.TrimSpace(raw); {
	case len(raw) == 0:
		return "empty"
	case raw[0] == '<':
		return "HTML instead of JSON"
	}
	return "no JSON"
}
