package wire

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"deepresearch/internal/search"
)

// Product is the token that names us to servers.
const Product = "deepresearch/1.0"

// MaxAnswer is the largest answer that is read, in bytes. Twenty results with
// the full text of their pages stay below it.
const MaxAnswer = 8 << 20

// Request is one HTTP request. At most one of JSON and Form is set; either
// makes it a POST.
type Request struct {
	Path   string
	Query  url.Values
	Header map[string]string
	JSON   any
	Form   url.Values
}

// Reply is a whole answer.
type Reply struct {
	Status int
	Header http.Header
	Body   []byte
	// Keyed tells whether the request carried a key.
	Keyed bool
	// At is when the answer came.
	At time.Time
}

func (r Request) send(ctx context.Context, o Options, origin string) (Reply, error) {
	request, err := r.build(ctx, o, origin)
	if err != nil {
		return Reply{}, err
	}
	answer, err := o.Client.Do(request)
	if err != nil {
		return Reply{}, unreached(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, MaxAnswer+1))
	if err != nil {
		return Reply{}, unreached(fmt.Errorf("reading the answer: %w", err))
	}
	if len(body) > MaxAnswer {
		return Reply{}, &search.Failure{Kind: search.LayoutChanged, Message: fmt.Sprintf("the answer is longer than %d bytes", MaxAnswer)}
	}
	return Reply{answer.StatusCode, answer.Header, body, o.Key != "", o.Now()}, nil
}

func (r Request) build(ctx context.Context, o Options, origin string) (*http.Request, error) {
	address := origin + r.Path
	if len(r.Query) > 0 {
		address += "?" + r.Query.Encode()
	}
	method, body, contentType := http.MethodGet, io.Reader(nil), ""
	switch {
	case r.JSON != nil:
		b, err := json.Marshal(r.JSON)
		if err != nil {
			return nil, fmt.Errorf("writing the request: %w", err)
		}
		method, body, contentType = http.MethodPost, bytes.NewReader(b), "application/json"
	case r.Form != nil:
		method, body, contentType = http.MethodPost, strings.NewReader(r.Form.Encode()), "application/x-www-form-urlencoded"
	}
	request, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return nil, fmt.Errorf("writing the request: %w", withoutURL(err))
	}
	request.Header.Set("User-Agent", userAgent(o.Contact))
	request.Header.Set("Accept", "application/json")
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	for name, value := range r.Header {
		request.Header.Set(name, value)
	}
	return request, nil
}

func userAgent(contact string) string {
	return Product + " (" + cmp.Or(contact, "research assistant on the user's own machine") + ")"
}

// unreached is the failure of a request without a whole answer. The address is
// left out of the message: it may hold a key.
func unreached(err error) *search.Failure {
	err = withoutURL(err)
	kind := search.Network
	var slow interface{ Timeout() bool }
	if errors.Is(err, context.DeadlineExceeded) || errors.As(err, &slow) && slow.Timeout() {
		kind = search.Timeout
	}
	return &search.Failure{Kind: kind, Message: err.Error(), Cause: err}
}

func withoutURL(err error) error {
	if withURL, ok := errors.AsType[*url.Error](err); ok {
		return withURL.Err
	}
	return err
}

// retryAfter reads a Retry-After header: seconds or a date (RFC 9110, 10.2.3).
func retryAfter(h http.Header) time.Duration {
	value := h.Get("Retry-After")
	if seconds, err := time.ParseDuration(value + "s"); err == nil && seconds > 0 {
		return seconds
	}
	if date, err := http.ParseTime(value); err == nil {
		return max(time.Until(date), 0)
	}
	return 0
}
