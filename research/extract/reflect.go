package extract

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"deepresearch/internal/graph"
	"deepresearch/internal/text"
	"deepresearch/research"
)

// How far the second round follows what the best pages name.
const (
	followPages = 3 // pages whose documents are followed
	namedPages  = 5 // pages whose shared names are followed
	followEach  = 3 // documents followed from one of them
	witnesses   = 2 // independent pages that a facet needs
	enough      = 0.5
)

// Reflect decides by counting: a facet is covered when two independent pages
// each hold a sentence with at least half of its weight in terms. It always
// names what the best pages point to, so that answers which lie one step away
// are reached.
func (m *Method) Reflect(ctx context.Context, s research.State) (research.Reflection, error) {
	e, err := m.evidence(ctx, s)
	if err != nil {
		return research.Reflection{}, err
	}
	var r research.Reflection
	for _, f := range s.Analysis.Facets {
		if n := e.witnesses(f.Terms); n < witnesses {
			r.Gaps = append(r.Gaps, f.Title)
		}
	}
	r.FollowUps, err = m.followUps(ctx, s, e)
	if err != nil {
		return r, err
	}
	r.Sufficient = len(r.Gaps) == 0 && (len(r.FollowUps) == 0 || s.Round > 0)
	r.Reason = fmt.Sprintf("%d of %d parts have %d independent witnesses; %d leads to follow",
		len(s.Analysis.Facets)-len(r.Gaps), len(s.Analysis.Facets), witnesses, len(r.FollowUps))
	return r, nil
}

// witnesses counts the pages with a sentence that covers the terms.
func (e *evidence) witnesses(terms []string) int {
	total := 0.0
	for _, t := range terms {
		total += e.index.IDF(t)
	}
	seen := map[int]bool{}
	for _, s := range e.sentences {
		have := 0.0
		for _, t := range terms {
			if _, ok := slices.BinarySearch(s.set, t); ok {
				have += e.index.IDF(t)
			}
		}
		if total > 0 && have >= enough*total {
			seen[s.page] = true
		}
	}
	return len(seen)
}

// followUps are the documents that the best pages name, and for the web the
// names that several of them share.
func (m *Method) followUps(ctx context.Context, s research.State, e *evidence) ([]research.Query, error) {
	best := make([]int, len(e.pages))
	for i := range best {
		best[i] = i
	}
	slices.SortStableFunc(best, func(a, b int) int { return cmp.Compare(e.pages[a].Rank, e.pages[b].Rank) })
	out, err := m.linked(ctx, s, e, best[:min(followPages, len(best))])
	if err != nil {
		return nil, err
	}
	return append(out, e.named(s, best[:min(namedPages, len(best))])...), nil
}

// linked follows titles of the user's documents that stand in the best pages. It
// is asked once a round, so that a replay needs none of the documents.
func (m *Method) linked(ctx context.Context, s research.State, e *evidence, best []int) ([]research.Query, error) {
	if !s.Question.HasLibrary() {
		return nil, nil
	}
	out, err := graph.Once(ctx, graph.Call{Kind: "titles", Request: s.Round, Optional: true}, func(ctx context.Context) ([]research.Query, graph.Usage, error) {
		out, err := m.titles(ctx, s, e, best)
		return out, graph.Usage{}, err
	})
	if errors.Is(err, graph.ErrBudget) {
		return nil, nil
	}
	return out, err
}

func (m *Method) titles(ctx context.Context, s research.State, e *evidence, best []int) ([]research.Query, error) {
	lib, err := research.OpenFor(ctx, m.libraries, s.Question)
	if err != nil || lib == nil {
		return nil, err
	}
	read := map[string]bool{}
	for _, p := range s.Pages {
		read[p.Source.URL] = true
	}
	var out []research.Query
	for _, i := range best {
		n := 0
		linked, err := lib.Linked(ctx, e.texts[i], followEach+len(read))
		if err != nil {
			return nil, err
		}
		for _, d := range linked {
			if read[d.URL] || n == followEach {
				continue
			}
			read[d.URL] = true
			n++
			out = append(out, research.Query{Text: d.Title, Private: true, Document: d.URL, Rank: e.pages[i].Rank + 0.2*float64(n)})
		}
	}
	return out, nil
}

// named are queries of names that at least two of the best public pages share
// and the question does not have. Pages of the user's own files give none,
// unless the user agreed that their text may be sent out.
func (e *evidence) named(s research.State, best []int) []research.Query {
	count := map[string]int{}
	var order []string
	for _, i := range best {
		if e.pages[i].Source.Private && !s.Question.SharePrivate {
			continue
		}
		for _, n := range distinctNames(e, i) {
			if strings.Contains(strings.ToLower(s.Question.Text), strings.ToLower(n)) {
				continue
			}
			if count[n]++; count[n] == 1 {
				order = append(order, n)
			}
		}
	}
	slices.SortStableFunc(order, func(a, b string) int { return count[b] - count[a] })
	var out []research.Query
	for _, n := range order {
		if count[n] < 2 || len(out) >= s.Question.Queries {
			break
		}
		out = append(out, research.Query{Text: shorten(n + " " + strings.Join(mainNames(s.Question.Text), " ")), Rank: 0.5})
	}
	return out
}

// distinctNames are the proper names in the excerpts of one page.
func distinctNames(e *evidence, page int) []string {
	var out []string
	for _, x := range e.pages[page].Excerpts {
		t := x.In(e.texts[page])
		for _, n := range text.Names(t) {
			if s := n.In(t); len(s) > 2 && !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return out
}

func mainNames(question string) []string {
	names := frame{}.names(question)
	return names[:min(2, len(names))]
}
