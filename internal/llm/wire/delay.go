package wire

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/gjson"
)

// waitFor is how long the server asks to wait: in a header, in Google's
// RetryInfo, or in the words of the error. 0 means that it does not say.
func waitFor(h http.Header, body []byte, now time.Time) time.Duration {
	if d := headerWait(h, now); d > 0 {
		return d
	}
	if !gjson.ValidBytes(body) {
		return 0
	}
	doc := gjson.ParseBytes(body)
	for _, d := range doc.Get("error.details").Array() {
		if wait, err := time.ParseDuration(d.Get("retryDelay").Str); err == nil && wait > 0 {
			return wait
		}
	}
	// OpenRouter hands on the headers of the server behind it.
	if reset := doc.Get("error.metadata.headers.X-RateLimit-Reset").String(); reset != "" {
		return reading(reset, now)
	}
	if m := retryIn().FindStringSubmatch(firstText(doc, messagePaths)); m != nil {
		return reading(strings.ReplaceAll(m[1], " ", ""), now)
	}
	return 0
}

// retryIn finds "Please retry in 45.57s", "try again in 1m2.5s" and the like.
var retryIn = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:retry|try again) (?:in|after) ((?:[0-9.]+ ?(?:h|ms|m|s))+)`)
})

// headerWait reads Retry-After (RFC 9110, 10.2.3: seconds or a date), its form
// in milliseconds, and the resets that OpenAI, Anthropic and OpenRouter send;
// resets count only beside a limit that has nothing left.
func headerWait(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	if d := reading(h.Get("Retry-After"), now); d > 0 {
		return d
	}
	return Pause(h, now)
}

// limitHeaders are the pairs by which servers tell what is left of a limit and
// when it fills up again.
var limitHeaders = []struct{ remaining, reset string }{
	{"X-Ratelimit-Remaining-Requests", "X-Ratelimit-Reset-Requests"},
	{"X-Ratelimit-Remaining-Tokens", "X-Ratelimit-Reset-Tokens"},
	{"Anthropic-Ratelimit-Requests-Remaining", "Anthropic-Ratelimit-Requests-Reset"},
	{"Anthropic-Ratelimit-Tokens-Remaining", "Anthropic-Ratelimit-Tokens-Reset"},
	{"X-Ratelimit-Remaining", "X-Ratelimit-Reset"},
}

// Pause is how long to hold back the next request because a limit has nothing
// left, as the headers of an answer tell; 0 when there is room.
func Pause(h http.Header, now time.Time) time.Duration {
	longest := time.Duration(0)
	for _, l := range limitHeaders {
		if h.Get(l.remaining) == "0" {
			longest = max(longest, reading(h.Get(l.reset), now))
		}
	}
	return longest
}

// reading reads a wait in any of the forms that servers use: seconds, a
// duration, a date, a Unix time in seconds or milliseconds.
func reading(s string, now time.Time) time.Duration {
	if s = strings.TrimSpace(s); s == "" {
		return 0
	}
	if n, err := strconv.ParseFloat(s, 64); err == nil {
		switch {
		case n > 1e12:
			return max(time.UnixMilli(int64(n)).Sub(now), 0)
		case n > 1e9:
			return max(time.Unix(int64(n), 0).Sub(now), 0)
		case n > 0:
			return time.Duration(n * float64(time.Second))
		}
		return 0
	}
	if d, err := time.ParseDuration(s); err == nil {
		return max(d, 0)
	}
	for _, layout := range []string{time.RFC3339, http.TimeFormat} {
		if t, err := time.Parse(layout, s); err == nil {
			return max(t.Sub(now), 0)
		}
	}
	return 0
}
