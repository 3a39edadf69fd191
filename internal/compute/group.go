package compute

import (
	"fmt"

	"go.starlark.net/starlark"
)

// groups are rows by their key, in the order in which keys first came.
type groups struct {
	index *starlark.Dict // from key to position in rows
	keys  []starlark.Tuple
	rows  []records
}

func partition(rows records, by columnNames) (*groups, error) {
	g := &groups{index: starlark.NewDict(0)}
	for _, row := range rows {
		k, err := key(row, by)
		if err != nil {
			return nil, err
		}
		at, err := g.position(k)
		if err != nil {
			return nil, err
		}
		if at < 0 {
			at = len(g.keys)
			g.keys, g.rows = append(g.keys, k), append(g.rows, nil)
			set(g.index, k, starlark.MakeInt(at))
		}
		g.rows[at] = append(g.rows[at], row)
	}
	return g, nil
}

// position is where the rows with key k are, or -1.
func (g *groups) position(k starlark.Tuple) (int, error) {
	v, found, err := g.index.Get(k)
	if err != nil || !found {
		return -1, err
	}
	return starlark.AsInt32(v)
}

func (g *groups) get(k starlark.Tuple) (records, error) {
	at, err := g.position(k)
	if err != nil || at < 0 {
		return nil, err
	}
	return g.rows[at], nil
}

// aggregates reduce the cells of a column to one. Those of numbers leave None
// out and give None for nothing.
var aggregates = map[string]func([]float64) float64{
	"sum":    total64,
	"mean":   mean,
	"median": func(all []float64) float64 { return quantile(all, 0.5) },
	"min":    func(all []float64) float64 { return sorted(all)[0] },
	"max":    func(all []float64) float64 { return sorted(all)[len(all)-1] },
}

const aggregateNames = "sum, mean, median, min, max, count, first or last"

// aggregate reduces one column of some rows.
func aggregate(rows records, column, how string) (starlark.Value, error) {
	var present []starlark.Value
	for _, row := range rows {
		v, err := field(row, column)
		if err != nil {
			return nil, err
		}
		if v != starlark.None {
			present = append(present, v)
		}
	}
	reduce, ofNumbers := aggregates[how]
	switch {
	case how == "count":
		return starlark.MakeInt(len(present)), nil
	case !ofNumbers && how != "first" && how != "last":
		return nil, fmt.Errorf("there is no aggregate %q: use %s", firstRunes(how, 40), aggregateNames)
	case len(present) == 0:
		return starlark.None, nil
	case how == "first":
		return present[0], nil
	case how == "last":
		return present[len(present)-1], nil
	}
	values, err := numbers(fmt.Sprintf("column %q", column), starlark.NewList(present))
	if err != nil {
		return nil, err
	}
	return finite(how, reduce(values))
}

// rowsGroup is rows.group(rows, by, name=(column, how), ...).
func rowsGroup(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var rows, grouped records
	var by columnNames
	own, made := splitNamed(kwargs, "rows", "by")
	if err := starlark.UnpackArgs(b.Name(), args, own, "rows", &rows, "by", &by); err != nil {
		return nil, err
	}
	g, err := partition(rows, by)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.Name(), err)
	}
	for i, k := range g.keys {
		row := starlark.NewDict(len(by) + len(made))
		for j, column := range by {
			set(row, starlark.String(column), k[j])
		}
		for _, pair := range made {
			value, err := asked(g.rows[i], pair[1])
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", b.Name(), short(pair[0]), err)
			}
			set(row, pair[0], value)
		}
		grouped = append(grouped, row)
	}
	thread.Steps += uint64(len(rows) * max(len(made), 1))
	return grouped.list(thread), nil
}

// splitNamed separates a function's own named arguments from others.
func splitNamed(kwargs []starlark.Tuple, own ...string) (theirs, others []starlark.Tuple) {
	for _, pair := range kwargs {
		name, _ := starlark.AsString(pair[0])
		mine := false
		for _, o := range own {
			mine = mine || o == name
		}
		if mine {
			theirs = append(theirs, pair)
		} else {
			others = append(others, pair)
		}
	}
	return theirs, others
}

// asked computes what one (column, how) asks of some rows.
func asked(rows records, what starlark.Value) (starlark.Value, error) {
	column, how := "", ""
	if pair, ok := what.(starlark.Indexable); ok && pair.Len() == 2 {
		column, _ = starlark.AsString(pair.Index(0))
		how, _ = starlark.AsString(pair.Index(1))
	}
	if how == "" {
		return nil, fmt.Errorf("got %s, want (column, how) with how one of %s", short(what), aggregateNames)
	}
	return aggregate(rows, column, how)
}

// rowsPivot is rows.pivot(rows, index, columns, values, how="sum"): one row
// for each index, one column for each value found in columns.
func rowsPivot(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var rows, pivoted records
	var index, columns, values string
	how := "sum"
	if err := starlark.UnpackArgs(b.Name(), args, kwargs,
		"rows", &rows, "index", &index, "columns", &columns, "values", &values, "how?", &how); err != nil {
		return nil, err
	}
	lines, err := partition(rows, columnNames{index})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.Name(), err)
	}
	across, err := partition(rows, columnNames{columns})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.Name(), err)
	}
	if len(across.keys) > mostColumns {
		return nil, fmt.Errorf("%s: column %q has %d different values, at most %d can become columns", b.Name(), columns, len(across.keys), mostColumns)
	}
	for i, line := range lines.keys {
		row := starlark.NewDict(1 + len(across.keys))
		set(row, starlark.String(index), line[0])
		cells, err := partition(lines.rows[i], columnNames{columns})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", b.Name(), err)
		}
		for _, k := range across.keys {
			name, err := text(k[0])
			if err != nil {
				return nil, fmt.Errorf("%s: column %q: %w", b.Name(), columns, err)
			}
			found, err := cells.get(k)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", b.Name(), err)
			}
			var value starlark.Value = starlark.None
			if len(found) > 0 {
				if value, err = aggregate(found, values, how); err != nil {
					return nil, fmt.Errorf("%s: %w", b.Name(), err)
				}
			}
			set(row, starlark.String(name), value)
		}
		pivoted = append(pivoted, row)
	}
	thread.Steps += uint64(len(rows))
	return pivoted.list(thread), nil
}
