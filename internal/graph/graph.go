// Package graph runs a typed graph of nodes as a durable run: every finished call, branch and step is committed before
// the run goes on, so that a killed process repays nothing and a replay agrees to the byte.
//
// Start with [New], add nodes with [Builder.Node] and [AddWorker], connect them with Edge, Route and Join, and Build.
// A [Local] driver then starts, attaches to and resumes runs of the graphs it was given:
//
//	g, err := b.Build()
//	l, err := graph.NewLocal(graph.Options{Store: mem.New()}, g)
//	run, err := l.Start(ctx, graph.Request{Graph: "research", Key: key, Input: stateJSON})
//	a, err := l.Attach(ctx, run.ID)
//	run, err = l.Wait(ctx, run.ID)
//
// A run goes in steps. All branches of a step see the same state S; their updates D are merged by the one reducer in
// branch order, whatever the finishing order; then edges, routes and joins name the branches of the next step. The
// semantics are two functions without clock or goroutine of their own: [Graph.Advance] and [Graph.ExecBranch].
// Inside a node use [Emit], [Once], [Ask], [Remaining] and [Spent]; without a run in the context they still work.
//
// Rules for nodes: S is read-only, S and D survive JSON, nothing of a run is kept in package or node variables, every
// call that costs something goes through Once, and Ask is the first statement of its own node.
//
// The package knows nothing of research, HTTP or SQL: stores implement [Store], front ends see [Runs] and [Reader].
package graph

import (
	"encoding/json"
	"fmt"
)

// End is the target that ends a path; the run is done when every path has ended.
const End = "(end)"

// Next is one branch to run: a node and, for a worker, its own argument.
type Next struct {
	Node string          `json:"node"`
	Arg  json.RawMessage `json:"arg,omitempty"`
}

// To leads to plain nodes, or to [End].
func To(nodes ...string) []Next {
	next := make([]Next, len(nodes))
	for i, n := range nodes {
		next[i] = Next{Node: n}
	}
	return next
}

// Worker is a node with an argument of its own: the typed target of a fan-out.
type Worker[A any] struct{ name string }

// To is one branch of the worker with argument a. It panics when a cannot be encoded as JSON, which is a mistake in
// the program; inside a route the panic becomes the run's error.
func (w Worker[A]) To(a A) Next {
	arg, err := json.Marshal(a)
	if err != nil {
		panic(fmt.Sprintf("graph: argument of worker %s: %v", w.name, err))
	}
	return Next{Node: w.name, Arg: arg}
}

// Name is the node's name, for edges and routes.
func (w Worker[A]) Name() string { return w.name }

// Graph is a checked, immutable definition with state S and update D. Build makes it; runs share it.
type Graph[S, D any] struct {
	name, version string
	reduce        func(S, D) S
	nodes         map[string]*node[S, D]
	entry         string
	land          string
	reserve       func(S) Usage
	joins         []join
	migrations    map[string]func(S, Frontier) (S, Frontier, error)
}

// Name is the graph's name, which a [Request] asks for.
func (g *Graph[S, D]) Name() string { return g.name }

// Version is the version that runs are saved under.
func (g *Graph[S, D]) Version() string { return g.version }

// Frontier is everything but the state that a run needs to go on. It is committed with every step.
type Frontier struct {
	Step     int                 `json:"step"`
	Branches []Next              `json:"branches,omitempty"`
	Waiting  map[string][]string `json:"waiting,omitempty"` // join target -> sources that have arrived
	Budget   Budget              `json:"budget,omitzero"`
	Reserve  Usage               `json:"reserve,omitzero"` // kept back for the landing
	Usage    Usage               `json:"usage,omitzero"`
	Spent    string              `json:"spent,omitempty"`  // the first budget that was spent
	Landed   bool                `json:"landed,omitempty"` // a landing node runs or has run: the reserve may be spent
}

// Result is what one branch gave.
type Result[D any] struct {
	Update  D         `json:"update,omitzero"`
	Usage   Usage     `json:"usage,omitzero"`    // of all calls of the branch; the driver fills it in
	Skipped string    `json:"skipped,omitempty"` // "quorum", "deadline" or "budget": there is no update to merge
	Spent   string    `json:"spent,omitempty"`   // the budget that refused a call of the branch
	Err     string    `json:"err,omitempty"`     // what killed the branch before OnError made an update of it
	Ask     *Question `json:"ask,omitempty"`     // the branch waits for an answer and will run again
}
