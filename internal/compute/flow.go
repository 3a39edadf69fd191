package compute

import (
	"go.starlark.net/resolve"
	"go.starlark.net/syntax"
)

// flow says which inputs a call in a program can depend on. It reads the
// program, not its execution: every assignment, condition, loop and call makes
// what it changes depend on what it reads, in whatever order they stand. This
// is the closure of a program dependence graph (Weiser, "Program slicing",
// IEEE Transactions on Software Engineering 10, 1984) without the order of
// statements, so it may name an input too many. It misses one that comes in
// only by way of a list which was put into another by a method and changed
// there; for that, programs can state what they use.
type flow struct {
	depends map[node]map[node]bool
	control []node              // what the execution of this statement depends on
	within  []*resolve.Function // functions around it
	owner   map[node]*resolve.Function
	defs    map[node]*syntax.DefStmt // by the variable that a def binds
	mutated map[node]bool            // variables whose value is changed in place
	aliases [][2]node                // the first may hold the second's value
}

// node is what can depend or be depended on: a variable (by its first
// *syntax.Ident), a function (*resolve.Function: what calling it reads besides
// its arguments), a construct (its syntax.Node: whether it is executed), a
// call (callNode), an input (inputNode) or anything of the marks.
type node any

type (
	inputNode string
	callNode  struct{ line, column int32 } // of the opening parenthesis
	mark      int
)

const (
	anyInput mark = iota // all inputs: inputs[name], inputs.items()
	anyArgs              // what functions are given that are called by way of a value
)

// mutators are the methods that change their list, dict or set.
var mutators = map[string]bool{
	"append": true, "extend": true, "insert": true, "remove": true, "pop": true, "clear": true,
	"update": true, "setdefault": true, "popitem": true, "add": true, "discard": true,
}

// copiers return a container with the same elements.
var copiers = map[string]bool{"list": true, "tuple": true, "sorted": true, "reversed": true, "enumerate": true, "dict": true}

// readFlow reads a program that was resolved.
func readFlow(file *syntax.File) *flow {
	f := &flow{
		depends: map[node]map[node]bool{}, owner: map[node]*resolve.Function{},
		defs: map[node]*syntax.DefStmt{}, mutated: map[node]bool{},
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.DefStmt:
			f.defs[variable(n.Name)] = n
			f.own(n.Function)
		case *syntax.LambdaExpr:
			f.own(n.Function)
		}
		return true
	})
	f.block(file.Stmts)
	for _, a := range f.aliases {
		if f.mutated[a[0]] {
			f.link(a[1], a[0])
		}
	}
	return f
}

func (f *flow) own(function any) {
	fn, ok := function.(*resolve.Function)
	if !ok {
		return
	}
	for _, local := range fn.Locals {
		f.owner[local.First] = fn
	}
}

// inputsOf tells for the call at pos whether it can depend on an input.
func (f *flow) inputsOf(pos syntax.Position) func(input string) bool {
	seen := map[node]bool{}
	todo := []node{callNode{pos.Line, pos.Col}}
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[n] {
			continue
		}
		seen[n] = true
		for next := range f.depends[n] {
			todo = append(todo, next)
		}
	}
	return func(input string) bool { return seen[anyInput] || seen[inputNode(input)] }
}

// link makes n depend on others.
func (f *flow) link(n node, on ...node) {
	set := f.depends[n]
	if set == nil {
		set = map[node]bool{}
		f.depends[n] = set
	}
	for _, other := range on {
		set[other] = true
	}
}

// change is link for an effect, which also depends on the control around it.
func (f *flow) change(n node, on []node) {
	f.link(n, on...)
	f.link(n, f.control...)
}

// read notes that n is read here, and returns it. It becomes part of what the
// functions around depend on, unless it is their own.
func (f *flow) read(n node) []node {
	owner := f.owner[n]
	for i := len(f.within) - 1; i >= 0 && f.within[i] != owner; i-- {
		f.link(f.within[i], n)
	}
	return []node{n}
}

// under reads what is executed depending on a construct.
func (f *flow) under(construct node, read func()) {
	f.control = append(f.control, construct)
	read()
	f.control = f.control[:len(f.control)-1]
}

// variable is the node of a name.
func variable(id *syntax.Ident) node {
	if b, ok := id.Binding.(*resolve.Binding); ok && b.First != nil {
		return b.First
	}
	return id.Name
}

func isPredeclared(id *syntax.Ident) bool {
	b, ok := id.Binding.(*resolve.Binding)
	return ok && (b.Scope == resolve.Predeclared || b.Scope == resolve.Universal)
}

func isInputs(e syntax.Expr) bool {
	id, ok := e.(*syntax.Ident)
	return ok && id.Name == "inputs" && isPredeclared(id)
}

// root is the variable at the start of a chain like a.b[c], or nil.
func root(e syntax.Expr) *syntax.Ident {
	for {
		switch x := e.(type) {
		case *syntax.Ident:
			return x
		case *syntax.ParenExpr:
			e = x.X
		case *syntax.DotExpr:
			e = x.X
		case *syntax.IndexExpr:
			e = x.X
		case *syntax.SliceExpr:
			e = x.X
		default:
			return nil
		}
	}
}

func (f *flow) block(stmts []syntax.Stmt) {
	for _, s := range stmts {
		f.statement(s)
	}
}

func (f *flow) statement(s syntax.Stmt) {
	switch s := s.(type) {
	case *syntax.AssignStmt:
		f.assign(s.LHS, s.RHS, f.expr(s.RHS))
	case *syntax.ExprStmt:
		f.expr(s.X)
	case *syntax.IfStmt:
		f.link(s, f.expr(s.Cond)...)
		f.under(s, func() { f.block(s.True); f.block(s.False) })
	case *syntax.ForStmt:
		over := f.expr(s.X)
		f.link(s, over...)
		f.under(s, func() {
			f.assign(s.Vars, s.X, over)
			f.block(s.Body)
		})
	case *syntax.WhileStmt:
		f.link(s, f.expr(s.Cond)...)
		f.under(s, func() { f.block(s.Body) })
	case *syntax.DefStmt:
		f.assign(s.Name, nil, f.function(s.Function, s, s.Params, func() { f.block(s.Body) }))
	case *syntax.ReturnStmt:
		f.leave()
		if s.Result != nil {
			f.expr(s.Result)
		}
	case *syntax.BranchStmt:
		f.leave()
	}
}

// leave is for what ends a loop or function early: what it depends on decides
// whether the rest is executed.
func (f *flow) leave() {
	for _, around := range f.control {
		f.link(around, f.control...)
	}
}

// assign makes the variables of a target depend on what they are given.
func (f *flow) assign(target, from syntax.Expr, on []node) {
	switch t := target.(type) {
	case *syntax.Ident:
		f.change(variable(t), on)
		f.alias(variable(t), from)
	case *syntax.ParenExpr:
		f.assign(t.X, from, on)
	case *syntax.TupleExpr:
		for _, x := range t.List {
			f.assign(x, from, on)
		}
	case *syntax.ListExpr:
		for _, x := range t.List {
			f.assign(x, from, on)
		}
	default: // an index or an attribute
		f.mutate(target, append(f.expr(target), on...))
	}
}

// mutate makes the variable at the root of e depend on what changes it.
func (f *flow) mutate(e syntax.Expr, on []node) {
	if id := root(e); id != nil && !isPredeclared(id) {
		f.mutated[variable(id)] = true
		f.change(variable(id), on)
	}
}

// alias notes that the variable to may hold the value, or a part of it, of the
// variable from starts with.
func (f *flow) alias(to node, from syntax.Expr) {
	if call, ok := from.(*syntax.CallExpr); ok && len(call.Args) > 0 {
		if id, ok := call.Fn.(*syntax.Ident); ok && copiers[id.Name] {
			from = call.Args[0]
		}
	}
	if id := root(from); id != nil && !isPredeclared(id) {
		f.aliases = append(f.aliases, [2]node{to, variable(id)})
	}
}

// function reads a def or lambda and returns what its value depends on.
func (f *flow) function(resolved any, itself node, params []syntax.Expr, body func()) []node {
	fn, ok := resolved.(*resolve.Function)
	if !ok {
		return nil
	}
	for _, p := range params {
		if b, ok := p.(*syntax.BinaryExpr); ok { // a default is read outside
			on := f.expr(b.Y)
			f.link(fn, on...)
			f.link(parameters([]syntax.Expr{p})[0], on...)
		}
	}
	outside := f.control
	f.control, f.within = []node{itself}, append(f.within, fn)
	body()
	f.within = f.within[:len(f.within)-1]
	f.control = outside
	return []node{fn}
}

func parameters(params []syntax.Expr) (all []node) {
	for _, p := range params {
		switch x := p.(type) {
		case *syntax.BinaryExpr:
			p = x.X
		case *syntax.UnaryExpr:
			p = x.X
		}
		if id, ok := p.(*syntax.Ident); ok {
			all = append(all, variable(id))
		}
	}
	return all
}
