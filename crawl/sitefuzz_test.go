package crawl

import (
	"net/url"
	"strings"
	"testing"
)

func FuzzSitemap(f *testing.F) {
	for _, s := range []string{"<urlset><url><loc>https://a.example/</loc></url></urlset>", "<sitemapindex><sitemap><loc><![CDATA[https://a.example/b.xml]]></loc>", "https://a.example/\nhttps://b.example/", "\x1f\x8b", "<?xml?><urlset>"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		n := 0
		_ = readSitemap(body, func(l located) bool {
			if l.loc == "" {
				t.Error("an entry without an address")
			}
			n++
			return n < 10
		})
		if n > 10 {
			t.Errorf("%d entries after enough", n)
		}
	})
}

func FuzzLinks(f *testing.F) {
	for _, s := range []string{`<base href=/x/><a href=b>c</a><a rel=nofollow href=d>`, `<meta name=robots content=none><link rel=canonical href=//e>`, `<a href="javascript:x"><a href="http://u:p@h/">`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		o := linksOf(Fetched{FinalURL: "https://site.example/a", ContentType: "text/html", Body: []byte(body)})
		front := newFrontier(10)
		for _, l := range o.links {
			u, err := url.Parse(l.URL)
			if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || strings.Contains(l.Text, "\n") {
				t.Errorf("%q %q: %v", l.URL, l.Text, err)
				continue
			}
			front.push(waiting{Found: Found{URL: l.URL, Source: FromLink}, u: u})
			if front.push(waiting{Found: Found{URL: l.URL, Source: FromLink}, u: u}) {
				t.Errorf("%s is taken twice", l.URL)
			}
		}
	})
}

func FuzzPatterns(f *testing.F) {
	f.Add("/docs/*.html$", "https://a.example/docs/b.html?c=d")
	f.Add("https://a.example/*", "https://a.example")
	f.Add("*", "http://x/%ff")
	f.Fuzz(func(t *testing.T, pattern, address string) {
		patterns, err := patternsOf([]string{pattern})
		u, err2 := url.Parse(address)
		if err == nil && err2 == nil {
			anyMatches(patterns, u)
		}
	})
}
