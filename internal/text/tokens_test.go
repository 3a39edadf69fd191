package text_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"deepresearch/internal/text"
)

func TestTokens(t *testing.T) {
	cases := []struct {
		name, in string
		want     []string
	}{
		{"english", "The cities were growing; studies showed it.", []string{"the", "city", "were", "grow", "study", "show", "it"}},
		{"same stem", "make makes making released releases release", []string{"make", "make", "make", "releas", "releas", "releas"}},
		{"no stem", "news king string this Paris bed", []string{"news", "king", "string", "this", "paris", "bed"}},
		{"numbers", "3.5 1,000 1,234,567.89 3,5 1,2,3 .5", []string{"3.5", "1000", "1234567.89", "3.5", "1", "2", "3", "5"}},
		{"identifiers", "x86-64 go1.5 C++ C# v1.2.3 GPT-4o F-16 utf8", []string{"x86-64", "go1.5", "c++", "c#", "v1.2.3", "gpt", "4o", "f-16", "utf8"}},
		{"hyphen", "well-known state-of-the-art 10-12", []string{"well", "known", "state", "of", "the", "art", "10", "12"}},
		{"dots", "U.S. policy, e.g. end.Next U.K", []string{"us", "policy", "eg", "end", "next", "uk"}},
		{"apostrophes", "don't Selmon's l'économie O’Brien it’s qu'il", []string{"dont", "selmon", "s", "l", "economi", "obrien", "it", "s", "qu", "il"}},
		{"diacritics", "Café naïve Müller Straße Łódź Þór", []string{"cafe", "naiv", "muller", "strass", "lodz", "thor"}},
		{"width", "ＡＢＣ１２３ ﬁne", []string{"abc123", "fine"}},
		{"chinese", "发布了 Go1.22", []string{"发布", "布了", "go1.22"}},
		{"lone", "在 x", []string{"在", "x"}},
		{"mixed", "2025年AI模型", []string{"2025", "年", "ai", "模型"}},
		{"japanese", "カﾞス東京", []string{"ガス", "ス東", "東京"}},
		{"korean", "서울은", []string{"서울", "울은"}},
		{"cyrillic", "Москва И", []string{"москва", "и"}},
		{"invalid", "a\xffb \xe4\xb8", []string{"a", "b"}},
		{"empty", "", nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, tok := range text.Tokens(c.in) {
				got = append(got, tok.Term)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("Tokens(%q) (-want +got):\n%s", c.in, diff)
			}
			if words := text.Words(c.in); !slices.Equal(words, got) {
				t.Errorf("Words(%q) = %q, differs from Tokens", c.in, words)
			}
		})
	}
}

func TestTokensSpans(t *testing.T) {
	in := "Ｃafé’s 1,000 北京市"
	var got []string
	for _, tok := range text.Tokens(in) {
		got = append(got, tok.In(in))
	}
	want := []string{"Ｃafé", "s", "1,000", "北京", "京市"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("spans of Tokens(%q) (-want +got):\n%s", in, diff)
	}
}

func TestTermsDropStopWords(t *testing.T) {
	cases := []struct {
		in   string
		want []string
	}{
		{"What is the capital of France?", []string{"capital", "franc"}},
		{"Who won World War II?", []string{"won", "world", "war", "ii"}},
		{"Was ist die Hauptstadt von Bayern?", []string{"die", "hauptstadt", "bayern"}},
		{"什么是大模型", []string{"么是", "是大", "大模", "模型"}},
	}
	for _, c := range cases {
		if diff := cmp.Diff(c.want, text.Terms(c.in)); diff != "" {
			t.Errorf("Terms(%q) (-want +got):\n%s", c.in, diff)
		}
	}
}

func TestIsStop(t *testing.T) {
	for term, want := range map[string]bool{
		"the": true, "und": true, "les": true, "的": true, "了吗": true, "什么": true,
		"war": false, "die": false, "us": false, "北京": false, "的人": false, "": false, "c++": false,
	} {
		if got := text.IsStop(term); got != want {
			t.Errorf("IsStop(%q) = %v, want %v", term, got, want)
		}
	}
}
