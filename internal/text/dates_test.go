package text_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"deepresearch/internal/text"
)

func TestDates(t *testing.T) {
	cases := []struct{ in, want string }{
		{"released 2024-01-05T10:00Z, updated 2024/2/3", "2024-1-5 2024-2-3"},
		{"On 5 January 2024 and Jan. 5, 2024 and January 5th, 2024", "2024-1-5 2024-1-5 2024-1-5"},
		{"the 5th of May 2023; May 2023; May 5", "2023-5-5 2023-5-0 0-5-5"},
		{"It may 2023 times", ""},
		{"发布于2025年2月2日，2024年3月及2月3日，2023年", "2025-2-2 2024-3-0 0-2-3 2023-0-0"},
		{"2025 年 2 月 2 日", "2025-2-2"},
		{"2025년 2월 2일", "2025-2-2"},
		{"am 5. Januar 2024, im März 2023, 05.01.2024", "2024-1-5 2023-3-0 2024-1-5"},
		{"le 1er mars 2024, 5 janv. 2024, en janvier 2020", "2024-3-1 2024-1-5 2020-1-0"},
		{"el 5 de enero de 2024", "2024-1-5"},
		{"25/12/2023, 12/25/2023, 02/03/2024, 04/04/2024", "2023-12-25 2023-12-25 2024-0-0 2024-4-4"},
		{"January 5-7, 2024", "2024-1-5"},
		{"in 2023, since 1066 (1648) and 1789.", "2023-0-0 1066-0-0 1648-0-0 1789-0-0"},
		{"2000 people, $2023, 2023 km, 1500 items, 2,023, 2023.5, 2023%", ""},
		{"1990s, x2023, 20234, 2023rd", ""},
		{"2019-2023 and 2019–2023 and 2010-11", "2019-0-0 2023-0-0 2019-0-0 2023-0-0 2010-0-0"},
		{"2024-05 onwards", "2024-5-0"},
		{"2023-02-30, 31 April 2023", "2023-0-0 2023-4-0"},
		{"1.2.3 and 10.0.0.1 and 3.10.2023", "2023-10-3"},
		{"10月", ""},
		{"Section 3 March of 2023", "2023-3-3"},
	}
	for _, c := range cases {
		var got []string
		for _, d := range text.Dates(c.in) {
			if d.Text != d.In(c.in) {
				t.Errorf("text %q differs from its span %q", d.Text, d.In(c.in))
			}
			got = append(got, fmt.Sprintf("%d-%d-%d", d.Year, d.Month, d.Day))
		}
		if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("Dates(%q) (-want +got):\n%s", c.in, diff)
		}
	}
}

func TestDateOrder(t *testing.T) {
	in := "May 2023, 2022, 2023-05-17, 2023-06-01, 2023"
	dates := text.Dates(in)
	slices.SortStableFunc(dates, text.Date.Compare)
	var got []string
	for _, d := range dates {
		got = append(got, d.Text)
	}
	if diff := cmp.Diff([]string{"2022", "2023", "May 2023", "2023-05-17", "2023-06-01"}, got); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
	if got, want := dates[2].Time(), time.Date(2023, 5, 1, 0, 0, 0, 0, time.UTC); !got.Equal(want) {
		t.Errorf("Time() of May 2023 = %v, want %v", got, want)
	}
}

func TestDateSame(t *testing.T) {
	for in, want := range map[string]bool{
		"May 2023, 2023-05-17":       true,
		"May 2023, 2023-06-17":       false,
		"2023, 17 May 2023":          true,
		"2023年5月17日, May 17":         true,
		"5. Januar 2024, 2024-01-05": true,
		"5. Januar 2024, 2024-01-06": false,
	} {
		d := text.Dates(in)
		if len(d) != 2 {
			t.Errorf("Dates(%q) = %v, want two", in, d)
			continue
		}
		if got := d[0].Same(d[1]); got != want || d[1].Same(d[0]) != got {
			t.Errorf("%q: Same = %v, want %v", in, got, want)
		}
	}
}
