package wire

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"deepresearch/internal/llm"
)

// mostNames is how many models a hint lists.
const mostNames = 5

// Names returns the texts at a gjson path of the answer to path, such as
// "data.#.id"; nil when the server does not tell.
func (s *Server) Names(ctx context.Context, path, at string) []string {
	answer, err := s.Get(ctx, path)
	if err != nil {
		return nil
	}
	var names []string
	for _, n := range answer.JSON.Get(at).Array() {
		if n.Str != "" {
			names = append(names, strings.TrimPrefix(n.Str, "models/"))
		}
	}
	return names
}

// Missing completes the error for a model that is not there with the names of
// those that are, the most similar first.
func Missing(e *llm.Error, wanted string, names []string) *llm.Error {
	if len(names) == 0 {
		return e
	}
	slices.SortStableFunc(names, func(a, b string) int { return sameStart(b, wanted) - sameStart(a, wanted) })
	e.Hint = fmt.Sprintf("There is no %s. Name one of: %s.", wanted, strings.Join(names[:min(len(names), mostNames)], ", "))
	return e
}

// sameStart is the length of the beginning that both have.
func sameStart(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// Pages collects the pages of a grounding without repeating one.
type Pages struct {
	List []llm.WebPage
	at   map[string]int
}

// Add returns the index of the page.
func (p *Pages) Add(page llm.WebPage) int {
	if i, ok := p.at[page.URL]; ok {
		return i
	}
	if p.at == nil {
		p.at = map[string]int{}
	}
	p.at[page.URL] = len(p.List)
	p.List = append(p.List, page)
	return len(p.List) - 1
}
