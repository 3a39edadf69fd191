package search

import "strings"

// bareHosts reduces what users write as a domain (https://Example.org/path,
// *.example.org, .org) to lower-case host suffixes, without empty ones.
func bareHosts(domains []string) []string {
	var hosts []string
	for _, d := range domains {
		if h := bareHost(d); h != "" {
			hosts = append(hosts, h)
		}
	}
	return hosts
}

func bareHost(domain string) string {
	d := strings.ToLower(strings.TrimSpace(domain))
	if _, rest, ok := strings.Cut(d, "://"); ok {
		d = rest
	}
	if i := strings.IndexAny(d, "/?#"); i >= 0 {
		d = d[:i]
	}
	return strings.TrimLeft(d, "*.")
}

// under reports whether host is suffix or a host below it. A suffix without a
// port fits every port.
func under(host, suffix string) bool {
	if !strings.Contains(suffix, ":") {
		host, _, _ = strings.Cut(host, ":")
	}
	return host == suffix || strings.HasSuffix(host, "."+suffix)
}

func underAny(host string, suffixes []string) bool {
	for _, s := range suffixes {
		if under(host, s) {
			return true
		}
	}
	return false
}
