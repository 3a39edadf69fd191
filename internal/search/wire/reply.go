package wire

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"deepresearch/internal/search"
)

// kinds of failure by HTTP status. Statuses that are not listed fall to the
// class rules of [Reply.Failure].
var kinds = map[int]search.Kind{
	400: search.BadQuery,
	401: search.Auth,
	402: search.Quota,
	403: search.Blocked, // with a key: auth
	408: search.Timeout,
	413: search.BadQuery,
	414: search.BadQuery,
	422: search.BadQuery,
	429: search.Rate,
	451: search.Blocked,
	504: search.Timeout,
}

// Failure returns what the status says went wrong, nil for 200.
func (a Reply) Failure() *search.Failure {
	if a.Status == http.StatusOK {
		return nil
	}
	kind, known := kinds[a.Status]
	wait := retryAfter(a.Header)
	switch {
	case a.Status == http.StatusForbidden && a.Keyed:
		kind = search.Auth
	case a.Status == http.StatusServiceUnavailable && wait > 0:
		kind = search.Rate
	case known:
	case a.Status >= 500:
		kind = search.Network
	default:
		kind = search.LayoutChanged
	}
	return a.Fail(kind, "")
}

// Fail returns a failure of the kind with the status, the words of the answer
// itself and the wait it asks for.
func (a Reply) Fail(kind search.Kind, hint string) *search.Failure {
	message := fmt.Sprintf("HTTP %d", a.Status)
	if said := a.Said(); said != "" {
		message += ": " + said
	}
	return &search.Failure{Kind: kind, Message: message, Hint: hint, RetryAfter: retryAfter(a.Header)}
}

// errorPaths are the places where engines put the text of an error.
var errorPaths = []string{
	"error.message", "error.detail", "error.info", "detail.error", "error.code", "error", "message", "detail.0.msg",
	"detail", "errorMessage", "error_message", "errors.0.message", "errors.0.detail", "msg", "message.0.message", "0.message.0.value",
}

// longestSaid bounds the words of an engine in an error, in bytes.
const longestSaid = 300

// Said returns the error text of the answer in its own words, shortened, or
// nothing when it is no JSON or plain text.
func (a Reply) Said() string {
	if gjson.ValidBytes(a.Body) {
		for _, path := range errorPaths {
			if v := gjson.GetBytes(a.Body, path); v.Type == gjson.String && v.Str != "" {
				return clip(v.Str)
			}
		}
		return ""
	}
	if !strings.HasPrefix(a.Header.Get("Content-Type"), "text/plain") || !utf8.Valid(a.Body) {
		return ""
	}
	return clip(string(a.Body))
}

func clip(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= longestSaid {
		return s
	}
	return strings.ToValidUTF8(s[:longestSaid], "") + "..."
}

// Document returns the answer as JSON, or a failure when it is none.
func (a Reply) Document() (gjson.Result, error) {
	if gjson.ValidBytes(a.Body) {
		return gjson.ParseBytes(a.Body), nil
	}
	what := "no JSON"
	if bytes.HasPrefix(bytes.TrimSpace(a.Body), []byte("<")) {
		what = "HTML or XML instead of JSON"
	}
	return gjson.Result{}, &search.Failure{Kind: search.LayoutChanged, Message: "the answer is " + what}
}
