package wire

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"deepresearch/internal/search"
)

// dateLayouts are the forms of dates seen in answers, exact ones first.
var dateLayouts = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04Z07:00", "2006-01-02", "2006/01/02",
	"2006-1-2", "2006-01", "Jan 2, 2006", "January 2, 2006", "2 Jan 2006", "2 January 2006",
	time.RFC1123, time.RFC1123Z, "2006年1月2日", "2006",
}

// Date returns a date as 2006-01-02, or as a time in RFC 3339 when the hour is
// known; nothing when the text is no date that stands by itself.
func Date(s string) string {
	s = strings.TrimSpace(s)
	if s == "" {
		return ""
	}
	if unix, err := strconv.ParseInt(s, 10, 64); err == nil && len(s) >= 9 {
		if len(s) >= 12 { // milliseconds
			unix /= 1000
		}
		return time.Unix(unix, 0).UTC().Format(time.RFC3339)
	}
	for _, layout := range dateLayouts {
		t, err := time.Parse(layout, s)
		switch {
		case err != nil:
			continue
		case strings.Contains(layout, ":"):
			return t.UTC().Format(time.RFC3339)
		case layout == "2006" || layout == "2006-01":
			return s
		}
		return t.Format(time.DateOnly)
	}
	return ""
}

// ago matches how long ago a page was published, in English and Chinese.
var ago = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:about )?([0-9]{1,4}|an?) ?(minute|hour|day|week|month|year)s? ago$|^([0-9]{1,4}) ?(分钟|小时|天|日|周|个月|月|年)前$`)
})

var units = map[string]time.Duration{
	"minute": time.Minute, "分钟": time.Minute, "hour": time.Hour, "小时": time.Hour,
	"day": 24 * time.Hour, "天": 24 * time.Hour, "日": 24 * time.Hour, "week": 7 * 24 * time.Hour, "周": 7 * 24 * time.Hour,
	"month": 30 * 24 * time.Hour, "个月": 30 * 24 * time.Hour, "月": 30 * 24 * time.Hour, "year": 365 * 24 * time.Hour, "年": 365 * 24 * time.Hour,
}

// DateAt is Date for texts that may count back from the time of the answer, as
// in "3 days ago".
func DateAt(s string, at time.Time) string {
	m := ago().FindStringSubmatch(strings.ToLower(strings.TrimSpace(s)))
	if m == nil {
		return Date(s)
	}
	n, err := strconv.Atoi(m[1] + m[3])
	if err != nil {
		n = 1 // "an hour ago"
	}
	return at.Add(-time.Duration(n) * units[m[2]+m[4]]).UTC().Format(time.DateOnly)
}

// Dates returns the dates between which the query wants pages to be published,
// as 2006-01-02; an open end is empty.
func Dates(q search.Query, now time.Time) (from, to string) {
	w, err := search.ParseRecency(q.Recency, now)
	if err != nil {
		return "", ""
	}
	if !w.From.IsZero() {
		from = w.From.UTC().Format(time.DateOnly)
	}
	if !w.To.IsZero() {
		to = w.To.UTC().Format(time.DateOnly)
	}
	return from, to
}
