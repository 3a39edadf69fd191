package safe

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// MaxURL is the longest address accepted, in bytes. Browsers and servers stop
// near 2,000; longer ones carry data, not a place.
const MaxURL = 2000

// MaxQuery is the longest query for a search engine, in characters.
const MaxQuery = 200

// URL parses the address of a page and applies the rules that need no look at
// the network: http or https, a host, no user or password, at most MaxURL
// bytes, no control character, space or backslash, a port from 1 to 65535. The
// host comes back lower-case and in ASCII (IDNA, UTS #46), with the port as it
// was written. A host that ends in a number must be a plain IPv4 address:
// 2130706433, 0x7f.1 and 0177.0.0.1 are spellings that resolvers disagree on.
//
// Whether the address is public is not decided here; see package guard.
func URL(raw string) (*url.URL, error) {
	raw = strings.TrimSpace(raw)
	if err := checkSpelling(raw); err != nil {
		return nil, err
	}
	u, err := url.Parse(raw)
	if err != nil {
		if parsing, ok := errors.AsType[*url.Error](err); ok {
			err = parsing.Err // without the address, which may hold a secret
		}
		return nil, fmt.Errorf("not a URL: %w", err)
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("scheme %q is not http or https", u.Scheme)
	case u.User != nil:
		return nil, errors.New("URL contains a user name or password")
	case u.Opaque != "" || u.Hostname() == "":
		return nil, errors.New("URL has no host")
	}
	if u.Host, err = host(u); err != nil {
		return nil, err
	}
	return u, nil
}

func checkSpelling(raw string) error {
	switch {
	case raw == "":
		return errors.New("URL is empty")
	case len(raw) > MaxURL:
		return fmt.Errorf("URL is longer than %d bytes", MaxURL)
	case !utf8.ValidString(raw):
		return errors.New("URL is not UTF-8")
	}
	for _, r := range raw {
		if r > ' ' && r != '\\' && r < 0x7f { // quicker than the tables
			continue
		}
		if r == '\\' || unicode.IsSpace(r) || unicode.IsControl(r) || kindOf(r) != plain && r > unicode.MaxASCII {
			return fmt.Errorf("URL contains the character %U", r)
		}
	}
	return nil
}

// host returns host and port of u in one spelling.
func host(u *url.URL) (string, error) {
	name, port := u.Hostname(), u.Port()
	if strings.HasSuffix(u.Host, ":") || port != "" && !validPort(port) {
		return "", fmt.Errorf("port %q is not a number from 1 to 65535", port)
	}
	ascii := ""
	if strings.Contains(name, ":") { // only an IPv6 literal has one
		addr, err := netip.ParseAddr(name)
		if err != nil {
			return "", fmt.Errorf("host %q is not an IPv6 address", name)
		}
		ascii = "[" + addr.String() + "]"
	} else {
		var err error
		if ascii, err = domain(name); err != nil {
			return "", err
		}
	}
	if port == "" {
		return ascii, nil
	}
	return ascii + ":" + port, nil
}

func validPort(p string) bool {
	n := 0
	for i := range len(p) {
		if n = n*10 + int(p[i]-'0'); !isDigit(p[i]) || n > 65535 {
			return false
		}
	}
	return n > 0
}

// names maps domain names as browsers do (UTS #46, non-transitional), but
// leaves names with underscores alone: they exist.
var names = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.BidiRule(), idna.StrictDomainName(false))

func domain(name string) (string, error) {
	ascii, err := name, error(nil)
	if !plainName(name) {
		ascii, err = names.ToASCII(name)
	}
	if err != nil || !utf8.ValidString(name) {
		return "", fmt.Errorf("host %q is not a domain name", name)
	}
	for i := range len(ascii) {
		c := ascii[i]
		if c >= utf8.RuneSelf || !(c >= 'a' && c <= 'z') && !isDigit(c) && c != '-' && c != '.' && c != '_' {
			return "", fmt.Errorf("host %q is not a domain name", name)
		}
	}
	bare := strings.TrimSuffix(ascii, ".")
	if bare == "" || len(bare) > 253 || strings.HasPrefix(bare, ".") || strings.Contains(bare, "..") {
		return "", fmt.Errorf("host %q is not a domain name", name)
	}
	if endsInNumber(bare) {
		if _, err := netip.ParseAddr(bare); err != nil || bare != ascii {
			return "", fmt.Errorf("host %q is not a plain IPv4 address", name)
		}
	}
	return ascii, nil
}

// plainName reports whether a name is as IDNA would leave it: most are, and the
// mapping costs more than the rest of an address. What it is not sure of it
// denies.
func plainName(name string) bool {
	label := 0 // where the label began
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z' || isDigit(c):
		case c == '.' || c == '-':
			if i == label || name[i-1] == '-' || i-label > 63 {
				return false
			}
			if c == '.' {
				label = i + 1
			}
		default:
			return false
		}
	}
	return label < len(name) && len(name)-label <= 63 && name[len(name)-1] != '-'
}

// endsInNumber is the "ends in a number" checker of the WHATWG URL standard:
// browsers read such a host as an IPv4 address.
func endsInNumber(bare string) bool {
	last := bare[strings.LastIndexByte(bare, '.')+1:]
	if hex, ok := strings.CutPrefix(last, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(last, "0123456789") == ""
}

// Canonical is the spelling of u under which two addresses of one page are the
// same: lower-case scheme and host, IDNA, no default port, no dot segments,
// upper-case percent escapes and none for unreserved characters (RFC 3986,
// section 6.2.2), query sorted by name without tracking parameters, no
// fragment but "#!...". "www." is kept, and so is the order of values of one
// name. It changes nothing in u.
func Canonical(u *url.URL) string {
	c := url.URL{Scheme: strings.ToLower(u.Scheme), Host: canonicalHost(u)}
	path := normalEscapes(removeDots(u.EscapedPath()))
	if path == "" {
		path = "/"
	}
	out := c.Scheme + "://" + c.Host + path
	if q := canonicalQuery(u.RawQuery); q != "" {
		out += "?" + q
	}
	if f := u.EscapedFragment(); strings.HasPrefix(f, "!") {
		out += "#" + f
	}
	return out
}

func canonicalHost(u *url.URL) string {
	h, err := host(u)
	if err != nil {
		h = strings.ToLower(u.Host)
	}
	switch strings.ToLower(u.Scheme) {
	case "http":
		h = strings.TrimSuffix(h, ":80")
	case "https":
		h = strings.TrimSuffix(h, ":443")
	}
	return strings.TrimSuffix(h, ".")
}

// removeDots resolves "." and ".." (RFC 3986, section 5.2.4).
func removeDots(path string) string {
	if !strings.Contains(path, "/.") {
		return path
	}
	var out []string
	segments := strings.Split(path, "/")
	for i, s := range segments {
		last := i == len(segments)-1
		switch s {
		case ".":
		case "..":
			if len(out) > 1 {
				out = out[:len(out)-1]
			}
		default:
			out = append(out, s)
			continue
		}
		if last {
			out = append(out, "")
		}
	}
	return strings.Join(out, "/")
}

// normalEscapes writes percent escapes in one way.
func normalEscapes(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '%' || i+2 >= len(s) || !isHex(s[i+1]) || !isHex(s[i+2]) {
			out.WriteByte(s[i])
			continue
		}
		if b := unhex(s[i+1])<<4 | unhex(s[i+2]); unreserved(b) {
			out.WriteByte(b)
		} else {
			out.WriteString(strings.ToUpper(s[i : i+3]))
		}
		i += 2
	}
	return out.String()
}

func isHex(b byte) bool { return isDigit(b) || b|0x20 >= 'a' && b|0x20 <= 'f' }

func unhex(b byte) byte {
	if isDigit(b) {
		return b - '0'
	}
	return b | 0x20 - 'a' + 10
}

func unreserved(b byte) bool {
	return isDigit(b) || b|0x20 >= 'a' && b|0x20 <= 'z' || b == '-' || b == '.' || b == '_' || b == '~'
}

// canonicalQuery drops tracking parameters and sorts the rest by name.
func canonicalQuery(raw string) string {
	if raw == "" {
		return ""
	}
	var kept []string
	for part := range strings.SplitSeq(raw, "&") {
		if part != "" && !tracks(paramName(part)) {
			kept = append(kept, normalEscapes(part))
		}
	}
	slices.SortStableFunc(kept, func(a, b string) int { return strings.Compare(paramName(a), paramName(b)) })
	return strings.Join(kept, "&")
}

func paramName(part string) string {
	name, _, _ := strings.Cut(part, "=")
	return name
}

// trackers are query parameters that say where a reader came from. None of
// them chooses what a page shows.
var trackers = []string{
	"_ga", "_gl", "_hsenc", "_hsmi", "_openstat", "dclid", "fb_action_ids", "fb_ref", "fb_source", "fbclid", "gad_source", "gbraid",
	"gclid", "gclsrc", "hsctatracking", "icid", "igsh", "igshid", "li_fat_id", "mc_cid", "mc_eid", "mkt_tok", "msclkid", "oly_anon_id",
	"oly_enc_id", "rb_clickid", "s_cid", "srsltid", "ttclid", "twclid", "vero_conv", "vero_id", "wbraid", "wickedid", "yclid", "ysclid",
}

func tracks(name string) bool {
	name = strings.ToLower(name)
	if strings.HasPrefix(name, "utm_") || strings.HasPrefix(name, "mtm_") || strings.HasPrefix(name, "pk_") {
		return true
	}
	_, found := slices.BinarySearch(trackers, name)
	return found
}

// Query checks a query before it leaves for a search engine: 1 to MaxQuery
// characters, one line, no address. Nodes that choose queries may have seen
// page text, and an address in a query is a way to carry something out.
func Query(q string) error {
	switch n := utf8.RuneCountInString(q); {
	case strings.TrimSpace(q) == "":
		return errors.New("query is empty")
	case n > MaxQuery:
		return fmt.Errorf("query has %d characters, more than %d", n, MaxQuery)
	case strings.ContainsFunc(q, unicode.IsControl):
		return errors.New("query contains a control character")
	case hasAddress(q):
		return errors.New("query contains a URL")
	}
	return nil
}

// hasAddress reports whether s holds a scheme with "//", or a host with a path.
func hasAddress(s string) bool {
	if strings.Contains(s, "://") {
		return true
	}
	for w := range strings.FieldsSeq(strings.ToLower(s)) {
		w = w[strings.LastIndexByte(w, ':')+1:] // site:example.org is an operator
		name, path, found := strings.Cut(strings.Trim(w, `"'()[]<>,`), "/")
		if strings.HasPrefix(w, "//") || strings.HasPrefix(name, "www.") && found {
			return true
		}
		if found && strings.ContainsAny(path, "?=%") && strings.Contains(name, ".") {
			return true
		}
	}
	return false
}
