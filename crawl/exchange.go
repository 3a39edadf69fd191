package crawl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"deepresearch/internal/guard"
	"deepresearch/internal/safe"
)

// Retries of one request: answers that say "later" and connections that were
// cut, nothing else. A 403 or a challenge never gets better by asking again.
const (
	maxRetries    = 2
	firstBackoff  = 500 * time.Millisecond
	maxRetryAfter = 20 * time.Second // a longer wait is the caller's to decide
	maxClosed     = time.Hour        // a host is left alone for at most this long
)

// reply is one answer of one server.
type reply struct {
	status int
	header http.Header
	body   []byte
	cut    string // why the body ends early, or ""
}

// exchange sends one request and reads the answer, with retries.
func (f *Fetcher) exchange(ctx context.Context, c *http.Client, u *url.URL, t trip, delay time.Duration) (reply, error) {
	for try := 0; ; try++ {
		r, err := f.once(ctx, c, u, t, delay)
		if after, given := r.retryAfter(f.opt.Now()); given && !f.opt.Guard.Allowed(u) {
			f.lanes.close(guard.HostPort(u), time.Now().Add(min(after, maxClosed)))
		}
		wait, again := f.again(r, err, try)
		if !again || !sleep(ctx, wait) {
			return r, err
		}
	}
}

// again decides whether a request is worth another try, and when.
func (f *Fetcher) again(r reply, err error, try int) (time.Duration, bool) {
	if try >= maxRetries || err != nil && !wasCut(err) || err == nil && !saysLater(r) {
		return 0, false
	}
	if wait, given := r.retryAfter(f.opt.Now()); given {
		return wait, wait <= maxRetryAfter
	}
	return time.Duration(float64(firstBackoff<<try) * (0.5 + f.opt.Rand())), true
}

// retryAfter is the wait that a 429 or 503 asks for: seconds or a date (RFC
// 9110, section 10.2.3).
func (r reply) retryAfter(now time.Time) (time.Duration, bool) {
	if r.status != http.StatusTooManyRequests && r.status != http.StatusServiceUnavailable {
		return 0, false
	}
	v := strings.TrimSpace(r.header.Get("Retry-After"))
	if s, err := strconv.ParseUint(v, 10, 31); err == nil {
		return time.Duration(s) * time.Second, true
	}
	if at, err := http.ParseTime(v); err == nil {
		return max(0, at.Sub(now)), true
	}
	return 0, false
}

func saysLater(r reply) bool {
	switch r.status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return r.header.Get("Cf-Mitigated") == "" && !challenges(r.body, 0)
	}
	return false
}

// wasCut reports whether the other side dropped the connection.
func wasCut(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// sleep waits, or reports false at once when ctx ends before.
func sleep(ctx context.Context, d time.Duration) bool {
	if end, ok := ctx.Deadline(); ok && time.Until(end) < d {
		return false
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// once sends one request in its host's lane. The lane is held until the body
// is read.
func (f *Fetcher) once(ctx context.Context, c *http.Client, u *url.URL, t trip, delay time.Duration) (reply, error) {
	if !f.opt.Guard.Allowed(u) {
		leave, err := f.lanes.enter(ctx, guard.HostPort(u), max(delay, f.opt.Pace))
		if err != nil {
			return reply{}, fmt.Errorf("waiting for %s: %w", u.Host, err)
		}
		defer leave()
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return reply{}, fmt.Errorf("fetching %s: %w", u.Host, err)
	}
	req.Header = t.header.Clone()
	res, err := c.Do(req)
	if err != nil {
		return reply{}, plain(ctx, u, err)
	}
	defer res.Body.Close()
	r := reply{status: res.StatusCode, header: res.Header}
	if tooLarge(res, t.maxBytes) {
		r.cut = fmt.Sprintf("the file has %d bytes, more than the limit of %d", res.ContentLength, t.maxBytes)
		return r, nil
	}
	r.body, r.cut, err = readBody(res, t.maxBytes)
	if err != nil {
		return reply{}, fmt.Errorf("reading %s: %w", u.Host, err)
	}
	return r, nil
}

// plain strips the address from a client's error (it may hold a secret of the
// page's owner) and names the host instead. The cause of an ended context
// takes the place of the error it led to.
func plain(ctx context.Context, u *url.URL, err error) error {
	if r := (*guard.Refused)(nil); errors.As(err, &r) {
		return r
	}
	if ue := (*url.Error)(nil); errors.As(err, &ue) {
		err = ue.Err
	}
	if cause := context.Cause(ctx); cause != nil && ctx.Err() != nil {
		err = cause
	}
	return fmt.Errorf("fetching %s: %w", u.Host, err)
}

// tooLarge reports whether a file that is useless in part exceeds the cap, so
// that nothing of it need be read.
func tooLarge(res *http.Response, limit int64) bool {
	return res.ContentLength > limit && !textual(res.Header.Get("Content-Type"))
}

// redirect returns where the reply leads, or nil when it is an end.
func (r reply) redirect(from *url.URL) (*url.URL, error) {
	switch r.status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return nil, nil
	}
	location := r.header.Get("Location")
	if location == "" {
		return nil, nil
	}
	to, err := from.Parse(location)
	if err != nil {
		return nil, fmt.Errorf("redirect of %s is not a URL", from.Host)
	}
	to.Fragment, to.RawFragment = "", ""
	to, err = safe.URL(to.String())
	if err != nil {
		return nil, &guard.Refused{Host: from.Host, Reason: "it redirects to an address that is not allowed: " + err.Error()}
	}
	return to, nil
}
