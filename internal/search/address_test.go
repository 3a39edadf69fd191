package search

import (
	"encoding/base64"
	"net/url"
	"testing"
)

func TestAddressesOfOnePage(t *testing.T) {
	for _, same := range [][]string{
		{"http://example.org/a?b=2&a=1", "https://www.example.org/a/?a=1&b=2&utm_source=x#part", "https://m.example.org/a?a=1&b=2&fbclid=y"},
		{"https://example.org/story", "https://example.org/story/amp/", "https://example.org/story?amp=1", "https://amp.example.org/story"},
		{"https://arxiv.org/abs/1706.03762", "http://arxiv.org/abs/1706.03762v7", "https://arxiv.org/pdf/1706.03762v5.pdf", "https://doi.org/10.48550/arXiv.1706.03762"},
		{"https://arxiv.org/abs/hep-th/9901001", "https://arxiv.org/pdf/hep-th/9901001v3"},
		{"https://doi.org/10.1145/1571941.1572114", "http://dx.doi.org/10.1145/1571941.1572114", "https://dl.acm.org/doi/10.1145/1571941.1572114", "https://dl.acm.org/doi/pdf/10.1145/1571941.1572114"},
		{"https://en.wikipedia.org/wiki/Tide", "https://en.m.wikipedia.org/wiki/Tide"},
		{"https://example.org/a", "https://duckduckgo.com/l/?uddg=https%3A%2F%2Fexample.org%2Fa&rut=1", "https://www.google.com/url?q=https://example.org/a&sa=U",
			"https://www.bing.com/ck/a?u=a1" + base64.RawURLEncoding.EncodeToString([]byte("https://example.org/a")) + "&ntb=1",
			"https://r.search.yahoo.com/_ylt=x/RU=https%3a%2f%2fexample.org%2fa/RK=2/RS=y",
			"https://duckduckgo.com/l/?uddg=" + url.QueryEscape("https://www.google.com/url?q=https://example.org/a")},
	} {
		want, err := readAddress(same[0])
		if err != nil {
			t.Fatal(err)
		}
		for _, raw := range same[1:] {
			if got, err := readAddress(raw); err != nil || got.key != want.key {
				t.Errorf("%s has key %q (%v), %s has %q", raw, got.key, err, same[0], want.key)
			}
		}
	}
}

func TestAddressesOfDifferentPages(t *testing.T) {
	keys := map[string]string{}
	for _, raw := range []string{
		"https://example.org/", "https://example.org/a", "https://example.org/A", "https://example.org/a?s=1", "https://example.org/a?source=x",
		"https://example.org/a#!b", "https://example.org:8443/a", "https://docs.example.org/a", "https://google.com/url?q=javascript:alert(1)",
		"https://bing.com/ck/a?u=a1!!", "https://m.org/a", "https://arxiv.org/list/cs.CL", "https://doi.org/10.1145/1", "https://example.org/camp",
	} {
		a, err := readAddress(raw)
		if err != nil {
			t.Fatal(err)
		}
		if other, clash := keys[a.key]; clash {
			t.Errorf("%s and %s have one key %q", raw, other, a.key)
		}
		keys[a.key] = raw
	}
}

func TestShownAddress(t *testing.T) {
	got, err := readAddress("HTTPS://WWW.Example.org:443/A?utm_source=x&q=1#part")
	if want := (address{"https://www.example.org/A?q=1", "example.org/A?q=1", "example.org"}); err != nil || got.shown != want.shown || got.key != want.key {
		t.Errorf("got %+v (%v), want %+v", got, err, want)
	}
	for _, raw := range []string{"", "ftp://example.org/", "javascript:alert(1)", "//example.org", "https://user:pw@example.org/",
		"https://duckduckgo.com/l/?uddg=https%3A%2F%2Fuser%3Apw%40example.org"} {
		if a, err := readAddress(raw); err == nil {
			t.Errorf("%q is no address of a page, got %+v", raw, a)
		}
	}
}

func FuzzAddress(f *testing.F) {
	f.Add("https://duckduckgo.com/l/?uddg=https%3A%2F%2Fexample.org%2Fa")
	f.Add("https://arxiv.org/pdf/1706.03762v5.pdf")
	f.Add("https://r.search.yahoo.com/_ylt=x/RU=https%3a%2f%2fexample.org/RK=2")
	f.Fuzz(func(t *testing.T, raw string) {
		a, err := readAddress(raw)
		if err != nil {
			return
		}
		again, err := readAddress(a.shown)
		if err != nil || again.key != a.key {
			t.Errorf("%q is shown as %q with key %q, which reads back as %q (%v)", raw, a.shown, a.key, again.key, err)
		}
	})
}
