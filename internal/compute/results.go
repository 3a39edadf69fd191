package compute

import (
	"errors"
	"fmt"
	"slices"

	"go.starlark.net/starlark"
)

// How much one program may answer.
const (
	mostValues  = 100
	mostTables  = 20
	mostCharts  = 20
	mostRows    = 2000
	mostColumns = 50
	mostPoints  = 500
	mostSeries  = 12
)

// collector takes what a program answers.
type collector struct {
	inputs *inputs
	flow   *flow
	result Result
}

func (c *collector) functions() starlark.StringDict {
	return builtins("", map[string]function{
		"result": c.answer,
		"table":  c.table,
		"bar":    c.chart,
		"line":   c.chart,
	})
}

// answer is result(name, value, unit="", uses=None).
func (c *collector) answer(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var (
		n     Named
		value starlark.Value
		uses  starlark.Value
		err   error
	)
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "name", &n.Name, "value", &value, "unit?", &n.Unit, "uses?", &uses); err != nil {
		return nil, err
	}
	if err := c.fits("result", n.Name, len(c.result.Values), mostValues); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(c.result.Values, func(other Named) bool { return other.Name == n.Name }) {
		return nil, fmt.Errorf("result %q is given twice: each needs its own name", n.Name)
	}
	if n.Value, err = toJSON(value); err != nil {
		return nil, fmt.Errorf("result %q: %w", n.Name, err)
	}
	if n.Uses, err = c.uses(thread, uses); err != nil {
		return nil, fmt.Errorf("result %q: %w", n.Name, err)
	}
	c.result.Values = append(c.result.Values, n)
	return starlark.None, nil
}

// table is table(name, columns, rows, uses=None); rows are dicts or lists.
func (c *collector) table(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var (
		t       Table
		columns starlark.Iterable
		rows    starlark.Iterable
		uses    starlark.Value
		err     error
	)
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "name", &t.Name, "columns", &columns, "rows", &rows, "uses?", &uses); err != nil {
		return nil, err
	}
	if err := c.fits("table", t.Name, len(c.result.Tables), mostTables); err != nil {
		return nil, err
	}
	if err := fillTable(&t, columns, rows); err != nil {
		return nil, fmt.Errorf("table %q: %w", t.Name, err)
	}
	if t.Uses, err = c.uses(thread, uses); err != nil {
		return nil, fmt.Errorf("table %q: %w", t.Name, err)
	}
	c.result.Tables = append(c.result.Tables, t)
	return starlark.None, nil
}

func fillTable(t *Table, columns, rows starlark.Iterable) error {
	var err error
	if t.Columns, err = texts("columns", columns, mostColumns); err != nil {
		return err
	}
	t.Rows = [][]any{}
	for row := range starlark.Elements(rows) {
		if len(t.Rows) == mostRows {
			return fmt.Errorf("at most %d rows are allowed: aggregate, or take the first", mostRows)
		}
		cells, err := cellsOf(row, t.Columns)
		if err != nil {
			return fmt.Errorf("row %d: %w", len(t.Rows)+1, err)
		}
		t.Rows = append(t.Rows, cells)
	}
	return nil
}

// cellsOf orders a row by columns. A dict may lack some; a list has each.
func cellsOf(row starlark.Value, columns []string) ([]any, error) {
	cells := make([]any, len(columns))
	switch row := row.(type) {
	case *starlark.Dict:
		for i, column := range columns {
			value, found, err := row.Get(starlark.String(column))
			if err != nil {
				return nil, err
			}
			if found {
				if cells[i], err = cell(value, column); err != nil {
					return nil, err
				}
			}
		}
		return cells, nil
	case starlark.Sequence:
		if row.Len() != len(columns) {
			return nil, fmt.Errorf("it has %d cells, the table has %d columns", row.Len(), len(columns))
		}
		i := 0
		for value := range starlark.Elements(row) {
			var err error
			if cells[i], err = cell(value, columns[i]); err != nil {
				return nil, err
			}
			i++
		}
		return cells, nil
	}
	return nil, fmt.Errorf("it is %s, want a dict or a list", short(row))
}

func cell(v starlark.Value, column string) (any, error) {
	switch v.(type) {
	case starlark.NoneType, starlark.Bool, starlark.Int, starlark.Float, starlark.String:
	default:
		return nil, fmt.Errorf("column %q: a %s does not fit into a cell", column, v.Type())
	}
	value, err := toJSON(v)
	if err != nil {
		return nil, fmt.Errorf("column %q: %w", column, err)
	}
	return value, nil
}

// chart is bar(title, labels, series, unit="", uses=None) and line(...).
// Series is a list of numbers or a dict from name to such lists.
func (c *collector) chart(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var (
		drawn  = Chart{Kind: b.Name()}
		labels starlark.Iterable
		series starlark.Iterable
		uses   starlark.Value
		err    error
	)
	if err := starlark.UnpackArgs(b.Name(), args, kwargs,
		"title", &drawn.Title, "labels", &labels, "series", &series, "unit?", &drawn.Unit, "uses?", &uses); err != nil {
		return nil, err
	}
	if err := c.fits(b.Name(), drawn.Title, len(c.result.Charts), mostCharts); err != nil {
		return nil, err
	}
	if err := fillChart(&drawn, labels, series); err != nil {
		return nil, fmt.Errorf("%s %q: %w", b.Name(), drawn.Title, err)
	}
	if drawn.Uses, err = c.uses(thread, uses); err != nil {
		return nil, fmt.Errorf("%s %q: %w", b.Name(), drawn.Title, err)
	}
	c.result.Charts = append(c.result.Charts, drawn)
	return starlark.None, nil
}

func fillChart(drawn *Chart, labels, series starlark.Iterable) error {
	var err error
	if drawn.Labels, err = texts("labels", labels, mostPoints); err != nil {
		return err
	}
	named, isDict := series.(*starlark.Dict)
	if !isDict {
		named = starlark.NewDict(1)
		if err := named.SetKey(starlark.String(drawn.Title), series); err != nil {
			return err
		}
	}
	if named.Len() == 0 || named.Len() > mostSeries {
		return fmt.Errorf("it has %d series, want 1 to %d", named.Len(), mostSeries)
	}
	for _, pair := range named.Items() {
		name, err := text(pair[0])
		if err != nil {
			return fmt.Errorf("the name of a series: %w", err)
		}
		values, err := numbers(fmt.Sprintf("series %q", name), pair[1])
		if err != nil {
			return err
		}
		if len(values) != len(drawn.Labels) {
			return fmt.Errorf("series %q has %d values for %d labels", name, len(values), len(drawn.Labels))
		}
		drawn.Series = append(drawn.Series, Series{Name: name, Values: values})
	}
	return nil
}

// fits refuses an answer without a short name or one too many.
func (c *collector) fits(what, name string, have, most int) error {
	if name == "" || len(name) > 300 {
		return fmt.Errorf("%s: its name has %d bytes, want 1 to 300", what, len(name))
	}
	if have >= most {
		return fmt.Errorf("%s: at most %d are allowed", what, most)
	}
	return nil
}

// uses are the inputs that the program stated or, if it did not, those that
// the call can depend on and that were read by now.
func (c *collector) uses(thread *starlark.Thread, stated starlark.Value) ([]string, error) {
	if stated == nil || stated == starlark.None {
		depends := c.flow.inputsOf(thread.CallFrame(1).Pos)
		return c.inputs.order(func(name string) bool { return c.inputs.read[name] && depends(name) }), nil
	}
	list, ok := stated.(starlark.Iterable)
	if !ok {
		return nil, errors.New("uses is a list of the names of inputs")
	}
	names, err := texts("uses", list, mostPoints)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if _, found, err := c.inputs.dict.Get(starlark.String(name)); err != nil || !found {
			return nil, fmt.Errorf("uses: there is no input %q: the inputs are %s", name, c.inputs.names())
		}
	}
	return c.inputs.order(func(name string) bool { return slices.Contains(names, name) }), nil
}

// texts reads labels: texts, or numbers as they are printed.
func texts(what string, list starlark.Iterable, most int) ([]string, error) {
	all := []string{}
	for v := range starlark.Elements(list) {
		if len(all) == most {
			return nil, fmt.Errorf("%s: at most %d are allowed", what, most)
		}
		s, err := text(v)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", what, err)
		}
		all = append(all, s)
	}
	return all, nil
}

func text(v starlark.Value) (string, error) {
	switch v := v.(type) {
	case starlark.String:
		if len(v) > 300 {
			return "", fmt.Errorf("a text of %d bytes is too long here, at most 300 are allowed", len(v))
		}
		return string(v), nil
	case starlark.Int, starlark.Float, starlark.Bool:
		return short(v), nil
	}
	return "", fmt.Errorf("%s is no text", short(v))
}
