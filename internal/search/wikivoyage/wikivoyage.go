// Package wikivoyage asks Wikivoyage, the travel guide of the Wikimedia family.
// Start with [New].
package wikivoyage

import (
	"deepresearch/internal/search"
	"deepresearch/internal/search/wikipedia"
	"deepresearch/internal/search/wire"
)

// New returns the engine.
func New(opt wire.Options) search.Engine {
	return wikipedia.Site("wikivoyage", "wikivoyage.org", search.Capabilities{Topics: []string{search.Travel}}, opt)
}
