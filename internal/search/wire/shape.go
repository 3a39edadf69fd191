package wire

import (
	"net"
	"net/url"
	"strings"

	"deepresearch/internal/search"
)

// WithSites adds the hosts of the query to the text as site: operators, for
// engines that read them.
func WithSites(text string, q search.Query) string {
	var include []string
	for _, host := range q.Include {
		include = append(include, "site:"+host)
	}
	parts := []string{text}
	switch len(include) {
	case 0:
	case 1:
		parts = append(parts, include[0])
	default:
		parts = append(parts, "("+strings.Join(include, " OR ")+")")
	}
	for _, host := range q.Exclude {
		parts = append(parts, "-site:"+host)
	}
	return strings.Join(parts, " ")
}

// AcceptLanguage returns the header for a language tag; English for none.
func AcceptLanguage(language string) string {
	p := primary(language)
	if p == "en" {
		return "en;q=0.9, *;q=0.5"
	}
	return p + ", en;q=0.5, *;q=0.3"
}

// IsLoopback reports whether the address names this machine.
func IsLoopback(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}
