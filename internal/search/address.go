package search

import (
	"encoding/base64"
	"net/url"
	"strings"

	"deepresearch/internal/safe"
	"deepresearch/internal/text"
)

// address is where a result leads, in two spellings.
type address struct {
	shown string // what a reader is given: the page itself, without redirects
	key   string // the same for every address of the page that we know of
	host  string // host, with the port unless it is the scheme's own, without www.
}

// readAddress resolves what an engine returned; the error says why it is no
// address of a page.
func readAddress(raw string) (address, error) {
	u, err := safe.URL(raw)
	if err != nil {
		return address{}, err
	}
	for range 3 { // redirects of one engine may wrap those of another
		inner, ok := unwrap(u)
		if !ok {
			break
		}
		if u, err = safe.URL(inner); err != nil {
			return address{}, err
		}
	}
	shown := safe.Canonical(u)
	_, host, _ := strings.Cut(shown, "://")
	host, _, _ = strings.Cut(host, "/")
	return address{shown: shown, key: identity(u, shown), host: strings.TrimPrefix(host, "www.")}, nil
}

// redirects are links of search engines that carry the page they lead to: the
// parameter that holds it, or the path segment before it.
var redirects = []struct{ host, path, parameter string }{
	{"duckduckgo.com", "/l/", "uddg"},
	{"google.com", "/url", "q"},
	{"google.com", "/url", "url"},
	{"bing.com", "/ck/a", "u"},
	{"r.search.yahoo.com", "/", "/RU="},
	{"l.facebook.com", "/l.php", "u"},
}

func unwrap(u *url.URL) (inner string, ok bool) {
	for _, r := range redirects {
		if !strings.HasSuffix(u.Host, r.host) || !under(u.Host, r.host) || !strings.HasPrefix(u.Path, r.path) {
			continue
		}
		if segment, found := strings.CutPrefix(r.parameter, "/"); found {
			if _, rest, found := strings.Cut(u.EscapedPath(), "/"+segment); found {
				rest, _, _ = strings.Cut(rest, "/")
				inner, _ = url.PathUnescape(rest)
			}
		} else {
			inner = u.Query().Get(r.parameter)
		}
		// Bing writes a1 and the address in base64.
		if coded, found := strings.CutPrefix(inner, "a1"); found && r.host == "bing.com" {
			plain, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(coded, "="))
			if err != nil {
				return "", false
			}
			inner = string(plain)
		}
		if strings.HasPrefix(inner, "http://") || strings.HasPrefix(inner, "https://") {
			return inner, true
		}
	}
	return "", false
}

var (
	arxivID = text.NewPattern(`^/(?:abs|pdf|html|format|ps)/((?:[a-z-]+(?:\.[A-Z]{2})?/)?[0-9]{4}\.?[0-9]{3,5})(?:v[0-9]+)?(?:\.pdf)?/?$`)
	doi     = text.NewPattern(`10\.[0-9]{4,9}/[^\s?#]+`)
)

// identity returns one key for the addresses of a page, from its canonical
// spelling: http and https, www., mobile and AMP hosts, the forms of an arXiv
// paper, a DOI at its resolver and in a publisher's path.
func identity(u *url.URL, canonical string) string {
	host := strings.TrimPrefix(u.Host, "www.")
	if under(host, "arxiv.org") {
		if m := arxivID.FindStringSubmatch(u.Path); m != nil {
			return "arxiv:" + m[1]
		}
	}
	if host == "doi.org" || host == "dx.doi.org" || strings.Contains(u.Path, "/doi/") {
		if d := doi.FindString(u.Path); d != "" {
			return doiKey(d)
		}
	}
	_, rest, _ := strings.Cut(canonical, "://")
	rest, query, _ := strings.Cut(rest, "?")
	rest = withoutMobile(strings.TrimPrefix(rest, "www."))
	rest = strings.TrimRight(withoutAMP(rest), "/")
	if query = withoutAMPQuery(query); query != "" {
		rest += "?" + query
	}
	return rest
}

// doiKey is the key of a DOI. arXiv registers its own: they lead to the paper
// itself. A DOI has no letter case.
func doiKey(d string) string {
	d = strings.ToLower(strings.TrimRight(d, "/."))
	if id, ok := strings.CutPrefix(d, "10.48550/arxiv."); ok {
		return "arxiv:" + id
	}
	for _, tail := range []string{"/full", "/pdf", "/abstract", "/epub", ".pdf", "/html"} {
		d = strings.TrimSuffix(d, tail)
	}
	return "doi:" + d
}

// withoutMobile turns m.example.org, mobile.example.org, amp.example.org and
// en.m.wikipedia.org at the start of an address into the host they stand in for.
func withoutMobile(rest string) string {
	for _, label := range []string{"m.", "mobile.", "amp."} {
		if main, ok := strings.CutPrefix(rest, label); ok {
			if host, _, _ := strings.Cut(main, "/"); strings.Contains(host, ".") {
				return main
			}
		}
	}
	return strings.Replace(rest, ".m.wiki", ".wiki", 1)
}

func withoutAMP(rest string) string {
	for _, tail := range []string{"/amp/", "/amp", ".amp"} {
		if main, ok := strings.CutSuffix(rest, tail); ok {
			return main
		}
	}
	return rest
}

func withoutAMPQuery(query string) string {
	if !strings.Contains(query, "amp") {
		return query
	}
	var kept []string
	for part := range strings.SplitSeq(query, "&") {
		if name, _, _ := strings.Cut(part, "="); name != "amp" {
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, "&")
}
