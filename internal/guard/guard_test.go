package guard_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"deepresearch/internal/guard"
)

func mustNew(t *testing.T, opt guard.Options) *guard.Guard {
	t.Helper()
	g, err := guard.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// server counts the requests that reach it.
func server(t *testing.T, h http.HandlerFunc) (*httptest.Server, *atomic.Int64) {
	t.Helper()
	var hits atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hits.Add(1)
		h(w, r)
	}))
	t.Cleanup(s.Close)
	return s, &hits
}

func hello(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") }

func get(c *http.Client, url string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return fmt.Errorf("unusable: %w", err)
	}
	res, err := c.Do(req)
	if err == nil {
		res.Body.Close()
	}
	return err
}

func wantRefused(t *testing.T, what string, err error) {
	t.Helper()
	if r := (*guard.Refused)(nil); !errors.As(err, &r) {
		t.Errorf("%s: got %v, want a refusal", what, err)
	}
}

// TestWebRefuses covers the ways to spell an address that is not public. A few
// are refused by net/url already; none may reach a server.
func TestWebRefuses(t *testing.T) {
	s, hits := server(t, hello)
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	c := mustNew(t, guard.Options{Resolver: dns(t, map[string][]string{
		"rebind.example.org.":   {"127.0.0.1"},
		"mixed.example.org.":    {"10.0.0.1", "127.0.0.1"},
		"v6.example.org.":       {"::1"},
		"metadata.example.org.": {"169.254.169.254"},
		"mapped.example.org.":   {"::ffff:127.0.0.1"},
	})}).Client(guard.Web())
	for _, u := range []string{
		// The server's own address in every spelling.
		"http://127.0.0.1:" + port + "/", "http://localhost:" + port + "/", "http://[::1]:" + port + "/", s.URL,
		"http://127.0.0.1/", "http://127.0.0.2/", "http://127.255.255.254/", "http://localhost/", "http://LOCALHOST/", "http://localhost./", "http://a.localhost/",
		"http://127.1/", "http://127.0.1/", "http://2130706433/", "http://017700000001/", "http://0177.0.0.1/", "http://0x7f000001/", "http://0x7f.0.0.1/", "http://0x7f.1/",
		"http://127.0.0.1./", "http://127.0.0.01/", "http://0/", "http://0.0.0.0/", "http://00000000000/", "http://４２.1/", "http://①②⑦.⓪.⓪.①/", "http://127。0。0。1/", "http://ｌｏｃａｌｈｏｓｔ/",
		// Other private and reserved ranges.
		"http://10.0.0.1/", "http://172.16.0.1/", "http://172.31.255.255/", "http://192.168.1.1/", "http://100.64.0.1/", "http://192.0.0.192/", "http://192.0.2.1/", "http://198.18.0.1/", "http://198.51.100.1/",
		"http://203.0.113.1/", "http://224.0.0.1/", "http://240.0.0.1/", "http://255.255.255.255/",
		// Metadata services.
		"http://169.254.169.254/latest/meta-data/", "http://2852039166/", "http://0xa9fea9fe/", "http://[::ffff:169.254.169.254]/", "http://100.100.100.200/", "http://168.63.129.16/", "http://metadata.google.internal/", "http://metadata/", "http://[fd00:ec2::254]/",
		// IPv6.
		"http://[::1]/", "http://[0:0:0:0:0:0:0:1]/", "http://[::]/", "http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/", "http://[::127.0.0.1]/", "http://[64:ff9b::7f00:1]/", "http://[64:ff9b::127.0.0.1]/", "http://[64:ff9b:1::7f00:1]/", "http://[2002:7f00:1::]/", "http://[2001::1]/",
		"http://[fe80::1]/", "http://[fe80::1%25lo]/", "http://[fc00::1]/", "http://[fd12:3456::1]/", "http://[ff02::1]/", "http://[2001:db8::1]/", "http://[100::1]/",
		// Names.
		"http://router/", "http://printer.local/", "http://nas.lan/", "http://wiki.corp/", "http://kubernetes.default.svc.cluster.local/", "http://host.docker.internal/",
		"http://rebind.example.org/", "http://mixed.example.org/", "http://v6.example.org/", "http://metadata.example.org/", "http://mapped.example.org/", "https://rebind.example.org/",
		// Tricks with the parts of a URL.
		"http://example.org@127.0.0.1/", "http://user:pass@example.org/", "http://example.org:22/", "http://example.org:8080/", "http://93.184.216.34:6379/", "https://example.org:25/",
		"ftp://example.org/", "file:///etc/passwd", "gopher://example.org/", "unix:///var/run/docker.sock",
	} {
		wantRefused(t, u, get(c, u))
	}
	for _, u := range []string{"http://example.org\\@127.0.0.1/", "http://127%2e0%2e0%2e1/", "http://exa mple.org/", "http://[::1/", "http://127.0.0.1:80:80/"} {
		if get(c, u) == nil {
			t.Errorf("%s: answered", u)
		}
	}
	if n := hits.Load(); n != 0 {
		t.Errorf("%d requests reached a loopback server", n)
	}
}

func TestWebRefusesPrivateRedirects(t *testing.T) {
	inner, hits := server(t, hello)
	for _, target := range []string{inner.URL, "http://169.254.169.254/", "http://localhost/", "file:///etc/passwd", "http://[::1]/", "http://user@example.org/", "http://rebind.example.org/"} {
		outer, _ := server(t, func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Location", target); w.WriteHeader(302) })
		c := mustNew(t, guard.Options{AllowHosts: []string{outer.Listener.Addr().String()},
			Resolver: dns(t, map[string][]string{"rebind.example.org.": {"127.0.0.1"}})}).Client(guard.Web())
		wantRefused(t, target, get(c, outer.URL))
	}
	if hits.Load() != 0 {
		t.Error("a redirect reached a private server")
	}
}

func TestRedirectLoopEnds(t *testing.T) {
	s, hits := server(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/again", http.StatusFound) })
	c := mustNew(t, guard.Options{}).Client(guard.Loopback())
	if err := get(c, s.URL); !errors.Is(err, guard.ErrRedirects) {
		t.Errorf("got %v", err)
	}
	if n := hits.Load(); n != guard.MaxRedirects+1 {
		t.Errorf("%d requests", n)
	}
}

func TestAllowHostsNamesOneSpelling(t *testing.T) {
	s, _ := server(t, hello)
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	g := mustNew(t, guard.Options{AllowHosts: []string{" 127.0.0.1:" + port, ""}})
	c := g.Client(guard.Web())
	if err := get(c, "http://127.0.0.1:"+port+"/x?q="+strings.Repeat("x", 3000)); err != nil {
		t.Error(err)
	}
	wantRefused(t, "another name", get(c, "http://localhost:"+port+"/"))
	u, _ := url.Parse("http://127.0.0.1:" + port + "/x")
	other, _ := url.Parse("http://127.0.0.1/x")
	if !g.Allowed(u) || g.Allowed(other) {
		t.Error("Allowed does not compare host and port")
	}
	for _, bad := range []string{"127.0.0.1", "http://127.0.0.1:80", "127.0.0.1:80/x", "user@host:80", "host:99999"} {
		if _, err := guard.New(guard.Options{AllowHosts: []string{bad}}); err == nil {
			t.Errorf("AllowHosts accepts %q", bad)
		}
	}
}

func TestConfigured(t *testing.T) {
	other, hits := server(t, hello)
	s, _ := server(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/out":
			http.Redirect(w, r, other.URL, http.StatusFound)
		case "/in":
			http.Redirect(w, r, "/v1", http.StatusFound)
		}
	})
	p, err := guard.Configured(s.URL + "/v1")
	if err != nil {
		t.Fatal(err)
	}
	for _, offline := range []bool{false, true} {
		c := mustNew(t, guard.Options{Offline: offline}).Client(p)
		if err := get(c, s.URL+"/in?q="+strings.Repeat("x", 3000)); err != nil {
			t.Error(err)
		}
		wantRefused(t, "another port", get(c, other.URL))
		wantRefused(t, "redirect out", get(c, s.URL+"/out"))
		wantRefused(t, "another scheme", get(c, strings.Replace(s.URL, "http:", "https:", 1)))
	}
	if hits.Load() != 0 {
		t.Error("a server that is not configured was reached")
	}
	for _, bad := range []string{"", "localhost:11434", "ftp://x", "http://"} {
		if _, err := guard.Configured(bad); err == nil {
			t.Errorf("Configured accepts %q", bad)
		}
	}
}

func TestOffline(t *testing.T) {
	s, hits := server(t, hello)
	g := mustNew(t, guard.Options{Offline: true, AllowHosts: []string{s.Listener.Addr().String()},
		Resolver: dns(t, map[string][]string{"api.example.org.": {"127.0.0.1"}})})
	wantRefused(t, "page", get(g.Client(guard.Web()), s.URL))
	p, _ := guard.Configured("https://api.example.org/v1")
	wantRefused(t, "remote model", get(g.Client(p), "https://api.example.org/v1"))
	if err := get(g.Client(guard.Loopback()), s.URL); err != nil {
		t.Error(err)
	}
	if hits.Load() != 1 {
		t.Errorf("%d requests, want the one of Loopback", hits.Load())
	}
	var refused *guard.Refused
	if err := get(g.Client(guard.Web()), "https://example.org/"); !errors.As(err, &refused) || !refused.Offline {
		t.Errorf("got %v, want a refusal for being offline", err)
	}
}

func TestLoopback(t *testing.T) {
	c := mustNew(t, guard.Options{Resolver: dns(t, map[string][]string{"localhost.": {"10.0.0.1"}})}).Client(guard.Loopback())
	for _, u := range []string{"http://10.0.0.1/", "http://example.org/", "http://0.0.0.0/", "http://localhost.example.org/"} {
		wantRefused(t, u, get(c, u))
	}
}

func TestProxyOfTheEnvironmentIsIgnored(t *testing.T) {
	trap, trapped := server(t, hello)
	t.Setenv("HTTP_PROXY", trap.URL)
	t.Setenv("http_proxy", trap.URL)
	t.Setenv("ALL_PROXY", trap.URL)
	c := mustNew(t, guard.Options{Resolver: dns(t, map[string][]string{"rebind.example.org.": {"127.0.0.1"}})}).Client(guard.Web())
	wantRefused(t, "name", get(c, "http://rebind.example.org/"))
	if trapped.Load() != 0 {
		t.Error("the environment's proxy was used for a page")
	}
}

func TestProxy(t *testing.T) {
	proxy, proxied := server(t, hello)
	own, direct := server(t, hello)
	g := mustNew(t, guard.Options{Proxy: proxy.URL, AllowHosts: []string{own.Listener.Addr().String()},
		Resolver: dns(t, map[string][]string{"rebind.example.org.": {"127.0.0.1"}, "fake.example.org.": {"198.18.0.7"}, "public.example.org.": {"93.184.216.34"}})})
	c := g.Client(guard.Web())
	for _, u := range []string{"http://127.0.0.1/", "http://rebind.example.org/", "http://intranet/", "http://10.1.2.3/", "http://public.example.org:22/", proxy.URL} {
		wantRefused(t, u, get(c, u))
	}
	if proxied.Load() != 0 {
		t.Fatal("a refused address went to the proxy")
	}
	for _, u := range []string{"http://public.example.org/", "http://fake.example.org/", "http://unknown.example.org/"} {
		if err := get(c, u); err != nil {
			t.Errorf("%s: %v", u, err)
		}
	}
	if proxied.Load() != 3 {
		t.Errorf("%d requests went to the proxy, want 3", proxied.Load())
	}
	if err := get(c, own.URL); err != nil || direct.Load() != 1 {
		t.Errorf("own host: %v, %d direct requests", err, direct.Load())
	}
	for _, bad := range []string{"127.0.0.1:3128", "ftp://x", "http://"} {
		if _, err := guard.New(guard.Options{Proxy: bad}); err == nil {
			t.Errorf("Proxy accepts %q", bad)
		}
	}
}

// TestEveryAddressIsJudged has a name with a forbidden address after another:
// the one that the dialer turns to next is judged as the first was.
func TestEveryAddressIsJudged(t *testing.T) {
	s, hits := server(t, hello)
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	g := mustNew(t, guard.Options{Resolver: dns(t, map[string][]string{"both.example.org.": {"198.51.100.7", "127.0.0.1", "::1"}})})
	wantRefused(t, "both", get(g.Client(guard.Web()), "http://both.example.org/"))
	wantRefused(t, "loopback client", get(g.Client(guard.Loopback()), "http://both.example.org:"+port+"/"))
	if hits.Load() != 0 {
		t.Error("reached")
	}
}

// dns serves fixed addresses over UDP on the loopback interface.
func dns(t *testing.T, zone map[string][]string) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { conn.Close(); <-done })
	go func() {
		defer close(done)
		buf := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			if reply := answer(buf[:n], zone); reply != nil {
				conn.WriteTo(reply, from)
			}
		}
	}()
	addr := conn.LocalAddr().String()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "udp", addr)
	}}
}

func answer(query []byte, zone map[string][]string) []byte {
	var m dnsmessage.Message
	if err := m.Unpack(query); err != nil || len(m.Questions) != 1 {
		return nil
	}
	q := m.Questions[0]
	m.Response, m.Additionals = true, nil
	addrs, known := zone[q.Name.String()]
	if !known {
		m.RCode = dnsmessage.RCodeNameError
	}
	for _, a := range addrs {
		addr := netip.MustParseAddr(a)
		h := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 0}
		switch {
		case addr.Is4() && q.Type == dnsmessage.TypeA:
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: h, Body: &dnsmessage.AResource{A: addr.As4()}})
		case addr.Is6() && q.Type == dnsmessage.TypeAAAA:
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: h, Body: &dnsmessage.AAAAResource{AAAA: addr.As16()}})
		}
	}
	out, err := m.Pack()
	if err != nil {
		return nil
	}
	return out
}
