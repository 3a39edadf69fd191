package gemini

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/tidwall/gjson"

	"deepresearch/internal/llm"
	"deepresearch/internal/llm/wire"
)

// call is one request as it passes the transport.
type call struct {
	extra  map[string]any
	stream bool

	mu     sync.Mutex
	chunks []gjson.Result // the answer as it came: one document, or those of a stream
	header http.Header
	body   io.ReadCloser
}

type callKey struct{}

func with(ctx context.Context, c *call) context.Context { return context.WithValue(ctx, callKey{}, c) }

func (c *call) keep(doc gjson.Result) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.chunks = append(c.chunks, doc)
}

// close ends a stream that was not read to its end.
func (c *call) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.body != nil {
		c.body.Close()
	}
}

// transport stands between the library and the network.
type transport struct {
	server *wire.Server
	key    string
	next   http.RoundTripper
}

// RoundTrip sends one request. Its errors are *llm.Error or those of the
// network; the library retries neither.
func (t *transport) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	query := request.URL.Query()
	query.Del("key")  // it would stand in every error
	query.Del("$alt") // numbers instead of names of enums lose the new ones
	request.URL.RawQuery = query.Encode()
	request.Header.Set("User-Agent", wire.Product)
	if t.key != "" {
		request.Header.Set("x-goog-api-key", t.key)
	}
	c, _ := request.Context().Value(callKey{}).(*call)
	if err := t.extend(request, c); err != nil {
		return nil, err
	}
	response, err := t.next.RoundTrip(request)
	if err != nil {
		return nil, t.server.Unreached(request.Context(), err)
	}
	if response.StatusCode != http.StatusOK {
		defer response.Body.Close()
		body, err := io.ReadAll(io.LimitReader(response.Body, 64<<10))
		if err != nil {
			body = nil // the status says enough
		}
		return nil, t.failure(response, body)
	}
	if c == nil {
		response.Body = capped{io.LimitReader(response.Body, wire.MaxAnswer), response.Body}
		return response, nil
	}
	return t.answer(request.Context(), response, c)
}

// failure reads an error, which the streaming call wraps into a list.
func (t *transport) failure(response *http.Response, body []byte) error {
	if list := gjson.ParseBytes(body); list.IsArray() {
		body = []byte(list.Get("0").Raw)
	}
	return t.server.Failure(response.StatusCode, response.Header, body)
}

// extend merges what the library cannot say into the body.
func (t *transport) extend(request *http.Request, c *call) error {
	if c == nil || len(c.extra) == 0 || request.Body == nil {
		return nil
	}
	body, err := io.ReadAll(request.Body)
	request.Body.Close()
	if err == nil {
		body, err = merge(body, c.extra)
	}
	if err != nil {
		return t.server.Fail(llm.BadRequest, "the request cannot be written as JSON")
	}
	request.Body, request.GetBody, request.ContentLength = io.NopCloser(bytes.NewReader(body)), nil, int64(len(body))
	return nil
}

// answer keeps the answer and hands the library a copy that it can read.
func (t *transport) answer(ctx context.Context, response *http.Response, c *call) (*http.Response, error) {
	c.header = response.Header
	if c.stream {
		p := newPieces(ctx, t.server, response.Body, c)
		c.body = response.Body
		response.Body, response.ContentLength = p, -1
		return response, nil
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, wire.MaxAnswer+1))
	switch {
	case err != nil:
		return nil, t.server.Unreached(ctx, err)
	case len(body) > wire.MaxAnswer:
		return nil, t.server.Fail(llm.Network, "the answer is too long")
	case !gjson.ValidBytes(body):
		return nil, t.server.Fail(llm.Network, "the answer is no JSON")
	}
	doc := gjson.ParseBytes(body)
	if e := doc.Get("error"); e.IsObject() { // of a gateway, with status 200
		return nil, t.server.Failure(max(int(e.Get("code").Int()), http.StatusInternalServerError), response.Header, body)
	}
	c.keep(doc)
	clean := plain(doc)
	response.Body, response.ContentLength = io.NopCloser(strings.NewReader(clean)), int64(len(clean))
	return response, nil
}

// capped is a body with a size cap.
type capped struct {
	io.Reader
	io.Closer
}
