package crawl

import (
	"bytes"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"deepresearch/internal/safe"
)

// Pages that only say "moved" in HTML are common in documentation.
const (
	maxRefreshes = 2
	refreshDelay = 5 // seconds; a longer one reloads a page that is meant to be read
	refreshText  = 500
	refreshScan  = 16 << 10
)

var metaRefresh = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)<meta\s[^>]*http-equiv\s*=\s*["']?refresh["']?[^>]*>`)
})

var refreshContent = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)content\s*=\s*["']?\s*(\d+)(?:\.\d*)?\s*[;,]\s*(?:url\s*=\s*)?["']?([^"'>]+)`)
})

// refreshOf returns where a page with hardly any text sends its reader by a
// meta tag, or "". An address of the page itself is a reload, not a move.
func refreshOf(body []byte, page string, length int) string {
	if length >= refreshText {
		return ""
	}
	head := body[:min(len(body), refreshScan)]
	if i := bytes.Index(bytes.ToLower(head), []byte("<noscript")); i >= 0 {
		head = head[:i] // for browsers without scripts, often to a page that says so
	}
	m := refreshContent().FindSubmatch(metaRefresh().Find(head))
	if m == nil {
		return ""
	}
	delay, err := strconv.Atoi(string(m[1]))
	from, err2 := url.Parse(page)
	if err != nil || err2 != nil || delay > refreshDelay {
		return ""
	}
	to, err := from.Parse(strings.TrimSpace(strings.ReplaceAll(string(m[2]), "&amp;", "&")))
	if err != nil || safe.Canonical(to) == safe.Canonical(from) {
		return ""
	}
	to.Fragment, to.RawFragment = "", ""
	return to.String()
}
