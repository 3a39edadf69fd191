package crawl

import (
	"net/url"
	"strings"
	"testing"
	"time"
)

func TestRobots(t *testing.T) {
	const long = "/aaaaaaaaaa"
	cases := []struct {
		name, robots, path string
		want               bool
	}{
		{"empty", "", "/x", true},
		{"nothing for us", "User-agent: other\nDisallow: /", "/x", true},
		{"everyone", "User-agent: *\nDisallow: /", "/x", false},
		{"empty disallow", "User-agent: *\nDisallow:", "/x", true},
		{"named beats everyone", "User-agent: *\nDisallow: /\nUser-agent: deepresearch\nAllow: /", "/x", true},
		{"named group without rules", "User-agent: deepresearch\nCrawl-delay: 1\n\nUser-agent: *\nDisallow: /", "/x", false},
		{"order of groups", "User-agent: deepresearch\nDisallow: /p\n\nUser-agent: *\nDisallow: /", "/x", true},
		{"case of the name", "USER-AGENT: DeepResearch\nDISALLOW: /x", "/x", false},
		{"version after the name", "User-agent: deepresearch/1.0 (any)\nDisallow: /x", "/x", false},
		{"prefix of the name is another", "User-agent: deep\nDisallow: /", "/x", true},
		{"longer name is another", "User-agent: deepresearch-pro\nDisallow: /", "/x", true},
		{"several names", "User-agent: a\nUser-agent: deepresearch\nDisallow: /x", "/x", false},
		{"groups are joined", "User-agent: deepresearch\nDisallow: /a\n\nUser-agent: b\nDisallow: /\n\nUser-agent: deepresearch\nDisallow: /x", "/x", false},
		{"other lines end no group", "User-agent: deepresearch\nSitemap: https://e.org/s.xml\nFoo: bar\nDisallow: /x", "/x", false},
		{"rules before any group", "Disallow: /\nUser-agent: *\nDisallow: /p", "/x", true},
		{"blank lines inside", "User-agent: *\n\nDisallow: /x", "/x", false},
		{"comment", "User-agent: * # all\nDisallow: /x # why", "/x", false},
		{"byte order mark", "\ufeffUser-agent: *\nDisallow: /x", "/x", false},
		{"CR", "User-agent: *\rDisallow: /x", "/x", false},
		{"CR LF", "User-agent: *\r\nDisallow: /x\r\n", "/x", false},
		{"spaces", " User-agent :  * \n Disallow :  /x ", "/x", false},
		{"bad delay spoils nothing", "User-agent: *\nCrawl-delay: soon\nDisallow: /x", "/x", false},
		{"html", "<!doctype html>\n<p>Disallow: /</p>", "/x", true},
		{"prefix", "User-agent: *\nDisallow: /x", "/xyz/deeper", false},
		{"case of the path", "User-agent: *\nDisallow: /X", "/x", true},
		{"longest wins", "User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", true},
		{"longest wins, other order", "User-agent: *\nAllow: /a/b\nDisallow: /a", "/a/c", false},
		{"allow wins ties", "User-agent: *\nDisallow: /page\nAllow: /page", "/page", true},
		{"length counts the pattern", "User-agent: *\nAllow: /p.php\nDisallow: /*.p", "/p.php", true},
		{"star", "User-agent: *\nDisallow: /*.gif", "/a/b.gif?x", false},
		{"star is anchored", "User-agent: *\nDisallow: /a*b", "/x/a/b", true},
		{"star alone", "User-agent: *\nDisallow: *", "/x", false},
		{"star at the end", "User-agent: *\nDisallow: /fish*", "/fish", false},
		{"several stars", "User-agent: *\nDisallow: /*/b/*/d", "/a/b/c/d", false},
		{"end", "User-agent: *\nDisallow: /*.php$", "/a.php", false},
		{"end, more follows", "User-agent: *\nDisallow: /*.php$", "/a.php?x", true},
		{"end without star", "User-agent: *\nDisallow: /x$", "/x/y", true},
		{"end matches late", "User-agent: *\nDisallow: /*a$", "/abca", false},
		{"dollar inside", "User-agent: *\nDisallow: /a$b", "/a$b", false},
		{"query", "User-agent: *\nDisallow: /*?session=", "/x?session=1", false},
		{"without a slash", "User-agent: *\nDisallow: x", "/x", false},
		{"escape case", "User-agent: *\nDisallow: /a%3cd.html", "/a%3Cd.html", false},
		{"escaped letter", "User-agent: *\nDisallow: /%7ejoe/", "/~joe/i", false},
		{"reserved stays escaped", "User-agent: *\nDisallow: /a%2fb.html", "/a/b.html", true},
		{"beyond ASCII", "User-agent: *\nDisallow: /foo/bar/ツ", "/foo/bar/%E3%83%84", false},
		{"escaped beyond ASCII", "User-agent: *\nDisallow: /%e4%bd%a0", "/你", false},
		{"escaped star", "User-agent: *\nDisallow: /file-%2A.html", "/file-*.html", false},
		{"escaped star is no wildcard", "User-agent: *\nDisallow: /file-%2A.html", "/file-x.html", true},
		{"robots.txt itself", "User-agent: *\nDisallow: /", "/robots.txt", true},
		{"root", "User-agent: *\nDisallow: /$", "/", false},
		{"many stars end quickly", "User-agent: *\nDisallow: /" + strings.Repeat("*a", 500) + "b", strings.Repeat(long, 100), true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			u, err := url.Parse("https://example.org" + c.path)
			if err != nil {
				t.Fatal(err)
			}
			if got := parseRobots([]byte(c.robots), ProductToken).allows(u); got != c.want {
				t.Errorf("allows(%s) = %v under\n%s", c.path, got, c.robots)
			}
		})
	}
}

func TestRobotsDelay(t *testing.T) {
	cases := []struct {
		robots string
		want   time.Duration
	}{
		{"User-agent: *\nCrawl-delay: 2", 2 * time.Second},
		{"User-agent: *\nCrawl-delay: 0.5 # half", 500 * time.Millisecond},
		{"User-agent: *\nCrawl-delay: 10s", 10 * time.Second},
		{"User-agent: *\nCrawl-delay: 86400", maxCrawlDelay},
		{"User-agent: *\nCrawl-delay: -1", 0},
		{"User-agent: *\nCrawl-delay: NaN", 0},
		{"User-agent: other\nCrawl-delay: 5\n\nUser-agent: *\nAllow: /", 0},
	}
	for _, c := range cases {
		if got := parseRobots([]byte(c.robots), ProductToken).delay; got != c.want {
			t.Errorf("%q: %v, want %v", c.robots, got, c.want)
		}
	}
}

func FuzzRobots(f *testing.F) {
	f.Add("User-agent: *\nDisallow: /*a$\nAllow: /%7e%zz%", "/a%20b?c")
	f.Add("\ufeffuser-agent:deepresearch\rdisallow:*\r\ncrawl-delay:1e9", "/")
	f.Fuzz(func(t *testing.T, robots, path string) {
		u := &url.URL{Scheme: "https", Host: "example.org", Path: "/" + path}
		r := parseRobots([]byte(robots), ProductToken)
		r.allows(u)
		if r.delay < 0 || r.delay > maxCrawlDelay {
			t.Errorf("delay %v", r.delay)
		}
		once := normalPath(u.EscapedPath(), false)
		if again := normalPath(once, false); again != once {
			t.Errorf("normalPath(%q) = %q, then %q", u.EscapedPath(), once, again)
		}
	})
}
