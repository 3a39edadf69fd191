package wire

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"deepresearch/internal/llm"
	"deepresearch/internal/safe"
)

var now = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func TestWaits(t *testing.T) {
	for _, c := range []struct {
		name   string
		header map[string]string
		body   string
		want   time.Duration
	}{
		{"nothing", nil, "", 0},
		{"seconds", map[string]string{"Retry-After": "20"}, "", 20 * time.Second},
		{"a date", map[string]string{"Retry-After": "Mon, 30 Nov 2026 12:00:45 GMT"}, "", 45 * time.Second},
		{"a date that has passed", map[string]string{"Retry-After": "Mon, 30 Nov 2026 11:00:00 GMT"}, "", 0},
		{"milliseconds", map[string]string{"Retry-After-Ms": "250", "Retry-After": "9"}, "", 250 * time.Millisecond},
		{"not a number", map[string]string{"Retry-After": "soon"}, "", 0},
		{"less than nothing", map[string]string{"Retry-After": "-5"}, "", 0},
		{"OpenAI's reset", map[string]string{"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1m30s"}, "", 90 * time.Second},
		{"a reset of a limit with room", map[string]string{"x-ratelimit-remaining-requests": "7", "x-ratelimit-reset-requests": "1m30s"}, "", 0},
		{"Anthropic's reset", map[string]string{"anthropic-ratelimit-tokens-remaining": "0", "anthropic-ratelimit-tokens-reset": "2026-11-30T12:00:12Z"}, "", 12 * time.Second},
		{"OpenRouter's reset in milliseconds", map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1796040030000"}, "", 30 * time.Second},
		{"OpenRouter's reset in the body", nil, `{"error":{"metadata":{"headers":{"X-RateLimit-Reset":"1796040030000"}}}}`, 30 * time.Second},
		{"Unix seconds", map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1796040010"}, "", 10 * time.Second},
		{"Google's RetryInfo", nil, `{"error":{"details":[{"violations":[]},{"retryDelay":"36s"}]}}`, 36 * time.Second},
		{"words", nil, `{"error":{"message":"Please retry in 45.57s."}}`, 45570 * time.Millisecond},
		{"words of minutes", nil, `{"error":{"message":"Rate limit. Please try again in 6m0s."}}`, 6 * time.Minute},
		{"words of milliseconds", nil, `{"error":{"message":"try again in 350ms"}}`, 350 * time.Millisecond},
		{"words that mean nothing", nil, `{"error":{"message":"try again in a while"}}`, 0},
	} {
		h := http.Header{}
		for k, v := range c.header {
			h.Set(k, v)
		}
		if got := waitFor(h, []byte(c.body), now); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func FuzzWaits(f *testing.F) {
	f.Add("20", `{"error":{"message":"retry in 3s"}}`)
	f.Add("1e400", `{"error":{"details":[{"retryDelay":"999999999999s"}]}}`)
	f.Fuzz(func(t *testing.T, header, body string) {
		if d := waitFor(http.Header{"Retry-After": {header}}, []byte(body), now); d < 0 {
			t.Errorf("a wait of %v", d)
		}
	})
}

func TestWordsOfErrors(t *testing.T) {
	s := &Server{BackEnd: "test", Redactor: safe.NewRedactor("my-secret-key")}
	for _, c := range []struct {
		name, body, code, message string
	}{
		{"OpenAI", `{"error":{"message":"no","type":"t","code":"c"}}`, "c", "HTTP 418: no"},
		{"Google", `{"error":{"code":418,"message":"no","status":"TEAPOT"}}`, "TEAPOT", "HTTP 418: no"},
		{"Anthropic", `{"type":"error","error":{"type":"teapot_error","message":"no"}}`, "teapot_error", "HTTP 418: no"},
		{"Ollama", `{"error":"no"}`, "", "HTTP 418: no"},
		{"OpenRouter", `{"error":{"message":"Provider returned error","code":418,"metadata":{"raw":"the true reason"}}}`, "", "HTTP 418: the true reason"},
		{"a key", `{"error":"my-secret-key is bad"}`, "", "HTTP 418: [redacted] is bad"},
		{"no JSON", `<html>`, "", "HTTP 418"},
		{"lines", `{"error":"one\ntwo"}`, "", "HTTP 418: one two"},
		{"long", `{"error":"` + strings.Repeat("ü", 400) + `"}`, "", "HTTP 418: " + strings.Repeat("ü", 145) + "..."},
	} {
		e := s.Failure(418, nil, []byte(c.body))
		if e.Code != c.code || e.Message != c.message || e.Kind != llm.BadRequest || e.Status != 418 {
			t.Errorf("%s: %+v", c.name, e)
		}
	}
}

func TestSchemas(t *testing.T) {
	schema := json.RawMessage(`{"$schema":"x","type":"object","properties":{"b":{"type":"string","minLength":1},"a":{"type":"array","maxItems":3,"items":{"type":"object","properties":{"c":{"type":"integer","minimum":0}}}}},"required":["b"],"additionalProperties":false}`)
	plain := `{"type":"object","properties":{"b":{"type":"string"},"a":{"type":"array","items":{"type":"object","properties":{"c":{"type":"integer"}}}}},"required":["b"]}`
	strict := `{"type":"object","properties":{"b":{"type":"string"},"a":{"type":"array","items":{"type":"object","properties":{"c":{"type":"integer"}},"required":["c"],"additionalProperties":false}}},"required":["b","a"],"additionalProperties":false}`
	if diff := cmp.Diff(plain, string(Plain(schema))); diff != "" {
		t.Errorf("plain (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(strict, string(Strict(schema))); diff != "" {
		t.Errorf("strict (-want +got):\n%s", diff)
	}
	if got := Strict(Strict(schema)); string(got) != strict {
		t.Errorf("strict of strict is %s", got)
	}
}

func TestSystemAsksForJSONWhereTheServerDoesNot(t *testing.T) {
	r := llm.Request{System: "You plan.", Schema: json.RawMessage(`{ "type": "object" }`)}
	if got := System(r, llm.SchemaForm); got != "You plan." {
		t.Errorf("%q", got)
	}
	for _, f := range []llm.Form{llm.ObjectForm, llm.TextForm} {
		if got := System(r, f); !strings.HasPrefix(got, "You plan.\n\n") || !strings.Contains(got, "JSON") || !strings.HasSuffix(got, `{"type":"object"}`) {
			t.Errorf("%s: %q", f, got)
		}
	}
}

func TestMissingNamesTheNearest(t *testing.T) {
	e := Missing(&llm.Error{Hint: "old"}, "gemini-3.8-flsh", []string{"embed", "gemini-2.5-pro", "gemini-3.5-flash", "gemini-3.8-flash", "a", "b", "c"})
	if e.Hint != "There is no gemini-3.8-flsh. Name one of: gemini-3.8-flash, gemini-3.5-flash, gemini-2.5-pro, embed, a." {
		t.Errorf("%q", e.Hint)
	}
	if e := Missing(&llm.Error{Hint: "old"}, "x", nil); e.Hint != "old" {
		t.Errorf("%q", e.Hint)
	}
}

// body is a server's answer without a network.
type body string

func (b body) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(string(b)))}, nil
}

func stream(text string) (events []string, err error) {
	s := &Server{Client: &http.Client{Transport: body(text)}, Base: "http://127.0.0.1", BackEnd: "test"}
	_, err = s.Stream(context.Background(), "/", map[string]any{}, func(e gjson.Result) error {
		events = append(events, e.Raw)
		return nil
	})
	return events, err
}

func TestStream(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
		kind       llm.Kind
	}{
		{"lines", "{\"a\":1}\n\n{\"a\":2}", []string{`{"a":1}`, `{"a":2}`}, ""},
		{"events", ": hello\nevent: x\nid: 1\nretry: 5\ndata: {\"a\":1}\r\n\r\ndata:{\"a\":2}\n\ndata: [DONE]\n", []string{`{"a":1}`, `{"a":2}`}, ""},
		{"an error among them", "{\"a\":1}\n{\"error\":{\"code\":429,\"message\":\"slow\"}}\n", []string{`{"a":1}`}, llm.Rate},
		{"half a line", "{\"a\":1}\n{\"a\":", []string{`{"a":1}`}, llm.Network},
		{"a page", "<!doctype html>\n", nil, llm.Network},
		{"a line without end", "data: \"" + strings.Repeat("x", longestEvent), nil, llm.Network},
	} {
		got, err := stream(c.text)
		if diff := cmp.Diff(c.want, got); diff != "" || llm.KindOf(err) != c.kind {
			t.Errorf("%s: %v (-want +got):\n%s", c.name, err, diff)
		}
	}
}

func FuzzStream(f *testing.F) {
	f.Add("data: {\"a\":1}\n\n")
	f.Add("{\"error\":\"x\"}\n")
	f.Fuzz(func(t *testing.T, text string) {
		events, err := stream(text)
		for _, e := range events {
			if !json.Valid([]byte(e)) {
				t.Errorf("%q is no JSON", e)
			}
		}
		if e := (*llm.Error)(nil); err != nil && !errors.As(err, &e) {
			t.Errorf("%v is no *llm.Error", err)
		}
	})
}

func TestTooLongAnswersAreRefused(t *testing.T) {
	s := &Server{Client: &http.Client{Transport: body(`"` + strings.Repeat("x", MaxAnswer) + `"`)}, Base: "http://127.0.0.1", BackEnd: "test"}
	if _, err := s.Get(context.Background(), "/"); llm.KindOf(err) != llm.Network {
		t.Errorf("got %v", err)
	}
}

func TestLocal(t *testing.T) {
	for base, want := range map[string]bool{"http://127.0.0.1:1234/v1": true, "http://localhost:11434": true, "http://[::1]:8080": true,
		"http://10.0.0.1:11434": false, "https://api.example": false, "http://127.evil.example": false, "::": false} {
		if got := (&Server{Base: base}).Local(); got != want {
			t.Errorf("%s: %v", base, got)
		}
	}
}
