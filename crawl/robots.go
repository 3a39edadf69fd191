package crawl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"deepresearch/internal/guard"
)

// Limits of robots.txt: RFC 9309 asks for at least 500 KiB (section 2.5), at
// least five redirects (2.3.1.2) and at most a day of caching (2.4).
const (
	maxRobots      = 500 << 10
	robotsHops     = 5
	robotsLifetime = 24 * time.Hour
	robotsRetry    = 5 * time.Minute // after a server error
	maxRobotHosts  = 1000
	maxCrawlDelay  = 10 * time.Second
)

// robots are the rules of one host for us.
type robots struct {
	rules []robotRule
	delay time.Duration // Crawl-delay, capped
	none  string        // why everything is denied, or ""

	sitemaps []string // addresses as written
}

// reason completes "robots.txt denies".
func (r *robots) reason() string {
	if r.none != "" {
		return r.none
	}
	return "a rule for " + ProductToken + " or for all crawlers covers this address"
}

func (r *robots) allows(u *url.URL) bool {
	if u.EscapedPath() == "/robots.txt" {
		return true
	}
	return r.none == "" && allowed(r.rules, u)
}

// robotsMemory keeps the rules of hosts in memory.
type robotsMemory struct {
	mu      sync.Mutex
	hosts   map[string]robotsEntry
	flights flights
}

type robotsEntry struct {
	rules *robots
	until time.Time
}

func (m *robotsMemory) get(host string, now time.Time) *robots {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e, ok := m.hosts[host]; ok && now.Before(e.until) {
		return e.rules
	}
	return nil
}

func (m *robotsMemory) put(host string, r *robots, until time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.hosts == nil || len(m.hosts) >= maxRobotHosts {
		m.hosts = map[string]robotsEntry{} // cheaper to ask again than to keep order
	}
	m.hosts[host] = robotsEntry{r, until}
}

// robotsFor returns the rules of u's host, asking for robots.txt when they are
// not known. An answer counts by its status (RFC 9309, section 2.3.1): 2xx is
// read, 4xx and endless redirects mean no rules, 5xx means that everything is
// denied. A host that cannot be reached is an error: its page would be none
// either, and the error says more than "denied".
func (f *Fetcher) robotsFor(ctx context.Context, u *url.URL) (*robots, error) {
	host := u.Scheme + "://" + guard.HostPort(u)
	if r := f.robots.get(host, f.opt.Now()); r != nil {
		return r, nil
	}
	got, err := f.robots.flights.do(ctx, host, func() (Fetched, error) {
		at := &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/robots.txt"}
		return f.follow(ctx, at, trip{maxBytes: maxRobots, maxHops: robotsHops, header: f.header(Request{})})
	})
	if errors.Is(err, guard.ErrRedirects) {
		got, err = Fetched{Status: http.StatusNotFound}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("robots.txt: %w", err)
	}
	rules, lifetime := readRobots(got.Status, got.Body)
	f.robots.put(host, rules, f.opt.Now().Add(lifetime))
	return rules, nil
}

// delayOf is the pause between two pages that the robots.txt of u's host wishes
// for; none when it cannot be read, or the host is the user's own.
func (f *Fetcher) delayOf(ctx context.Context, u *url.URL) time.Duration {
	if f.opt.Guard.Allowed(u) {
		return 0
	}
	ctx, cancel := context.WithTimeout(ctx, f.opt.Timeout)
	defer cancel()
	rules, err := f.robotsFor(ctx, u)
	if err != nil {
		return 0
	}
	return rules.delay
}

func readRobots(status int, body []byte) (*robots, time.Duration) {
	switch {
	case status >= 500:
		return &robots{none: fmt.Sprintf("the server answered %d for robots.txt, which means that no page may be fetched", status)}, robotsRetry
	case status < 200 || status >= 300:
		return &robots{}, robotsLifetime
	}
	return parseRobots(body, ProductToken), robotsLifetime
}

// lines cuts at LF, CR LF and CR.
func lines(b []byte) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for len(b) > 0 {
			line, rest := b, []byte(nil)
			if i := bytes.IndexAny(b, "\r\n"); i >= 0 {
				line, rest = b[:i], b[i+1:]
			}
			if !yield(line) {
				return
			}
			b = rest
		}
	}
}
