package crawl_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"deepresearch/crawl"
	"deepresearch/internal/guard"
)

// site is a real server that counts the requests for each path.
type site struct {
	*httptest.Server
	mu   sync.Mutex
	hits map[string]int
	last http.Header
}

func newSite(t testing.TB, pages map[string]http.HandlerFunc) *site {
	t.Helper()
	s := &site{hits: map[string]int{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.hits[r.URL.Path]++
		s.last = r.Header.Clone()
		s.mu.Unlock()
		if h, ok := pages[r.URL.Path]; ok {
			h(w, r)
			return
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *site) count(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hits[path]
}

func (s *site) host() string { return s.Listener.Addr().String() }

// fetcher may reach the given sites and nothing else of this machine.
func fetcher(t *testing.T, opt crawl.Options, sites ...*site) *crawl.Fetcher {
	t.Helper()
	var hosts []string
	for _, s := range sites {
		hosts = append(hosts, s.host())
	}
	g, err := guard.New(guard.Options{AllowHosts: hosts})
	if err != nil {
		t.Fatal(err)
	}
	opt.Guard = g
	if opt.Rand == nil {
		opt.Rand = func() float64 { return 0 }
	}
	return crawl.NewFetcher(opt)
}

func says(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, body) }
}

func TestFetchFollowsRedirects(t *testing.T) {
	other := newSite(t, map[string]http.HandlerFunc{"/end": says("here")})
	s := newSite(t, map[string]http.HandlerFunc{
		"/a": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/b#part", http.StatusFound) },
		"/b": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL+"/end", http.StatusPermanentRedirect)
		},
		"/loop": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/loop", http.StatusFound) },
		"/cookie": func(w http.ResponseWriter, r *http.Request) {
			if _, err := r.Cookie("seen"); err != nil {
				http.SetCookie(w, &http.Cookie{Name: "seen", Value: "1"})
				http.Redirect(w, r, "/cookie", http.StatusFound)
				return
			}
			io.WriteString(w, "welcome")
		},
		"/private": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://169.254.169.254/", http.StatusFound)
		},
		"/file": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "file:///etc/passwd")
			w.WriteHeader(302)
		},
	})
	f := fetcher(t, crawl.Options{}, s, other)
	got, err := f.Fetch(t.Context(), crawl.Request{URL: s.URL + "/a#x"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{s.URL + "/b", other.URL + "/end"}
	if string(got.Body) != "here" || got.FinalURL != want[1] || got.URL != s.URL+"/a#x" || !slices.Equal(got.Redirects, want) {
		t.Errorf("got %q at %s by way of %v", got.Body, got.FinalURL, got.Redirects)
	}
	if got, err := f.Fetch(t.Context(), crawl.Request{URL: s.URL + "/cookie"}); err != nil || string(got.Body) != "welcome" {
		t.Errorf("cookie: %q, %v", got.Body, err)
	}
	if _, err := f.Fetch(t.Context(), crawl.Request{URL: s.URL + "/loop"}); !errors.Is(err, guard.ErrRedirects) {
		t.Errorf("loop: %v", err)
	}
	if n := s.count("/loop"); n != guard.MaxRedirects+1 {
		t.Errorf("loop: %d requests", n)
	}
	for _, path := range []string{"/private", "/file"} {
		var refused *guard.Refused
		if _, err := f.Fetch(t.Context(), crawl.Request{URL: s.URL + path}); !errors.As(err, &refused) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestFetchRefusesWithoutAsking(t *testing.T) {
	s := newSite(t, nil)
	f := fetcher(t, crawl.Options{})
	for _, u := range []string{s.URL, "file:///etc/passwd", "javascript:alert(1)", "http://localhost/", "http://10.0.0.1/", "https://u:p@example.org/", ""} {
		var refused *guard.Refused
		if _, err := f.Fetch(t.Context(), crawl.Request{URL: u}); !errors.As(err, &refused) {
			t.Errorf("%s: %v", u, err)
		}
	}
	if s.count("/")+s.count("/robots.txt") != 0 {
		t.Error("a refused host was asked")
	}
}

func packed(t testing.TB, coding string, body []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	var w io.WriteCloser
	switch coding {
	case "gzip":
		w = gzip.NewWriter(&out)
	case "deflate":
		w = zlib.NewWriter(&out)
	case "br":
		w = brotli.NewWriter(&out)
	case "zstd":
		var err error
		if w, err = zstd.NewWriter(&out); err != nil {
			t.Fatal(err)
		}
	default:
		return body
	}
	if _, err := w.Write(body); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestFetchUnpacks(t *testing.T) {
	text := []byte(strings.Repeat("All the tea in China. ", 500))
	for _, coding := range []string{"identity", "gzip", "deflate", "br", "zstd", "gzip, br", "rot13", "gzip, gzip, gzip"} {
		t.Run(coding, func(t *testing.T) {
			body := text
			for c := range strings.SplitSeq(coding, ", ") {
				body = packed(t, c, body)
			}
			s := newSite(t, map[string]http.HandlerFunc{
				"/whole": func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Encoding", coding)
					w.Write(body)
				},
				"/torn": func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Encoding", coding)
					w.Write(body[:len(body)*3/4])
				},
			})
			f := fetcher(t, crawl.Options{}, s)
			got, err := f.Fetch(t.Context(), crawl.Request{URL: s.URL + "/whole"})
			if coding == "rot13" || coding == "gzip, gzip, gzip" {
				if err == nil {
					t.Errorf("got %d bytes", len(got.Body))
				}
				return
			}
			if err != nil || !bytes.Equal(got.Body, text) || got.Truncated {
				t.Errorf("%d bytes, truncated %v, %v", len(got.Body), got.Truncated, err)
			}
			small := fetcher(t, crawl.Options{MaxBytes: 1000}, s)
			if got, err = small.Fetch(t.Context(), crawl.Request{URL: s.URL + "/whole"}); err != nil || len(got.Body) != 1000 || !got.Truncated || !bytes.HasPrefix(text, got.Body) {
				t.Errorf("capped: %d bytes, truncated %v, %v", len(got.Body), got.Truncated, err)
			}
			if coding == "identity" {
				return
			}
			if got, err = f.Fetch(t.Context(), crawl.Request{URL: s.URL + "/torn"}); err == nil && (!got.Truncated || !bytes.HasPrefix(text, got.Body)) {
				t.Errorf("torn: %d bytes, truncated %v", len(got.Body), got.Truncated)
			}
		})
	}
}

// TestFetchSurvivesBombs unpacks a few kilobytes that stand for 16 MB.
func TestFetchSurvivesBombs(t *testing.T) {
	zeros := make([]byte, 16<<20)
	s := newSite(t, map[string]http.HandlerFunc{})
	for _, coding := range []string{"gzip", "br", "zstd"} {
		bomb := packed(t, coding, zeros)
		srv := newSite(t, map[string]http.HandlerFunc{"/": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", coding)
			w.Write(bomb)
		}})
		got, err := fetcher(t, crawl.Options{MaxBytes: 1 << 20}, srv, s).Fetch(t.Context(), crawl.Request{URL: srv.URL})
		if err != nil || len(got.Body) != 1<<20 || !got.Truncated {
			t.Errorf("%s: %d bytes, %v", coding, len(got.Body), err)
		}
	}
}

func TestFetchRetries(t *testing.T) {
	var tries atomic.Int64
	after := func(status, good int, header ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			if n := tries.Add(1); int(n) > good {
				io.WriteString(w, "at last")
				return
			}
			for i := 0; i < len(header); i += 2 {
				w.Header().Set(header[i], header[i+1])
			}
			w.WriteHeader(status)
		}
	}
	drop := func(w http.ResponseWriter, _ *http.Request) {
		if tries.Add(1) > 1 {
			io.WriteString(w, "at last")
			return
		}
		conn, _, _ := http.NewResponseController(w).Hijack()
		conn.(*net.TCPConn).SetLinger(0)
		conn.Close()
	}
	cases := []struct {
		name    string
		h       http.HandlerFunc
		timeout time.Duration
		status  int
		tries   int64
	}{
		{"503 once", after(503, 1, "Retry-After", "0"), 0, 200, 2},
		{"429 twice", after(429, 2, "Retry-After", "0"), 0, 200, 3},
		{"502 for ever", after(502, 99, "Retry-After", "0"), 0, 502, 3},
		{"403", after(403, 1), 0, 403, 1},
		{"500", after(500, 1), 0, 500, 1},
		{"challenge", after(503, 9, "Cf-Mitigated", "challenge"), 0, 503, 1},
		{"later than the deadline", after(429, 1, "Retry-After", "15"), 5 * time.Second, 429, 1},
		{"later than we wait", after(429, 1, "Retry-After", "3600"), 0, 429, 1},
		{"dropped connection", drop, 0, 200, 2},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			tries.Store(0)
			s := newSite(t, map[string]http.HandlerFunc{"/": c.h})
			got, err := fetcher(t, crawl.Options{}, s).Fetch(t.Context(), crawl.Request{URL: s.URL, AskedByUser: true, Timeout: c.timeout})
			if err != nil || got.Status != c.status || tries.Load() != c.tries {
				t.Errorf("status %d after %d tries, %v", got.Status, tries.Load(), err)
			}
		})
	}
}

func TestFetchDeadline(t *testing.T) {
	stop := make(chan struct{})
	hang := func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-stop:
		case <-r.Context().Done():
		}
	}
	s := newSite(t, map[string]http.HandlerFunc{
		"/never": hang,
		"/half": func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "half a page")
			w.(http.Flusher).Flush()
			hang(w, r)
		},
	})
	defer close(stop)
	f := fetcher(t, crawl.Options{Timeout: 200 * time.Millisecond}, s)
	if _, err := f.Fetch(t.Context(), crawl.Request{URL: s.URL + "/never"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("never: %v", err)
	}
	got, err := f.Fetch(t.Context(), crawl.Request{URL: s.URL + "/half"})
	if err != nil || string(got.Body) != "half a page" || !got.Truncated {
		t.Errorf("half: %q, truncated %v, %v", got.Body, got.Truncated, err)
	}
	gone := errors.New("the caller left")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(gone)
	if _, err := f.Fetch(ctx, crawl.Request{URL: s.URL + "/never"}); !errors.Is(err, gone) {
		t.Errorf("cause lost: %v", err)
	}
}

func TestFetchAsksRobots(t *testing.T) {
	rules := "User-agent: *\nDisallow: /\n\nUser-agent: deepresearch\nDisallow: /private\n"
	free := newSite(t, map[string]http.HandlerFunc{
		"/to-private": nil,
	})
	s := newSite(t, map[string]http.HandlerFunc{"/robots.txt": says(rules), "/private": says("secret"), "/open": says("open")})
	free.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		http.Redirect(w, r, s.URL+"/private", http.StatusFound)
	})
	f := fetcher(t, crawl.Options{}, s, free)
	var denied *crawl.RobotsDenied
	for _, u := range []string{s.URL + "/private", s.URL + "/private/deeper?x=1", free.URL + "/to-private"} {
		if _, err := f.Fetch(t.Context(), crawl.Request{URL: u}); !errors.As(err, &denied) {
			t.Errorf("%s: %v", u, err)
		}
	}
	if s.count("/private") != 0 {
		t.Error("a denied page was fetched")
	}
	if got, err := f.Fetch(t.Context(), crawl.Request{URL: s.URL + "/open"}); err != nil || string(got.Body) != "open" {
		t.Errorf("open: %q, %v", got.Body, err)
	}
	if n := s.count("/robots.txt"); n != 1 {
		t.Errorf("robots.txt was asked for %d times", n)
	}
	if ua := s.last.Get("User-Agent"); !strings.Contains(ua, crawl.ProductToken) {
		t.Errorf("user agent %q", ua)
	}
	if got, err := f.Fetch(t.Context(), crawl.Request{URL: s.URL + "/private", AskedByUser: true}); err != nil || string(got.Body) != "secret" {
		t.Errorf("asked by the user: %q, %v", got.Body, err)
	}
}

func TestFetchRobotsByStatus(t *testing.T) {
	cases := []struct {
		name    string
		robots  http.HandlerFunc
		allowed bool
	}{
		{"none", http.NotFound, true},
		{"forbidden", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(403) }, true},
		{"server error", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, false},
		{"redirected rules", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/rules", 302) }, false},
		{"redirects for ever", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/robots.txt", 302) }, true},
		{"a web page", says("<!doctype html><title>Not found</title>Disallow: /"), true},
		{"too long", func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, "User-agent: *\nDisallow: /page\n")
			io.WriteString(w, strings.Repeat("# filler filler filler\n", 50000))
		}, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := newSite(t, map[string]http.HandlerFunc{"/robots.txt": c.robots, "/rules": says("User-agent: *\nDisallow: /page"), "/page": says("page")})
			_, err := fetcher(t, crawl.Options{}, s).Fetch(t.Context(), crawl.Request{URL: s.URL + "/page"})
			var denied *crawl.RobotsDenied
			if got := !errors.As(err, &denied); got != c.allowed || got && err != nil {
				t.Errorf("allowed %v, want %v (%v)", got, c.allowed, err)
			}
		})
	}
}

func TestFetchSharesFlights(t *testing.T) {
	release := make(chan struct{})
	s := newSite(t, map[string]http.HandlerFunc{"/": func(w http.ResponseWriter, _ *http.Request) { <-release; io.WriteString(w, "once") }})
	f := fetcher(t, crawl.Options{}, s)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			got, err := f.Fetch(t.Context(), crawl.Request{URL: s.URL, AskedByUser: true})
			if err != nil || string(got.Body) != "once" {
				t.Errorf("%q, %v", got.Body, err)
			}
		})
	}
	for s.count("/") == 0 {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(20 * time.Millisecond)
	close(release)
	wg.Wait()
	if n := s.count("/"); n != 1 {
		t.Errorf("%d requests", n)
	}
}

// memory is a cache like any other, in a map.
type memory struct {
	mu  sync.Mutex
	m   map[string]crawl.Fetched
	err error
}

func (c *memory) Get(_ context.Context, key string) (crawl.Fetched, bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f, ok := c.m[key]
	return f, ok, c.err
}

func (c *memory) Put(_ context.Context, key string, f crawl.Fetched) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.m[key] = f
	return c.err
}

func TestFetchCaches(t *testing.T) {
	s := newSite(t, map[string]http.HandlerFunc{
		"/tagged": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Etag", `"v1"`)
			if r.Header.Get("If-None-Match") == `"v1"` {
				w.WriteHeader(http.StatusNotModified)
				return
			}
			io.WriteString(w, "tagged")
		},
		"/hour": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Cache-Control", "private, max-age=3600")
			io.WriteString(w, "hour")
		},
		"/nostore": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Cache-Control", "no-store")
			io.WriteString(w, "never")
		},
		"/missing": http.NotFound,
	})
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	f := fetcher(t, crawl.Options{Cache: &memory{m: map[string]crawl.Fetched{}}, Now: func() time.Time { return now }}, s)
	get := func(path string, maxAge time.Duration) crawl.Fetched {
		t.Helper()
		got, err := f.Fetch(t.Context(), crawl.Request{URL: s.URL + path, AskedByUser: true, MaxAge: maxAge})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	steps := []struct {
		path   string
		after  time.Duration
		maxAge time.Duration
		cached bool
		asked  int
	}{
		{"/tagged", 0, 0, false, 1},
		{"/tagged", time.Minute, 0, true, 2}, // 304
		{"/tagged", time.Minute, time.Hour, true, 2},
		{"/tagged", 2 * time.Hour, time.Hour, true, 3},
		{"/tagged", 0, -1, false, 4},
		{"/hour", 0, 0, false, 1},
		{"/hour", 59 * time.Minute, 0, true, 1},
		{"/hour", 2 * time.Minute, 0, false, 2},
		{"/nostore", 0, time.Hour, false, 1},
		{"/nostore", 0, time.Hour, false, 2},
		{"/missing", 0, time.Hour, false, 1},
		{"/missing", 0, time.Hour, false, 2},
	}
	for i, c := range steps {
		now = now.Add(c.after)
		got := get(c.path, c.maxAge)
		if got.FromCache != c.cached || s.count(c.path) != c.asked {
			t.Errorf("step %d %s: from cache %v after %d requests, want %v after %d", i, c.path, got.FromCache, s.count(c.path), c.cached, c.asked)
		}
		if c.path == "/tagged" && (string(got.Body) != "tagged" || got.Status != 200) {
			t.Errorf("step %d: %d %q", i, got.Status, got.Body)
		}
	}
}

func TestFetchToleratesABrokenCache(t *testing.T) {
	s := newSite(t, map[string]http.HandlerFunc{"/": says("page")})
	f := fetcher(t, crawl.Options{Cache: &memory{m: map[string]crawl.Fetched{}, err: errors.New("disk full")}}, s)
	got, err := f.Fetch(t.Context(), crawl.Request{URL: s.URL})
	if err != nil || string(got.Body) != "page" || len(got.Warnings) == 0 {
		t.Errorf("%q, %v, %v", got.Body, got.Warnings, err)
	}
}

func TestFetchNamesNoSecrets(t *testing.T) {
	s := newSite(t, nil)
	f := fetcher(t, crawl.Options{}, s)
	s.Close()
	_, err := f.Fetch(t.Context(), crawl.Request{URL: s.URL + "/?key=opensesame"})
	if err == nil || strings.Contains(err.Error(), "opensesame") {
		t.Errorf("got %v", err)
	}
}

func TestFetchedKeepsTellingHeadersOnly(t *testing.T) {
	s := newSite(t, map[string]http.HandlerFunc{"/": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Set-Cookie", "id=1")
		w.Header().Set("Date", "Fri, 01 May 2026 12:00:00 GMT")
		w.Header().Set("Content-Language", "en")
		fmt.Fprint(w, "x")
	}})
	got, err := fetcher(t, crawl.Options{}, s).Fetch(t.Context(), crawl.Request{URL: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	want := http.Header{"Date": {"Fri, 01 May 2026 12:00:00 GMT"}, "Content-Language": {"en"}, "Content-Length": {"1"}, "Content-Type": {"text/plain; charset=utf-8"}}
	if diff := cmp.Diff(want, got.Header); diff != "" {
		t.Error(diff)
	}
}
