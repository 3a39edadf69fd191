package crawl

import (
	"fmt"
	"net"
	"net/url"
	"strings"
)

// scope says which addresses belong to a walk: those on the hosts of its start
// pages, below their folders or, with patterns to include, wherever these
// match, and never those that a pattern excludes.
type scope struct {
	places           []place
	include, exclude []pattern
}

// place is a folder of a site.
type place struct{ host, folder string }

// pattern is a rule as robots.txt writes them (RFC 9309, section 2.2.2): the
// beginning of a path, "*" for anything, "$" for the end. One that begins with
// neither "/" nor "*" is looked for anywhere in the path. host is set when it
// was written as a whole address.
type pattern struct{ host, path string }

func patternsOf(written []string) ([]pattern, error) {
	var out []pattern
	for _, w := range written {
		w = strings.TrimSpace(w)
		if w == "" {
			continue
		}
		if len(w) > 500 || strings.Count(w, "*") > 20 {
			return nil, fmt.Errorf("the pattern %.40q is too long", w)
		}
		var p pattern
		if scheme, rest, whole := strings.Cut(w, "://"); whole {
			u, err := url.Parse(scheme + "://" + strings.TrimRight(rest[:max(strings.IndexByte(rest+"/", '/'), 0)], "*"))
			if err != nil || u.Host == "" {
				return nil, fmt.Errorf("the pattern %.40q names no host", w)
			}
			p.host, w = siteHost(u), rest[min(strings.IndexByte(rest+"/", '/'), len(rest)):]
		}
		if w != "" && w[0] != '/' && w[0] != '*' {
			w = "*" + w
		}
		p.path = normalPath(w, true)
		out = append(out, p)
	}
	return out, nil
}

func (p pattern) matches(u *url.URL) bool {
	path := u.EscapedPath()
	if path == "" {
		path = "/"
	}
	if u.RawQuery != "" {
		path += "?" + u.RawQuery
	}
	return (p.host == "" || p.host == siteHost(u)) && matches(p.path, normalPath(path, false))
}

func anyMatches(patterns []pattern, u *url.URL) bool {
	for _, p := range patterns {
		if p.matches(u) {
			return true
		}
	}
	return false
}

// add takes the site of a start page in.
func (s *scope) add(u *url.URL) {
	folder := u.EscapedPath()
	folder = folder[:strings.LastIndexByte(folder, '/')+1]
	if folder == "" {
		folder = "/"
	}
	s.places = append(s.places, place{siteHost(u), folder})
}

// holds reports whether u belongs to the walk.
func (s *scope) holds(u *url.URL) bool {
	if anyMatches(s.exclude, u) || !s.onSite(u) {
		return false
	}
	if len(s.include) > 0 {
		return anyMatches(s.include, u)
	}
	host := siteHost(u)
	for _, p := range s.places {
		if p.host == host && strings.HasPrefix(u.EscapedPath()+"/", p.folder) {
			return true
		}
	}
	return false
}

// onSite reports whether u is on the host of a start page.
func (s *scope) onSite(u *url.URL) bool {
	host := siteHost(u)
	for _, p := range s.places {
		if p.host == host {
			return true
		}
	}
	return false
}

// siteHost is the host by which a site is known: without "www." and without
// the ports of http and https, between which sites redirect.
func siteHost(u *url.URL) string {
	host := strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.")
	if p := u.Port(); p != "" && p != "80" && p != "443" {
		return net.JoinHostPort(host, p)
	}
	return host
}
