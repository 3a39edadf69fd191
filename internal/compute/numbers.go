package compute

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"go.starlark.net/lib/json"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

// function is the Go side of a function that programs call.
type function = func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error)

// builtins names functions as messages will name them.
func builtins(prefix string, functions map[string]function) starlark.StringDict {
	members := make(starlark.StringDict, len(functions))
	for name, f := range functions {
		members[name] = starlark.NewBuiltin(prefix+name, f)
	}
	return members
}

func module(name string, functions map[string]function) *starlarkstruct.Module {
	return &starlarkstruct.Module{Name: name, Members: builtins(name+".", functions)}
}

var jsonModule = json.Module

// real is a number argument: an int or a float, finite.
type real float64

// Unpack is how starlark.UnpackArgs reads one.
func (r *real) Unpack(v starlark.Value) error {
	x, err := number(v)
	*r = real(x)
	return err
}

func number(v starlark.Value) (float64, error) {
	x, ok := starlark.AsFloat(v)
	if !ok {
		return 0, fmt.Errorf("got %s, want a number", short(v))
	}
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return 0, fmt.Errorf("got %v, want a finite number", x)
	}
	return x, nil
}

// numbers reads a list of numbers.
func numbers(what string, v starlark.Value) ([]float64, error) {
	list, ok := v.(starlark.Iterable)
	if !ok {
		return nil, fmt.Errorf("%s: got %s, want a list of numbers", what, short(v))
	}
	var all []float64
	for element := range starlark.Elements(list) {
		x, err := number(element)
		if err != nil {
			return nil, fmt.Errorf("%s: element %d: %w", what, len(all), err)
		}
		all = append(all, x)
	}
	return all, nil
}

// finite is a number to return, or the error that it is none.
func finite(what string, x float64) (starlark.Value, error) {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return nil, fmt.Errorf("%s: the result is not a finite number", what)
	}
	return starlark.Float(x), nil
}

// unary wraps a function of one number.
func unary(f func(float64) float64) function {
	return func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var x real
		if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 1, &x); err != nil {
			return nil, err
		}
		return finite(b.Name(), f(float64(x)))
	}
}

// whole wraps a function whose result is a whole number.
func whole(f func(float64) float64) function {
	return func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var x real
		if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 1, &x); err != nil {
			return nil, err
		}
		return starlark.NumberToInt(starlark.Float(f(float64(x))))
	}
}

func binary(f func(x, y float64) float64) function {
	return func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var x, y real
		if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 2, &x, &y); err != nil {
			return nil, err
		}
		return finite(b.Name(), f(float64(x), float64(y)))
	}
}

var mathModule = func() *starlarkstruct.Module {
	m := module("math", map[string]function{
		"ceil": whole(math.Ceil), "floor": whole(math.Floor),
		"sqrt": unary(math.Sqrt), "exp": unary(math.Exp), "log10": unary(math.Log10), "log2": unary(math.Log2),
		"sin": unary(math.Sin), "cos": unary(math.Cos), "tan": unary(math.Tan),
		"asin": unary(math.Asin), "acos": unary(math.Acos), "atan": unary(math.Atan),
		"pow": binary(math.Pow), "atan2": binary(math.Atan2), "hypot": binary(math.Hypot),
		"log": logarithm,
	})
	m.Members["pi"] = starlark.Float(math.Pi)
	m.Members["e"] = starlark.Float(math.E)
	return m
}()

// logarithm is math.log(x, base=e).
func logarithm(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	x, base := real(0), real(math.E)
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "x", &x, "base?", &base); err != nil {
		return nil, err
	}
	if base == math.E {
		return finite(b.Name(), math.Log(float64(x)))
	}
	return finite(b.Name(), math.Log(float64(x))/math.Log(float64(base)))
}

// numberFunctions are what Python has and Starlark lacks.
var numberFunctions = builtins("", map[string]function{"sum": sum, "round": round, "fixed": fixed})

// sum is sum(list): whole as long as its elements are.
func sum(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var list starlark.Iterable
	if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 1, &list); err != nil {
		return nil, err
	}
	total := starlark.MakeInt(0)
	for element := range starlark.Elements(list) {
		i, ok := element.(starlark.Int)
		if !ok {
			all, err := numbers(b.Name(), list)
			if err != nil {
				return nil, err
			}
			return finite(b.Name(), total64(all))
		}
		total = total.Add(i)
	}
	return total, nil
}

// total64 adds with Neumaier's compensation, so that the order of large and
// small terms hardly matters (ZAMM 54, 1974).
func total64(all []float64) float64 {
	var total, lost float64
	for _, x := range all {
		next := total + x
		if math.Abs(total) >= math.Abs(x) {
			lost += (total - next) + x
		} else {
			lost += (x - next) + total
		}
		total = next
	}
	return total + lost
}

// round is round(x, digits=0): to the nearest decimal, ties to even as in
// Python. Without digits it gives a whole number.
func round(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var x real
	var digits starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "x", &x, "digits?", &digits); err != nil {
		return nil, err
	}
	if digits == nil || digits == starlark.None {
		return starlark.NumberToInt(starlark.Float(math.RoundToEven(float64(x))))
	}
	n, err := digitsOf(b.Name(), digits)
	if err != nil {
		return nil, err
	}
	if n < 0 {
		unit := math.Pow10(-n)
		return starlark.Float(math.RoundToEven(float64(x)/unit) * unit), nil
	}
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(float64(x), 'f', n, 64), 64)
	if err != nil {
		return nil, err
	}
	return starlark.Float(rounded), nil
}

// fixed is fixed(x, digits=2): a number as text with that many decimals.
func fixed(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var x real
	var digits starlark.Value = starlark.MakeInt(2)
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "x", &x, "digits?", &digits); err != nil {
		return nil, err
	}
	n, err := digitsOf(b.Name(), digits)
	if err != nil {
		return nil, err
	}
	return starlark.String(strconv.FormatFloat(float64(x), 'f', max(n, 0), 64)), nil
}

func digitsOf(what string, v starlark.Value) (int, error) {
	n, err := starlark.AsInt32(v)
	if err != nil || n < -15 || n > 15 {
		return 0, fmt.Errorf("%s: digits is %s, want a whole number from -15 to 15", what, short(v))
	}
	return n, nil
}

func sorted(all []float64) []float64 {
	all = slices.Clone(all)
	slices.Sort(all)
	return all
}
