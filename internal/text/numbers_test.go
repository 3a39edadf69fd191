package text_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"deepresearch/internal/text"
)

// show writes a number in one line: value, unit, flags.
func show(n text.Number) string {
	out := fmt.Sprintf("%.15g", n.Value)
	if n.Version {
		out = "v:" + n.Text
	}
	if n.Unit != "" {
		out += " " + n.Unit
	}
	for flag, on := range map[string]bool{" percent": n.Percent} {
		if on != (n.Unit == "%" || n.Unit == "‰") {
			out += flag + " flag wrong"
		}
	}
	if n.Range {
		out += " range"
	}
	if n.Year {
		out += " year"
	}
	return out
}

func TestNumbers(t *testing.T) {
	cases := []struct{ in, want string }{
		{"It costs 1,000 or 1,234,567.89 units.", "1000; 1234567.89"},
		{"1 000 km and 12 345 678 people", "1000 km; 12345678 person"},
		{"Die Stadt hat 1.000 Einwohner und 3,5 Mio. Besucher", "1000; 3500000"},
		{"The value 1.000 is exact", "1"},
		{"1.234.567 and 1.234,56", "1234567; 1234.56"},
		{"about $3.5 million, US$4bn, €5m and £2,500", "3500000 USD; 4000000000 USD; 5000000 EUR; 2500 GBP"},
		{"USD 5 billion or 7B parameters, 32k tokens, 1.5M users", "5000000000 USD; 7000000000; 32000 token; 1500000 user"},
		{"12 ms, 3.2 GB, 5kg, 20 °C, -5°C, 90 minutes", "12 ms; 3.2 GB; 5 kg; 20 °C; -5 °C; 90 min"},
		{"up 4.2% or 4.5 percent, 3 per cent, 1.5 percentage points", "4.2 %; 4.5 %; 3 %; 1.5 pp"},
		{"10-12 people, 5–10x, from 3 to 5 days", "10 person range; 12 person range; 5 x range; 10 x range; 3 day range; 5 day range"},
		{"version 1.2.3, v2, go1.19 and v0.9", "v:1.2.3; v:v2; v:go1.19; v:v0.9"},
		{"GPT-4 on an H100 with x86-64 and COVID-19, Q1", ""},
		{"in 2023 it rose; the 1990s", "2023 year; 1990 year"},
		{"On 5 January 2024 there were 7.", "7"},
		{"2025年2月2日发布，准确率为26.6%", "26.6 %"},
		{"人口约1.2亿，面积960万平方公里，共3个", "120000000; 9600000 km²; 3 个"},
		{"增长了3倍，约5000元，50万美元，持续10年", "3 x; 5000 CNY; 500000 USD; 10 year"},
		{"百分之26的人", "26 %"},
		{"three years, twelve percent, one of the two", "3 year; 12 %"},
		{"五年内、三个、第三个、二十年", "5 year; 3 个"},
		{"3rd place, 4x4, 5G", ""},
		{"3x faster, twice, 2 times", "3 x; 2 x"},
		{"p < .05 and 0.5", "0.05; 0.5"},
		{"See [1][2] and [3, 4], but CI [1.2, 3.4].", "1.2; 3.4"},
		{"2. Second of 3\n3) third\n## 4.2 Costs", "3"},
		{"https://a.org/2024/05/7659492?x=1 and 5", "5"},
		{"3至20万美元, 3-5 million, $3-5bn", "30000 USD range; 200000 USD range; 3000000 range; 5000000 range; 3000000000 USD range; 5000000000 range"},
		{"Il y a 3,5 millions d'habitants dans la ville", "3500000"},
		{"Preise: 12,50 € und 1.299,00 € für die Ware", "12.5 EUR; 1299 EUR"},
		{"a 3-million budget, a 5-year plan, 100-fold", "3000000; 5 year; 100 x"},
		{"10.1.2.3 is an address", "v:10.1.2.3"},
		{"1,2,3", "1; 2; 3"},
		{"−7 and (-3) and 8-3", "-7; -3; 8 range; 3 range"},
		{"9\xff9", "9; 9"},
	}
	for _, c := range cases {
		var got []string
		for _, n := range text.Numbers(c.in) {
			got = append(got, show(n))
		}
		if diff := cmp.Diff(c.want, strings.Join(got, "; ")); diff != "" {
			t.Errorf("Numbers(%q) (-want +got):\n%s", c.in, diff)
		}
	}
}

func TestNumberText(t *testing.T) {
	in := "From $3.5 million to 12 ms, up 5–10x, go1.19, 50万美元"
	var got []string
	for _, n := range text.Numbers(in) {
		if n.Text != n.In(in) {
			t.Errorf("text %q differs from its span %q", n.Text, n.In(in))
		}
		got = append(got, n.Text)
	}
	want := []string{"$3.5 million", "12 ms", "5", "10x", "go1.19", "50万美元"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("texts (-want +got):\n%s", diff)
	}
}

func TestNumberSame(t *testing.T) {
	cases := []struct {
		a, b string
		want bool
	}{
		{"1.2亿", "120 million", true},
		{"$3.5bn", "3,500 million dollars", true},
		{"1.5 h", "90 minutes", true},
		{"2 years", "24 months", true},
		{"4.2%", "4.2 per cent", true},
		{"4.2%", "4.2 km", false},
		{"4.2%", "4.2", true},
		{"5 km", "5000 m", true},
		{"¥5", "5元", true},
		{"$5", "€5", false},
		{"3.50", "3.51", false},
		{"v1.2.3", "1.2.3", true},
		{"v1.2.3", "v1.2.4", false},
		{"20 °C", "20 °F", false},
	}
	for _, c := range cases {
		a, b := text.Numbers(c.a), text.Numbers(c.b)
		if len(a) != 1 || len(b) != 1 {
			t.Errorf("%q and %q: want one number each, got %v and %v", c.a, c.b, a, b)
			continue
		}
		if got := a[0].Same(b[0]); got != c.want || b[0].Same(a[0]) != got {
			t.Errorf("%q.Same(%q) = %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

func TestNumberBase(t *testing.T) {
	for in, want := range map[string]struct {
		value float64
		class string
	}{
		"90 min": {5400, "time"}, "1.5 h": {5400, "time"}, "0.45 GW": {450e6, "power"}, "60 days' notice": {60 * 86400, "time"}, "300 turbines": {300, ""},
	} {
		numbers := text.Numbers(in)
		if len(numbers) != 1 {
			t.Fatalf("%s: %v", in, numbers)
		}
		if value, class := numbers[0].Base(); value != want.value || class != want.class {
			t.Errorf("%s: got %g %s, want %g %s", in, value, class, want.value, want.class)
		}
	}
}
