package guard

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"syscall"
	"time"

	"deepresearch/internal/safe"
)

// dialer applies one policy to the requests and connections of one client.
type dialer struct {
	guard  *Guard
	policy Policy
}

// check refuses by what the URL says, before any name is looked up. With a
// proxy, which looks names up itself, it also asks our own resolver.
func (d *dialer) check(ctx context.Context, raw *url.URL) error {
	if d.policy.kind == configured {
		return d.checkConfigured(raw)
	}
	// Where a request goes does not hang on its path and query, and those of a
	// search may be longer than the address of a page.
	u, err := safe.URL((&url.URL{Scheme: raw.Scheme, Opaque: raw.Opaque, User: raw.User, Host: raw.Host}).String())
	if err != nil {
		return &Refused{Host: raw.Host, Reason: err.Error()}
	}
	if d.policy.kind == web && d.guard.offline {
		return &Refused{Host: u.Host, Reason: "offline: no page is fetched", Offline: true}
	}
	if reason := d.refuse(u); reason != "" {
		return &Refused{Host: u.Host, Reason: reason}
	}
	if d.policy.kind == web && d.guard.proxy != nil && !d.guard.Allowed(u) {
		return d.checkBehindProxy(ctx, u)
	}
	return nil
}

// checkConfigured knows the addresses by heart, so it asks nothing else of
// them: the user may have put a password there, and queries may be long.
func (d *dialer) checkConfigured(u *url.URL) error {
	switch {
	case !d.policy.origins[origin(u)]:
		return &Refused{Host: u.Host, Reason: "it is not among the configured addresses"}
	case d.guard.offline && !localName(u.Hostname()):
		return &Refused{Host: u.Host, Reason: "offline: only loopback addresses are reachable", Offline: true}
	}
	return nil
}

// refuse returns why the policy forbids u, or "".
func (d *dialer) refuse(u *url.URL) string {
	if d.policy.kind == web {
		return d.refuseWeb(u)
	}
	if !localName(u.Hostname()) {
		return "only loopback addresses are reachable"
	}
	return ""
}

func (d *dialer) refuseWeb(u *url.URL) string {
	switch {
	case d.guard.Allowed(u):
		return ""
	case privateName(u.Hostname()):
		return "the name is of a private network"
	}
	hostPort := HostPort(u)
	_, port, _ := net.SplitHostPort(hostPort)
	if _, err := netip.ParseAddr(u.Hostname()); err != nil {
		// The name's address is judged when it is dialled; its port now.
		hostPort = net.JoinHostPort("1.1.1.1", port)
	}
	if err := refuseAddress(hostPort); err != nil {
		return err.Error()
	}
	return ""
}

// fakeAddresses (RFC 2544, for benchmarks) are what local proxies with their
// own DNS answer for every name. They are never dialled by us.
var fakeAddresses = netip.MustParsePrefix("198.18.0.0/15")

// checkBehindProxy refuses a name that our resolver knows a forbidden address
// for. A name that it does not know is left to the proxy, which the user
// chose: behind many proxies nothing resolves locally.
func (d *dialer) checkBehindProxy(ctx context.Context, u *url.URL) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	addrs, err := cmp.Or(d.guard.resolver, net.DefaultResolver).LookupNetIP(ctx, "ip", u.Hostname())
	if err != nil {
		return nil
	}
	for _, a := range addrs {
		a = a.Unmap()
		if fakeAddresses.Contains(a) {
			continue
		}
		if err := refuseAddress(netip.AddrPortFrom(a, 443).String()); err != nil {
			return &Refused{Host: u.Host, Reason: err.Error()}
		}
	}
	return nil
}

// proxyFor chooses the proxy of a request, if any.
func (d *dialer) proxyFor(req *http.Request) (*url.URL, error) {
	u := req.URL
	switch {
	case d.guard.offline || d.policy.kind == loopback || localName(u.Hostname()) || d.guard.Allowed(u):
		return nil, nil
	case d.guard.proxy != nil:
		return d.guard.proxy, nil
	case d.policy.kind == configured:
		return http.ProxyFromEnvironment(req)
	}
	return nil, nil
}

// dial connects to address, "host:port" as the transport asks for it: the
// destination, or the proxy. The test runs on the IP address that is about to
// be connected to, for each one that the name has.
func (d *dialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	nd := net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second, Resolver: d.guard.resolver}
	if test := d.testFor(address); test != nil {
		nd.Control = func(_, ip string, _ syscall.RawConn) error {
			if err := test(ip); err != nil {
				return &Refused{Host: address, Reason: err.Error()}
			}
			return nil
		}
	}
	conn, err := nd.DialContext(ctx, network, address)
	if refused := (*Refused)(nil); errors.As(err, &refused) {
		return nil, refused
	}
	return conn, err
}

// testFor returns the test for connections to address, nil for none.
func (d *dialer) testFor(address string) func(ip string) error {
	switch {
	case d.guard.offline || d.policy.kind == loopback:
		return refuseNotLoopback
	case d.policy.kind == configured || d.guard.allowed[address] || d.isProxy(address):
		return nil
	}
	return refuseAddress
}

func (d *dialer) isProxy(address string) bool {
	if d.guard.proxy == nil {
		return false
	}
	host, port, err := net.SplitHostPort(address)
	defaults := map[string][]string{"http": {"80"}, "https": {"443"}, "socks5": {"1080"}, "socks5h": {"1080"}}
	want := defaults[d.guard.proxy.Scheme]
	if p := d.guard.proxy.Port(); p != "" {
		want = []string{p}
	}
	return err == nil && host == d.guard.proxy.Hostname() && slices.Contains(want, port)
}
