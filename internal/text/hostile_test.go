package text_test

import (
	"strings"
	"testing"

	"deepresearch/internal/text"
)

// Each pattern, repeated, makes a careless scanner look at the same bytes again
// and again. Linear code reads 60 kB in milliseconds; quadratic code would run
// into the time limit of the test binary.
func TestHostileTexts(t *testing.T) {
	const size = 60_000
	for _, pattern := range []string{
		"a1", "a.", "A.", "1,111", "v1.", "1.", "1,", "l'", ". ", ".\n", "\nx", "[1]", ".[1", "(", "(.", "“", "。”", "\"", "\u0301", "e\u0301",
		"十", "一", "A of ", "A-", "x_", "2023-", "2023 ", "5 ", "$", "-", "[", "…", "…。", "́.", "ﾞ", "1年", "May ", "Jan. 5 ", "《", "`", "\xff", "\xe4\xb8", "No. ", "1.a", " ", "http://", "http://)", "[1](", "www.a ", "¹",
	} {
		repeated := strings.Repeat(pattern, size/2/len(pattern))
		for _, s := range []string{repeated + repeated + "a", strings.Repeat(" ", size/2) + repeated} {
			text.Sentences(s)
			text.Tokens(s)
			text.Numbers(s)
			text.Dates(s)
			text.Names(s)
			text.PolarityOf(s)
			text.Language(s)
			text.Find(s, s[len(s)/2:]+"b")
		}
	}
}
