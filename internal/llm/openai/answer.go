package openai

import (
	"context"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"deepresearch/internal/llm"
	"deepresearch/internal/llm/answer"
	"deepresearch/internal/llm/wire"
)

// read makes a reply of a whole answer.
func (m *Model) read(doc gjson.Result, r llm.Request) (llm.Reply, error) {
	choice := doc.Get("choices.0")
	if !choice.IsObject() {
		return llm.Reply{}, m.server.Fail(llm.Network, "the answer has no choices")
	}
	message := choice.Get("message")
	return m.reply(draft{
		text: text(message.Get("content")), thinking: firstText(message, "reasoning_content", "reasoning"), refusal: message.Get("refusal").Str,
		finish: choice.Get("finish_reason").Str, usage: doc.Get("usage"), annotations: message.Get("annotations").Array(),
	}, r)
}

// draft is an answer as it came, whole or put together from pieces.
type draft struct {
	text, thinking, refusal, finish string
	usage                           gjson.Result
	annotations                     []gjson.Result
}

func (m *Model) reply(d draft, r llm.Request) (llm.Reply, error) {
	reply := llm.Reply{Text: d.text, Model: m.Name(), Finish: llm.Stopped, Usage: usage(d.usage), Grounding: grounding(d.annotations, d.text)}
	if !d.usage.IsObject() {
		reply.Usage = llm.Usage{Calls: 1, In: llm.EstimateInput(r), Out: llm.EstimateTokens(d.text + d.thinking), Estimated: true}
	}
	if d.finish == "length" {
		reply.Finish = llm.Length
	}
	switch {
	case d.refusal != "":
		return llm.Reply{Usage: reply.Usage}, m.server.Fail(llm.Blocked, "the model refused: "+d.refusal)
	case d.finish == "content_filter":
		return llm.Reply{Usage: reply.Usage}, m.server.Fail(llm.Blocked, "the server's filter stopped the answer")
	case d.text == "" && len(r.Schema) > 0 && d.thinking != "":
		// Some servers put the whole answer where the thinking belongs.
		if v, err := answer.Parse(d.thinking, r.Schema); err == nil {
			reply.Text = string(v.JSON)
		}
	}
	if r.Grounding && m.kind.search == noSearch {
		reply.Warnings = append(reply.Warnings, "This server cannot search the web for a model; the answer is from the model's memory.")
	}
	return reply, nil
}

// text reads a content that is a text or a list of parts.
func text(content gjson.Result) string {
	if !content.IsArray() {
		return content.Str
	}
	var b strings.Builder
	for _, part := range content.Array() {
		if kind := part.Get("type").Str; kind == "" || kind == "text" || kind == "output_text" {
			b.WriteString(part.Get("text").Str)
		}
	}
	return b.String()
}

func firstText(v gjson.Result, names ...string) string {
	for _, n := range names {
		if s := v.Get(n).Str; s != "" {
			return s
		}
	}
	return ""
}

// Stream hands out the text as it comes.
func (m *Model) Stream(ctx context.Context, r llm.Request, emit func(string) error) (llm.Reply, error) {
	if r.Grounding && m.kind.search == responses {
		reply, err := m.respond(ctx, r)
		if err == nil {
			err = emit(reply.Text)
		}
		return reply, err
	}
	var reply llm.Reply
	err := m.adapting(r, func(d dialect) error {
		var said, thought, refused strings.Builder
		var got draft
		header, err := m.server.Stream(ctx, "/chat/completions", m.body(r, d, true), func(event gjson.Result) error {
			if u := event.Get("usage"); u.IsObject() {
				got.usage = u
			}
			choice := event.Get("choices.0")
			if f := choice.Get("finish_reason").Str; f != "" {
				got.finish = f
			}
			delta := choice.Get("delta")
			thought.WriteString(firstText(delta, "reasoning_content", "reasoning"))
			refused.WriteString(delta.Get("refusal").Str)
			got.annotations = append(got.annotations, delta.Get("annotations").Array()...)
			piece := text(delta.Get("content"))
			said.WriteString(piece)
			if piece == "" {
				return nil
			}
			return emit(piece)
		})
		switch {
		case err != nil:
			return err
		case got.finish == "":
			return m.server.BrokeOff()
		}
		got.text, got.thinking, got.refusal = said.String(), thought.String(), refused.String()
		reply, err = m.reply(got, r)
		reply.Pause, reply.Form = wire.Pause(header, time.Now()), d.form(r)
		return err
	})
	return reply, m.explain(ctx, err)
}
