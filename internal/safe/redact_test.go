package safe_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"deepresearch/internal/safe"
)

func TestRedact(t *testing.T) {
	r := safe.NewRedactor("my own s3cret", "abc", "p@ss/word+1")
	cases := []struct{ in, want string }{
		{"nothing to hide, 3 tokens: in and out", "nothing to hide, 3 tokens: in and out"},
		{"tokens_in=1200 tokens_out=88", "tokens_in=1200 tokens_out=88"},
		{"the key idea: simplicity matters", "the key idea: simplicity matters"},
		{"abc", "abc"},
		{"with my own s3cret inside", "with [redacted] inside"},
		{"q=my+own+s3cret&x=1", "q=[redacted]&x=1"},
		{"p%40ss%2Fword%2B1", "[redacted]"},
		{"sk-proj-abcdefghij0123456789", "[redacted]"},
		{"risk-based-approach-to-security", "risk-based-approach-to-security"},
		{"key AIzaSyA1234567890abcdefghijklmnop!", "key [redacted]!"},
		{"Authorization: Bearer abcdef123456", "Authorization: Bearer [redacted]"},
		{"bearer abcdef123456.xyz", "bearer [redacted]"},
		{"GET https://api.example/v1?key=abcdefgh1234&q=tea: 403", "GET https://api.example/v1?key=[redacted]&q=tea: 403"},
		{"https://api.example/?q=tea&api_key=abcdefgh1234", "https://api.example/?q=tea&api_key=[redacted]"},
		{`{"api_key":"abcdefgh1234","x":1}`, `{"api_key":"[redacted]","x":1}`},
		{"GEMINI_API_KEY=abcdefgh1234", "GEMINI_API_KEY=[redacted]"},
		{"x-goog-api-key: abcdefgh1234", "x-goog-api-key: [redacted]"},
		{"tvly-dev-abcdefghijklmnop", "[redacted]"},
		{"ghp_abcdefghijklmnopqrstuvwx", "[redacted]"},
		{"http://user:hunter2@proxy.example:8080/", "http://[redacted]proxy.example:8080/"},
	}
	for _, c := range cases {
		got := r.Redact(c.in)
		if got != c.want {
			t.Errorf("Redact(%q) = %q, want %q", c.in, got, c.want)
		}
		if again := r.Redact(got); again != got {
			t.Errorf("Redact(%q) = %q, then %q", c.in, got, again)
		}
	}
}

func TestRedactAllocatesNothing(t *testing.T) {
	r := safe.NewRedactor("my own s3cret")
	if n := testing.AllocsPerRun(100, func() { r.Redact("fetched page 3 of 8 in 120 ms") }); n != 0 {
		t.Errorf("%v allocations for a clean text", n)
	}
}

func TestHandlerMasksEverywhere(t *testing.T) {
	const secret = "my own s3cret"
	var out bytes.Buffer
	log := slog.New(safe.NewRedactor(secret).Handler(slog.NewTextHandler(&out, nil)))
	log.With("a", secret).WithGroup("g").Info("says "+secret,
		"s", secret, "err", errors.New("dial: "+secret), "bytes", []byte(secret), "map", map[string]string{"k": secret},
		slog.Group("in", "deep", secret), "value", slog.AnyValue(lazy(secret)), "password", "short", "n", 3)
	if strings.Contains(out.String(), secret) || strings.Contains(out.String(), "short") {
		t.Errorf("secret printed: %s", out.String())
	}
	if !strings.Contains(out.String(), "n=3") {
		t.Errorf("a plain value is gone: %s", out.String())
	}
}

// lazy is a value that makes its text when it is logged.
type lazy string

func (l lazy) LogValue() slog.Value { return slog.StringValue(string(l)) }

func BenchmarkRedact(b *testing.B) {
	r := safe.NewRedactor("my own s3cret", "another-one-here")
	for _, bb := range []struct{ name, s string }{
		{"clean", "fetched page 3 of 8 in 120 ms"},
		{"secret", "GET https://api.example/v1?key=abcdefgh1234&q=tea: 403"},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r.Redact(bb.s)
			}
		})
	}
}
