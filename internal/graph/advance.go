package graph

import (
	"fmt"
	"slices"
)

// maxSteps bounds runs whose routes never lead to the end: a mistake in the graph, not a budget.
const maxSteps = 100_000

// Entry is the frontier of a run that has not begun.
func (g *Graph[S, D]) Entry(s S, b Budget) Frontier {
	f := Frontier{Branches: To(g.entry), Budget: b, Landed: g.nodes[g.entry].policy.Landing}
	if g.reserve != nil {
		f.Reserve = g.reserve(s)
	}
	return f
}

// Advance merges the results of a frontier's branches, one each and in their order, and finds the next frontier. It is
// pure: the same inputs give the same outputs, in this process or another. Branches that ask must be answered first.
func (g *Graph[S, D]) Advance(s S, f Frontier, results []Result[D]) (S, Frontier, error) {
	if len(results) != len(f.Branches) {
		return s, f, fmt.Errorf("step %d has %d branches and %d results", f.Step, len(f.Branches), len(results))
	}
	next := f
	next.Step, next.Branches, next.Waiting = f.Step+1, nil, nil
	next.Usage.Steps++
	dead := false
	for i, r := range results {
		if r.Ask != nil {
			return s, f, fmt.Errorf("branch %d of step %d still waits for an answer", i, f.Step)
		}
		if r.Skipped == "" {
			s = g.reduce(s, r.Update)
		}
		next.Usage = next.Usage.Add(r.Usage)
		next.Spent = first(next.Spent, r.Spent)
		dead = dead || r.Skipped == "budget"
	}
	if g.reserve != nil {
		next.Reserve = g.reserve(s)
	}
	var err error
	if next.Branches, next.Waiting, err = g.follow(s, f); err != nil {
		return s, next, err
	}
	if next, err = g.landing(next, dead); err != nil {
		return s, next, err
	}
	if next.Step >= maxSteps {
		return s, next, fmt.Errorf("graph %s has not ended after %d steps", g.name, maxSteps)
	}
	return s, next, nil
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// landing replaces the next branches by the landing node, once, when a budget is spent and there is more to do.
func (g *Graph[S, D]) landing(f Frontier, dead bool) (Frontier, error) {
	if len(f.Branches) > 0 && !f.Landed {
		f.Spent = first(f.Spent, overdue(f))
	}
	if f.Spent != "" && !f.Landed && (dead || len(f.Branches) > 0) {
		if g.land == "" {
			return f, &BudgetError{f.Spent}
		}
		f.Branches, f.Waiting = To(g.land), nil
	}
	f.Landed = f.Landed || slices.ContainsFunc(f.Branches, func(n Next) bool { return g.nodes[n.Node].policy.Landing })
	return f, nil
}

// overdue names the budget that is spent by time or steps alone; the others speak when they refuse a call.
func overdue(f Frontier) string {
	most := limits(f.Budget, f.Reserve, false)
	for _, i := range []int{seconds, steps} {
		if f.Usage.amounts()[i] >= most[i] {
			return budgetNames[i]
		}
	}
	return ""
}

// follow takes edges, routes and joins out of a finished frontier. A node's ways out are taken once, in the order in
// which the nodes first appear; plain targets are run once a step, workers once an argument.
func (g *Graph[S, D]) follow(s S, f Frontier) (next []Next, waiting map[string][]string, err error) {
	ran, chosen := map[string]bool{}, map[string]bool{}
	add := func(targets ...Next) {
		for _, n := range targets {
			if n.Node != End && (n.Arg != nil || !chosen[n.Node]) {
				chosen[n.Node] = chosen[n.Node] || n.Arg == nil
				next = append(next, n)
			}
		}
	}
	for _, b := range f.Branches {
		if ran[b.Node] {
			continue
		}
		ran[b.Node] = true
		n := g.nodes[b.Node]
		if n == nil {
			return nil, nil, fmt.Errorf("step %d runs %q, which is not a node of graph %s", f.Step, b.Node, g.name)
		}
		routed, err := g.routes(n, s)
		if err != nil {
			return nil, nil, err
		}
		add(To(n.edges...)...)
		add(routed...)
	}
	ready, waiting := g.arrive(ran, f.Waiting)
	add(To(ready...)...)
	switch {
	case len(next) > 0 || len(waiting) == 0:
		return next, waiting, nil
	case f.Landed && f.Spent != "": // the landing cut off those that are still waited for
		for _, j := range g.joins {
			if waiting[j.to] != nil {
				add(Next{Node: j.to})
			}
		}
		return next, nil, nil
	}
	return nil, nil, fmt.Errorf("graph %s ends while a join still waits: %v has arrived", g.name, waiting)
}

// arrive notes the sources that ran and returns the joins that are complete and those that still wait.
func (g *Graph[S, D]) arrive(ran map[string]bool, before map[string][]string) (ready []string, waiting map[string][]string) {
	for _, j := range g.joins {
		here := slices.DeleteFunc(slices.Clone(j.from), func(n string) bool { return !ran[n] && !slices.Contains(before[j.to], n) })
		switch {
		case len(here) == len(j.from):
			ready = append(ready, j.to)
		case len(here) > 0:
			if waiting == nil {
				waiting = map[string][]string{}
			}
			waiting[j.to] = here
		}
	}
	return ready, waiting
}

// routes evaluates a node's route and holds it to what it declared.
func (g *Graph[S, D]) routes(n *node[S, D], s S) (next []Next, err error) {
	if n.route == nil {
		return nil, nil
	}
	defer contain(&err)
	next = n.route(s)
	if len(next) == 0 {
		return nil, fmt.Errorf("the route from %q led nowhere; return graph.To(graph.End) to end", n.name)
	}
	for _, to := range next {
		switch {
		case !slices.Contains(n.routed, to.Node):
			return nil, fmt.Errorf("the route from %q led to %q, which it does not declare", n.name, to.Node)
		case to.Node != End && g.nodes[to.Node].worker != (to.Arg != nil):
			return nil, fmt.Errorf("the route from %q led to %q: workers take an argument, plain nodes none", n.name, to.Node)
		}
	}
	return next, nil
}
