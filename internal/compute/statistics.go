package compute

import (
	"errors"
	"fmt"
	"math"

	"go.starlark.net/starlark"
)

var statisticsModule = module("statistics", map[string]function{
	"mean":        ofList(1, mean),
	"median":      ofList(1, func(all []float64) float64 { return quantile(all, 0.5) }),
	"variance":    ofList(2, variance),
	"stdev":       ofList(2, func(all []float64) float64 { return math.Sqrt(variance(all)) }),
	"quantile":    quantileOf,
	"correlation": correlationOf,
	"linear":      linearOf,
	"growth":      growthOf,
	"cagr":        cagrOf,
})

// ofList wraps a function of a list with at least so many numbers.
func ofList(least int, f func([]float64) float64) function {
	return func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var list starlark.Value
		if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 1, &list); err != nil {
			return nil, err
		}
		all, err := atLeast(b.Name(), list, least)
		if err != nil {
			return nil, err
		}
		return finite(b.Name(), f(all))
	}
}

func atLeast(what string, list starlark.Value, least int) ([]float64, error) {
	all, err := numbers(what, list)
	if err == nil && len(all) < least {
		err = fmt.Errorf("%s: got %d numbers, want at least %d", what, len(all), least)
	}
	return all, err
}

func mean(all []float64) float64 { return total64(all) / float64(len(all)) }

// variance is of a sample: divided by n-1.
func variance(all []float64) float64 { return products(all, all) / float64(len(all)-1) }

// products is the sum of products of the deviations from the means.
func products(xs, ys []float64) float64 {
	mx, my := mean(xs), mean(ys)
	terms := make([]float64, len(xs))
	for i := range xs {
		terms[i] = (xs[i] - mx) * (ys[i] - my)
	}
	return total64(terms)
}

// quantile interpolates linearly between order statistics: type 7 of Hyndman
// and Fan (The American Statistician 50, 1996), the default of R and NumPy.
func quantile(all []float64, q float64) float64 {
	all = sorted(all)
	at := q * float64(len(all)-1)
	low := int(at)
	high := min(low+1, len(all)-1)
	return all[low] + (at-float64(low))*(all[high]-all[low])
}

// quantileOf is statistics.quantile(list, q) with q from 0 to 1.
func quantileOf(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var list starlark.Value
	var q real
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "list", &list, "q", &q); err != nil {
		return nil, err
	}
	if q < 0 || q > 1 {
		return nil, fmt.Errorf("%s: q is %v, want 0 to 1", b.Name(), q)
	}
	all, err := atLeast(b.Name(), list, 1)
	if err != nil {
		return nil, err
	}
	return finite(b.Name(), quantile(all, float64(q)))
}

// pair reads two lists of one length.
func pair(b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (xs, ys []float64, err error) {
	var first, second starlark.Value
	if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 2, &first, &second); err != nil {
		return nil, nil, err
	}
	if xs, err = atLeast(b.Name(), first, 2); err != nil {
		return nil, nil, err
	}
	if ys, err = atLeast(b.Name(), second, 2); err != nil {
		return nil, nil, err
	}
	if len(xs) != len(ys) {
		return nil, nil, fmt.Errorf("%s: the lists have %d and %d numbers", b.Name(), len(xs), len(ys))
	}
	return xs, ys, nil
}

// correlationOf is Pearson's coefficient.
func correlationOf(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	xs, ys, err := pair(b, args, kwargs)
	if err != nil {
		return nil, err
	}
	spread := math.Sqrt(products(xs, xs)) * math.Sqrt(products(ys, ys))
	if spread == 0 {
		return nil, fmt.Errorf("%s: one list is constant", b.Name())
	}
	return finite(b.Name(), products(xs, ys)/spread)
}

// linearOf fits y = slope*x + intercept by least squares.
func linearOf(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	xs, ys, err := pair(b, args, kwargs)
	if err != nil {
		return nil, err
	}
	xx, xy, yy := products(xs, xs), products(xs, ys), products(ys, ys)
	if xx == 0 {
		return nil, fmt.Errorf("%s: all x are the same", b.Name())
	}
	slope := xy / xx
	r2 := 1.0 // a constant is met exactly
	if yy != 0 {
		r2 = xy / xx * xy / yy
	}
	fit := starlark.NewDict(4)
	for _, f := range []struct {
		name  string
		value float64
	}{{"slope", slope}, {"intercept", mean(ys) - slope*mean(xs)}, {"r2", r2}} {
		value, err := finite(b.Name(), f.value)
		if err != nil {
			return nil, err
		}
		if err := fit.SetKey(starlark.String(f.name), value); err != nil {
			return nil, err
		}
	}
	return fit, fit.SetKey(starlark.String("n"), starlark.MakeInt(len(xs)))
}

// growthOf is the relative change from each number to the next.
func growthOf(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var list starlark.Value
	if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 1, &list); err != nil {
		return nil, err
	}
	all, err := atLeast(b.Name(), list, 2)
	if err != nil {
		return nil, err
	}
	rates := make([]starlark.Value, len(all)-1)
	for i := range rates {
		if all[i] == 0 {
			return nil, fmt.Errorf("%s: element %d is 0, from which no rate can be taken", b.Name(), i)
		}
		if rates[i], err = finite(b.Name(), (all[i+1]-all[i])/math.Abs(all[i])); err != nil {
			return nil, err
		}
	}
	return starlark.NewList(rates), nil
}

// cagrOf is the compound annual growth rate, cagr(first, last, years).
func cagrOf(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var first, last, years real
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "first", &first, "last", &last, "years", &years); err != nil {
		return nil, err
	}
	if first <= 0 || last < 0 || years <= 0 {
		return nil, errors.New("statistics.cagr: first and years must be above 0 and last not below 0")
	}
	return finite(b.Name(), math.Pow(float64(last/first), 1/float64(years))-1)
}
