package crawl

import (
	"bytes"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// robotRule is one Allow or Disallow line.
type robotRule struct {
	allow   bool
	pattern string // normalised as a path is
}

// maxRobotRules bounds the rules kept for us. The longest lists of large sites
// stay below. maxSitemaps bounds the sitemaps that a robots.txt may name.
const (
	maxRobotRules = 5000
	maxSitemaps   = 50
)

// parseRobots reads a robots.txt (RFC 9309, section 2.2) for the crawler
// called token. Groups that name it are joined; without one, the groups for
// "*" count. A line that is no rule is skipped and spoils nothing, and
// Crawl-delay, which the RFC does not know, applies to its group.
func parseRobots(body []byte, token string) *robots {
	var named, anyone robots
	var isNamed, forNamed, forAll, inRules bool
	var sitemaps []string // of the whole file: they belong to no group
	for line := range lines(bytes.TrimPrefix(body, []byte("\ufeff"))) {
		key, value, ok := directive(line)
		if !ok {
			continue
		}
		switch key {
		case "user-agent", "useragent", "user agent":
			if inRules { // the rules before ended the group
				forNamed, forAll, inRules = false, false, false
			}
			forNamed = forNamed || strings.EqualFold(productToken(value), token)
			forAll = forAll || value == "*"
			isNamed = isNamed || forNamed
		case "allow", "disallow":
			inRules = true
			rule := robotRule{key == "allow", normalPath(value, true)}
			addTo(&named, forNamed, rule)
			addTo(&anyone, forAll, rule)
		case "crawl-delay":
			if d := crawlDelay(value); d > 0 {
				setDelay(&named, forNamed, d)
				setDelay(&anyone, forAll, d)
			}
		case "sitemap":
			if len(sitemaps) < maxSitemaps {
				sitemaps = append(sitemaps, value)
			}
		}
	}
	named.sitemaps, anyone.sitemaps = sitemaps, sitemaps
	if isNamed {
		return &named
	}
	return &anyone
}

func addTo(r *robots, applies bool, rule robotRule) {
	if applies && rule.pattern != "" && len(r.rules) < maxRobotRules {
		r.rules = append(r.rules, rule)
	}
}

func setDelay(r *robots, applies bool, d time.Duration) {
	if applies {
		r.delay = max(r.delay, d)
	}
}

// directive splits "key: value # comment".
func directive(line []byte) (key, value string, ok bool) {
	s, _, _ := strings.Cut(string(line), "#")
	key, value, ok = strings.Cut(s, ":")
	return strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value), ok
}

// productToken is the name at the start of "name/1.0 (comment)".
func productToken(v string) string {
	end := strings.IndexFunc(v, func(r rune) bool {
		return r != '-' && r != '_' && (r|0x20 < 'a' || r|0x20 > 'z')
	})
	if end < 0 {
		return v
	}
	return v[:end]
}

func crawlDelay(v string) time.Duration {
	end := strings.IndexFunc(v, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
	if end >= 0 {
		v = v[:end]
	}
	s, err := strconv.ParseFloat(v, 64)
	if err != nil || s <= 0 {
		return 0
	}
	return time.Duration(min(s, maxCrawlDelay.Seconds()) * float64(time.Second))
}

// allowed applies the longest matching rule; of two equally long ones, Allow
// (RFC 9309, section 2.2.2).
func allowed(rules []robotRule, u *url.URL) bool {
	path := u.EscapedPath()
	if path == "" {
		path = "/"
	}
	if u.RawQuery != "" || u.ForceQuery {
		path += "?" + u.RawQuery
	}
	path = normalPath(path, false)
	longest, allow := -1, true
	for _, r := range rules {
		if n := len(r.pattern); n < longest || n == longest && (allow || !r.allow) || !matches(r.pattern, path) {
			continue
		}
		longest, allow = len(r.pattern), r.allow
	}
	return allow
}

// matches reports whether path starts with pattern, in which "*" stands for
// any run of characters and "$" at the end for the end of the path. Linear in
// path for each "*".
func matches(pattern, path string) bool {
	pattern, toEnd := strings.CutSuffix(pattern, "$")
	parts := strings.Split(pattern, "*")
	if !strings.HasPrefix(path, parts[0]) {
		return false
	}
	path = path[len(parts[0]):]
	for i, part := range parts[1:] {
		if toEnd && i == len(parts)-2 {
			return strings.HasSuffix(path, part)
		}
		at := strings.Index(path, part)
		if at < 0 {
			return false
		}
		path = path[at+len(part):]
	}
	return !toEnd || path == ""
}

const upperHex = "0123456789ABCDEF"

// normalPath writes a path or pattern in one way before octets are compared
// (RFC 9309, section 2.2.2): escapes of unreserved characters are undone,
// other escapes are upper-case, bytes beyond ASCII are escaped. In a pattern,
// "*" and a final "$" keep their meaning and their escapes stay escapes; in a
// path both are plain characters and are escaped, so that a rule that writes
// %2A or %24 finds them.
func normalPath(s string, pattern bool) string {
	var out strings.Builder
	if pattern && s != "" && s[0] != '/' && s[0] != '*' {
		out.WriteByte('/')
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		escaped := false
		if c == '%' && i+2 < len(s) {
			if b, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				c, escaped = byte(b), true
				i += 2
			}
		}
		special := c == '*' && !pattern || c == '$' && (!pattern || i+1 < len(s))
		switch {
		case !escaped && !special && c > ' ' && c < 0x7f, escaped && plainByte(c):
			out.WriteByte(c)
		default:
			out.WriteByte('%')
			out.WriteByte(upperHex[c>>4])
			out.WriteByte(upperHex[c&15])
		}
	}
	return out.String()
}

// plainByte reports whether c is unreserved in a URL (RFC 3986, section 2.3).
func plainByte(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '.' || c == '_' || c == '~'
}
