package text_test

import (
	"testing"

	"deepresearch/internal/text"
)

func TestPolarity(t *testing.T) {
	for in, want := range map[string]text.Polarity{
		"Sales rose by 5%.":                   {Direction: 1},
		"Sales fell by 5%.":                   {Direction: -1},
		"Sales did not rise.":                 {Negated: true, Direction: 1},
		"It isn't true.":                      {Negated: true},
		"It doesn’t work, can't and won't":    {Negated: true},
		"Not only was it fast, it was cheap.": {},
		"There is no doubt; see No. 5.":       {},
		"The drug is no longer sold.":         {Negated: true},
		"Prices rose while demand fell.":      {},
		"The Norwegian knot and the notion":   {},
		"销量增长了3.5%":                           {Direction: 1},
		"销量下降了3.5%":                           {Direction: -1},
		"该药没有获批":                              {Negated: true},
		"人口不断增加，未来可期":                         {Direction: 1},
		"并未减少":                                {Negated: true, Direction: -1},
		"Der Wert stieg nicht.":               {Negated: true, Direction: 1},
		"Le taux n'a pas baissé":              {Negated: true, Direction: -1},
		"\xff":                                {},
		"":                                    {},
	} {
		if got := text.PolarityOf(in); got != want {
			t.Errorf("PolarityOf(%q) = %+v, want %+v", in, got, want)
		}
	}
}

func TestPolarityOpposes(t *testing.T) {
	cases := []struct {
		a, b string
		want bool
	}{
		{"Sales rose.", "Sales fell.", true},
		{"Sales rose.", "Sales were flat.", false},
		{"It was approved.", "It was never approved.", true},
		{"销量增加", "销量减少", true},
	}
	for _, c := range cases {
		if got := text.PolarityOf(c.a).Opposes(text.PolarityOf(c.b)); got != c.want {
			t.Errorf("%q opposes %q = %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

func TestDenials(t *testing.T) {
	for in, want := range map[string]int{
		"Flying is allowed without a permit.":     1,
		"Flying is not allowed without a permit.": 2,
		"Telemetry is disabled by default.":       1,
		"禁止入内":                                    1, "不禁止": 2, "": 0, "\xff": 0,
	} {
		if got := text.Denials(in); got != want {
			t.Errorf("Denials(%q) = %d, want %d", in, got, want)
		}
	}
}
