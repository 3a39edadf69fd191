package compute

import "go.starlark.net/syntax"

// expr reads an expression: it links what its calls change and returns what
// its value depends on.
func (f *flow) expr(e syntax.Expr) []node {
	switch e := e.(type) {
	case *syntax.Ident:
		switch {
		case isInputs(e):
			return f.read(anyInput)
		case isPredeclared(e):
			return nil
		}
		f.escapes(e)
		return f.read(variable(e))
	case *syntax.IndexExpr:
		if name, ok := literal(e.Y); ok && isInputs(e.X) {
			return f.read(inputNode(name))
		}
		return f.all(e.X, e.Y)
	case *syntax.CallExpr:
		return f.call(e)
	case *syntax.LambdaExpr:
		for _, p := range parameters(e.Params) {
			f.link(p, anyArgs)
		}
		f.link(e, anyArgs)
		return f.function(e.Function, e, e.Params, func() { f.expr(e.Body) })
	case *syntax.Comprehension:
		return f.comprehension(e)
	case *syntax.DotExpr:
		return f.expr(e.X)
	case *syntax.ParenExpr:
		return f.expr(e.X)
	case *syntax.UnaryExpr:
		return f.all(e.X)
	case *syntax.BinaryExpr:
		return f.all(e.X, e.Y)
	case *syntax.CondExpr:
		return f.all(e.Cond, e.True, e.False)
	case *syntax.SliceExpr:
		return f.all(e.X, e.Lo, e.Hi, e.Step)
	case *syntax.ListExpr:
		return f.all(e.List...)
	case *syntax.TupleExpr:
		return f.all(e.List...)
	case *syntax.DictExpr:
		return f.all(e.List...)
	case *syntax.DictEntry:
		return f.all(e.Key, e.Value)
	}
	return nil // a literal
}

func (f *flow) all(list ...syntax.Expr) (on []node) {
	for _, e := range list {
		if e != nil {
			on = append(on, f.expr(e)...)
		}
	}
	return on
}

// literal is the text of a string literal.
func literal(e syntax.Expr) (string, bool) {
	if l, ok := e.(*syntax.Literal); ok {
		s, ok := l.Value.(string)
		return s, ok
	}
	return "", false
}

// escapes is for a function that is used as a value: whoever calls it may give
// it anything that such calls give.
func (f *flow) escapes(id *syntax.Ident) {
	if def := f.defs[variable(id)]; def != nil {
		f.enter(def, []node{anyArgs})
	}
}

// enter makes the parameters of a function, and what it does, depend on a call.
func (f *flow) enter(def *syntax.DefStmt, on []node) {
	for _, p := range parameters(def.Params) {
		f.change(p, on)
	}
	f.change(def, nil)
}

func (f *flow) comprehension(c *syntax.Comprehension) (on []node) {
	for _, clause := range c.Clauses {
		switch clause := clause.(type) {
		case *syntax.ForClause:
			over := f.expr(clause.X)
			f.assign(clause.Vars, clause.X, over)
			on = append(on, over...)
		case *syntax.IfClause:
			on = append(on, f.expr(clause.Cond)...)
		}
	}
	f.link(c, on...)
	f.under(c, func() { on = append(on, f.expr(c.Body)...) })
	return on
}

// call reads a call: of a method, of a function of the program, or of a value.
func (f *flow) call(c *syntax.CallExpr) []node {
	if dot, ok := c.Fn.(*syntax.DotExpr); ok && isInputs(dot.X) {
		return f.inputsMethod(dot.Name.Name, c.Args)
	}
	args := f.arguments(c.Args)
	callee, named := c.Fn.(*syntax.Ident)
	dot, isMethod := c.Fn.(*syntax.DotExpr)
	on := args
	switch {
	case named && f.defs[variable(callee)] != nil:
		on = append(on, f.read(variable(callee))...)
		f.enter(f.defs[variable(callee)], args)
		f.mayChange(c.Args, on)
	case isMethod:
		on = append(on, f.expr(dot.X)...)
		if mutators[dot.Name.Name] {
			f.mutate(dot.X, on)
		}
		f.change(anyArgs, on) // for functions among the arguments
	case named && isPredeclared(callee):
		f.change(anyArgs, on)
	default:
		on = append(on, f.expr(c.Fn)...)
		f.change(anyArgs, on)
		f.mayChange(c.Args, on)
	}
	f.change(callNode{c.Lparen.Line, c.Lparen.Col}, on)
	return on
}

// arguments reads them; of name=value the name is no variable.
func (f *flow) arguments(args []syntax.Expr) (on []node) {
	for _, a := range args {
		if b, ok := a.(*syntax.BinaryExpr); ok && b.Op == syntax.EQ {
			a = b.Y
		}
		on = append(on, f.expr(a)...)
	}
	return on
}

// mayChange is for functions of the program: they may change what they get.
func (f *flow) mayChange(args []syntax.Expr, on []node) {
	for _, a := range args {
		if id := root(a); id != nil && !isPredeclared(id) {
			f.change(variable(id), on)
		}
	}
}

func (f *flow) inputsMethod(method string, args []syntax.Expr) []node {
	on := f.arguments(args)
	if name, ok := literal(firstOf(args)); ok && method == "get" {
		return append(on, f.read(inputNode(name))...)
	}
	return append(on, f.read(anyInput)...)
}

func firstOf(args []syntax.Expr) syntax.Expr {
	if len(args) == 0 {
		return nil
	}
	return args[0]
}
