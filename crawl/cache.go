package crawl

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"deepresearch/internal/safe"
)

// Cache keeps answers between fetches. Get returns the answer that was put
// under key last, whole and unchanged, or false; what it returns is not
// modified. Put replaces it. Both may be called concurrently. A failing cache
// costs a warning on the page, never the page.
type Cache interface {
	Get(ctx context.Context, key string) (Fetched, bool, error)
	Put(ctx context.Context, key string, f Fetched) error
}

// cacheKey keeps what the user asked for apart from what robots.txt allowed:
// a page that only a person may read is not handed to a run.
func cacheKey(u *url.URL, req Request) string {
	key := safe.Canonical(u) + " " + strings.ToLower(req.Language)
	if req.AskedByUser {
		return key + " asked"
	}
	return key
}

func (f *Fetcher) recall(ctx context.Context, key string, req Request) (old Fetched, found bool, warning string) {
	if f.opt.Cache == nil || req.MaxAge < 0 {
		return Fetched{}, false, ""
	}
	old, found, err := f.opt.Cache.Get(ctx, key)
	if err != nil {
		return Fetched{}, false, "the page cache could not be read: " + err.Error()
	}
	return old, found, ""
}

func (f *Fetcher) keep(ctx context.Context, key string, got Fetched) (warning string) {
	if f.opt.Cache == nil || !storable(got) {
		return ""
	}
	if err := f.opt.Cache.Put(ctx, key, got); err != nil {
		return "the page could not be cached: " + err.Error()
	}
	return ""
}

// storable admits whole answers that the server does not forbid to store.
// "private" is no bar: the cache is one user's own.
func storable(f Fetched) bool {
	return f.Status == http.StatusOK && !f.Truncated && len(f.Body) > 0 && !has(directives(f.Header), "no-store")
}

// fresh reports whether a stored answer is still good without asking.
func (f *Fetcher) fresh(old Fetched, maxAge time.Duration) bool {
	age := f.opt.Now().Sub(old.FetchedAt)
	if age < 0 {
		return false
	}
	if maxAge > 0 {
		return age <= maxAge
	}
	return age+ageOf(old.Header) < lifetime(old.Header)
}

// lifetime is how long an answer is good by its own headers (RFC 9111, section
// 4.2.1), without heuristics.
func lifetime(h http.Header) time.Duration {
	d := directives(h)
	if has(d, "no-cache") || has(d, "no-store") {
		return 0
	}
	for _, v := range d {
		if s, ok := strings.CutPrefix(v, "max-age="); ok {
			return seconds(strings.Trim(s, `"`))
		}
	}
	expires, err1 := http.ParseTime(h.Get("Expires"))
	date, err2 := http.ParseTime(h.Get("Date"))
	if err1 != nil || err2 != nil {
		return 0
	}
	return expires.Sub(date)
}

func ageOf(h http.Header) time.Duration { return seconds(h.Get("Age")) }

func seconds(s string) time.Duration {
	n, err := strconv.ParseUint(strings.TrimSpace(s), 10, 31)
	if err != nil {
		return 0
	}
	return time.Duration(n) * time.Second
}

func directives(h http.Header) []string {
	var out []string
	for _, line := range h.Values("Cache-Control") {
		for d := range strings.SplitSeq(line, ",") {
			out = append(out, strings.ToLower(strings.TrimSpace(d)))
		}
	}
	return out
}

func has(directives []string, name string) bool { return slices.Contains(directives, name) }

// addValidators makes a request conditional (RFC 9110, section 13).
func addValidators(h http.Header, old Fetched) {
	if len(old.Redirects) > 0 {
		return // they belong to another address
	}
	if tag := old.Header.Get("Etag"); tag != "" {
		h.Set("If-None-Match", tag)
	}
	if at := old.Header.Get("Last-Modified"); at != "" {
		h.Set("If-Modified-Since", at)
	}
}

func withoutValidators(h http.Header) http.Header {
	h = h.Clone()
	h.Del("If-None-Match")
	h.Del("If-Modified-Since")
	return h
}

// renew returns the stored answer with the headers of a 304 over its own.
func renew(old, not Fetched) Fetched {
	out := old
	out.Header = old.Header.Clone()
	for k, v := range not.Header {
		if k != "Content-Length" && k != "Content-Type" {
			out.Header[k] = v
		}
	}
	out.FetchedAt = not.FetchedAt
	out.FromCache = true
	return out
}
