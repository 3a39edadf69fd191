package safe

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	cases := []struct {
		name, in, want string
		rep            Removed
	}{
		{"plain", "Tea, thé, 茶\tand\nchai.", "Tea, thé, 茶\tand\nchai.", Removed{}},
		{"zero width", "i\u200bg\u2060n\ufeffo\u034fre", "ignore", Removed{ZeroWidth: 4}},
		{"joiner in Latin", "a\u200db\u200cc", "abc", Removed{ZeroWidth: 2}},
		{"bidi override", "a \u202egnp.\u202c b\u200e", "a gnp. b", Removed{Bidi: 3}},
		{"isolates", "\u2066x\u2069", "x", Removed{Bidi: 2}},
		{"tags", "x\U000e0049\U000e0067", "x", Removed{Tag: 2}},
		{"flag of Scotland", "\U0001F3F4\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F", "\U0001F3F4\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F", Removed{}},
		{"flag with another message", "\U0001F3F4\U000E0068\U000E0069\U000E007F", "\U0001F3F4", Removed{Tag: 3}},
		{"stray selector", "a\ufe0fb\U000e0101", "ab", Removed{Variation: 2}},
		{"two selectors", "❤\ufe0f\ufe0f", "❤\ufe0f", Removed{Variation: 1}},
		{"keycap", "1\ufe0f\u20e3", "1\ufe0f\u20e3", Removed{}},
		{"ideograph variant", "葛\U000e0100城", "葛\U000e0100城", Removed{}},
		{"family", "👩\u200d👩\u200d👧", "👩\u200d👩\u200d👧", Removed{}},
		{"health worker", "🧑🏽\u200d⚕\ufe0f", "🧑🏽\u200d⚕\ufe0f", Removed{}},
		{"Persian", "می\u200cخواهم", "می\u200cخواهم", Removed{}},
		{"Sinhala", "ශ\u0dca\u200dරී", "ශ\u0dca\u200dරී", Removed{}},
		{"half form at the end", "न\u094d\u200d ", "न\u094d\u200d ", Removed{}},
		{"doubled joiner", "م\u200c\u200cخ", "م\u200cخ", Removed{ZeroWidth: 1}},
		{"Khmer break", "ខ្ញុំ\u200bទៅ", "ខ្ញុំ\u200bទៅ", Removed{}},
		{"soft hyphen", "hy\u00adphen", "hyphen", Removed{SoftHyphen: 1}},
		{"controls", "a\x00b\x1bc\u0090d\x7f", "abcd", Removed{Control: 4}},
		{"line ends", "a\r\nb\rc\fd\u2028e\u0085f", "a\nb\nc\nd\ne\nf", Removed{}},
		{"invalid", "a\xff\xc3(", "a\ufffd\ufffd(", Removed{Invalid: 2}},
		{"surrogate", "a\xed\xa0\x80b", "a\ufffd\ufffd\ufffdb", Removed{Invalid: 3}},
		{"Hangul filler", "a\u3164b\uffa0", "ab", Removed{ZeroWidth: 2}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, rep := Text(c.in)
			if got != c.want || rep != c.rep {
				t.Errorf("Text(%+q) = %+q, %+v; want %+q, %+v", c.in, got, rep, c.want, c.rep)
			}
			if again, rep := Text(got); again != got || rep != (Removed{}) {
				t.Errorf("again: %+q, %+v", again, rep)
			}
		})
	}
}

func TestTextKeepsPlainStrings(t *testing.T) {
	s := strings.Repeat("Plain text, 普通文本, обычный текст.\n", 100)
	if n := testing.AllocsPerRun(10, func() { Text(s) }); n != 0 {
		t.Errorf("%v allocations for a text with nothing to remove", n)
	}
}

func FuzzText(f *testing.F) {
	for _, s := range []string{"a\u200db", "👩\u200d👧\ufe0f", "\U0001F3F4\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F", "م\u200c\u200bخ", "\r\r\n\xff\xc3", "\u1820\u180b\u180e"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		clean, rep := Text(s)
		if !utf8.ValidString(clean) {
			t.Fatalf("%+q: not UTF-8: %+q", s, clean)
		}
		if again, more := Text(clean); again != clean || more.Total() != 0 {
			t.Fatalf("%+q: not stable: %+q, then %+q", s, clean, again)
		}
		if rep == (Removed{}) && utf8.RuneCountInString(clean) > utf8.RuneCountInString(s) {
			t.Fatalf("%+q: grew: %+q", s, clean)
		}
		for _, r := range clean {
			switch kindOf(r) {
			case zeroWidth, bidi, softHyphen, control, lineBreak:
				t.Fatalf("%+q: %U kept", s, r)
			}
		}
	})
}

func BenchmarkText(b *testing.B) {
	for _, bb := range []struct{ name, s string }{
		{"ascii", strings.Repeat("The quick brown fox jumps over the lazy dog.\n", 200)},
		{"han", strings.Repeat("茶叶产于阿萨姆，远销世界各地。\n", 200)},
		{"hidden", strings.Repeat("The quick\u200b brown fox jumps\u00ad over the lazy dog.\n", 200)},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(bb.s)))
			for b.Loop() {
				Text(bb.s)
			}
		})
	}
}
