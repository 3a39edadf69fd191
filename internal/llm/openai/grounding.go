package openai

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"deepresearch/internal/llm"
	"deepresearch/internal/llm/wire"
)

// grounding reads the citations of an answer. Their places count characters; a
// place of nothing, as OpenRouter sends, ties a page to no words.
func grounding(annotations []gjson.Result, text string) *llm.Grounding {
	var pages wire.Pages
	var supports []llm.Support
	for _, a := range annotations {
		if a.Get("type").Str != "url_citation" {
			continue
		}
		c := a
		if inner := a.Get("url_citation"); inner.IsObject() {
			c = inner
		}
		if c.Get("url").Str == "" {
			continue
		}
		at := pages.Add(llm.WebPage{URL: c.Get("url").Str, Title: c.Get("title").Str})
		start, end := byteOffset(text, c.Get("start_index").Int()), byteOffset(text, c.Get("end_index").Int())
		if start < end {
			supports = append(supports, llm.Support{Start: start, End: end, Sources: []int{at}})
		}
	}
	if len(pages.List) == 0 {
		return nil
	}
	return &llm.Grounding{Sources: pages.List, Supports: supports}
}

// byteOffset is where the nth character of text begins.
func byteOffset(text string, n int64) int {
	at := 0
	for ; n > 0 && at < len(text); n-- {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return at
}

// respond asks through the Responses API, where OpenAI's own models can search.
func (m *Model) respond(ctx context.Context, r llm.Request) (llm.Reply, error) {
	body := map[string]any{"model": m.name, "input": wire.Chat("", r.Messages), "max_output_tokens": r.OutputLimit(), "store": false,
		"tools": []any{map[string]any{"type": "web_search"}}}
	if r.System != "" {
		body["instructions"] = r.System
	}
	if r.Thinking != "" && r.Thinking != llm.NoThinking { // which would switch the search off
		body["reasoning"] = map[string]any{"effort": efforts[r.Thinking]}
	}
	answer, err := m.server.Post(ctx, "/responses", body)
	if err != nil {
		return llm.Reply{}, m.explain(ctx, err)
	}
	reply, err := m.readResponse(answer.JSON)
	reply.Pause = wire.Pause(answer.Header, time.Now())
	return reply, err
}

func (m *Model) readResponse(doc gjson.Result) (llm.Reply, error) {
	reply := llm.Reply{Model: m.Name(), Finish: llm.Stopped, Usage: usage(doc.Get("usage"))}
	var said, refused strings.Builder
	var annotations []gjson.Result
	var queries []string
	for _, o := range doc.Get("output").Array() {
		switch o.Get("type").Str {
		case "web_search_call":
			if action := o.Get("action"); action.Get("type").Str == "search" {
				reply.Usage.Searches++
				queries = append(queries, action.Get("query").Str)
			}
		case "message":
			for _, part := range o.Get("content").Array() {
				if said.Len() == 0 { // the places of citations count from the beginning of their part
					annotations = append(annotations, part.Get("annotations").Array()...)
				}
				said.WriteString(part.Get("text").Str)
				refused.WriteString(part.Get("refusal").Str)
			}
		}
	}
	if doc.Get("incomplete_details.reason").Str == "max_output_tokens" {
		reply.Finish = llm.Length
	}
	reply.Text = said.String()
	if refused.Len() > 0 || doc.Get("incomplete_details.reason").Str == "content_filter" {
		return llm.Reply{Usage: reply.Usage}, m.server.Fail(llm.Blocked, "the model refused: "+refused.String())
	}
	reply.Grounding = grounding(annotations, reply.Text)
	if reply.Grounding == nil && len(queries) > 0 {
		reply.Grounding = &llm.Grounding{}
	}
	if reply.Grounding != nil {
		reply.Grounding.Queries = queries
	}
	return reply, nil
}
