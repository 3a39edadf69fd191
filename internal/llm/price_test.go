package llm

import (
	"testing"
	"time"
)

func TestListPrices(t *testing.T) {
	november, january := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC), time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	usage := Usage{Calls: 1, In: 1e6, Out: 1e6}
	for _, c := range []struct {
		name string
		day  time.Time
		want float64 // 0: unknown
	}{
		{"gemini:gemini-3.8-flash", november, 4.5},
		{"gemini:gemini-3.8-flash", january, 9},
		{"gemini:gemini-3.5-flash-lite", november, 2.8},
		{"gemini:gemini-3.5-flash", november, 10.5},
		{"gemini:gemini-3.5-flash-image", november, 0},
		{"anthropic:claude-sonnet-5-5-20260922", november, 12},
		{"anthropic:claude-haiku-5-5", november, 3},
		{"openai:gpt-5.6-luna", november, 1.4},
		{"openai:gpt-9", november, 0},
	} {
		p := listPrice(c.name, c.day)
		switch {
		case p == nil && c.want != 0, p != nil && c.want == 0:
			t.Errorf("%s: %+v, want %v", c.name, p, c.want)
		case p != nil && abs(p.Of(usage)-c.want) > 1e-9:
			t.Errorf("%s: %v, want %v", c.name, p.Of(usage), c.want)
		}
	}
	if got := (Price{In: 1, LongFrom: 100, LongIn: 2, Search: 0.5}).Of(Usage{In: 100, Searches: 2}); got != 1+100e-6 {
		t.Errorf("a short prompt and two searches cost %v", got)
	}
}

func abs(x float64) float64 { return max(x, -x) }

func TestUsageAdds(t *testing.T) {
	one, two := 1.0, 2.0
	sum := Usage{Calls: 1, In: 2, Out: 3, Cost: &one}.Add(Usage{Calls: 1, In: 4, Out: 5, Cost: &two, Estimated: true})
	if sum.Calls != 2 || sum.In != 6 || sum.Out != 8 || *sum.Cost != 3 || !sum.Estimated {
		t.Errorf("%+v", sum)
	}
	if sum := (Usage{}).Add(Usage{Calls: 1, Cost: &one}); sum.Cost == nil || *sum.Cost != 1 {
		t.Errorf("nothing and a cost: %+v", sum)
	}
	if sum := (Usage{Calls: 1, Cost: &one}).Add(Usage{Calls: 1}); sum.Cost != nil {
		t.Errorf("a cost and an unknown one: %v", *sum.Cost)
	}
}
