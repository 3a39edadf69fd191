package research

import (
	"deepresearch/internal/graph"
)

// graphVersion changes whenever saved runs would no longer mean the same.
const graphVersion = "2"

// graphName is the name that runs are saved under.
const graphName = "research"

// newGraph ties the nodes together:
//
//	analyse -> search, lookup (one branch a query) -> choose -> read (one branch a page) -> reflect
//	reflect -> search, lookup (the follow-ups) | compute | write -> render
//
// A question that somebody can explain goes from analyse to clarify and back.
// With a running summary, roll follows read. With a plan, the first round is
// what it is made from, and each round after it is judged task by task:
//
//	read -> plan -> (approve ->) search, lookup (the queries of the tasks) -> choose -> read
//	read -> review (one branch a task) -> reflect
//
// A spent budget leads to write, once.
func newGraph(n nodes) (*graph.Graph[State, Update], error) {
	b := graph.New(graphName, graphVersion, reduce)
	b.Node("analyse", n.analyse, graph.Policy[Update]{})
	b.Node("clarify", n.clarify, graph.Policy[Update]{})
	var w workers
	w.search = graph.AddWorker(b, "search", n.search, graph.Policy[Update]{OnError: warn("a search")})
	w.lookup = graph.AddWorker(b, "lookup", n.lookup, graph.Policy[Update]{OnError: warn("looking into the documents")})
	b.Node("choose", n.choose, graph.Policy[Update]{})
	w.read = graph.AddWorker(b, "read", n.read, graph.Policy[Update]{OnError: warn("reading a page")})
	b.Node("roll", n.roll, graph.Policy[Update]{})
	b.Node("plan", n.plan, graph.Policy[Update]{})
	b.Node("approve", n.approve, graph.Policy[Update]{})
	w.review = graph.AddWorker(b, "review", n.review, graph.Policy[Update]{OnError: warn("reviewing a task")})
	b.Node("reflect", n.reflect, graph.Policy[Update]{})
	w.compute = graph.AddWorker(b, "compute", n.compute, graph.Policy[Update]{OnError: warn("a computation")})
	b.Node("write", n.write, graph.Policy[Update]{Landing: true})
	b.Node("render", n.render, graph.Policy[Update]{Landing: true})

	b.Route("analyse", w.begin, "clarify", "write", "plan", "search", "lookup", "choose", "reflect")
	b.Edge("clarify", "analyse")
	b.Edge("search", "choose")
	b.Edge("lookup", "choose")
	judged := []string{"roll", "plan", "review", "reflect"}
	b.Route("choose", func(s State) []graph.Next {
		if next := fan(s.Reading, w.read); len(next) > 0 {
			return next
		}
		return w.after(s)
	}, append(judged, "read")...)
	b.Route("read", w.after, judged...)
	b.Route("roll", w.judge, judged[1:]...)
	followed := []string{"plan", "search", "lookup", "review", "reflect", "compute", "write"}
	b.Route("plan", func(s State) []graph.Next {
		if s.Plan == nil {
			return graph.To("approve")
		}
		return w.follow(s)
	}, append(followed[1:], "approve")...)
	b.Route("approve", w.follow, followed...)
	b.Edge("review", "reflect")
	b.Route("reflect", func(s State) []graph.Next {
		if next := w.queries(s); s.Stop == "" && len(next) > 0 {
			return next
		}
		return w.end(s)
	}, "search", "lookup", "compute", "write")
	b.Route("compute", w.end, "compute", "write")
	b.Edge("write", "render")
	b.Edge("render", graph.End)
	b.Land("write")
	if s, ok := n.Method.(Spender); ok {
		b.Reserve(s.Reserve)
	}
	return b.Build()
}

// workers are the nodes that run in several branches at once, and the routes to
// them.
type workers struct {
	search, lookup  graph.Worker[Query]
	read            graph.Worker[Found]
	review, compute graph.Worker[string]
}

// begin leads from the question.
func (w workers) begin(s State) []graph.Next {
	switch {
	case s.Analysis.Clarify != nil:
		return graph.To("clarify")
	case s.Analysis.Decline != "":
		return graph.To("write")
	case s.drafting() && (s.Question.Plan != nil || s.Question.MaxLoops == 1):
		return graph.To("plan") // there is no round to make it from
	case len(s.Pages) > 0: // of the run before, which a model may read anew
		return orElse(w.queries(s), "choose")
	}
	return orElse(w.queries(s), "reflect")
}

// queries are a branch of searching for each query.
func (w workers) queries(s State) []graph.Next {
	var next []graph.Next
	for _, q := range s.Pending {
		if !s.Question.Offline && !q.Private {
			next = append(next, w.search.To(q))
		}
		if s.Question.HasLibrary() {
			next = append(next, w.lookup.To(q))
		}
	}
	return next
}

// judge leads from what was read.
func (w workers) judge(s State) []graph.Next {
	if s.drafting() {
		return graph.To("plan")
	}
	return orElse(fan(s.active(), w.review), "reflect")
}

// after leads from reading.
func (w workers) after(s State) []graph.Next {
	if s.rolling() {
		return graph.To("roll")
	}
	return w.judge(s)
}

// follow leads from a plan.
func (w workers) follow(s State) []graph.Next {
	if s.Stop != "" {
		return w.end(s)
	}
	if next := w.queries(s); len(next) > 0 {
		return next
	}
	return w.judge(s) // by what is there
}

// end leads from the last round: what is to be computed, then the report.
func (w workers) end(s State) []graph.Next { return orElse(fan(s.computable(), w.compute), "write") }

// fan is a branch of a worker for each argument.
func fan[A any](args []A, w graph.Worker[A]) []graph.Next {
	var next []graph.Next
	for _, a := range args {
		next = append(next, w.To(a))
	}
	return next
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
func (q Question) HasLibrary() bool { return len(q.Files)+len(q.Documents)+len(q.Libraries) > 0 }
