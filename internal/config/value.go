package config

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Secret is a key or token. It prints as asterisks whatever prints it; only
// [Secret.Reveal] gives the text away.
type Secret struct{ text string }

// NewSecret returns text as a secret.
func NewSecret(text string) Secret { return Secret{text} }

// Reveal returns the secret itself, to be sent to the one it is meant for.
func (s Secret) Reveal() string { return s.text }

// IsSet reports whether there is a secret.
func (s Secret) IsSet() bool { return s.text != "" }

// String returns asterisks, as many whatever the secret's length, or nothing
// when there is no secret.
func (s Secret) String() string {
	if s.text == "" {
		return ""
	}
	return "********"
}

// GoString keeps the secret out of %#v.
func (s Secret) GoString() string { return s.String() }

// MarshalText keeps the secret out of JSON and the like.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText takes the text as it is. Spaces around it and line breaks in it
// come from copying and are refused rather than sent in a header.
func (s *Secret) UnmarshalText(text []byte) error {
	key := strings.TrimSpace(string(text))
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return errors.New("it contains spaces, line breaks or letters outside ASCII: copy it again")
	}
	s.text = key
	return nil
}

// Phrase is a secret in words: spaces between them are part of it.
type Phrase struct{ Secret }

// UnmarshalText takes the words as they are, without spaces around them.
func (p *Phrase) UnmarshalText(text []byte) error {
	words := strings.TrimSpace(string(text))
	if words == "" || strings.ContainsFunc(words, unicode.IsControl) {
		return errors.New("it is empty or holds line breaks: write words or a phrase")
	}
	p.Secret = Secret{words}
	return nil
}

// Weight is how much a site is trusted, from -1 to 1.
type Weight float64

// UnmarshalText reads the number and refuses one out of range.
func (w *Weight) UnmarshalText(text []byte) error {
	n, err := strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
	if err != nil || !(n >= -1 && n <= 1) {
		return fmt.Errorf("%q is not a weight: use a number from -1, which drops the site, to 1", text)
	}
	*w = Weight(n)
	return nil
}

// NoBackEnd is the back end of [Model] that stands for working without a model.
const NoBackEnd = "none"

// BackEnds are the back ends that a [Model] may name.
var BackEnds = []string{"gemini", "openai", "ollama", "anthropic", NoBackEnd}

// Model names a language model by its back end and the name it has there. The
// zero value means that none was chosen.
type Model struct{ BackEnd, Name string }

// String writes the model as it is configured.
func (m Model) String() string {
	if m.Name == "" {
		return m.BackEnd
	}
	return m.BackEnd + ":" + m.Name
}

// MarshalText is String.
func (m Model) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText reads BACKEND:NAME or none. A name may contain colons.
func (m *Model) UnmarshalText(text []byte) error {
	backEnd, name, _ := strings.Cut(strings.TrimSpace(string(text)), ":")
	backEnd = strings.ToLower(backEnd)
	switch {
	case !slices.Contains(BackEnds, backEnd):
		return fmt.Errorf("%q is not the back end of a model: use %s", backEnd, oneOf(backEnd, BackEnds))
	case backEnd == NoBackEnd && name != "":
		return errors.New("none takes no name: use none alone")
	case backEnd != NoBackEnd && name == "":
		return fmt.Errorf("the name of the model is missing: use %s:NAME", backEnd)
	}
	*m = Model{BackEnd: backEnd, Name: name}
	return nil
}

// URL is an absolute http or https URL without a trailing slash.
type URL string

// UnmarshalText reads the URL and refuses what is none.
func (u *URL) UnmarshalText(text []byte) error {
	s := strings.TrimRight(strings.TrimSpace(string(text)), "/")
	parsed, err := url.Parse(s)
	switch {
	case err != nil || !validHost(parsed.Hostname()) || parsed.Scheme != "http" && parsed.Scheme != "https":
		return errors.New("it is not a URL: write it like http://127.0.0.1:8080")
	case parsed.RawQuery != "" || parsed.Fragment != "":
		return errors.New("it has a query or fragment: end it after the path")
	}
	*u = URL(s)
	return nil
}

// String returns the URL with a password in it masked.
func (u URL) String() string {
	parsed, err := url.Parse(string(u))
	if err != nil {
		return string(u)
	}
	return parsed.Redacted()
}

// MarshalText is String.
func (u URL) MarshalText() ([]byte, error) { return []byte(u.String()), nil }

// Ollama is the base URL of an Ollama server.
type Ollama string

// ollamaPort is where Ollama listens when nothing else is said; source: the
// documentation of its OLLAMA_HOST.
const ollamaPort = "11434"

// UnmarshalText reads what OLLAMA_HOST may be for Ollama itself: a URL, or a
// host, a port or both. An address that means every interface to a server
// means this machine to a client.
func (o *Ollama) UnmarshalText(text []byte) error {
	s := strings.TrimSpace(string(text))
	scheme, rest, ok := strings.Cut(s, "://")
	if !ok {
		scheme, rest = "http", s
	}
	address, path, _ := strings.Cut(rest, "/")
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		host, port = strings.Trim(address, "[]"), ollamaPort
		if ok { // a URL without a port has the one of its scheme
			port = map[string]string{"http": "80", "https": "443"}[scheme]
		}
	}
	if host == "" || host == "0.0.0.0" || host == "::" {
		host = "127.0.0.1"
	}
	if !validHost(host) || !validPort(port) || port == "0" {
		return errors.New("it is not an address: write it like 127.0.0.1:11434 or https://models.example")
	}
	var base URL
	if err := base.UnmarshalText([]byte(scheme + "://" + net.JoinHostPort(host, port) + "/" + path)); err != nil {
		return err
	}
	*o = Ollama(base)
	return nil
}

// HostPort is a host and port as a URL writes them.
type HostPort string

// UnmarshalText reads host:port and refuses what is none.
func (h *HostPort) UnmarshalText(text []byte) error {
	s := strings.ToLower(strings.TrimSpace(string(text)))
	host, port, err := net.SplitHostPort(s)
	if err != nil || !validHost(host) || port == "0" || !validPort(port) {
		return fmt.Errorf("%q is not host:port: write it like 127.0.0.1:8081", s)
	}
	*h = HostPort(s)
	return nil
}

// Listen is an address to listen on; its host may be empty and its port 0.
type Listen string

// UnmarshalText reads HOST:PORT and refuses what is none.
func (l *Listen) UnmarshalText(text []byte) error {
	s := strings.TrimSpace(string(text))
	host, port, err := net.SplitHostPort(s)
	if err != nil || host != "" && !validHost(host) || !validPort(port) {
		return errors.New("it is not host:port: write it like 127.0.0.1:8080")
	}
	*l = Listen(s)
	return nil
}

// validHost accepts an IP address or what could be a name.
func validHost(s string) bool {
	if _, err := netip.ParseAddr(s); err == nil {
		return true
	}
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || strings.ContainsRune(`[]:/?#@%\<>"`, r) })
}

func validPort(s string) bool {
	_, err := strconv.ParseUint(s, 10, 16)
	return err == nil
}

// Recency is day, week, month, year, or a range of days written FROM..TO of
// which either end may be missing.
type Recency string

// UnmarshalText reads the recency and refuses what is none.
func (r *Recency) UnmarshalText(text []byte) error {
	s := strings.TrimSpace(string(text))
	if !slices.Contains([]string{"day", "week", "month", "year"}, s) {
		from, to, ok := strings.Cut(s, "..")
		switch {
		case !ok || from+to == "" || !dayOrEmpty(from) || !dayOrEmpty(to):
			return errors.New("it is not a time: use day, week, month, year or dates like 2026-01-31..2026-02-28")
		case from != "" && to != "" && to < from: // dates in this form sort as texts
			return fmt.Errorf("%q ends before it begins: write the earlier date first", s)
		}
	}
	*r = Recency(s)
	return nil
}

func dayOrEmpty(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return s == "" || err == nil
}
