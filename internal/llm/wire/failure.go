package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/tidwall/gjson"

	"deepresearch/internal/guard"
	"deepresearch/internal/llm"
)

const (
	maxFailure  = 64 << 10 // bytes of an error body that are read
	longestSaid = 300      // bytes of a server's words in a message

	// finalWait is the wait from which a limit counts as used up for this run.
	// Some servers say the same words for a minute's limit and a day's, so the
	// wait decides; five minutes is where Gemini's own command line gives up.
	finalWait = 5 * time.Minute
)

// Fail makes an error of the server with the hint of its kind.
func (s *Server) Fail(kind llm.Kind, message string) *llm.Error {
	return &llm.Error{Kind: kind, Model: s.BackEnd, Message: clip(s.Redact(message)), Hint: s.hint(kind, 0)}
}

// Failure makes an error of an answer whose status is not 200.
func (s *Server) Failure(status int, h http.Header, body []byte) *llm.Error {
	code, said := words(body)
	wait := waitFor(h, body, time.Now())
	e := s.Fail(kindOf(status, code+" "+said+" "+quotaIDs(body), wait), fmt.Sprintf("HTTP %d", status))
	if said != "" {
		e.Message = clip(s.Redact(fmt.Sprintf("HTTP %d: %s", status, said)))
	}
	e.Status, e.Code, e.RetryAfter = status, clip(s.Redact(code)), wait
	e.Hint = s.hint(e.Kind, wait)
	return e
}

// said are phrases that tell more than the status, in order; the first that
// stands in the error decides.
var said = []struct {
	from, to int // statuses
	kind     llm.Kind
	phrases  []string
}{
	{400, 499, llm.Auth, []string{"api_key_invalid", "api key not valid", "invalid api key", "incorrect api key", "invalid x-api-key", "authentication_error", "api key not found"}},
	{400, 499, llm.Quota, []string{"insufficient_quota", "exceeded your current quota, please check your plan and billing", "spend limit", "spend_limit", "credit balance",
		"insufficient credits", "insufficient balance", "perday", "limit: 0", "billing_hard_limit"}},
	{400, 599, llm.ContextTooLong, []string{"context_length_exceeded", "context length", "maximum context", "context window", "context size", "input length exceeds",
		"prompt is too long", "prompt too long", "too many tokens", "input token count", "trying to keep the first", "exceed_context_size", "request_too_large", "reduce the length"}},
	{400, 499, llm.NotFound, []string{"model_not_found", "model not found", "no such model", "is not a valid model", "does not exist or you do not have access", "not_found_error"}},
	{400, 499, llm.Blocked, []string{"content_filter", "content_policy", "content management policy", "prohibited_content", "data_inspection_failed", "flagged"}},
	{500, 529, llm.Rate, []string{"rate limit", "rate_limit"}},
	{500, 500, llm.BadRequest, []string{"invalid format"}}, // Ollama, of a schema
}

// statuses decide where no phrase does; those not listed go by their class.
var statuses = map[int]llm.Kind{
	401: llm.Auth, 403: llm.Auth, 402: llm.Quota, 404: llm.NotFound, 408: llm.Timeout, 413: llm.ContextTooLong, 429: llm.Rate,
}

func kindOf(status int, words string, wait time.Duration) llm.Kind {
	words = strings.ToLower(words)
	for _, rule := range said {
		if status < rule.from || status > rule.to {
			continue
		}
		for _, phrase := range rule.phrases {
			// A wait that is short enough speaks louder than the word quota.
			if strings.Contains(words, phrase) && (rule.kind != llm.Quota || wait == 0 || wait > finalWait || phrase == "perday" || phrase == "limit: 0") {
				return rule.kind
			}
		}
	}
	kind, known := statuses[status]
	switch {
	case kind == llm.Rate && wait > finalWait:
		return llm.Quota
	case known:
		return kind
	case status >= 500:
		return llm.Overloaded
	case status >= 400:
		return llm.BadRequest
	}
	return llm.Network // a redirect or another surprise
}

// codePaths and messagePaths are where servers put the word for an error and
// the text of it. The cause that OpenRouter got from the server behind it comes
// before its own text.
var (
	codePaths    = []string{"error.status", "error.details.error_code", "error.code", "error.type", "code", "type"}
	messagePaths = []string{"error.metadata.raw", "error.message", "error", "message", "detail", "errors.0.message", "0.error.message"}
)

func words(body []byte) (code, message string) {
	if !gjson.ValidBytes(body) {
		return "", ""
	}
	doc := gjson.ParseBytes(body)
	return firstText(doc, codePaths), firstText(doc, messagePaths)
}

func firstText(doc gjson.Result, paths []string) string {
	for _, p := range paths {
		if v := doc.Get(p); v.Type == gjson.String && v.Str != "" {
			return v.Str
		}
	}
	return ""
}

// quotaIDs are the names of the limits that Google says were hit, such as
// GenerateRequestsPerDayPerProjectPerModel-FreeTier.
func quotaIDs(body []byte) string {
	if !gjson.ValidBytes(body) {
		return ""
	}
	var ids []string
	for _, d := range gjson.GetBytes(body, "error.details").Array() {
		for _, v := range d.Get("violations").Array() {
			ids = append(ids, v.Get("quotaId").Str)
		}
		ids = append(ids, d.Get("reason").Str)
	}
	return strings.Join(ids, " ")
}

// hint says what can be done about a kind of error.
func (s *Server) hint(kind llm.Kind, wait time.Duration) string {
	switch kind {
	case llm.Auth:
		if s.KeyName == "" {
			return "The server asks for a key that this back end does not send; name another server."
		}
		return fmt.Sprintf("Set %s to a key that may use this model.", s.KeyName)
	case llm.Rate:
		if wait > 0 {
			return fmt.Sprintf("The server takes requests again in %s.", wait.Round(time.Second))
		}
		return "The server takes fewer requests than this; lower --concurrency or wait."
	case llm.Unreachable:
		return fmt.Sprintf("Start %s so that it listens at %s, or name another model.", s.BackEnd, s.Redact(s.Base))
	}
	return hints[kind]
}

var hints = map[llm.Kind]string{
	llm.Quota:          "The quota or credit is used up; name another model, or wait for the next period.",
	llm.Overloaded:     "The server is busy; wait a little, or name another model.",
	llm.Timeout:        "The answer took too long; a smaller model or less text is faster.",
	llm.Network:        "Check the network and the base URL of this back end.",
	llm.Denied:         "The rules for addresses forbid this server, for instance --offline; name a model on this machine.",
	llm.NotFound:       "Name a model that the server has.",
	llm.BadRequest:     "The server does not take such a request for this model; name another model.",
	llm.ContextTooLong: "Send less text, or name a model with a longer context.",
	llm.Blocked:        "A filter refused this text; leave out the source it came from, or ask differently.",
	llm.Empty:          "The model gave no text; raise the output limit or lower thinking.",
}

// windowsRefused is WSAECONNREFUSED, which package syscall does not take for its
// ECONNREFUSED. No other system has an error of that number.
const windowsRefused = syscall.Errno(10061)

// Unreached makes an error of a request without a whole answer. When ctx has
// ended it returns the cause of that as it is. Addresses in the texts of
// libraries may hold a key, so they are left out.
func (s *Server) Unreached(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if e := (*llm.Error)(nil); errors.As(err, &e) {
		return e
	}
	if withURL := (*url.Error)(nil); errors.As(err, &withURL) {
		err = withURL.Err
	}
	var slow interface{ Timeout() bool }
	var name *net.DNSError
	refused := (*guard.Refused)(nil)
	e := s.Fail(llm.Network, err.Error())
	switch {
	case errors.As(err, &refused):
		e = s.Fail(llm.Denied, refused.Error())
	case errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, windowsRefused):
		e = s.Fail(llm.Unreachable, "nothing listens at "+s.Base)
	case errors.As(err, &name) && name.IsNotFound:
		e = s.Fail(llm.Unreachable, "there is no host "+name.Name)
	case errors.As(err, &slow) && slow.Timeout():
		e = s.Fail(llm.Timeout, "the server did not answer in time")
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		e = s.Fail(llm.Network, "the answer broke off")
	}
	return e
}

func clip(s string) string {
	s = strings.ToValidUTF8(strings.Join(strings.Fields(s), " "), "\ufffd")
	if len(s) <= longestSaid {
		return s
	}
	return strings.ToValidUTF8(s[:longestSaid], "") + "..."
}
