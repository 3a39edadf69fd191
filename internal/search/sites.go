package search

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Weights are how much sites are trusted, by host or host suffix, from -1 to
// 1. Zero is neutral, a negative weight drops the site.
type Weights map[string]float64

// ParseWeights reads weights as a configuration holds them: a number for each
// host, which may be written as an address or with a leading *. The error names
// the host to correct.
func ParseWeights(written map[string]float64) (Weights, error) {
	w := Weights{}
	for _, domain := range slices.Sorted(maps.Keys(written)) {
		weight, host := written[domain], bareHost(domain)
		switch {
		case host == "":
			return nil, fmt.Errorf("weight of site %q: it names no host", domain)
		case !(weight >= -1 && weight <= 1):
			return nil, fmt.Errorf("weight of site %q is %g: use -1, which drops it, to 1", domain, weight)
		}
		w[host] = weight
	}
	return w, nil
}

// Of returns the weight of the site of an address, with or without a scheme:
// that of the longest suffix of its host. Unknown sites have weight 0.
func (w Weights) Of(address string) float64 {
	if len(w) == 0 {
		return 0
	}
	host := bareHost(address)
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

// Where official documentation lives: the first label of a host, whole hosts,
// the ends of hosts, and folders at the top of a site.
var (
	docLabels = set("doc docs developer developers dev learn support help manual wiki api reference kb handbook spec specs standards")
	docHosts  = set("go.dev pkg.go.dev docs.rs www.w3.org www.rfc-editor.org datatracker.ietf.org man7.org")
	docEnds   = []string{".readthedocs.io", ".readthedocs.org", ".gitbook.io"}
	docRoots  = set("doc docs documentation reference manual handbook api help guide rfc spec specs standards")
)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

// official reports whether an address is a page of documentation.
func official(shown string) bool {
	_, rest, _ := strings.Cut(shown, "://")
	host, path, _ := strings.Cut(rest, "/")
	label, _, _ := strings.Cut(host, ".")
	if docLabels[label] || docHosts[host] {
		return true
	}
	for _, end := range docEnds {
		if strings.HasSuffix(host, end) {
			return true
		}
	}
	root, path, deeper := strings.Cut(path, "/")
	if deeper && len(root) <= 5 && !docRoots[root] { // a language, as in /en/docs/
		root, _, deeper = strings.Cut(path, "/")
	}
	return deeper && docRoots[root]
}
