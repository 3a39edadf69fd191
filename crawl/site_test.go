package crawl_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"deepresearch/crawl"
)

// leads is a page with a text of its own that leads to others.
func leads(title string, to ...string) http.HandlerFunc { return headed("", title, to...) }

func headed(head, title string, to ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<!doctype html><html lang=en><head><title>%s</title>%s</head><body><nav>", title, head)
		for _, a := range to {
			fmt.Fprintf(w, "<a href=%q>to %s</a> ", a, strings.Trim(a, "/"))
		}
		fmt.Fprintf(w, "</nav><main><h1>%s</h1><p>This page is about %s and about nothing else. What it says of %s stands nowhere else on this site.</p></main></body></html>", title, title, title)
	}
}

// walk runs a walk to its end and returns the paths of the pages, in order.
func walk(t *testing.T, s *site, want crawl.Site) (paths []string, w *crawl.Walk) {
	t.Helper()
	r := crawl.NewReader(fetcher(t, crawl.Options{Timeout: 5 * time.Second}, s))
	for i, u := range want.URLs {
		want.URLs[i] = s.URL + u
	}
	w, err := r.Walk(want)
	if err != nil {
		t.Fatal(err)
	}
	w.Run(t.Context(), crawl.Turn{Visit: func(p crawl.Page) { paths = append(paths, strings.TrimPrefix(p.URL, s.URL)) }})
	return paths, w
}

func TestWalkFollowsLinks(t *testing.T) {
	s := newSite(t, map[string]http.HandlerFunc{
		"/robots.txt":    says("User-agent: *\nDisallow: /docs/secret"),
		"/docs/":         leads("start", "a", "b#part", "/docs/b/", "c?utm_source=x", "/blog/", "https://other.example/", "mailto:a@b.c", "pic.png", "secret", "gone", "moved"),
		"/docs/a":        leads("apples", "deep", "/docs/"),
		"/docs/b":        leads("bees", "deep?x=1"),
		"/docs/c":        headed(`<meta name="robots" content="noindex">`, "cats", "hidden"),
		"/docs/hidden":   headed(`<meta name="robots" content="nofollow">`, "hedgehogs", "unseen"),
		"/docs/deep":     headed(`<link rel="canonical" href="/docs/deep">`, "depth", "deeper"),
		"/docs/deeper":   leads("deeper"),
		"/docs/unseen":   leads("unseen"),
		"/blog/":         leads("blog"),
		"/docs/moved":    func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/docs/a", http.StatusFound) },
		"/docs/excluded": leads("excluded"),
	})
	cases := []struct {
		name string
		site crawl.Site
		want []string
	}{
		{"default", crawl.Site{URLs: []string{"/docs/"}, MaxPages: 50}, []string{"/docs/", "/docs/a", "/docs/b", "/docs/gone", "/docs/deep", "/docs/hidden"}},
		{"start only", crawl.Site{URLs: []string{"/docs/"}, Depth: -1}, []string{"/docs/"}},
		{"one link away", crawl.Site{URLs: []string{"/docs/"}, Depth: 1, MaxPages: 50}, []string{"/docs/", "/docs/a", "/docs/b", "/docs/gone"}},
		{"three away", crawl.Site{URLs: []string{"/docs/"}, Depth: 3, MaxPages: 50}, []string{"/docs/", "/docs/a", "/docs/b", "/docs/gone", "/docs/deep", "/docs/hidden", "/docs/deeper"}},
		{"few pages", crawl.Site{URLs: []string{"/docs/"}, MaxPages: 2}, []string{"/docs/", "/docs/a"}},
		{"exclude", crawl.Site{URLs: []string{"/docs/"}, Exclude: []string{"/docs/a$", "gone", "*?x="}, MaxPages: 50}, []string{"/docs/", "/docs/b", "/docs/hidden"}},
		{"include widens", crawl.Site{URLs: []string{"/docs/"}, Include: []string{"/blog/"}, MaxPages: 50}, []string{"/docs/", "/blog/"}},
		{"query first", crawl.Site{URLs: []string{"/docs/"}, Query: "what about gone things", MaxPages: 3}, []string{"/docs/", "/docs/gone", "/docs/a"}},
		{"two starts", crawl.Site{URLs: []string{"/blog/", "/docs/deep"}, Depth: -1}, []string{"/blog/", "/docs/deep"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, w := walk(t, s, c.site)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("pages (-want +got):\n%s\n%+v", diff, w.Survey())
			}
			if !w.Done() {
				t.Error("the walk is not done")
			}
		})
	}
	_, w := walk(t, s, crawl.Site{URLs: []string{"/docs/"}, MaxPages: 50})
	if got := w.Survey(); got.Denied != 1 || got.Unlisted != 1 || got.Copies < 1 || got.Beside == 0 || got.Deeper == 0 {
		t.Errorf("%+v", got)
	}
	all := strings.Join(w.Warnings(), "\n")
	for _, part := range []string{"1 pages were left out: robots.txt", "noindex", "text is that of another"} {
		if !strings.Contains(all, part) {
			t.Errorf("no word of %q in %q", part, all)
		}
	}
}

func TestWalkRefuses(t *testing.T) {
	s := newSite(t, nil)
	r := crawl.NewReader(fetcher(t, crawl.Options{}, s))
	for _, bad := range []crawl.Site{
		{URLs: []string{"ftp://example.org/"}},
		{URLs: []string{"http://user:pass@example.org/"}},
		{URLs: []string{s.URL}, Include: []string{strings.Repeat("*a", 21)}},
		{URLs: []string{s.URL}, Exclude: []string{"https:///x"}},
	} {
		if _, err := r.Walk(bad); err == nil || strings.Contains(err.Error(), "user:") {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

func TestWalkSitemaps(t *testing.T) {
	entries := func(paths ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
			for _, p := range paths {
				fmt.Fprintf(w, "<url><loc> http://%s%s </loc><lastmod>2026-01-02</lastmod></url>", r.Host, p)
			}
			fmt.Fprint(w, "</urlset>")
		}
	}
	packed := func(h http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			z := gzip.NewWriter(w)
			h(passThrough{w, z}, r)
			z.Close()
		}
	}
	index := func(paths ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, `<sitemapindex>`)
			for _, p := range paths {
				fmt.Fprintf(w, "<sitemap><loc>http://%s%s</loc></sitemap>", r.Host, p)
			}
			fmt.Fprint(w, "</sitemapindex>")
		}
	}
	s := newSite(t, map[string]http.HandlerFunc{
		"/robots.txt": func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "Sitemap: http://%s/index.xml\n", r.Host) },
		"/index.xml":  index("/index.xml", "/one.xml.gz", "/two.txt", "/missing.xml", "/page.xml"),
		"/one.xml.gz": packed(entries("/a", "/b", "/docs/c", "/a", "/pic.jpg")),
		"/two.txt": func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, "http://%s/d\r\nhttps://other.example/\n\n", r.Host)
		},
		"/page.xml":    leads("no sitemap"),
		"/":            leads("home", "/a", "/linked"),
		"/a":           leads("apples"),
		"/b":           leads("bees", "/unlisted"),
		"/docs/c":      leads("cats"),
		"/d":           leads("dogs"),
		"/linked":      leads("linked"),
		"/llms.txt":    says("# A site\n\n- [Guide](/guide): how to\n"),
		"/cut.xml":     says(`<urlset><url><loc>http://` + "HOST" + `/a</loc></url><url><loc>http`),
		"/nothing/":    leads("nothing"),
		"/nothing.xml": says("<html>"),
	})
	got, w := walk(t, s, crawl.Site{URLs: []string{"/"}, Mode: crawl.ModeSitemap, MaxPages: 50})
	if diff := cmp.Diff([]string{"/a", "/b", "/docs/c", "/d"}, got); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
	if n := w.Survey().Sitemaps; n != 3 {
		t.Errorf("%d sitemaps were read", n)
	}
	if got, _ := walk(t, s, crawl.Site{URLs: []string{"/docs/x"}, Mode: crawl.ModeSitemap}); !slices.Equal(got, []string{"/docs/c"}) {
		t.Errorf("below /docs/: %v", got)
	}
	if got, _ := walk(t, s, crawl.Site{URLs: []string{"/one.xml.gz"}, Mode: crawl.ModeSitemap}); len(got) != 3 {
		t.Errorf("by its own address: %v", got)
	}
	if got, w := walk(t, s, crawl.Site{URLs: []string{"/nothing.xml"}, Mode: crawl.ModeSitemap}); len(got) != 0 || !strings.Contains(strings.Join(w.Warnings(), "\n"), "use mode site") {
		t.Errorf("no sitemap: %v %q", got, w.Warnings())
	}

	got, w = walk(t, s, crawl.Site{URLs: []string{"/"}, Mode: crawl.ModeMap, Depth: 1, MaxPages: 50})
	var listed []string
	for _, f := range w.Survey().Found {
		listed = append(listed, fmt.Sprintf("%s %d %s %s %s", strings.TrimPrefix(f.URL, s.URL), f.Depth, f.Source, f.Title, f.Modified))
	}
	want := []string{
		"/llms.txt 0 llms.txt llms.txt ", "/ 0 start home ", "/a 1 sitemap  2026-01-02", "/b 1 sitemap  2026-01-02", "/docs/c 1 sitemap  2026-01-02", "/d 1 sitemap  ",
		"/guide 1 llms.txt Guide ", "/linked 1 link to linked ",
	}
	if diff := cmp.Diff(want, listed); diff != "" || len(got) > 0 {
		t.Errorf("map (-want +got):\n%s\nand %d pages", diff, len(got))
	}
	if s.count("/linked") > 0 {
		t.Error("a map fetched a page that it only lists")
	}
}

type passThrough struct {
	http.ResponseWriter
	io.Writer
}

func (p passThrough) Write(b []byte) (int, error) { return p.Writer.Write(b) }

// Hostile sites end, within their budget, and leave the rest of the site its place.
func TestWalkHostileSites(t *testing.T) {
	var all sync.Map
	count := func(h http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { all.Store(r.URL.String(), true); h(w, r) }
	}
	endless := func(w http.ResponseWriter, r *http.Request) {
		var n int
		fmt.Sscanf(r.URL.Path, "/cal/%d", &n)
		leads(fmt.Sprintf("day %d", n), fmt.Sprint("/cal/", n+1), fmt.Sprint("/cal/", n+2), fmt.Sprint("/cal/", n+3), "x/y/z", fmt.Sprintf("?sort=%d&view=a", n))(w, r)
	}
	pages := map[string]http.HandlerFunc{
		"/":      leads("home", "/cal/0", "/loop", "/about", "/facets", "/self"),
		"/loop":  func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/loop2", http.StatusFound) },
		"/loop2": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/loop", http.StatusFound) },
		"/self":  leads("self", "self", "./self", "self?", "SELF"),
		"/about": leads("about us", "/team"),
		"/team":  leads("the team"),
	}
	for i := range 400 {
		pages[fmt.Sprint("/cal/", i)] = count(endless)
	}
	facets := make([]string, 300)
	for i := range facets {
		facets[i] = fmt.Sprintf("/facets?colour=%d&size=%d&page=%d", i%7, i%11, i)
	}
	pages["/facets"] = count(func(w http.ResponseWriter, r *http.Request) { leads("facets "+r.URL.RawQuery, facets...)(w, r) })
	s := newSite(t, pages)
	got, w := walk(t, s, crawl.Site{URLs: []string{"/"}, MaxPages: 60, Depth: 10})
	if w.Survey().Read > 60 || !slices.Contains(got, "/team") || !slices.Contains(got, "/loop") {
		t.Errorf("%d pages: %v", len(got), got)
	}
	calendar := 0
	for _, p := range got[:30] {
		if strings.HasPrefix(p, "/cal/") {
			calendar++
		}
	}
	if calendar > 16 { // a quarter of max_pages goes first, the others when nothing else is left
		t.Errorf("%d days of the calendar among the first 30 pages", calendar)
	}
	if u := w.Survey().Unread; u == 0 || !strings.Contains(strings.Join(w.Warnings(), "\n"), "max_pages is 60") {
		t.Errorf("%d unread, %q", u, w.Warnings())
	}
}

func TestWalkHugeSitemap(t *testing.T) {
	var huge bytes.Buffer
	huge.WriteString("<urlset>")
	for i := 0; huge.Len() < 10<<20; i++ {
		fmt.Fprintf(&huge, "<url><loc>http://HOST/page/%d</loc><image:image><image:loc>http://HOST/i.png</image:loc></image:image></url>\n", i)
	}
	bomb := func() []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write([]byte("<urlset>"))
		for range 200 {
			z.Write(bytes.Repeat([]byte(" "), 1<<20))
		}
		z.Close()
		return b.Bytes()
	}()
	s := newSite(t, map[string]http.HandlerFunc{
		"/sitemap.xml": func(w http.ResponseWriter, r *http.Request) {
			w.Write(bytes.ReplaceAll(huge.Bytes(), []byte("HOST"), []byte(r.Host)))
		},
		"/bomb.xml.gz": func(w http.ResponseWriter, _ *http.Request) { w.Write(bomb) },
		"/page/0":      leads("page 0"),
	})
	got, w := walk(t, s, crawl.Site{URLs: []string{"/"}, Mode: crawl.ModeSitemap, MaxPages: 3})
	if len(got) != 3 || w.Survey().Unread < 40_000 {
		t.Errorf("%v, %d unread", got, w.Survey().Unread)
	}
	if _, w := walk(t, s, crawl.Site{URLs: []string{"/bomb.xml.gz"}, Mode: crawl.ModeSitemap}); w.Survey().Read > 0 {
		t.Errorf("%+v", w.Survey())
	}
}

// A walk stands still when its time is over, says what is missing, and goes on
// where it was.
func TestWalkGoesOn(t *testing.T) {
	release := make(chan struct{})
	slow := func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
			return
		}
		leads("slow "+r.URL.Path)(w, r)
	}
	s := newSite(t, map[string]http.HandlerFunc{"/": leads("home", "/quick", "/slow1", "/slow2"), "/quick": leads("quick"), "/slow1": slow, "/slow2": slow})
	r := crawl.NewReader(fetcher(t, crawl.Options{}, s))
	var steps []crawl.Step
	w, err := r.Walk(crawl.Site{URLs: []string{s.URL + "/"}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	ctx, cancel := context.WithCancel(t.Context())
	tell := func(s crawl.Step) { steps = append(steps, s) }
	w.Run(ctx, crawl.Turn{Progress: tell, Visit: func(p crawl.Page) {
		if got = append(got, p.Title); len(got) == 2 {
			cancel()
		}
	}})
	if diff := cmp.Diff([]string{"home", "quick"}, got); diff != "" || w.Done() {
		t.Fatalf("before (-want +got):\n%s", diff)
	}
	if s := w.Survey(); s.Unread != 2 || !strings.Contains(w.Warnings()[0], "2 pages that were found are not read yet") {
		t.Errorf("%+v %q", s, w.Warnings())
	}
	close(release)
	w.Run(t.Context(), crawl.Turn{Progress: tell, Visit: func(p crawl.Page) { got = append(got, p.Title) }})
	if len(got) != 4 || !w.Done() || w.Survey().Read != 4 {
		t.Errorf("after: %v, %+v", got, w.Survey())
	}
	if len(steps) != 6 || !strings.HasPrefix(steps[0].String(), "reading 1/1: 127.0.0.1:") {
		t.Errorf("%v", steps)
	}
	w.Run(t.Context(), crawl.Turn{Visit: func(p crawl.Page) { t.Errorf("%s once more", p.URL) }})
}

func TestWalkByParts(t *testing.T) {
	pages := map[string]http.HandlerFunc{"/": leads("home", "/a", "/b", "/c", "/d")}
	for _, p := range []string{"/a", "/b", "/c", "/d"} {
		pages[p] = leads("page " + p)
	}
	s := newSite(t, pages)
	r := crawl.NewReader(fetcher(t, crawl.Options{}, s))
	w, err := r.Walk(crawl.Site{URLs: []string{s.URL}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{2, 2, 1, 0} {
		n := 0
		w.Run(t.Context(), crawl.Turn{Most: 2, Visit: func(crawl.Page) { n++ }})
		if n != want {
			t.Errorf("%d pages, want %d", n, want)
		}
	}
}

// Nothing runs after Run: synctest fails when a goroutine is left.
func TestWalkLeavesNothingRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, err := crawl.NewReader(crawl.NewFetcher(crawl.Options{})).Walk(crawl.Site{URLs: []string{"http://127.0.0.1:1/", "http://10.0.0.1/"}})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		w.Run(ctx, crawl.Turn{Visit: func(crawl.Page) { t.Error("a page") }})
	})
}
