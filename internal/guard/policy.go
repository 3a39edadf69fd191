package guard

import (
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strings"

	"code.dny.dev/ssrf"
)

// Policy says which destinations a client may reach. The zero Policy is Web.
type Policy struct {
	kind    kind
	origins map[string]bool // of Configured, "scheme://host:port"
}

type kind uint8

const (
	web kind = iota
	configured
	loopback
)

// Web allows http and https on ports 80 and 443 of public addresses, and
// Options.AllowHosts. It is for every address that a page, a search result or
// a model may have chosen.
func Web() Policy { return Policy{kind: web} }

// Loopback allows this machine: 127.0.0.0/8, ::1 and localhost, on any port.
func Loopback() Policy { return Policy{kind: loopback} }

// Configured allows exactly the origins (scheme, host and port) of the given
// base URLs, whatever their address. It is for addresses that the user wrote
// into the configuration, never for one that came from elsewhere.
func Configured(bases ...string) (Policy, error) {
	p := Policy{kind: configured, origins: map[string]bool{}}
	for _, b := range bases {
		u, err := url.Parse(b)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
			return Policy{}, errors.New("a base URL is not http://HOST or https://HOST")
		}
		p.origins[origin(u)] = true
	}
	if len(p.origins) == 0 {
		return Policy{}, errors.New("no base URL given")
	}
	return p, nil
}

func origin(u *url.URL) string { return u.Scheme + "://" + HostPort(u) }

// publicOnly judges addresses at the moment of dialling. To the special
// purpose registries of IANA that the library knows it adds the address at
// which Azure serves its machines' metadata, which looks public.
var publicOnly = ssrf.New(ssrf.WithDeniedV4Prefixes(netip.MustParsePrefix("168.63.129.16/32")))

// refuseAddress returns why a connection to address (IP:port) is forbidden
// under Web, or nil.
func refuseAddress(address string) error {
	err := publicOnly.Safe("tcp"+family(address), address, nil)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ssrf.ErrProhibitedPort):
		return errors.New("only ports 80 and 443 are open")
	case errors.Is(err, ssrf.ErrProhibitedIP):
		return errors.New("the address is private or reserved")
	}
	return err
}

func family(address string) string {
	if strings.HasPrefix(address, "[") {
		return "6"
	}
	return "4"
}

// refuseNotLoopback is refuseAddress for clients that stay on this machine.
func refuseNotLoopback(address string) error {
	if ap, err := netip.ParseAddrPort(address); err != nil || !ap.Addr().Unmap().IsLoopback() {
		return errors.New("the address is not of this machine")
	}
	return nil
}

// localName reports whether name means this machine by definition.
func localName(name string) bool {
	if name == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(name)
	return err == nil && addr.Unmap().IsLoopback()
}

// privateSuffixes are names that no public DNS answers for, or that clouds
// give to their metadata services.
var privateSuffixes = []string{".localhost", ".local", ".internal", ".localdomain", ".lan", ".home.arpa", ".intranet", ".corp", ".home", ".private"}

// privateName reports whether name can only be of a private network: it is
// asked for before DNS is, and is the only test of a name that a proxy will
// look up.
func privateName(name string) bool {
	name = strings.TrimSuffix(name, ".")
	if net.ParseIP(name) != nil {
		return false
	}
	if !strings.Contains(name, ".") {
		return true
	}
	for _, s := range privateSuffixes {
		if strings.HasSuffix(name, s) {
			return true
		}
	}
	return false
}
