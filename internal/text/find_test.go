package text_test

import (
	"strings"
	"testing"

	"deepresearch/internal/text"
)

func TestFind(t *testing.T) {
	cases := []struct{ name, in, needle, want string }{
		{"exact", "one two three", "two", "two"},
		{"case", "The WHO said", "the who", "The WHO"},
		{"white space", "one\n  two\u00a0three", "one two three", "one\n  two\u00a0three"},
		{"outer space", "one two", "  two ", "two"},
		{"quotes", "He said “it’s fine”.", "\"it's fine\"", "“it’s fine”"},
		{"dashes", "1990–2000 — a decade", "1990-2000 - a decade", "1990–2000 — a decade"},
		{"width", "ＧＰＴ－４ 的得分", "GPT-4 的得分", "ＧＰＴ－４ 的得分"},
		{"ligature", "the ﬁrst office", "first", "ﬁrst"},
		{"inside a ligature", "oﬃce", "fice", "ﬃce"},
		{"composed", "cafe\u0301 noir", "café noir", "cafe\u0301 noir"},
		{"decomposed", "café noir", "cafe\u0301 noir", "café noir"},
		{"not half a letter", "cafe\u0301", "cafe", ""},
		{"soft hyphen", "inter\u00adnational", "international", "inter\u00adnational"},
		{"zero width", "a\u200bb", "ab", "a\u200bb"},
		{"sharp s", "STRASSE", "straße", "STRASSE"},
		{"greek", "ΟΔΟΣ", "οδος", "ΟΔΟΣ"},
		{"chinese", "销量增长了3.5%。下一句", "增长了3.5%。", "增长了3.5%。"},
		{"ellipsis", "wait… what", "wait... what", "wait… what"},
		{"absent", "one two", "three", ""},
		{"white space is no match", "a b", " \n", ""},
		{"invalid needle", "a€b", "\x82", ""},
		{"invalid haystack", "a\xffb c", "b c", "b c"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			span, ok := text.Find(c.in, c.needle)
			if got := span.In(c.in); got != c.want || ok != (c.want != "") {
				t.Errorf("Find(%q, %q) = %q, %v, want %q", c.in, c.needle, got, ok, c.want)
			}
		})
	}
}

func TestNormalize(t *testing.T) {
	in := "  “Ｆｕｌｌ”\t\nwidth — ﬁne\u00ad ê  "
	want := "\"full\" width - fine ê"
	if got := text.Normalize(in); got != want {
		t.Errorf("Normalize(%q) = %q, want %q", in, got, want)
	}
	if got := text.Normalize(want); got != want {
		t.Errorf("Normalize is not idempotent: %q", got)
	}
}

// Repetitive text makes a naive search quadratic: 10^11 steps here.
func TestFindHostile(t *testing.T) {
	haystack := strings.Repeat("É", 300_000)
	needle := strings.Repeat("é", 150_000) + "x"
	if span, ok := text.Find(haystack, needle); ok {
		t.Errorf("found %v", span)
	}
}
