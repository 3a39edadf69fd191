// Package guard builds every HTTP client of this program, and no other package
// does. Start with [New] and ask the [Guard] for a client by [Policy]: [Web] for
// pages of the public internet, [Configured] for the addresses that the user
// configured, [Loopback] for this machine.
//
// A client refuses a forbidden destination with a [*Refused] error, before a
// connection is made: by the rules for addresses, and again by the IP address
// at the moment of dialling, which no redirect, no second DNS answer and no
// spelling of an address gets around. The package sends no request by itself,
// follows no robots.txt and retries nothing.
package guard

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"deepresearch/internal/safe"
)

// Options configure a Guard. The zero value allows the public internet and
// whatever the policies name.
type Options struct {
	// AllowHosts are host:port pairs, as URLs write them, that the Web policy
	// lets through whatever their address and port. They are the user's own.
	AllowHosts []string
	// Proxy is the URL of an http, https or socks5 proxy for everything but
	// AllowHosts and loopback addresses. Empty means a direct connection: the
	// environment's proxies are ignored for pages, and serve configured
	// addresses only.
	Proxy string
	// Offline refuses everything but loopback addresses that a policy names.
	Offline bool
	// Resolver looks up host names; nil means the system's.
	Resolver *net.Resolver
}

// Guard builds clients. Its zero value has the zero Options. It is safe for
// concurrent use.
type Guard struct {
	allowed  map[string]bool
	proxy    *url.URL
	offline  bool
	resolver *net.Resolver
}

// New checks the options and returns a Guard.
func New(opt Options) (*Guard, error) {
	g := &Guard{allowed: map[string]bool{}, offline: opt.Offline, resolver: opt.Resolver}
	for _, h := range opt.AllowHosts {
		if h = strings.TrimSpace(h); h == "" {
			continue
		}
		u, err := safe.URL("http://" + h)
		if err != nil || u.Port() == "" || u.Path != "" || u.RawQuery != "" {
			return nil, fmt.Errorf("allowed host %q is not host:port", h)
		}
		g.allowed[u.Host] = true
	}
	if opt.Proxy != "" {
		p, err := url.Parse(opt.Proxy)
		if err != nil || p.Host == "" {
			return nil, errors.New("proxy is not a URL such as http://127.0.0.1:3128")
		}
		switch p.Scheme {
		case "http", "https", "socks5", "socks5h":
		default:
			return nil, fmt.Errorf("proxy scheme %q is not http, https or socks5", p.Scheme)
		}
		g.proxy = p
	}
	return g, nil
}

// Allowed reports whether u leads to one of Options.AllowHosts. Such a host is
// the user's own: nothing needs to be polite to it.
func (g *Guard) Allowed(u *url.URL) bool { return g.allowed[HostPort(u)] }

// HostPort is the host:port of u, lower-case, with the scheme's default port
// filled in. It names a host wherever hosts are counted, paced or compared.
func HostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

// Refused is the error for a destination that a policy forbids. The address is
// never looked at again: trying anew gives the same answer.
type Refused struct {
	Host    string // as the URL wrote it, without user, path and query
	Reason  string // a clause that reads on after "refused: "
	Offline bool   // refused only because Options.Offline is set
}

func (r *Refused) Error() string {
	if r.Host == "" {
		return "refused: " + r.Reason
	}
	return fmt.Sprintf("%s refused: %s", r.Host, r.Reason)
}

// ErrRedirects ends a chain of more than MaxRedirects redirects.
var ErrRedirects = errors.New("too many redirects")

// Caps of every client. A deadline for the whole exchange comes from the
// caller's context.
const (
	MaxRedirects = 10
	dialTimeout  = 10 * time.Second
	tlsTimeout   = 10 * time.Second
	headerWait   = 30 * time.Second // for pages; models may think longer
	maxHeader    = 256 << 10        // bytes
	idleTimeout  = 60 * time.Second
	idlePerHost  = 4
	idleTotal    = 64
)

// Client returns a new client under policy p. Keep it: connections are reused
// only within one client.
func (g *Guard) Client(p Policy) *http.Client {
	d := &dialer{guard: g, policy: p}
	t := &http.Transport{
		DialContext:            d.dial,
		Proxy:                  d.proxyFor,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    tlsTimeout,
		ExpectContinueTimeout:  time.Second,
		MaxResponseHeaderBytes: maxHeader,
		MaxIdleConns:           idleTotal,
		MaxIdleConnsPerHost:    idlePerHost,
		IdleConnTimeout:        idleTimeout,
	}
	if p.kind == web {
		t.ResponseHeaderTimeout = headerWait
	}
	return &http.Client{Transport: &gate{d, t}, CheckRedirect: checkRedirect}
}

func checkRedirect(_ *http.Request, via []*http.Request) error {
	if len(via) > MaxRedirects {
		return ErrRedirects
	}
	return nil
}

// gate checks every request, that of a redirect too, before the transport
// sees it.
type gate struct {
	dialer *dialer
	next   *http.Transport
}

func (t *gate) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := t.dialer.check(req.Context(), req.URL); err != nil {
		if req.Body != nil {
			req.Body.Close()
		}
		return nil, err
	}
	return t.next.RoundTrip(req)
}

// CloseIdleConnections serves http.Client.CloseIdleConnections.
func (t *gate) CloseIdleConnections() { t.next.CloseIdleConnections() }
