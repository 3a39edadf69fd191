package safe_test

import (
	"net/url"
	"strings"
	"testing"

	"deepresearch/internal/safe"
)

func TestURL(t *testing.T) {
	cases := []struct{ in, want string }{ // no want: refused
		{"https://example.org/a?b=c#d", "https://example.org/a?b=c#d"},
		{" http://EXAMPLE.org ", "http://example.org"},
		{"https://bücher.example/ü", "https://xn--bcher-kva.example/%C3%BC"},
		{"https://例子.测试/", "https://xn--fsqu00a.xn--0zwm56d/"},
		{"https://ｅｘａｍｐｌｅ。org/", "https://example.org/"},
		{"https://my_host.example/", "https://my_host.example/"},
		{"https://example.org.:8443/", "https://example.org.:8443/"},
		{"http://93.184.216.34/", "http://93.184.216.34/"},
		{"http://[2001:4860:0:0::8888]/", "http://[2001:4860::8888]/"},
		{"", ""},
		{"example.org", ""},
		{"/relative", ""},
		{"//example.org/", ""},
		{"http:example.org", ""},
		{"https:///path", ""},
		{"javascript:alert(1)", ""},
		{"data:text/html,x", ""},
		{"blob:https://example.org/1", ""},
		{"file:///etc/passwd", ""},
		{"ftp://example.org/", ""},
		{"gopher://example.org/", ""},
		{"https://user@example.org/", ""},
		{"https://user:pass@example.org/", ""},
		{"https://example.org\\@evil.example/", ""},
		{"https://example.org/a b", ""},
		{"https://example.org/\x00", ""},
		{"https://example.org/\u200b", ""},
		{"https://example.org:0/", ""},
		{"https://example.org:99999/", ""},
		{"https://example.org:/", ""},
		{"http://2130706433/", ""},
		{"http://0x7f000001/", ""},
		{"http://127.1/", ""},
		{"http://0177.0.0.1/", ""},
		{"http://127.0.0.1./", ""},
		{"http://１２７.１/", ""},
		{"http://[::1%25eth0]:x/", ""},
		{"http://a..b/", ""},
		{"http://.example/", ""},
		{"http://ex%61mple.org/", ""},
		{"http://" + strings.Repeat("a", 300) + "/", ""},
		{"https://example.org/" + strings.Repeat("a", safe.MaxURL), ""},
	}
	for _, c := range cases {
		u, err := safe.URL(c.in)
		switch {
		case c.want == "" && err == nil:
			t.Errorf("URL(%q) = %v, want an error", c.in, u)
		case c.want != "" && err != nil:
			t.Errorf("URL(%q): %v", c.in, err)
		case c.want != "" && u.String() != c.want:
			t.Errorf("URL(%q) = %v, want %v", c.in, u, c.want)
		}
	}
}

func TestCanonical(t *testing.T) {
	cases := []struct{ in, want string }{
		{"HTTP://Example.ORG:80", "http://example.org/"},
		{"https://example.org:443/a/../b/./c", "https://example.org/b/c"},
		{"https://example.org:8443/", "https://example.org:8443/"},
		{"https://example.org./", "https://example.org/"},
		{"https://www.example.org/", "https://www.example.org/"},
		{"https://example.org/a/..", "https://example.org/"},
		{"https://example.org/../../a", "https://example.org/a"},
		{"https://example.org/%7euser/%e4%bd%a0", "https://example.org/~user/%E4%BD%A0"},
		{"https://example.org/你", "https://example.org/%E4%BD%A0"},
		{"https://example.org/a%2fb", "https://example.org/a%2Fb"},
		{"https://example.org/?b=2&a=1&b=1&utm_source=x&gclid=1&fbclid=2&mc_cid=3", "https://example.org/?a=1&b=2&b=1"},
		{"https://example.org/?utm_campaign=x", "https://example.org/"},
		{"https://example.org/?q=a%20b&&", "https://example.org/?q=a%20b"},
		{"https://example.org/#part", "https://example.org/"},
		{"https://example.org/#!/route", "https://example.org/#!/route"},
		{"https://BÜCHER.example/", "https://xn--bcher-kva.example/"},
	}
	for _, c := range cases {
		u, err := url.Parse(c.in)
		if err != nil {
			t.Fatal(err)
		}
		if got := safe.Canonical(u); got != c.want {
			t.Errorf("Canonical(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestQuery(t *testing.T) {
	good := []string{"tea in Assam", "site:example.org tea", "AC/DC tour", "e.g. and/or", "price 3.5/5", "node.js vs deno", "茶叶 产地", "TCP/IP", "foo.com review", strings.Repeat("茶", 200)}
	bad := []string{"", "  ", "https://evil.example/?q=1", "see www.evil.example/x", "evil.example/?d=secret", "//evil.example", "a\nb", strings.Repeat("a", 201), "site:https://a.example"}
	for _, q := range good {
		if err := safe.Query(q); err != nil {
			t.Errorf("Query(%q): %v", q, err)
		}
	}
	for _, q := range bad {
		if safe.Query(q) == nil {
			t.Errorf("Query(%q) passes", q)
		}
	}
}

func FuzzURL(f *testing.F) {
	for _, s := range []string{"https://example.org/a/../%7e?b=2&a=1#!x", "http://[::1]:80/", "http://例子.测试:8080", "http://a@b", "https://a.b././/..?%"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		u, err := safe.URL(raw)
		if err != nil {
			return
		}
		if u.User != nil || u.Hostname() == "" {
			t.Fatalf("URL(%q) = %v", raw, u)
		}
		once := safe.Canonical(u)
		again, err := safe.URL(once)
		if err != nil {
			if len(once) > safe.MaxURL { // escapes lengthen
				return
			}
			t.Fatalf("Canonical(%q) = %q: %v", raw, once, err)
		}
		if twice := safe.Canonical(again); twice != once {
			t.Fatalf("Canonical(%q) = %q, then %q", raw, once, twice)
		}
	})
}
