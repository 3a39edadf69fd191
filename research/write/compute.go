package write

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"deepresearch/internal/compute"
	"deepresearch/internal/graph"
	"deepresearch/internal/text"
	"deepresearch/prompts"
	"deepresearch/research"
)

// Sandbox runs programs where they can do no harm. A *compute.Sandbox is one.
type Sandbox interface {
	Run(ctx context.Context, p compute.Program) (compute.Result, error)
}

var programSchema = json.RawMessage(`{"type":"object","properties":{
"inputs":{"type":"array","items":{"type":"object","properties":{
"name":{"type":"string","description":"letters, digits and _"},
"value":{"type":"string","description":"a figure as the passage has it, or JSON"},
"from":{"type":"array","items":{"type":"string"},"description":"names of passages, such as S1.q2"}},"required":["name","value","from"]}},
"code":{"type":"string","description":"the program; empty when figures are missing"},
"missing":{"type":"string","description":"which figures are missing, in a few words; empty when none is"}},
"required":["inputs","code"]}`)

// Bounds of a program. With its guide and the answer the prompt fits a window of
// 8,192 tokens.
const (
	programTokens = 1800 // of passages
	maxInputs     = 40
	maxProgram    = 4000 // characters that go back with an error
	maxFaults     = 6
)

// computes reports whether programs can be run.
func (m *Method) computes() bool { return m.opt.Sandbox != nil }

// Compute lets a model write a program over figures that stand in passages, and
// runs it. A figure that its passage has not, and one that only the program has,
// is refused; so the answers rest on sources and on the program that is shown. It
// is told once what was wrong.
func (m *Method) Compute(ctx context.Context, s research.State, task research.Task) (research.Computation, research.Notes, error) {
	t := &talk{m: m, effort: s.Question.Effort}
	failed := func(why string) (research.Computation, research.Notes, error) {
		t.warn("%s was not computed: %s", task.Title, why)
		return research.Computation{Failed: why}, t.notes, nil
	}
	if !m.computes() {
		return failed("no program can be run here")
	}
	w := &writer{talk: t, state: s, phrases: phrasesOf(s.Analysis.Language)}
	var err error
	if w.evidence, err = w.gather(ctx); err != nil {
		return research.Computation{}, t.notes, err
	}
	p := w.programmer(task)
	if len(p.shown.ids) == 0 && len(p.results) == 0 {
		return failed("nothing was found to compute with")
	}
	for range 2 {
		if left(s)-t.notes.Calls <= landing(s) {
			return failed("the model calls that are left are kept for writing")
		}
		prompt, err := m.opt.Prompts.Program(p.in)
		var said programSaid
		ok, err := t.askFor(ctx, programming, prompt, err, &said)
		if err != nil {
			return research.Computation{}, t.notes, err
		}
		if !ok {
			return failed("no model wrote a program")
		}
		if strings.TrimSpace(said.Code) == "" {
			return failed(cmp.Or(lacking(said.Missing), "the passages lack a figure that is needed"))
		}
		c, faults, err := p.run(ctx, said)
		if err != nil || len(faults) == 0 {
			return c, t.notes, err
		}
		p.in.Code, p.in.Wrong = clip(said.Code, maxProgram), faults
	}
	t.notes.Answers = max(0, t.notes.Answers-2)
	return failed("the program did not work: " + strings.Join(p.in.Wrong, "; "))
}

// lacking says which figures a model found missing, or nothing when it did not
// say so in a form that can be shown.
func lacking(said string) string {
	clean, ok := statement(said, maxGap)
	if !ok || figure.MatchString(clean) {
		return ""
	}
	return "the passages lack " + clean
}

var figure = text.NewPattern(`\d`)

// programSaid is a program as a model writes it.
type programSaid struct {
	Inputs []struct {
		Name, Value string
		From        []string
	}
	Code    string
	Missing string
}

// programmer turns what a model wrote into a program and runs it.
type programmer struct {
	w       *writer
	sandbox Sandbox
	in      prompts.Program
	shown   shown
	results map[string]result // of computations before this one, by name
}

// result is an answer of an earlier computation, which may be an input.
type result struct {
	says  string
	cites []string
}

// programmer chooses what a program may compute with: the passages of the pages
// that the task depends on, those with figures that fit it first, and what was
// computed before.
func (w *writer) programmer(task research.Task) *programmer {
	p := &programmer{w: w, sandbox: w.m.opt.Sandbox, results: map[string]result{}}
	wanted := func(i int) bool { return w.dependsOn(task, w.state.Pages[w.quotes[i].page]) }
	about := slices.DeleteFunc(w.about(text.Terms(task.Title+" "+task.Detail)), func(i int) bool { return !wanted(i) })
	for _, i := range w.all() {
		if wanted(i) && !slices.Contains(about, i) {
			about = append(about, i)
		}
	}
	slices.SortStableFunc(about, func(a, b int) int { return w.figures(b) - w.figures(a) })
	p.shown = w.show(w.state, w.within(about, programTokens), maxLine)
	p.in = prompts.Program{
		Task: w.m.taskOf(w.state), Title: task.Title, Detail: task.Detail, Guide: compute.Guide, Quotes: p.shown.lines,
	}
	for _, c := range w.state.Computed {
		if !slices.Contains(task.DependsOn, c.Task) {
			continue
		}
		for _, v := range c.Result.Values {
			name := "R" + strconv.Itoa(len(p.results)+1)
			says := v.Name + ": " + exactly(v.Value) + " " + v.Unit
			p.results[name] = result{says, c.Program.Cites(v.Uses)}
			p.in.Results = append(p.in.Results, prompts.Named{Name: name, Says: says})
		}
	}
	p.in.Mark = p.shown.mark
	return p
}

// dependsOn reports whether a page was read for what a task rests on, or before
// there were tasks. A task that names none rests on all.
func (w *writer) dependsOn(task research.Task, page research.PageText) bool {
	tasks := w.state.TasksOf(page)
	if len(tasks) == 0 || len(task.DependsOn) == 0 {
		return true
	}
	return slices.ContainsFunc(tasks, func(t research.Task) bool { return slices.Contains(task.DependsOn, t.ID) })
}

// figures is 1 for a quote with a figure, else 0.
func (w *writer) figures(i int) int {
	if len(text.Numbers(w.quotes[i].Text)) > 0 {
		return 1
	}
	return 0
}

// outcome is what running a program came to: a result, or what its author must
// know. It is committed, so that a replay runs nothing.
type outcome struct {
	Result compute.Result
	Fault  string
}

// run checks a program and runs it. faults are for its author.
func (p *programmer) run(ctx context.Context, said programSaid) (research.Computation, []string, error) {
	program, faults := p.program(said)
	if len(faults) > 0 {
		return research.Computation{}, faults[:min(len(faults), maxFaults)], nil
	}
	call := graph.Call{Kind: "compute", Request: program, Optional: true}
	o, err := graph.Once(ctx, call, func(ctx context.Context) (outcome, graph.Usage, error) {
		r, err := p.sandbox.Run(ctx, program)
		if err != nil && ctx.Err() == nil {
			return outcome{Fault: err.Error()}, graph.Usage{}, nil
		}
		r.Seconds, r.Printed = 0, ""
		return outcome{Result: plainNumbers(r)}, graph.Usage{}, err
	})
	switch {
	case errors.Is(err, graph.ErrBudget):
		return research.Computation{}, []string{err.Error()}, nil
	case err != nil:
		return research.Computation{}, nil, err
	case o.Fault != "":
		return research.Computation{}, []string{o.Fault}, nil
	case !answersAnything(o.Result):
		return research.Computation{}, []string{"it answers nothing: call result, table, bar or line, with values that come from inputs"}, nil
	}
	return research.Computation{Program: program, Result: o.Result}, nil, nil
}

// answersAnything reports whether a result has an answer that rests on an input.
func answersAnything(r compute.Result) bool {
	return slices.ContainsFunc(r.Values, func(v compute.Named) bool { return len(v.Uses) > 0 }) ||
		slices.ContainsFunc(r.Tables, func(t compute.Table) bool { return len(t.Uses) > 0 }) ||
		slices.ContainsFunc(r.Charts, func(c compute.Chart) bool { return len(c.Uses) > 0 })
}

// identifier is the form of an input's name.
var identifier = text.NewPattern(`^[A-Za-z_][A-Za-z0-9_]{0,59}$`)

// program is what a model wrote with every figure traced to its passage, and what
// cannot be traced.
func (p *programmer) program(said programSaid) (compute.Program, []string) {
	out := compute.Program{Code: said.Code}
	var faults, known []string
	wrong := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	if len(said.Inputs) > maxInputs {
		wrong("it has %d inputs, the most is %d", len(said.Inputs), maxInputs)
	}
	for _, in := range said.Inputs[:min(len(said.Inputs), maxInputs)] {
		name := clip(in.Name, 60)
		switch {
		case !identifier.MatchString(name):
			wrong("input %q: a name has letters, digits and _ only", name)
			continue
		case slices.ContainsFunc(out.Inputs, func(o compute.Input) bool { return o.Name == name }):
			wrong("input %s is given twice", name)
			continue
		}
		cites, sources, unknown := p.sources(in.From)
		if unknown != "" || len(cites) == 0 {
			wrong("input %s: there is no passage %q", name, clip(unknown, 40))
			continue
		}
		value, err := valueOf(in.Value)
		if err != nil {
			wrong("input %s: %v", name, err)
			continue
		}
		if !figuresFrom(in.Value, sources...) || !stands(value, sources) {
			wrong("input %s: %s does not stand in %s", name, clip(oneLine(in.Value), 60), strings.Join(in.From, ", "))
			continue
		}
		known = append(known, sources...)
		out.Inputs = append(out.Inputs, compute.Input{Name: name, Value: value, Cites: cites})
	}
	for _, f := range foreign(said.Code, append(known, p.in.Title, p.in.Detail, p.in.Question)) {
		wrong("the program holds the figure %s, which no passage of its inputs has: make it an input", f)
	}
	return out, faults
}

// sources are the ids and the texts behind names that a model gave; unknown is a
// name that was not given out.
func (p *programmer) sources(names []string) (cites, texts []string, unknown string) {
	for _, name := range names {
		name = trimName(name)
		if r, ok := p.results[name]; ok {
			cites, texts = append(cites, r.cites...), append(texts, r.says)
			continue
		}
		id, ok := p.shown.aliases.ID(name)
		if !ok {
			return nil, nil, name
		}
		_, q, _ := p.w.ledger.Lookup(id)
		cites, texts = appendNew(cites, id), append(texts, q.Text)
	}
	return cites, texts, ""
}

// valueOf reads the value of an input: JSON, a figure in words, or a date or name.
func valueOf(said string) (any, error) {
	said = strings.TrimSpace(said)
	var v any
	if json.Unmarshal([]byte(said), &v) == nil && v != nil {
		return v, nil
	}
	if strings.HasPrefix(said, "[") || strings.HasPrefix(said, "{") {
		return nil, errors.New("its value is broken JSON")
	}
	if dates := text.Dates(said); len(dates) == 1 && dates[0].Month != 0 {
		return said, nil
	}
	if n := text.Numbers(said); len(n) == 1 && !n[0].Version {
		return n[0].Value, nil
	}
	if said == "" || len(text.Numbers(said)) > 1 {
		return nil, errors.New("its value is no single figure")
	}
	return said, nil
}

// stands reports whether every number in a value is that of a figure of the
// sources.
func stands(v any, sources []string) bool {
	switch v := v.(type) {
	case float64:
		figures := text.Numbers(strings.Join(sources, "\n"))
		return slices.ContainsFunc(figures, func(n text.Number) bool { return n.Same(text.Number{Value: v}) })
	case []any:
		return !slices.ContainsFunc(v, func(one any) bool { return !stands(one, sources) })
	case map[string]any:
		for _, one := range v {
			if !stands(one, sources) {
				return false
			}
		}
	}
	return true
}

var (
	codeComment = text.NewPattern(`(?m)#[^\n"']*$`)
	codeFigure  = text.NewPattern(`(?:^|[^\w.])(\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)`)
)

// constants may stand in a program: of calendars, percentages and scales.
var constants = []float64{24, 30, 52, 60, 100, 360, 365, 365.25, 366, 1000, 3600, 86400, 1e4, 1e5, 1e6, 1e8, 1e9, 1e12}

// smallest figures count things, places and places behind the point.
const smallFigure = 12

// foreign are the figures of a program that neither are plain constants nor stand
// in one of the texts.
func foreign(code string, texts []string) []string {
	var out []string
	whole := strings.Join(texts, "\n")
	for _, m := range codeFigure.FindAllStringSubmatch(codeComment.ReplaceAllString(code, ""), -1) {
		f, err := strconv.ParseFloat(strings.ReplaceAll(m[1], "_", ""), 64)
		if err != nil || f == float64(int(f)) && f <= smallFigure || slices.Contains(constants, f) {
			continue
		}
		if !stands(f, texts) && !strings.Contains(whole, m[1]) {
			out = appendNew(out, m[1])
		}
	}
	return out
}

// plainNumbers writes the numbers of a result as JSON keeps them: one that a
// float64 would change becomes a text.
func plainNumbers(r compute.Result) compute.Result {
	for i := range r.Values {
		r.Values[i].Value = plainNumber(r.Values[i].Value)
	}
	for i := range r.Tables {
		for _, row := range r.Tables[i].Rows {
			for j := range row {
				row[j] = plainNumber(row[j])
			}
		}
	}
	return r
}

func plainNumber(v any) any {
	n, ok := v.(json.Number)
	if !ok {
		return v
	}
	if i, err := n.Int64(); err == nil && int64(float64(i)) == i {
		return float64(i)
	}
	if f, err := n.Float64(); err == nil && strings.ContainsAny(n.String(), ".eE") {
		return f
	}
	return n.String()
}
