package compute_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"deepresearch/internal/compute"
)

const hostileText = `</text><script>alert(1)</script>"'&<!-- ]]> ` + "\x00\x1b\xff\u202e" + `javascript:x`

func manyPoints(n int) (labels []string, values []float64) {
	for i := range n {
		labels = append(labels, fmt.Sprint(1900+i))
		values = append(values, math.Round(1000*math.Sin(float64(i)/10))/10)
	}
	return labels, values
}

// charts are drawn for the golden files.
func charts() map[string]compute.Chart {
	years, waves := manyPoints(120)
	eight := compute.Chart{Kind: compute.Line, Title: "Eight series", Labels: []string{"a", "b"}}
	for i := range 8 {
		eight.Series = append(eight.Series, compute.Series{Name: fmt.Sprintf("series %d", i), Values: []float64{float64(i), float64(9 - i)}})
	}
	eightBars := eight
	eightBars.Kind = compute.Bar
	return map[string]compute.Chart{
		"eightbars": eightBars,
		"bar": {Kind: compute.Bar, Title: "Output by year", Unit: "TWh", Labels: []string{"2021", "2022", "2023"},
			Series: []compute.Series{{Name: "wind", Values: []float64{1.5, 2.25, 3}}, {Name: "solar", Values: []float64{0.5, -0.25, 1}}}},
		"line": {Kind: compute.Line, Title: "Waves", Labels: years, Series: []compute.Series{{Name: "waves", Values: waves}}},
		"one":  {Kind: compute.Line, Title: "One point", Labels: []string{"now"}, Series: []compute.Series{{Name: "x", Values: []float64{5}}}},
		"zero": {Kind: compute.Bar, Title: "Nothing", Labels: []string{"a", "b"}, Series: []compute.Series{{Name: "x", Values: []float64{0, 0}}}},
		"extreme": {Kind: compute.Line, Title: "From end to end", Labels: []string{"low", "high"},
			Series: []compute.Series{{Name: "x", Values: []float64{-math.MaxFloat64, math.MaxFloat64}}}},
		"eight": eight,
		"hostile": {Kind: compute.Bar, Title: hostileText, Unit: hostileText, Labels: []string{hostileText},
			Series: []compute.Series{{Name: hostileText, Values: []float64{1}}, {Name: hostileText, Values: []float64{2}}}},
	}
}

func TestSVG(t *testing.T) {
	for name, chart := range charts() {
		t.Run(name, func(t *testing.T) {
			got := chart.SVG()
			golden(t, name+".svg", got)
			wellFormed(t, got)
			if strings.ContainsAny(got, "\u202e\x00\x1b") {
				t.Error("it has a character that does not belong into text")
			}
			if strings.Contains(got, "NaN") || strings.Contains(got, "Inf") {
				t.Error("it has a coordinate that is no number")
			}
		})
	}
}

// wellFormed parses the drawing and allows only what cannot act or reach out.
func wellFormed(t *testing.T, svg string) {
	t.Helper()
	allowed := map[string]bool{"svg": true, "title": true, "desc": true, "text": true, "line": true, "rect": true, "polyline": true, "circle": true}
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("it is not well formed: %v", err)
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if !allowed[start.Name.Local] {
			t.Errorf("it has an element %s", start.Name.Local)
		}
		for _, a := range start.Attr {
			if strings.HasPrefix(a.Name.Local, "on") || strings.Contains(a.Name.Local, "href") || a.Name.Local == "style" {
				t.Errorf("it has an attribute %s", a.Name.Local)
			}
		}
	}
}

func TestEmptyChartIsNothing(t *testing.T) {
	for _, c := range []compute.Chart{
		{Kind: compute.Bar, Title: "x"},
		{Kind: compute.Bar, Title: "x", Labels: []string{"a"}},
		{Kind: compute.Bar, Title: "x", Labels: []string{"a"}, Series: []compute.Series{{Values: []float64{1, 2}}}},
		{Kind: compute.Bar, Title: "x", Labels: []string{"a"}, Series: []compute.Series{{Values: []float64{math.Inf(1)}}}},
	} {
		if got := c.SVG(); got != "" {
			t.Errorf("SVG of %v = %q", c, got)
		}
	}
}

// TestContrast is WCAG 2.2, 1.4.11: 3 to 1 against a light and a dark page.
func TestContrast(t *testing.T) {
	found := regexp.MustCompile(`stroke="(#[0-9a-f]{6})"`).FindAllStringSubmatch(charts()["eight"].SVG(), -1)
	if len(found) < 8 {
		t.Fatalf("found %d colors", len(found))
	}
	for _, m := range found {
		for _, page := range []string{"#ffffff", "#121212"} {
			if c := contrast(t, m[1], page); c < 3 {
				t.Errorf("%s on %s has a contrast of %.2f", m[1], page, c)
			}
		}
	}
}

func contrast(t *testing.T, a, b string) float64 {
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(t *testing.T, color string) float64 {
	t.Helper()
	total := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		v, err := strconv.ParseUint(color[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(v) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		total += weight * c
	}
	return total
}

func TestMarkdown(t *testing.T) {
	table := compute.Table{
		Name:    "Out|put <b>",
		Columns: []string{"name", "TWh", "mixed"},
		Rows: [][]any{
			{"a|b\nc [1] `x`", number("1.50"), nil},
			{"<script>", -2.5, "x"},
			{nil, int64(1234567), true},
			{"tiny", 1e-9, 0.1 + 0.2},
		},
	}
	golden(t, "table.md", table.Markdown()+"\n"+charts()["bar"].Table().Markdown())
}
