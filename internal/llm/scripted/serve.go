package scripted

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"

	"github.com/tidwall/gjson"

	"deepresearch/internal/llm"
)

// maxRequest is the longest request that Handler reads, in bytes.
const maxRequest = 16 << 20

// Handler serves a model as OpenAI-compatible servers do, under /v1: the list of
// models, and chat completions in one piece. It lets a whole program be tested
// with a scripted model, through its real back end. The role of a request does
// not travel over this wire.
func Handler(m llm.Model) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		send(w, http.StatusOK, map[string]any{"data": []any{map[string]any{"id": m.Name()}}})
	})
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(io.LimitReader(r.Body, maxRequest))
		if err != nil || !gjson.ValidBytes(body) {
			refuse(w, &llm.Error{Status: http.StatusBadRequest, Message: "the request is no JSON"})
			return
		}
		reply, err := m.Generate(r.Context(), request(gjson.ParseBytes(body)))
		if err != nil {
			refuse(w, err)
			return
		}
		finish := map[llm.Finish]string{llm.Length: "length"}[reply.Finish]
		if finish == "" {
			finish = "stop"
		}
		send(w, http.StatusOK, map[string]any{
			"model":   m.Name(),
			"choices": []any{map[string]any{"message": map[string]any{"role": "assistant", "content": reply.Text}, "finish_reason": finish}},
			"usage":   map[string]any{"prompt_tokens": reply.Usage.In, "completion_tokens": reply.Usage.Out},
		})
	})
	return mux
}

// request reads a request for a chat completion.
func request(body gjson.Result) llm.Request {
	r := llm.Request{MaxOutput: int(max(body.Get("max_tokens").Int(), body.Get("max_completion_tokens").Int()))}
	for _, m := range body.Get("messages").Array() {
		switch text := m.Get("content").Str; m.Get("role").Str {
		case "system":
			r.System = text
		case "assistant":
			r.Messages = append(r.Messages, llm.Message{From: llm.Assistant, Text: text})
		default:
			r.Messages = append(r.Messages, llm.Message{From: llm.User, Text: text})
		}
	}
	if schema := body.Get("response_format.json_schema.schema"); schema.IsObject() {
		r.Schema = json.RawMessage(schema.Raw)
	}
	return r
}

func refuse(w http.ResponseWriter, err error) {
	e := (*llm.Error)(nil)
	if !errors.As(err, &e) {
		e = &llm.Error{Status: http.StatusInternalServerError, Message: err.Error()}
	}
	code := string(e.Kind)
	if e.Kind == llm.ContextTooLong {
		code = "context_length_exceeded"
	}
	if e.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.FormatFloat(e.RetryAfter.Seconds(), 'f', -1, 64))
	}
	status := e.Status
	if status == 0 {
		status = http.StatusInternalServerError
	}
	send(w, status, map[string]any{"error": map[string]any{"message": e.Message, "code": code}})
}

func send(w http.ResponseWriter, status int, answer any) {
	raw, err := json.Marshal(answer)
	if err != nil { // maps of texts and numbers always marshal
		status = http.StatusInternalServerError
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(raw)
}
