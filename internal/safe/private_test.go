package safe_test

import (
	"slices"
	"testing"

	"deepresearch/internal/safe"
)

func TestPrivateRemoves(t *testing.T) {
	p := safe.NewPrivate("Project Heron", "Абажур", "蓝鹭", "")
	for in, want := range map[string]struct {
		clean string
		found []safe.Sort
	}{
		"who charged 4111 1111 1111 1111 in May":                        {"who charged in May", []safe.Sort{safe.Card}},
		"2024 5500-0000-0000-0004 and 378282246310005 fees":             {"2024 and fees", []safe.Sort{safe.Card}},
		"4111111111111111 4012888888881881 stolen":                      {"stolen", []safe.Sort{safe.Card}},
		"mail a.b+c@mail.example.org or d@e.example again":              {"mail or again", []safe.Sort{safe.Mail}},
		"call +49 (30) 123456-78 or +1 415 555 2671 today":              {"call or today", []safe.Sort{safe.Phone}},
		"415-555-2671, (030) 1234567, 030/1234567":                      {", ,", []safe.Sort{safe.Phone}},
		"谁的电话是 13800138000":                                             {"谁的电话是", []safe.Sort{safe.Phone}},
		"leak of sk-abcdefghijklmnop1234 and AKIAABCDEFGHIJKLMNOP now":  {"leak of and now", []safe.Sort{safe.Key}},
		"status of project  HERON and project heron, абажур":            {"status of and ,", []safe.Sort{safe.Word}},
		"关于蓝鹭计划的新闻":                                                     {"关于 计划的新闻", []safe.Sort{safe.Word}},
		"Project Heron: a@b.example, 4111111111111111, +1 415 555 2671": {": , ,", []safe.Sort{safe.Mail, safe.Card, safe.Phone, safe.Word}},
	} {
		clean, found := p.Remove(in)
		want.found = slices.Sorted(slices.Values(want.found))
		if clean != want.clean || !slices.Equal(found, want.found) {
			t.Errorf("%q:\n got %q %q\nwant %q %q", in, clean, found, want.clean, want.found)
		}
	}
}

func TestPrivateMasksInPlace(t *testing.T) {
	p := safe.NewPrivate("Project Heron")
	const text = "asked for  project heron\n by a@mail.example, sk-abcdefghijklmnop1234"
	if got, want := p.Mask(text), "asked for  [redacted]\n by [redacted], [redacted]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := (*safe.Private)(nil).Mask(text); got != text {
		t.Errorf("no filter masks: %q", got)
	}
	r := safe.NewRedactor("my own s3cret").With(p)
	if got, want := r.Redact("my own s3cret of Project Heron"), "[redacted] of [redacted]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestPrivateKeeps: figures of ordinary questions are no private data.
func TestPrivateKeeps(t *testing.T) {
	p := safe.NewPrivate("heron")
	for _, s := range []string{
		"population of Oldby 1931 - 1945 2001-05-12", "ISBN 978-3-16-148410-0", "4111 1111 1111 1112 is no card",
		"herons and theheron", "pi 3.14159265358979", "arXiv 2401.12345v2 RFC 9110 §4.2", "0.05 versus 0.10", "@golang twitter",
		"12345678901234567890123", "GDP 1,234,567,890 dollars", "  two  blanks ", "2020 2021 2022 2023", "IPv4 192.168.100.200",
	} {
		if clean, found := p.Remove(s); clean != s || found != nil {
			t.Errorf("%q became %q: %q", s, clean, found)
		}
	}
	if clean, found := (*safe.Private)(nil).Remove("a@b.example"); clean != "a@b.example" || found != nil {
		t.Errorf("no filter removed %q", found)
	}
}

// FuzzPrivate: a text changes only by what is said to be taken out of it.
func FuzzPrivate(f *testing.F) {
	for _, s := range []string{"4111 1111 1111 1111", "a@b.c", "+1 415 555 2671", "sk-abcdefghijklmnop", "heron heron", "0 4111111111111111 0"} {
		f.Add(s)
	}
	p := safe.NewPrivate("heron")
	f.Fuzz(func(t *testing.T, s string) {
		clean, found := p.Remove(s)
		if (len(found) == 0) != (clean == s) {
			t.Errorf("%q became %q, taken out: %q", s, clean, found)
		}
	})
}
