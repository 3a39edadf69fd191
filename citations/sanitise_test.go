package citations

import (
	"strings"
	"testing"
)

// TestIdsDoNotBiteAsPrefixes: a source id is a prefix of its quotes' ids, and
// what a removed token leaves behind may read as a token. Marks are replaced in
// one pass, so neither becomes one.
func TestIdsDoNotBiteAsPrefixes(t *testing.T) {
	const source, quote = "S000000000001", "S000000000001.q000000010002"
	known := func(id string) bool { return id == quote }
	for text, want := range map[string]string{
		Token(source) + "a" + Token(quote):                          "a<" + quote + ">",
		Token(quote) + "a" + Token(source):                          "<" + quote + ">a",
		source + " " + quote:                                        source + " " + quote,
		"[[" + source + Token("S999999999999") + ".q000000010002]]": "[[" + quote + "]]",
	} {
		ps, _ := pieces(Sentence{Text: text}, known)
		var b strings.Builder
		for _, p := range ps {
			b.WriteString(p.text)
			for _, id := range p.ids {
				b.WriteString("<" + id + ">")
			}
		}
		if b.String() != want {
			t.Errorf("%q: got %q, want %q", text, b.String(), want)
		}
	}
}
