package safe

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
)

// Handler returns a log handler that masks secrets in every record before h
// sees it: in the message, in values of any type, inside groups. An attribute
// whose name is that of a secret is masked whole.
func (r *Redactor) Handler(h slog.Handler) slog.Handler { return &masking{h, r} }

type masking struct {
	next slog.Handler
	r    *Redactor
}

func (m *masking) Enabled(ctx context.Context, l slog.Level) bool { return m.next.Enabled(ctx, l) }

func (m *masking) Handle(ctx context.Context, rec slog.Record) error {
	out := slog.NewRecord(rec.Time, rec.Level, m.r.Redact(rec.Message), rec.PC)
	rec.Attrs(func(a slog.Attr) bool {
		out.AddAttrs(m.r.attr(a))
		return true
	})
	return m.next.Handle(ctx, out)
}

func (m *masking) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &masking{m.next.WithAttrs(m.r.attrs(attrs)), m.r}
}

func (m *masking) WithGroup(name string) slog.Handler { return &masking{m.next.WithGroup(name), m.r} }

func (r *Redactor) attrs(in []slog.Attr) []slog.Attr {
	out := make([]slog.Attr, len(in))
	for i, a := range in {
		out[i] = r.attr(a)
	}
	return out
}

// secretNames are attribute names whose value is never printed.
var secretNames = []string{"api_key", "apikey", "api-key", "authorization", "cookie", "password", "secret", "set-cookie", "token", "x-api-key", "x-goog-api-key"}

func (r *Redactor) attr(a slog.Attr) slog.Attr {
	if slices.Contains(secretNames, strings.ToLower(a.Key)) {
		return slog.String(a.Key, Mask)
	}
	v := a.Value.Resolve()
	switch v.Kind() {
	case slog.KindString:
		v = slog.StringValue(r.Redact(v.String()))
	case slog.KindGroup:
		v = slog.GroupValue(r.attrs(v.Group())...)
	case slog.KindAny:
		v = r.any(v)
	}
	return slog.Attr{Key: a.Key, Value: v}
}

// any keeps a value whose printed form holds no secret, and replaces another
// by that form, masked.
func (r *Redactor) any(v slog.Value) slog.Value {
	printed := fmt.Sprintf("%+v", v.Any())
	if b, ok := v.Any().([]byte); ok {
		printed = string(b)
	}
	if masked := r.Redact(printed); masked != printed {
		return slog.StringValue(masked)
	}
	return v
}
