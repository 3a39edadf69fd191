package graph

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Policy says how a node's branches are tried and how their failure is taken. The zero value is one attempt without a
// time limit whose error fails the run.
type Policy[D any] struct {
	Attempts int                   // at most; 0 is 1. Finished Once calls are not repeated by a later attempt
	Backoff  time.Duration         // before the second attempt, doubled each time, half of it random
	Timeout  time.Duration         // of one attempt
	Idle     time.Duration         // of one attempt without Emit or a finished Once call
	RetryIf  func(error) bool      // nil retries every error but a spent budget
	OnError  func(error) (D, bool) // makes an update of a dead branch, so that it does not fail the run

	// Quorum closes a fan-out of this node when so many branches have an update, SoftDeadline when the time since the
	// step began is up. The branches that are not in are cancelled and recorded as skipped.
	Quorum       int
	SoftDeadline time.Duration

	Landing bool // may spend the landing reserve, like the node named by Land and all that follow it
}

type node[S, D any] struct {
	name   string
	run    func(context.Context, S, json.RawMessage) (D, error)
	worker bool
	policy Policy[D]
	edges  []string
	route  func(S) []Next
	routed []string // declared targets of route
}

type join struct {
	to   string
	from []string
}

// Builder collects a graph. Its methods never fail; Build reports everything that is wrong at once.
type Builder[S, D any] struct {
	g    *Graph[S, D]
	errs []error
}

// New starts a graph. The first node added is its entry. Reduce merges an update into the state and must not change
// what the old state points to. Change version whenever saved runs would no longer mean the same.
func New[S, D any](name, version string, reduce func(S, D) S) *Builder[S, D] {
	return &Builder[S, D]{g: &Graph[S, D]{
		name: name, version: version, reduce: reduce,
		nodes: map[string]*node[S, D]{}, migrations: map[string]func(S, Frontier) (S, Frontier, error){},
	}}
}

func (b *Builder[S, D]) failf(format string, args ...any) {
	b.errs = append(b.errs, fmt.Errorf(format, args...))
}

func (b *Builder[S, D]) add(n *node[S, D]) {
	switch {
	case n.name == "" || n.name == End:
		b.failf("node name %q is reserved", n.name)
	case b.g.nodes[n.name] != nil:
		b.failf("node %q is added twice", n.name)
	case b.g.entry == "" && n.worker:
		b.failf("the entry %q is a worker, which needs an argument", n.name)
	}
	b.g.nodes[n.name] = n
	if b.g.entry == "" {
		b.g.entry = n.name
	}
}

// Node adds a plain node.
func (b *Builder[S, D]) Node(name string, f func(context.Context, S) (D, error), p Policy[D]) {
	b.add(&node[S, D]{name: name, policy: p, run: func(ctx context.Context, s S, _ json.RawMessage) (D, error) { return f(ctx, s) }})
}

// AddWorker adds a node that takes an argument of its own and returns the typed target for routes. Its edges and
// routes are followed once, after all its branches of a step.
func AddWorker[S, D, A any](b *Builder[S, D], name string, f func(context.Context, S, A) (D, error), p Policy[D]) Worker[A] {
	b.add(&node[S, D]{name: name, policy: p, worker: true, run: func(ctx context.Context, s S, raw json.RawMessage) (D, error) {
		var a A
		if err := json.Unmarshal(raw, &a); err != nil {
			var none D
			return none, fmt.Errorf("decoding the argument: %w", err)
		}
		return f(ctx, s, a)
	}})
	return Worker[A]{name}
}

// from is the node named, or one that swallows what is added after the mistake was noted.
func (b *Builder[S, D]) from(name string) *node[S, D] {
	if n := b.g.nodes[name]; n != nil {
		return n
	}
	b.failf("node %q leads somewhere but is not added (add it first)", name)
	return &node[S, D]{}
}

// Edge leads from one node to another, or to [End].
func (b *Builder[S, D]) Edge(from, to string) {
	n := b.from(from)
	if slices.Contains(n.edges, to) {
		b.failf("edge from %q to %q is added twice", from, to)
	}
	n.edges = append(n.edges, to)
}

// Route leads from a node to what f returns, evaluated on the merged state. F is pure and returns at least one of the
// declared targets ([End] included).
func (b *Builder[S, D]) Route(from string, f func(S) []Next, targets ...string) {
	n := b.from(from)
	if n.route != nil {
		b.failf("node %q has two routes", from)
	}
	if len(targets) == 0 {
		b.failf("the route from %q declares no targets", from)
	}
	n.route, n.routed = f, targets
}

// Join runs a node once all sources have run since its last time, in whatever steps.
func (b *Builder[S, D]) Join(to string, from ...string) {
	if slices.ContainsFunc(b.g.joins, func(j join) bool { return j.to == to }) {
		b.failf("join %q is added twice", to)
	}
	for _, f := range from {
		b.from(f)
	}
	b.g.joins = append(b.g.joins, join{to, from})
}

// Land names the node that a spent budget leads to, once.
func (b *Builder[S, D]) Land(node string) {
	if b.g.land != "" {
		b.failf("landing is named twice: %q and %q", b.g.land, node)
	}
	b.g.land = node
}

// Reserve gives a pure estimate of what the landing will need from a state: the reserve is that or 15 % of the budget,
// whichever is more, of seconds, calls, tokens and cost. Searches, pages and steps have no reserve.
func (b *Builder[S, D]) Reserve(estimate func(S) Usage) { b.g.reserve = estimate }

// Migrate lets runs saved under another version go on. Saved state and updates are decoded into today's types and
// merged by today's reducer before f sees them. Without it such a run is refused with a [VersionError].
func (b *Builder[S, D]) Migrate(fromVersion string, f func(S, Frontier) (S, Frontier, error)) {
	b.g.migrations[fromVersion] = f
}

// Build checks the graph: unknown targets, duplicates, nodes that cannot be reached or from which the run cannot end.
func (b *Builder[S, D]) Build() (*Graph[S, D], error) {
	g := b.g
	if g.name == "" || g.version == "" || g.reduce == nil || g.entry == "" {
		b.failf("a graph needs a name, a version, a reducer and a node")
	}
	for _, name := range g.sorted() {
		n := g.nodes[name]
		for _, to := range n.edges {
			b.checkPlain(fmt.Sprintf("the edge from %q", name), to)
		}
		for _, to := range n.routed {
			b.checkKnown(fmt.Sprintf("the route from %q", name), to)
		}
	}
	for _, j := range g.joins {
		b.checkPlain("a join", j.to)
	}
	if g.land != "" {
		b.checkPlain("the landing", g.land)
		if n := g.nodes[g.land]; n != nil {
			n.policy.Landing = true
		}
	}
	if len(b.errs) == 0 {
		b.checkPaths()
	}
	if len(b.errs) > 0 {
		return nil, fmt.Errorf("graph %s: %w", g.name, errors.Join(b.errs...))
	}
	return g, nil
}

func (b *Builder[S, D]) checkKnown(what, to string) {
	if to != End && b.g.nodes[to] == nil {
		b.failf("%s leads to %q, which is not a node", what, to)
	}
}

func (b *Builder[S, D]) checkPlain(what, to string) {
	b.checkKnown(what, to)
	if n := b.g.nodes[to]; n != nil && n.worker {
		b.failf("%s leads to worker %q without an argument: use a route", what, to)
	}
}

// checkPaths walks forward from the entry and the landing, and backward from the end.
func (b *Builder[S, D]) checkPaths() {
	out, in := map[string][]string{}, map[string][]string{}
	link := func(from, to string) { out[from], in[to] = append(out[from], to), append(in[to], from) }
	for name, n := range b.g.nodes {
		for _, to := range slices.Concat(n.edges, n.routed) {
			link(name, to)
		}
	}
	for _, j := range b.g.joins {
		for _, from := range j.from {
			link(from, j.to)
		}
	}
	reached, ending := walk(out, b.g.entry, b.g.land), walk(in, End)
	for _, name := range b.g.sorted() {
		if !reached[name] {
			b.failf("node %q cannot be reached", name)
		}
		if !ending[name] {
			b.failf("from node %q the run cannot end", name)
		}
	}
}

func walk(links map[string][]string, from ...string) map[string]bool {
	seen := map[string]bool{}
	for len(from) > 0 {
		n := from[0]
		from = from[1:]
		if !seen[n] {
			seen[n] = true
			from = append(from, links[n]...)
		}
	}
	return seen
}

func (g *Graph[S, D]) sorted() []string {
	names := make([]string, 0, len(g.nodes))
	for name := range g.nodes {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
