package compute

import (
	"fmt"
	"strings"
	"time"

	"go.starlark.net/starlark"
)

// Dates are texts like "2024-03-01": they sort and compare as they are.
var datesModule = module("dates", map[string]function{
	"parse":      parseDate,
	"difference": dateDifference,
	"add":        dateAdd,
	"parts":      dateParts,
})

// dateLayouts are the ways to write a date that mean one day. A form like
// 03/04/2024 means two and is refused.
var dateLayouts = []string{
	time.DateOnly, time.RFC3339, "2006-01-02T15:04:05", time.DateTime, "2006/1/2", "2006.1.2", "2006-1-2",
	"2 January 2006", "2 Jan 2006", "2. January 2006", "January 2, 2006", "Jan 2, 2006", "January 2 2006",
	"2.1.2006", "January 2006", "Jan 2006", "2006-01", "2006",
	"2006年1月2日", "2006年1月",
}

// day is a date argument.
type day struct{ time.Time }

// Unpack is how starlark.UnpackArgs reads one.
func (d *day) Unpack(v starlark.Value) error {
	s, ok := starlark.AsString(v)
	if i, isInt := v.(starlark.Int); isInt { // a year
		s, ok = i.String(), true
	}
	if !ok {
		return fmt.Errorf("got %s, want a date like \"2024-03-01\"", short(v))
	}
	s = strings.Join(strings.Fields(firstRunes(s, 60)), " ")
	for _, layout := range dateLayouts {
		if t, err := time.Parse(layout, s); err == nil {
			d.Time = time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
			return nil
		}
	}
	return fmt.Errorf("%q is no date that means one day: write it like \"2024-03-01\"", s)
}

func (d day) value() (starlark.Value, error) {
	if y := d.Year(); y < 1 || y > 9999 {
		return nil, fmt.Errorf("the date is in the year %d, want 1 to 9999", y)
	}
	return starlark.String(d.Format(time.DateOnly)), nil
}

func parseDate(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var d day
	if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 1, &d); err != nil {
		return nil, err
	}
	return d.value()
}

// dateDifference is dates.difference(first, last, unit="days"). Months and
// years are whole ones, as in ages.
func dateDifference(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var first, last day
	unit := "days"
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "first", &first, "last", &last, "unit?", &unit); err != nil {
		return nil, err
	}
	days := int(last.Unix()-first.Unix()) / (24 * 60 * 60) // a Duration ends after 292 years
	switch unit {
	case "days":
		return starlark.MakeInt(days), nil
	case "weeks":
		return starlark.MakeInt(days / 7), nil
	case "months":
		return starlark.MakeInt(monthsBetween(first, last)), nil
	case "years":
		return starlark.MakeInt(monthsBetween(first, last) / 12), nil
	}
	return nil, fmt.Errorf("%s: unit is %q, want days, weeks, months or years", b.Name(), firstRunes(unit, 40))
}

func monthsBetween(first, last day) int {
	if last.Before(first.Time) {
		return -monthsBetween(last, first)
	}
	months := (last.Year()-first.Year())*12 + int(last.Month()) - int(first.Month())
	if last.Day() < first.Day() {
		months--
	}
	return months
}

// dateAdd is dates.add(date, days=0, months=0, years=0). A day that the month
// does not have becomes its last one.
func dateAdd(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var d day
	var days, months, years int
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "date", &d, "days?", &days, "months?", &months, "years?", &years); err != nil {
		return nil, err
	}
	const most = 4_000_000 // days in 10,000 years, and more than their months
	if max(days, months, years) > most || min(days, months, years) < -most {
		return nil, fmt.Errorf("%s: at most %d can be added", b.Name(), most)
	}
	month := time.Date(d.Year()+years, d.Month()+time.Month(months), 1, 0, 0, 0, 0, time.UTC)
	length := month.AddDate(0, 1, -1).Day()
	return day{month.AddDate(0, 0, min(d.Day(), length)-1+days)}.value()
}

// dateParts is a dict of year, month, day, quarter and weekday (1 is Monday).
func dateParts(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var d day
	if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 1, &d); err != nil {
		return nil, err
	}
	parts := starlark.NewDict(5)
	for _, p := range []struct {
		name  string
		value int
	}{
		{"year", d.Year()}, {"month", int(d.Month())}, {"day", d.Day()},
		{"quarter", (int(d.Month()) + 2) / 3}, {"weekday", (int(d.Weekday())+6)%7 + 1},
	} {
		if err := parts.SetKey(starlark.String(p.name), starlark.MakeInt(p.value)); err != nil {
			return nil, err
		}
	}
	return parts, nil
}
