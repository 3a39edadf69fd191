package research

import (
	"deepresearch/internal/graph"
)

// graphVersion changes whenever saved runs would no longer mean the same.
const graphVersion = "1"

// graphName is the name that runs are saved under.
const graphName = "research"

// newGraph ties the nodes together:
//
//	analyse -> search, lookup (one branch a query) -> choose -> read (one branch a page) -> reflect
//	reflect -> search, lookup (the follow-ups) | write -> render
//
// A spent budget leads to write, once.
func newGraph(n nodes) (*graph.Graph[State, Update], error) {
	b := graph.New(graphName, graphVersion, reduce)
	b.Node("analyse", n.analyse, graph.Policy[Update]{})
	search := graph.AddWorker(b, "search", n.search, graph.Policy[Update]{OnError: warn("a search")})
	lookup := graph.AddWorker(b, "lookup", n.lookup, graph.Policy[Update]{OnError: warn("looking into the documents")})
	b.Node("choose", n.choose, graph.Policy[Update]{})
	read := graph.AddWorker(b, "read", n.read, graph.Policy[Update]{OnError: warn("reading a page")})
	b.Node("reflect", n.reflect, graph.Policy[Update]{})
	b.Node("write", n.write, graph.Policy[Update]{Landing: true})
	b.Node("render", n.render, graph.Policy[Update]{Landing: true})

	queries := func(s State) []graph.Next {
		var next []graph.Next
		for _, q := range s.Pending {
			if !s.Question.Offline && !q.Private {
				next = append(next, search.To(q))
			}
			if s.Question.HasLibrary() {
				next = append(next, lookup.To(q))
			}
		}
		return next
	}
	b.Route("analyse", func(s State) []graph.Next {
		if len(s.Pages) > 0 { // of the run before, which a model may read anew
			return orElse(queries(s), "choose")
		}
		return orElse(queries(s), "reflect")
	}, "search", "lookup", "choose", "reflect")
	b.Edge("search", "choose")
	b.Edge("lookup", "choose")
	b.Route("choose", func(s State) []graph.Next {
		var next []graph.Next
		for _, f := range s.Reading {
			next = append(next, read.To(f))
		}
		return orElse(next, "reflect")
	}, "read", "reflect")
	b.Edge("read", "reflect")
	b.Route("reflect", func(s State) []graph.Next {
		if s.Stop != "" {
			return graph.To("write")
		}
		return orElse(queries(s), "write")
	}, "search", "lookup", "write")
	b.Edge("write", "render")
	b.Edge("render", graph.End)
	b.Land("write")
	if s, ok := n.Method.(Spender); ok {
		b.Reserve(s.Reserve)
	}
	return b.Build()
}

func orElse(next []graph.Next, node string) []graph.Next {
	if len(next) == 0 {
		return graph.To(node)
	}
	return next
}

// warn turns the failure of a branch into a warning of the report: one dead
// branch never ends a run.
func warn(what string) func(error) (Update, bool) {
	return func(err error) (Update, bool) {
		return Update{Warnings: []string{what + " failed: " + err.Error()}}, true
	}
}

// HasLibrary reports whether the question brings documents of the user.
func (q Question) HasLibrary() bool { return len(q.Files)+len(q.Documents) > 0 }
