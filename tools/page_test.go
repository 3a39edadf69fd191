package tools

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// pages reads a text page by page.
func pages(t *testing.T, full string, limit int) []string {
	t.Helper()
	var out []string
	cursor := ""
	for {
		p, err := pageFrom(full, cursor, limit)
		if err != nil {
			t.Fatalf("after %q, cursor %q: %v", out, cursor, err)
		}
		out = append(out, p.text)
		if cursor = p.cursor; cursor == "" {
			return out
		}
		if p.text == "" || len(out) > len(full) {
			t.Fatalf("page %d of %q is empty", len(out), full)
		}
	}
}

func TestPagesEndAtBlocks(t *testing.T) {
	full := "# Title\n\nOne two three.\n\n```\ncode\n\nmore code\n```\n\nLast words here.\n"
	got := pages(t, full, 48)
	want := []string{"# Title\n\nOne two three.\n\n", "```\ncode\n\nmore code\n```\n\nLast words here.\n"}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("%q", got)
	}
}

func FuzzPages(f *testing.F) {
	f.Add("# Title\n\nOne.\n\n```\ncode\n\n```\n", 10)
	f.Add(strings.Repeat("長い文。", 50), 7)
	f.Add("\xff\xfe<b>\u2028", 1)
	f.Fuzz(func(t *testing.T, full string, limit int) {
		full = strings.ToValidUTF8(full, "\uFFFD")
		if limit < 1 || limit > pageBytes || len(full) > 10_000 {
			return
		}
		got := pages(t, full, limit)
		if strings.Join(got, "") != full {
			t.Fatalf("the pages of %q are %q", full, got)
		}
		for _, p := range got {
			if len(p) > max(limit, utf8.UTFMax) {
				t.Fatalf("%d bytes, limit %d", len(p), limit)
			}
			if encoded, _ := json.Marshal(p); len(encoded) > max(limit+limit/8+2, 16) && utf8.RuneCountInString(p) > 1 {
				t.Fatalf("%d bytes encoded, limit %d: %q", len(encoded), limit, p)
			}
		}
	})
}

func TestCursorsThatLeadNowhere(t *testing.T) {
	for _, c := range []string{"x", "-1", "1", "99", "1e1", "９"} {
		if _, err := pageFrom("é and more", c, 100); err == nil {
			t.Errorf("the cursor %q was taken", c)
		}
	}
}
