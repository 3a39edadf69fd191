package main

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"deepresearch/tools"
)

const (
	// sessionIdle is when a silent session is forgotten. The library counts from
	// the start of a request, so it must outlast the longest call.
	sessionIdle = 2 * time.Hour
	// headWithin and maxHead bound the sending of a request's header.
	headWithin = 10 * time.Second
	maxHead    = 64 << 10
	// quiet is when a connection without a request is closed.
	quiet = 2 * time.Minute
	// finishing is how long calls in flight may go on after the end was announced;
	// then they are told to come to an end, and those that wait for a run leave it.
	finishing = time.Second
	// closing is when what is still open is cut off.
	closing = 5 * time.Second
)

// httpOptions configure [serveHTTP].
type httpOptions struct {
	Listen  string    // host:port; port 0 takes a free one
	Tokens  []string  // bearer tokens of which a caller must show one; none: anybody on this machine may call
	Hosts   []string  // further names under which the server is reached, without port
	Origins []string  // web pages that may call, such as https://example.org; none is the safe answer
	Tasks   taskTaker // may be nil
}

// serveHTTP speaks MCP over Streamable HTTP at /mcp until ctx ends, then lets
// calls in flight finish for a moment. The address is announced on complaints.
func serveHTTP(ctx context.Context, m *server.MCPServer, opt httpOptions, complaints io.Writer) error {
	if err := opt.safe(); err != nil {
		return err
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", opt.Listen)
	if err != nil {
		return fmt.Errorf("listening on %s: %w; choose another address with --listen", opt.Listen, err)
	}
	logger := slog.New(slog.NewTextHandler(complaints, &slog.HandlerOptions{Level: slog.LevelWarn}))
	streamable := newStreamable(m, logger)
	calls, endCalls := context.WithCancel(context.WithoutCancel(ctx))
	defer endCalls()
	srv := newHTTPServer(newHTTPHandler(streamable, opt), logger)
	srv.BaseContext = func(net.Listener) context.Context { return calls }
	_, _ = fmt.Fprintf(complaints, "listening on http://%s/mcp\n", l.Addr())
	served := make(chan error, 1)
	go func() { served <- srv.Serve(l) }()
	select {
	case err := <-served:
		return fmt.Errorf("serving on %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	defer time.AfterFunc(finishing, endCalls).Stop()
	return shutDown(context.WithoutCancel(ctx), srv, streamable, served)
}

// newHTTPServer bounds what a connection may take before its request is whole;
// the body is bounded in body.go. Reading or writing as a whole has no timeout:
// answers stream for as long as a call waits.
func newHTTPServer(handler http.Handler, logger *slog.Logger) *http.Server {
	return &http.Server{
		Handler: handler, ReadHeaderTimeout: headWithin, MaxHeaderBytes: maxHead, IdleTimeout: quiet,
		ErrorLog: slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
	}
}

// newStreamable is the library's half. Its own check of the Host header covers
// loopback connections only; ours covers all and knows more names.
func newStreamable(m *server.MCPServer, logger *slog.Logger) *server.StreamableHTTPServer {
	return server.NewStreamableHTTPServer(m, server.WithStateful(true), server.WithSessionIdleTTL(sessionIdle),
		server.WithDisableLocalhostProtection(true), server.WithStreamableHTTPLogger(logger))
}

// shutDown ends open streams, waits for calls in flight, and cuts off what is
// left.
func shutDown(ctx context.Context, srv *http.Server, streamable *server.StreamableHTTPServer, served <-chan error) error {
	ctx, cancel := context.WithTimeout(ctx, closing)
	defer cancel()
	err := streamable.Shutdown(ctx)
	if stopped := srv.Shutdown(ctx); stopped != nil {
		err = errors.Join(err, srv.Close())
	}
	if ended := <-served; !errors.Is(ended, http.ErrServerClosed) {
		err = errors.Join(err, ended)
	}
	return err
}

// safe refuses to listen where strangers could call without a token.
func (o httpOptions) safe() error {
	host, _, err := net.SplitHostPort(o.Listen)
	switch {
	case err != nil:
		return &codedError{exitConfig, fmt.Sprintf("listen: %q is not host:port: %v; write it like 127.0.0.1:8080", o.Listen, err)}
	case !loopback(host) && len(o.Tokens) == 0:
		return &codedError{exitConfig, fmt.Sprintf("listen: %s can be reached from other machines, which needs a token: set DEEPRESEARCH_HTTP_TOKEN, or listen on 127.0.0.1", o.Listen)}
	case slices.ContainsFunc(o.Origins, func(origin string) bool { return !validOrigin(origin) }):
		return &codedError{exitConfig, "http-origin: an origin is a scheme and a host, such as https://example.org"}
	case slices.ContainsFunc(o.Tokens, func(t string) bool { return strings.TrimSpace(t) == "" }):
		return &codedError{exitConfig, "http-token: a token is empty: give each at least a few characters"}
	}
	return nil
}

func validOrigin(origin string) bool {
	u, err := url.Parse(origin)
	return err == nil && u.Scheme != "" && u.Host != "" && strings.Trim(u.Path, "/") == "" && u.RawQuery == "" && u.User == nil
}

func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// newHTTPHandler puts the checks of this server around the library's: each lets
// a request through or answers it.
func newHTTPHandler(next http.Handler, opt httpOptions) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/mcp", opt.checkToken(checkBody(opt.Tasks.overHTTP(ownStream(next)))))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = io.WriteString(w, "ok\n")
	})
	return boundBody(opt.checkHost(opt.checkOrigin(mux)))
}

// checkHost lets names through that this server is known by, against pages that
// point their own name at it (DNS rebinding).
func (o httpOptions) checkHost(next http.Handler) http.Handler {
	listen, _, _ := net.SplitHostPort(o.Listen)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := hostOnly(r.Host)
		known := loopback(host) || strings.EqualFold(host, listen) ||
			slices.ContainsFunc(o.Hosts, func(h string) bool { return strings.EqualFold(h, host) })
		// Whoever must show a token is no browser that was lured here.
		if !known && len(o.Tokens) == 0 {
			http.Error(w, "this server does not go by the name "+host+": --http-host names further ones", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// hostOnly is a Host header without its port.
func hostOnly(hostport string) string {
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		return host
	}
	return strings.Trim(hostport, "[]")
}

// checkOrigin lets requests of programs through, which have no Origin, and those
// of web pages on the list, whose browsers ask first.
func (o httpOptions) checkOrigin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin := r.Header.Get("Origin")
		listed := slices.ContainsFunc(o.Origins, func(known string) bool { return strings.EqualFold(strings.TrimSuffix(known, "/"), origin) })
		switch {
		case origin == "" || ownOrigin(origin, r.Host):
		case !listed:
			http.Error(w, "web pages of this origin may not call: --http-origin names those that may", http.StatusForbidden)
			return
		default:
			admit(w.Header(), origin)
			if r.Method == http.MethodOptions {
				w.WriteHeader(http.StatusNoContent)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// admit tells the browser of a page what it may send and read (the Fetch
// standard's CORS protocol).
func admit(h http.Header, origin string) {
	h.Set("Access-Control-Allow-Origin", origin)
	h.Add("Vary", "Origin")
	h.Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
	h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Accept, Last-Event-ID, Mcp-Session-Id, Mcp-Protocol-Version, Mcp-Method, Mcp-Name")
	h.Set("Access-Control-Expose-Headers", "Mcp-Session-Id, WWW-Authenticate")
}

// ownOrigin reports whether a page comes from this very server.
func ownOrigin(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && strings.EqualFold(u.Host, host)
}

// checkToken says who calls: the bearer of a token, or the one tokenless caller.
// Tokens are compared by their hashes, each with each, in constant time.
func (o httpOptions) checkToken(next http.Handler) http.Handler {
	known := make([][sha256.Size]byte, len(o.Tokens))
	for i, t := range o.Tokens {
		known[i] = sha256.Sum256([]byte(strings.TrimSpace(t)))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		caller := tools.Caller{ID: "http"}
		if len(known) > 0 {
			given := sha256.Sum256([]byte(bearer(r.Header.Get("Authorization"))))
			found := 0
			for _, k := range known {
				found |= subtle.ConstantTimeCompare(given[:], k[:])
			}
			if found == 0 {
				w.Header().Set("WWW-Authenticate", `Bearer realm="deepresearch"`)
				http.Error(w, "show a bearer token: Authorization: Bearer TOKEN", http.StatusUnauthorized)
				return
			}
			caller.ID = "token:" + hex.EncodeToString(given[:])
		}
		next.ServeHTTP(w, r.WithContext(tools.WithCaller(r.Context(), caller)))
	})
}

func bearer(authorization string) string {
	scheme, token, _ := strings.Cut(authorization, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}
