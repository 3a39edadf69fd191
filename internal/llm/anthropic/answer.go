package anthropic

import (
	"context"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"deepresearch/internal/llm"
	"deepresearch/internal/llm/wire"
)

// draft puts an answer together from its blocks.
type draft struct {
	text     strings.Builder
	pages    wire.Pages
	supports []llm.Support
	queries  []string
	searched bool
}

// block adds one content block, whole.
func (d *draft) block(b gjson.Result) {
	switch b.Get("type").Str {
	case "text":
		start := d.text.Len()
		d.text.WriteString(b.Get("text").Str)
		d.cite(b.Get("citations").Array(), start)
	case "server_tool_use":
		d.query(b.Get("input.query").Str)
	case "web_search_tool_result":
		for _, hit := range b.Get("content").Array() {
			d.page(hit)
		}
	}
}

func (d *draft) query(q string) {
	d.searched = true
	if q != "" {
		d.queries = append(d.queries, q)
	}
}

func (d *draft) page(hit gjson.Result) (index int, ok bool) {
	if hit.Get("url").Str == "" {
		return 0, false
	}
	return d.pages.Add(llm.WebPage{URL: hit.Get("url").Str, Title: hit.Get("title").Str}), true
}

// cite ties the text from start on to the pages it cites.
func (d *draft) cite(citations []gjson.Result, start int) {
	var sources []int
	for _, c := range citations {
		if i, ok := d.page(c); ok {
			sources = append(sources, i)
		}
	}
	if len(sources) > 0 && start < d.text.Len() {
		d.supports = append(d.supports, llm.Support{Start: start, End: d.text.Len(), Sources: sources})
	}
}

func (d *draft) grounding() *llm.Grounding {
	if !d.searched {
		return nil
	}
	return &llm.Grounding{Queries: d.queries, Sources: d.pages.List, Supports: d.supports}
}

func (m *Model) read(doc gjson.Result) (llm.Reply, error) {
	if !doc.Get("content").IsArray() {
		return llm.Reply{}, m.server.Fail(llm.Network, "the answer has no content")
	}
	var d draft
	for _, b := range doc.Get("content").Array() {
		d.block(b)
	}
	return m.reply(&d, doc.Get("stop_reason").Str, usage(doc.Get("usage")))
}

func (m *Model) reply(d *draft, stop string, u llm.Usage) (llm.Reply, error) {
	reply := llm.Reply{Text: d.text.String(), Finish: llm.Stopped, Model: m.Name(), Usage: u, Grounding: d.grounding()}
	switch stop {
	case "max_tokens", "model_context_window_exceeded":
		reply.Finish = llm.Length
	case "refusal":
		return llm.Reply{Usage: u}, m.server.Fail(llm.Blocked, "the model refused to answer")
	}
	return reply, nil
}

// Stream hands out the text as it comes.
func (m *Model) Stream(ctx context.Context, r llm.Request, emit func(string) error) (llm.Reply, error) {
	var reply llm.Reply
	err := m.adapting(r, func(form llm.Form) error {
		s := stream{emit: emit}
		header, err := m.server.Stream(ctx, "/v1/messages", m.body(r, form, true), s.event)
		switch {
		case err != nil:
			return err
		case !s.whole:
			return m.server.BrokeOff()
		}
		reply, err = m.reply(&s.draft, s.stop, s.usage)
		reply.Pause, reply.Form = wire.Pause(header, time.Now()), form
		return err
	})
	return reply, m.explain(ctx, err)
}

// stream follows the events of one answer.
type stream struct {
	draft draft
	emit  func(string) error
	usage llm.Usage
	stop  string
	whole bool

	start     int             // where the block that is being read begins in the text
	citations []gjson.Result  // of that block
	input     strings.Builder // of a search, in pieces of JSON
	tool      bool
}

func (s *stream) event(e gjson.Result) error {
	switch e.Get("type").Str {
	case "message_start":
		s.usage = usage(e.Get("message.usage"))
	case "content_block_start":
		b := e.Get("content_block")
		s.start, s.citations, s.tool = s.draft.text.Len(), nil, b.Get("type").Str == "server_tool_use"
		s.input.Reset()
		if !s.tool {
			s.draft.block(b)
		}
	case "content_block_delta":
		return s.delta(e.Get("delta"))
	case "content_block_stop":
		s.draft.cite(s.citations, s.start)
		if s.tool {
			s.draft.query(gjson.Get(s.input.String(), "query").Str)
		}
		s.citations, s.tool = nil, false
	case "message_delta":
		s.stop = e.Get("delta.stop_reason").Str
		s.last(e.Get("usage"))
	case "message_stop":
		s.whole = true
	}
	return nil
}

func (s *stream) delta(d gjson.Result) error {
	switch d.Get("type").Str {
	case "text_delta":
		s.draft.text.WriteString(d.Get("text").Str)
		return s.emit(d.Get("text").Str)
	case "citations_delta":
		s.citations = append(s.citations, d.Get("citation"))
	case "input_json_delta":
		s.input.WriteString(d.Get("partial_json").Str)
	}
	return nil
}

// last takes the counters at the end, which may repeat those of the beginning.
func (s *stream) last(u gjson.Result) {
	end := usage(u)
	s.usage.In, s.usage.Cached = max(s.usage.In, end.In), max(s.usage.Cached, end.Cached)
	s.usage.Out, s.usage.Thinking = max(s.usage.Out, end.Out), max(s.usage.Thinking, end.Thinking)
	s.usage.Searches = max(s.usage.Searches, end.Searches)
}
