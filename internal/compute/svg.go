package compute

import (
	"fmt"
	"hash/fnv"
	"html"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sizes of a chart in SVG units. A glyph is about glyph wide in the 12 unit
// sans-serif font it is set in.
const (
	chartWidth  = 640.0
	chartHeight = 360.0
	glyph       = 6.6
	margin      = 12.0
)

// colors are told apart by people who see red and green alike (after Okabe and
// Ito, 2008) and darkened or lightened so that each has a contrast of at least
// 3 to white and to #121212 (WCAG 2.2, 1.4.11). From the seventh series on
// they repeat with another dash.
var colors = []string{"#0072b2", "#c75000", "#008a63", "#b3548f", "#8a7300", "#5b6fd6"}

var dashes = []string{"", "6 3", "2 3"}

// SVG draws the chart as one element that stands alone: no script, no style, no
// reference to anything outside. Text and axes take the color of the text
// around, so it suits a light page and a dark one. Title and description are
// there for who cannot see it. A chart without a value for each label is "".
func (c Chart) SVG() string {
	if !c.whole() {
		return ""
	}
	d := drawing{Chart: c, scale: c.scale()}
	d.layout()
	id := c.id()
	d.add(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" role="img" aria-labelledby="%s-t %s-d" font-family="sans-serif" font-size="12" fill="currentColor">`,
		chartWidth, d.height, id, id)
	d.add(`<title id="%s-t">%s</title><desc id="%s-d">%s</desc>`, id, escape(c.Title), id, escape(c.describe()))
	d.add(`<text x="%g" y="20" font-size="14" font-weight="bold">%s</text>`, margin, escape(shorten(c.Title, 75)))
	d.legend()
	d.axes()
	if c.Kind == Bar {
		d.bars()
	} else {
		d.lines()
	}
	d.add(`</svg>`)
	return d.out.String()
}

// whole reports whether there are labels, and a finite value of each series for
// each of them.
func (c Chart) whole() bool {
	for _, s := range c.Series {
		if len(s.Values) != len(c.Labels) {
			return false
		}
		for _, v := range s.Values {
			if math.IsInf(v, 0) || math.IsNaN(v) {
				return false
			}
		}
	}
	return len(c.Labels) > 0 && len(c.Series) > 0
}

// id sets the ids of a chart apart from those of others on the page.
func (c Chart) id() string {
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%q %v", []any{c.Kind, c.Title, c.Unit, c.Labels}, c.Series) // a hash takes all
	return fmt.Sprintf("chart-%016x", h.Sum64())
}

// describe says in words what the chart shows.
func (c Chart) describe() string {
	kind := "Line chart"
	if c.Kind == Bar {
		kind = "Bar chart"
	}
	var parts []string
	for _, s := range c.Series {
		low, high := bounds([]Series{s})
		parts = append(parts, fmt.Sprintf("%s from %s to %s", s.Name, plain(low), plain(high)))
	}
	unit := ""
	if c.Unit != "" {
		unit = " in " + c.Unit
	}
	return fmt.Sprintf("%s%s over %d labels, %s to %s: %s.", kind, unit, len(c.Labels),
		c.Labels[0], c.Labels[len(c.Labels)-1], strings.Join(parts, "; "))
}

func bounds(series []Series) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, s := range series {
		for _, v := range s.Values {
			low, high = min(low, v), max(high, v)
		}
	}
	return low, high
}

// scale is an axis: its ends and the distance of its ticks.
type scale struct{ low, high, step float64 }

// scale chooses round ticks (Heckbert, "Nice numbers for graph labels",
// Graphics Gems, 1990). Bars start at zero.
func (c Chart) scale() scale {
	low, high := bounds(c.Series)
	if c.Kind == Bar {
		low, high = min(low, 0), max(high, 0)
	}
	// Halves first, because the difference of two finite numbers may be none.
	if span := high/2 - low/2; span <= math.Abs(high)*1e-9 {
		pad := max(math.Abs(high)/10, 0.5)
		low, high = low-pad, high+pad
	}
	const ticks = 5
	step := nice((high/2 - low/2) / ticks * 2)
	return scale{
		low:  max(math.Floor(low/step)*step, -math.MaxFloat64),
		high: min(math.Ceil(high/step)*step, math.MaxFloat64),
		step: step,
	}
}

// nice is the smallest of 1, 2, 5 times a power of ten that is at least x.
func nice(x float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= x {
			return m * power
		}
	}
	return 10 * power
}

// drawing is a chart on its way to SVG.
type drawing struct {
	Chart
	scale
	out                      strings.Builder
	left, right, top, bottom float64 // of the plot
	height                   float64
	legendRows               [][]int // series by row
}

func (d *drawing) add(format string, args ...any) {
	fmt.Fprintf(&d.out, format, args...)
	d.out.WriteByte('\n')
}

// layout makes room for the legend and for the numbers beside the axis.
func (d *drawing) layout() {
	if len(d.Series) > 1 {
		d.legendRows = d.legendLayout()
	}
	widest := 0
	for _, v := range d.ticks() {
		widest = max(widest, len(d.tick(v)))
	}
	d.left = margin + float64(widest)*glyph + 6
	d.right = chartWidth - margin
	d.top = 36 + 18*float64(len(d.legendRows))
	if d.Unit != "" {
		d.top += 16
	}
	d.height = chartHeight + 18*float64(len(d.legendRows))
	d.bottom = d.height - 30
}

const legendText = 40

func (d *drawing) legendLayout() [][]int {
	var rows [][]int
	x := chartWidth
	for i, s := range d.Series {
		width := legendWidth(s)
		if x+width > chartWidth-margin {
			rows, x = append(rows, nil), margin
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], i)
		x += width
	}
	return rows
}

func legendWidth(s Series) float64 {
	return 24 + float64(min(utf8.RuneCountInString(s.Name), legendText))*glyph + 16
}

func (d *drawing) legend() {
	for r, row := range d.legendRows {
		x, y := margin, 42+18*float64(r)
		for _, i := range row {
			d.add(`<line x1="%g" y1="%g" x2="%g" y2="%g" %s stroke-width="4"/>`, x, y-4, x+18, y-4, d.stroke(i))
			d.add(`<text x="%g" y="%g">%s</text>`, x+24, y, escape(shorten(d.Series[i].Name, legendText)))
			x += legendWidth(d.Series[i])
		}
	}
}

func (d *drawing) stroke(series int) string {
	s := fmt.Sprintf(`stroke="%s"`, colors[series%len(colors)])
	if dash := dashes[series/len(colors)%len(dashes)]; dash != "" {
		s += fmt.Sprintf(` stroke-dasharray="%s"`, dash)
	}
	return s
}

func (d *drawing) ticks() []float64 {
	var all []float64
	count := int(math.Round(d.high/d.step - d.low/d.step))
	for i := range min(count, 20) + 1 {
		if v := d.low + float64(i)*d.step; v <= math.MaxFloat64 {
			all = append(all, v)
		}
	}
	return all
}

// tick is a number at the axis, without what arithmetic added to it.
func (d *drawing) tick(v float64) string {
	if math.Abs(v) < d.step/1e6 {
		v = 0
	}
	size := max(math.Abs(d.low), math.Abs(d.high))
	if size >= 1e9 || size < 1e-3 {
		return fmt.Sprintf("%.3g", v)
	}
	decimals := max(0, -int(math.Floor(math.Log10(d.step))))
	return fmt.Sprintf("%.*f", decimals, v)
}

func (d *drawing) y(v float64) float64 {
	share := (v/2 - d.low/2) / (d.high/2 - d.low/2)
	return round1(d.bottom - share*(d.bottom-d.top))
}

// slot is the width of one label's part of the axis.
func (d *drawing) slot() float64 { return (d.right - d.left) / float64(len(d.Labels)) }

// x is the middle of a label's part.
func (d *drawing) x(label int) float64 {
	return round1(d.left + (float64(label)+0.5)*d.slot())
}

func (d *drawing) axes() {
	if d.Unit != "" {
		d.add(`<text x="%g" y="%g" opacity="0.8">%s</text>`, margin, d.top-12, escape(shorten(d.Unit, 60)))
	}
	for _, v := range d.ticks() {
		d.add(`<line x1="%g" y1="%g" x2="%g" y2="%g" stroke="currentColor" stroke-opacity="0.2"/>`, round1(d.left), d.y(v), d.right, d.y(v))
		d.add(`<text x="%g" y="%g" text-anchor="end">%s</text>`, round1(d.left-6), d.y(v)+4, d.tick(v))
	}
	zero := d.y(min(max(0, d.low), d.high))
	d.add(`<line x1="%g" y1="%g" x2="%g" y2="%g" stroke="currentColor"/>`, round1(d.left), zero, d.right, zero)
	d.labels()
}

// labels prints as many as fit, evenly, each cut to its room.
func (d *drawing) labels() {
	widest := 1
	for _, label := range d.Labels {
		widest = max(widest, min(utf8.RuneCountInString(label), 12))
	}
	every := max(1, int(math.Ceil((float64(widest)*glyph+8)/d.slot())))
	room := max(1, int(float64(every)*d.slot()/glyph)-1)
	for i := 0; i < len(d.Labels); i += every {
		d.add(`<text x="%g" y="%g" text-anchor="middle">%s</text>`, d.x(i), d.bottom+18, escape(shorten(d.Labels[i], room)))
	}
}

func (d *drawing) bars() {
	width := d.slot() * 0.8 / float64(len(d.Series))
	for s, series := range d.Series {
		for i, v := range series.Values {
			x := d.left + (float64(i)+0.1)*d.slot() + float64(s)*width
			top, bottom := d.y(max(v, 0)), d.y(min(v, 0))
			d.add(`<rect x="%g" y="%g" width="%g" height="%g" fill="%s"%s><title>%s</title></rect>`,
				round1(x), top, round1(max(width*0.95, 0.5)), round1(bottom-top), colors[s%len(colors)], d.outline(s), escape(d.point(s, i)))
		}
	}
}

// outline sets bars whose color was used before apart, as in the legend.
func (d *drawing) outline(series int) string {
	if series < len(colors) {
		return ""
	}
	return ` fill-opacity="0.3" ` + d.stroke(series)
}

func (d *drawing) lines() {
	for s, series := range d.Series {
		points := make([]string, len(series.Values))
		for i, v := range series.Values {
			points[i] = fmt.Sprintf("%g,%g", d.x(i), d.y(v))
		}
		d.add(`<polyline points="%s" fill="none" stroke-width="2" stroke-linejoin="round" %s/>`, strings.Join(points, " "), d.stroke(s))
		if len(points) > 60 {
			continue
		}
		for i, v := range series.Values {
			d.add(`<circle cx="%g" cy="%g" r="3" fill="%s"><title>%s</title></circle>`, d.x(i), d.y(v), colors[s%len(colors)], escape(d.point(s, i)))
		}
	}
}

// point says what a bar or dot stands for.
func (d *drawing) point(series, label int) string {
	s := d.Series[series]
	text := fmt.Sprintf("%s, %s: %s", s.Name, d.Labels[label], plain(s.Values[label]))
	if d.Unit != "" {
		text += " " + d.Unit
	}
	return text
}

func round1(x float64) float64 { return math.Round(x*10) / 10 }

// shorten cuts s to so many characters, the last of them an ellipsis.
func shorten(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return firstRunes(s, most-1) + "…"
}

// escape makes any text safe between tags: no markup, no character that XML
// forbids, and none that turns the direction of what follows.
func escape(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Bidi_Control, r):
			return -1
		case r < ' ' && r != '\t' && r != '\n' || r == 0xFFFE || r == 0xFFFF || r == utf8.RuneError:
			return ' '
		}
		return r
	}, s)
	return html.EscapeString(s)
}
