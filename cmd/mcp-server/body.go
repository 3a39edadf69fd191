package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

const (
	// maxBody bounds a request, in bytes. It is less than over stdio, because many
	// callers may send at once.
	maxBody = 16 << 20
	// bodyWithin bounds the sending of a request's body. A timeout of the whole
	// connection would end calls that wait.
	bodyWithin = 30 * time.Second
)

// boundBody bounds how long a body may take, whoever reads it: a handler, or the
// library of HTTP, which reads away what a handler left. Who is refused before
// the body was read is told so at once, and the connection is closed.
func boundBody(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength != 0 {
			// Where there are no deadlines, as in tests without a network, none is needed.
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyWithin))
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// readBody reads a body that [boundBody] bounded. The connection of one that came
// whole stays open, and has no deadline any more.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err == nil {
		_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
		w.Header().Del("Connection")
	}
	return body, err
}

// checkBody reads the body of a request within maxBody, and swallows a
// cancellation that belongs to no session. The library finds calls without a
// session by their bare number, so one client's would end another's call. In the
// protocol of 2026 and later, closing the stream is how a call is given up.
func checkBody(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := readBody(w, r)
		var tooLarge *http.MaxBytesError
		switch {
		case errors.As(err, &tooLarge):
			http.Error(w, tooLong(maxBody), http.StatusRequestEntityTooLarge)
		case errors.Is(err, os.ErrDeadlineExceeded):
			http.Error(w, fmt.Sprintf("the request was not whole after %s", bodyWithin), http.StatusRequestTimeout)
		case err != nil:
			http.Error(w, "the request ended early", http.StatusBadRequest)
		case foreignCancel(r.Header, body):
			w.WriteHeader(http.StatusAccepted)
		default:
			r.Body = io.NopCloser(bytes.NewReader(body))
			next.ServeHTTP(w, r)
		}
	})
}

func foreignCancel(h http.Header, body []byte) bool {
	var m struct {
		Method string `json:"method"`
		Params struct {
			Meta *mcp.Meta `json:"_meta"`
		} `json:"params"`
	}
	if json.Unmarshal(body, &m) != nil || m.Method != "notifications/cancelled" {
		return false
	}
	modern := mcp.IsModernProtocol(h.Get(mcp.HeaderProtocolVersion)) || mcp.IsModernProtocol(m.Params.Meta.ProtocolVersion())
	return modern || h.Get(server.HeaderKeySessionID) == ""
}
