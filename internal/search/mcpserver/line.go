package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"

	"deepresearch/internal/search"
	"deepresearch/internal/search/wire"
)

// line is what carries the protocol to a server for one search.
type line interface {
	transport() transport.Interface
	// failure is what went wrong underneath the protocol that failed with err,
	// nil for nothing. The line is closed by then.
	failure(err error) *search.Failure
	// close ends everything that the line began, and waits for it.
	close()
}

func (o Options) connect(ctx context.Context) (line, error) {
	if len(o.Command) > 0 && o.Offline {
		return nil, &search.Failure{Kind: search.Network, Message: "not started: it might use the network, and we are offline"}
	}
	if len(o.Command) > 0 {
		return startProcess(ctx, o.Command, o.Env)
	}
	//nolint:forbidigo // the client is one of guard's; its transport stays and is only watched
	h := &httpLine{keyed: len(o.Header) > 0, left: allowance{left: wire.MaxAnswer}, next: o.Client.Transport}
	if h.next == nil {
		return nil, errors.New("the HTTP client has no transport")
	}
	ours := *o.Client
	ours.Transport = h
	t, err := transport.NewStreamableHTTP(o.URL,
		transport.WithHTTPBasicClient(&ours), transport.WithHTTPHeaders(o.Header), transport.WithHTTPLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		return nil, fmt.Errorf("address of the MCP server: %w", err)
	}
	h.over = t
	return h, nil
}

// tooLong is the failure of a server that sends without an end.
func tooLong() *search.Failure {
	return &search.Failure{Kind: search.LayoutChanged, Message: fmt.Sprintf("the MCP server sent more than %d bytes", wire.MaxAnswer)}
}

// allowance is how many bytes a server may send for one search, in all its
// answers together.
type allowance struct {
	left  int64
	spent atomic.Bool
}

// reader returns r within the allowance; at its end the server seems to have
// hung up.
func (a *allowance) reader(r io.Reader) io.Reader { return &limited{r, a} }

type limited struct {
	from io.Reader
	*allowance
}

func (l *limited) Read(p []byte) (int, error) {
	left := atomic.LoadInt64(&l.left)
	if left <= 0 {
		l.spent.Store(true)
		return 0, io.EOF
	}
	n, err := l.from.Read(p[:min(int64(len(p)), left)])
	atomic.AddInt64(&l.left, -int64(n))
	return n, err
}

// httpLine watches the requests of one search.
type httpLine struct {
	over   transport.Interface
	next   http.RoundTripper
	keyed  bool
	left   allowance
	status atomic.Int64                // of the last answer
	header atomic.Pointer[http.Header] // of the last answer
}

func (h *httpLine) transport() transport.Interface { return h.over }

func (h *httpLine) close() {} // the transport has no goroutines once it is closed

func (h *httpLine) failure(error) *search.Failure {
	if h.left.spent.Load() {
		return tooLong()
	}
	if header := h.header.Load(); header != nil && h.status.Load() >= http.StatusBadRequest {
		return wire.Reply{Status: int(h.status.Load()), Header: *header, Keyed: h.keyed}.Failure()
	}
	return nil
}

// farewell bounds the request that ends a session: nobody waits for it longer.
const farewell = time.Second

// RoundTrip sends a request and bounds what comes back.
func (h *httpLine) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodDelete {
		ctx, cancel := context.WithTimeout(r.Context(), farewell)
		defer cancel()
		r = r.WithContext(ctx)
	}
	r.Header.Set("User-Agent", wire.Product)
	answer, err := h.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	h.header.Store(&answer.Header)
	h.status.Store(int64(answer.StatusCode))
	answer.Body = struct {
		io.Reader
		io.Closer
	}{h.left.reader(answer.Body), answer.Body}
	return answer, nil
}
