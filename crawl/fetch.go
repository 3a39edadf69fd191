package crawl

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"time"

	"deepresearch/internal/guard"
	"deepresearch/internal/safe"
)

// ProductToken names this program in robots.txt (RFC 9309, section 2.2.1).
const ProductToken = "deepresearch"

// Defaults of Options.
const (
	DefaultMaxBytes = 10 << 20
	DefaultTimeout  = 30 * time.Second
	DefaultPerHost  = 2
	DefaultPace     = 200 * time.Millisecond
)

// Options configure a Fetcher. The zero value fetches public pages.
type Options struct {
	Guard     *guard.Guard  // nil means one with its zero options
	UserAgent string        // holds ProductToken; empty means a plain one
	MaxBytes  int64         // of a body, decompressed; 0 means DefaultMaxBytes
	Timeout   time.Duration // of a fetch with its redirects, waits and retries; 0 means DefaultTimeout
	PerHost   int           // requests to one host at a time; 0 means DefaultPerHost
	Pace      time.Duration // between two requests to one host; 0 means DefaultPace, negative none
	Cache     Cache         // optional
	Now       func() time.Time
	Rand      func() float64 // in [0, 1), spreads retries; nil means math/rand
}

// Fetcher fetches addresses. It is safe for concurrent use, and one Fetcher
// should serve the whole process: politeness is kept per Fetcher.
type Fetcher struct {
	opt     Options
	client  *http.Client
	lanes   lanes
	robots  robotsMemory
	flights flights
}

// NewFetcher returns a Fetcher.
func NewFetcher(opt Options) *Fetcher {
	if opt.Guard == nil {
		opt.Guard = &guard.Guard{}
	}
	if opt.UserAgent == "" {
		opt.UserAgent = "Mozilla/5.0 (compatible; " + ProductToken + "/1.0)"
	}
	if opt.MaxBytes <= 0 {
		opt.MaxBytes = DefaultMaxBytes
	}
	if opt.Timeout <= 0 {
		opt.Timeout = DefaultTimeout
	}
	if opt.PerHost <= 0 {
		opt.PerHost = DefaultPerHost
	}
	if opt.Pace == 0 {
		opt.Pace = DefaultPace
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Rand == nil {
		opt.Rand = rand.Float64
	}
	f := &Fetcher{opt: opt, client: opt.Guard.Client(guard.Web())}
	f.lanes.width = opt.PerHost
	// Redirects are followed by hand: each hop asks its own robots.txt and
	// waits in its own host's lane.
	f.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return f
}

// Request asks for one address.
type Request struct {
	URL string
	// AskedByUser says that the user named this very address. Only then is
	// robots.txt not asked.
	AskedByUser bool
	// MaxAge is the age at which a cached answer is still good. 0 leaves that
	// to the answer's own headers; negative ignores the cache.
	MaxAge   time.Duration
	Timeout  time.Duration // 0 means that of Options
	Language string        // Accept-Language, optional
	// Focus is the part of a page to read, as document.ParseFocus takes it. It
	// changes nothing in what is fetched.
	Focus string
}

// Fetched is an answer over HTTP, whatever its status.
type Fetched struct {
	URL         string // as asked
	FinalURL    string // after redirects
	Redirects   []string
	Status      int
	Header      http.Header // only the headers that say something about the page
	ContentType string
	Body        []byte // decompressed, in the page's own character set
	// Truncated says that Body ends early; Cut is why, in words.
	Truncated bool
	Cut       string
	FetchedAt time.Time
	FromCache bool
	// Warnings tell of trouble that did not change the answer.
	Warnings []string
}

// Fetch gets one address. An answer of any status is no error. Errors are
// *guard.Refused, *RobotsDenied, *Later, guard.ErrRedirects, context errors (the
// deadline of Request or Options, or the caller's own) and those of the
// network. Concurrent calls for one address share one exchange.
func (f *Fetcher) Fetch(ctx context.Context, req Request) (Fetched, error) {
	u, err := safe.URL(req.URL)
	if err != nil {
		return Fetched{URL: req.URL}, &guard.Refused{Reason: err.Error()}
	}
	u.Fragment, u.RawFragment = "", ""
	timeout := req.Timeout
	if timeout <= 0 {
		timeout = f.opt.Timeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	key := fmt.Sprint(u, req.AskedByUser, req.MaxAge, req.Language)
	got, err := f.flights.do(ctx, key, func() (Fetched, error) { return f.fetch(ctx, u, req) })
	got.URL = req.URL
	return got, err
}

// fetch answers from the cache where it may, and else from the network.
func (f *Fetcher) fetch(ctx context.Context, u *url.URL, req Request) (Fetched, error) {
	key := cacheKey(u, req)
	old, found, warning := f.recall(ctx, key, req)
	if found && f.fresh(old, req.MaxAge) {
		old.FromCache = true
		return old, nil
	}
	trip := trip{askRobots: !req.AskedByUser, maxBytes: f.opt.MaxBytes, maxHops: guard.MaxRedirects, header: f.header(req)}
	if found {
		addValidators(trip.header, old)
	}
	got, err := f.follow(ctx, u, trip)
	if err != nil {
		return got, err
	}
	if found && got.Status == http.StatusNotModified {
		got = renew(old, got)
	}
	if w := f.keep(ctx, key, got); w != "" {
		warning = w
	}
	if warning != "" {
		got.Warnings = append(got.Warnings, warning)
	}
	return got, nil
}

func (f *Fetcher) header(req Request) http.Header {
	h := http.Header{
		"User-Agent":      {f.opt.UserAgent},
		"Accept":          {"text/html,application/xhtml+xml,application/pdf;q=0.9,text/*;q=0.9,*/*;q=0.7"},
		"Accept-Encoding": {acceptEncoding},
	}
	if req.Language != "" {
		h.Set("Accept-Language", req.Language)
	}
	return h
}

// trip is one way to follow an address to its end.
type trip struct {
	askRobots bool
	maxBytes  int64
	maxHops   int
	header    http.Header
}

// follow exchanges requests until an answer is no redirect.
func (f *Fetcher) follow(ctx context.Context, u *url.URL, t trip) (Fetched, error) {
	got := Fetched{FinalURL: u.String()}
	client := *f.client
	client.Jar, _ = cookiejar.New(nil) // some sites set a cookie and redirect to themselves
	for {
		delay, err := f.permit(ctx, u, t)
		if err != nil {
			return got, err
		}
		r, err := f.exchange(ctx, &client, u, t, delay)
		if err != nil {
			return got, err
		}
		next, err := r.redirect(u)
		if err != nil {
			return got, err
		}
		if next == nil {
			got.answer(r, f.opt.Now())
			return got, nil
		}
		if len(got.Redirects) == t.maxHops {
			return got, fmt.Errorf("%w: more than %d from %s", guard.ErrRedirects, t.maxHops, guard.HostPort(u))
		}
		t.header = withoutValidators(t.header)
		got.Redirects = append(got.Redirects, next.String())
		got.FinalURL = next.String()
		u = next
	}
}

// permit asks robots.txt, and returns the pause that it wishes for.
func (f *Fetcher) permit(ctx context.Context, u *url.URL, t trip) (time.Duration, error) {
	if !t.askRobots {
		return 0, nil
	}
	rules, err := f.robotsFor(ctx, u)
	if err != nil {
		return 0, err
	}
	if !rules.allows(u) {
		return 0, &RobotsDenied{URL: u.String(), Reason: rules.reason()}
	}
	return rules.delay, nil
}

// answer fills in the end of a trip.
func (g *Fetched) answer(r reply, now time.Time) {
	g.Status = r.status
	g.Header = telling(r.header)
	g.ContentType = r.header.Get("Content-Type")
	g.Body = r.body
	g.Cut = r.cut
	g.Truncated = r.cut != ""
	g.FetchedAt = now.UTC()
}

// tellingHeaders say something about a page, or about how long it is good.
var tellingHeaders = []string{
	"Age", "Cache-Control", "Cf-Mitigated", "Content-Disposition", "Content-Language", "Content-Length", "Content-Type", "Date", "Etag", "Expires",
	"Last-Modified", "Link", "Retry-After", "Server", "Vary", "X-Robots-Tag",
}

func telling(h http.Header) http.Header {
	out := http.Header{}
	for _, k := range tellingHeaders {
		if v := h.Values(k); len(v) > 0 {
			out[k] = v
		}
	}
	return out
}
