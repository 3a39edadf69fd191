package search

import (
	"regexp"
	"strings"
)

// Weights are how much sites are trusted, by host or host suffix, from -1 to
// 1. Zero is neutral, a negative weight drops the site.
type Weights map[string]float64

// Of returns the weight of the site of an address, with or without a scheme:
// that of the longest suffix of its host. Unknown sites have weight 0.
func (w Weights) Of(address string) float64 {
	host := hostOf(address)
	bare, _, _ := strings.Cut(host, ":")
	for _, name := range []string{host, bare} {
		for name != "" {
			if weight, ok := w[name]; ok {
				return max(-1, min(weight, 1))
			}
			_, name, _ = strings.Cut(name, ".")
		}
	}
	return 0
}

// BothEnds returns the list, best first, reordered for a reader who looks at
// the ends and skims the middle, as language models do (Liu et al., "Lost in
// the Middle", TACL 2024): the best comes first, the second best last, and so
// on inwards.
func BothEnds[T any](best []T) []T {
	out := make([]T, len(best))
	front, back := 0, len(best)-1
	for i, v := range best {
		if i%2 == 0 {
			out[front] = v
			front++
		} else {
			out[back] = v
			back--
		}
	}
	return out
}

// documentation recognises official documentation by where it lives.
var documentation = regexp.MustCompile(
	`^(?:docs?|developers?|dev|learn|support|help|manual|wiki|api|reference|kb|handbook|specs?|standards?)\.` +
		`|^(?:pkg\.go\.dev|go\.dev|docs\.rs|doc\.rust-lang\.org|www\.w3\.org|www\.rfc-editor\.org|datatracker\.ietf\.org|man7\.org)/` +
		`|^[^/]*\.(?:readthedocs\.io|readthedocs\.org|gitbook\.io)/` +
		`|^[^/]+/(?:[a-z-]{2,5}/)?(?:docs?|documentation|reference|manual|handbook|api|help|guide|rfc|spec|standards)/`)

// official reports whether an address is a page of documentation.
func official(shown string) bool {
	_, rest, _ := strings.Cut(shown, "://")
	return documentation.MatchString(rest)
}
