package compute

import (
	"fmt"
	"slices"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Rows are lists of dicts. Every function returns new ones and leaves those it
// was given as they are.
var rowsModule = module("rows", map[string]function{
	"make":   rowsMake,
	"column": rowsColumn,
	"select": rowsSelect,
	"sort":   rowsSort,
	"group":  rowsGroup,
	"join":   rowsJoin,
	"pivot":  rowsPivot,
})

// mostMade is how many rows a join may make.
const mostMade = 100_000

// record is one row as an argument.
type record = *starlark.Dict

// records is a list of rows as an argument.
type records []record

// Unpack is how starlark.UnpackArgs reads one.
func (r *records) Unpack(v starlark.Value) error {
	list, ok := v.(starlark.Iterable)
	if !ok {
		return fmt.Errorf("got %s, want a list of dicts", short(v))
	}
	for element := range starlark.Elements(list) {
		row, ok := element.(record)
		if !ok {
			return fmt.Errorf("row %d is %s, want a dict", len(*r), short(element))
		}
		*r = append(*r, row)
	}
	return nil
}

// columnNames is one name or a list of them as an argument.
type columnNames []string

// Unpack is how starlark.UnpackArgs reads one.
func (c *columnNames) Unpack(v starlark.Value) error {
	if s, ok := starlark.AsString(v); ok {
		*c = columnNames{s}
		return nil
	}
	list, ok := v.(starlark.Iterable)
	if !ok {
		return fmt.Errorf("got %s, want the name of a column or a list of names", short(v))
	}
	for element := range starlark.Elements(list) {
		s, ok := starlark.AsString(element)
		if !ok {
			return fmt.Errorf("%s is no name of a column", short(element))
		}
		*c = append(*c, s)
	}
	if len(*c) == 0 || len(*c) > mostColumns {
		return fmt.Errorf("got %d columns, want 1 to %d", len(*c), mostColumns)
	}
	return nil
}

// list is rows as a program gets them, which cost it a step each.
func (r records) list(thread *starlark.Thread) *starlark.List {
	thread.Steps += uint64(len(r))
	all := make([]starlark.Value, len(r))
	for i, row := range r {
		all[i] = row
	}
	return starlark.NewList(all)
}

// field is a cell that has to be there.
func field(row record, column string) (starlark.Value, error) {
	v, found, err := row.Get(starlark.String(column))
	if err == nil && !found {
		var have []string
		for _, key := range row.Keys() {
			have = append(have, short(key))
		}
		err = fmt.Errorf("a row has no column %q: it has %v", column, have)
	}
	return v, err
}

// key is the cells of some columns, to compare rows by.
func key(row record, columns columnNames) (starlark.Tuple, error) {
	cells := make(starlark.Tuple, len(columns))
	for i, column := range columns {
		var err error
		if cells[i], err = field(row, column); err != nil {
			return nil, err
		}
	}
	return cells, nil
}

func copied(row record) record {
	fresh := starlark.NewDict(row.Len())
	for _, pair := range row.Items() {
		set(fresh, pair[0], pair[1])
	}
	return fresh
}

// set is for a fresh dict and a key that was hashed before: neither fails.
func set(row record, key, value starlark.Value) {
	if err := row.SetKey(key, value); err != nil {
		panic(err)
	}
}

// rowsMake is rows.make(columns, lists).
func rowsMake(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var columns columnNames
	var lists starlark.Iterable
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "columns", &columns, "lists", &lists); err != nil {
		return nil, err
	}
	var made records
	for element := range starlark.Elements(lists) {
		cells, ok := element.(starlark.Sequence)
		if !ok || cells.Len() != len(columns) {
			return nil, fmt.Errorf("%s: row %d is no list of %d cells", b.Name(), len(made), len(columns))
		}
		row, i := starlark.NewDict(len(columns)), 0
		for value := range starlark.Elements(cells) {
			set(row, starlark.String(columns[i]), value)
			i++
		}
		made = append(made, row)
	}
	return made.list(thread), nil
}

// rowsColumn is rows.column(rows, name).
func rowsColumn(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var rows records
	var name string
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "rows", &rows, "name", &name); err != nil {
		return nil, err
	}
	thread.Steps += uint64(len(rows))
	values := make([]starlark.Value, len(rows))
	for i, row := range rows {
		var err error
		if values[i], err = field(row, name); err != nil {
			return nil, fmt.Errorf("%s: %w", b.Name(), err)
		}
	}
	return starlark.NewList(values), nil
}

// rowsSelect is rows.select(rows, columns=None, where=None).
func rowsSelect(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var rows, kept records
	var columns columnNames
	var where starlark.Callable
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "rows", &rows, "columns??", &columns, "where??", &where); err != nil {
		return nil, err
	}
	for _, row := range rows {
		if where != nil {
			keep, err := starlark.Call(thread, where, starlark.Tuple{row}, nil)
			if err != nil {
				return nil, err
			}
			if !keep.Truth() {
				continue
			}
		}
		if columns == nil {
			kept = append(kept, copied(row))
			continue
		}
		fresh := starlark.NewDict(len(columns))
		for _, column := range columns {
			value, err := field(row, column)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", b.Name(), err)
			}
			set(fresh, starlark.String(column), value)
		}
		kept = append(kept, fresh)
	}
	return kept.list(thread), nil
}

// rowsSort is rows.sort(rows, by, descending=False); by is columns or a
// function of a row. It is stable, and None comes last either way.
func rowsSort(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var rows records
	var by starlark.Value
	var descending bool
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "rows", &rows, "by", &by, "descending?", &descending); err != nil {
		return nil, err
	}
	type keyed struct {
		row  record
		keys starlark.Tuple
	}
	all := make([]keyed, len(rows))
	for i, row := range rows {
		keys, err := sortKeys(thread, row, by)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", b.Name(), err)
		}
		all[i] = keyed{row, keys}
	}
	var failed error
	slices.SortStableFunc(all, func(x, y keyed) int {
		order, err := compareKeys(x.keys, y.keys, descending)
		if failed == nil {
			failed = err
		}
		return order
	})
	if failed != nil {
		return nil, fmt.Errorf("%s: %w", b.Name(), failed)
	}
	for i := range all {
		rows[i] = copied(all[i].row)
	}
	return rows.list(thread), nil
}

func sortKeys(thread *starlark.Thread, row record, by starlark.Value) (starlark.Tuple, error) {
	if f, ok := by.(starlark.Callable); ok {
		v, err := starlark.Call(thread, f, starlark.Tuple{row}, nil)
		return starlark.Tuple{v}, err
	}
	var columns columnNames
	if err := columns.Unpack(by); err != nil {
		return nil, err
	}
	return key(row, columns)
}

func compareKeys(xs, ys starlark.Tuple, descending bool) (int, error) {
	for i := range xs {
		x, y := xs[i], ys[i]
		if x == starlark.None || y == starlark.None {
			if x == y {
				continue
			}
			if x == starlark.None {
				return 1, nil
			}
			return -1, nil
		}
		less, err := starlark.Compare(syntax.LT, x, y)
		if err != nil {
			return 0, err
		}
		more, err := starlark.Compare(syntax.GT, x, y)
		if err != nil {
			return 0, err
		}
		if less != more {
			if less != descending {
				return -1, nil
			}
			return 1, nil
		}
	}
	return 0, nil
}

// rowsJoin is rows.join(left, right, on, how="inner"). A column of both that is
// not in on keeps the left one's value.
func rowsJoin(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var left, right, joined records
	var on columnNames
	how := "inner"
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "left", &left, "right", &right, "on", &on, "how?", &how); err != nil {
		return nil, err
	}
	if how != "inner" && how != "left" {
		return nil, fmt.Errorf("%s: how is %q, want inner or left", b.Name(), firstRunes(how, 40))
	}
	partners, err := partition(right, on)
	if err != nil {
		return nil, fmt.Errorf("%s: right: %w", b.Name(), err)
	}
	for _, row := range left {
		k, err := key(row, on)
		if err != nil {
			return nil, fmt.Errorf("%s: left: %w", b.Name(), err)
		}
		matches, err := partners.get(k)
		if err != nil {
			return nil, fmt.Errorf("%s: left: %w", b.Name(), err)
		}
		if len(joined)+len(matches) > mostMade {
			return nil, fmt.Errorf("%s: it would make more than %d rows", b.Name(), mostMade)
		}
		if len(matches) == 0 && how == "left" {
			joined = append(joined, copied(row))
		}
		for _, match := range matches {
			both := copied(match)
			for _, pair := range row.Items() {
				set(both, pair[0], pair[1])
			}
			joined = append(joined, both)
		}
	}
	return joined.list(thread), nil
}
