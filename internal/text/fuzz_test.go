package text_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"deepresearch/internal/text"
)

// seeds are texts that touch every rule once.
var seeds = []string{
	"", " ", "\xff", "a\xffb.", "Dr. Smith paid $3.5 million on Jan. 5, 2024.[1][2] It rose 4.2% (see Fig. 2). Really?",
	"1. First\n2. Second\n\n# Heading\n- x", "他说：“今天很好。我们走吧。”然后离开了。【3†x】", "价格（约合1.2亿元；见表2）下降了……",
	"Am 5. Januar 2024 stieg der Wert um ca. 3,5 %. z. B. „gut.“", "v1.2.3 go1.19 5–10x 1.000,50 € 1 000 km US$4bn -5°C",
	"2025年2月2日 2024-01-05 02/03/2024 le 1er mars 2024 1990s", "ＧＰＴ－４ ﬁne cafe\u0301 inter\u00adnational ｶﾞ", "J. R. R. Tolkien 《书》 `x_y` C++",
	"((((((((((", "[[[[[[[[[[1]", "……！？。」』", "\u200b\u0301\u0301", "五年 三百万 百分之5", "U.S. U.K. e.g. 3 d'euros",
}

// checkSpans fails when spans are out of range, off rune boundaries, empty, or
// (unless allowed) overlap.
func checkSpans(t *testing.T, s string, spans []text.Span, overlap bool) {
	t.Helper()
	boundary := func(i int) bool { return i == len(s) || utf8.RuneStart(s[i]) || !utf8.ValidString(s) }
	last := text.Span{}
	for _, sp := range spans {
		if sp.Start < 0 || sp.End > len(s) || sp.Start >= sp.End {
			t.Fatalf("span %v of %d bytes is out of range or empty in %q", sp, len(s), s)
		}
		if !boundary(sp.Start) || !boundary(sp.End) {
			t.Fatalf("span %v is off a rune boundary in %q", sp, s)
		}
		if sp.Start < last.Start || !overlap && sp.Start < last.End {
			t.Fatalf("span %v comes after %v in %q", sp, last, s)
		}
		last = sp
	}
}

func FuzzSentences(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		spans := text.Sentences(s)
		checkSpans(t, s, spans, false)
		covered := 0
		for _, sp := range spans {
			if gap := s[covered:sp.Start]; strings.Trim(gap, "\u200b\ufeff\u2060 \t\r\n\v\f\u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000") != "" {
				t.Fatalf("text %q lies between sentences of %q", gap, s)
			}
			covered = sp.End
		}
	})
}

func FuzzTokens(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		tokens := text.Tokens(s)
		spans := make([]text.Span, len(tokens))
		for i, tok := range tokens {
			spans[i] = tok.Span
			if tok.Term == "" {
				t.Fatalf("empty term at %v in %q", tok.Span, s)
			}
		}
		checkSpans(t, s, spans, true)
		if n := len(text.Terms(s)); n > len(tokens) {
			t.Fatalf("%d terms of %d tokens in %q", n, len(tokens), s)
		}
	})
}

func FuzzNumbers(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var spans []text.Span
		for _, n := range text.Numbers(s) {
			spans = append(spans, n.Span)
			if n.Text != n.In(s) || !n.Same(n) {
				t.Fatalf("number %+v is not itself in %q", n, s)
			}
		}
		checkSpans(t, s, spans, false)
	})
}

func FuzzDates(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var spans []text.Span
		for _, d := range text.Dates(s) {
			spans = append(spans, d.Span)
			if d.Text != d.In(s) || !d.Same(d) || d.Compare(d) != 0 {
				t.Fatalf("date %+v is not itself in %q", d, s)
			}
			if at := d.Time(); d.Day > 0 && d.Year > 0 && (at.Day() != d.Day || int(at.Month()) != d.Month) {
				t.Fatalf("date %+v is not in the calendar", d)
			}
		}
		checkSpans(t, s, spans, false)
	})
}

func FuzzNames(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		checkSpans(t, s, text.Names(s), false)
		text.PolarityOf(s)
		text.Language(s)
	})
}

func FuzzFind(f *testing.F) {
	for _, s := range seeds {
		f.Add("x "+s+" y", s)
	}
	f.Fuzz(func(t *testing.T, haystack, needle string) {
		span, ok := text.Find(haystack, needle)
		if !ok {
			if want := text.Normalize(needle); want != "" && strings.Contains(text.Normalize(haystack), want) {
				t.Fatalf("%q is in %q once normalised, but was not found", needle, haystack)
			}
			return
		}
		checkSpans(t, haystack, []text.Span{span}, false)
		if got, want := text.Normalize(span.In(haystack)), text.Normalize(needle); !strings.Contains(got, want) {
			t.Fatalf("found %q for %q in %q", span.In(haystack), needle, haystack)
		}
	})
}
