package gemini

import (
	"context"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"deepresearch/internal/llm"
	"deepresearch/internal/llm/wire"
)

// part is one part of an answer. The pieces of a stream that belong together are
// one part, and so are they to the places that grounding names.
type part struct {
	text    string
	thought bool
	offset  int // of its text in the answer; only of parts that answer
}

// whole is an answer put together from its documents.
type whole struct {
	parts     []part
	text      string
	finish    string
	block     string
	usage     gjson.Result
	grounding gjson.Result
	any       bool // it had a candidate
}

func assemble(chunks []gjson.Result, stream bool) whole {
	var w whole
	for _, doc := range chunks {
		c := doc.Get("candidates.0")
		w.any = w.any || c.Exists()
		for _, p := range c.Get("content.parts").Array() {
			w.add(part{text: strings.ToValidUTF8(p.Get("text").Str, "\ufffd"), thought: p.Get("thought").Bool()}, stream)
		}
		if f := c.Get("finishReason"); f.Exists() {
			w.finish = f.String()
		}
		if b := doc.Get("promptFeedback.blockReason"); b.Exists() {
			w.block = b.String()
		}
		if u := doc.Get("usageMetadata"); u.Exists() {
			w.usage = u
		}
		// Grounding may come with any piece; pieces without any send it empty.
		if g := c.Get("groundingMetadata"); len(g.Raw) > len(w.grounding.Raw) {
			w.grounding = g
		}
	}
	var b strings.Builder
	for i := range w.parts {
		if p := &w.parts[i]; !p.thought {
			p.offset = b.Len()
			b.WriteString(p.text)
		}
	}
	w.text = b.String()
	return w
}

func (w *whole) add(p part, stream bool) {
	if n := len(w.parts); stream && n > 0 && w.parts[n-1].thought == p.thought {
		w.parts[n-1].text += p.text
		return
	}
	w.parts = append(w.parts, p)
}

// lengths and filters are the reasons to stop that matter, by name and by the
// number that older servers send.
var (
	lengths = map[string]bool{"MAX_TOKENS": true, "2": true}
	filters = map[string]bool{"SAFETY": true, "3": true, "RECITATION": true, "4": true, "LANGUAGE": true, "BLOCKLIST": true, "PROHIBITED_CONTENT": true, "SPII": true}
)

// read makes a reply of what came over the wire, or an error of err. What the
// library made of a good answer does not matter.
func (m *Model) read(ctx context.Context, c *call, r llm.Request, err error) (llm.Reply, error) {
	if err != nil && (c.stream || len(c.chunks) == 0) {
		return llm.Reply{}, m.failure(ctx, err)
	}
	w := assemble(c.chunks, c.stream)
	reply := llm.Reply{Text: w.text, Finish: llm.Stopped, Model: m.Name(), Pause: wire.Pause(c.header, time.Now())}
	reply.Usage = m.usage(w, r)
	switch {
	case w.block != "" && w.block != "0" && w.block != "BLOCK_REASON_UNSPECIFIED":
		return llm.Reply{Usage: reply.Usage}, m.blocked(w.block, "the prompt was blocked")
	case filters[w.finish]:
		return llm.Reply{Usage: reply.Usage}, m.blocked(w.finish, "the answer was blocked")
	case lengths[w.finish]:
		reply.Finish = llm.Length
	}
	if r.Grounding {
		reply.Grounding = m.ground(ctx, w)
	}
	return reply, nil
}

func (m *Model) blocked(code, what string) *llm.Error {
	e := m.server.Fail(llm.Blocked, what+" ("+code+")")
	e.Code = code
	return e
}

// usage reads the counters. Output is counted without thinking by the API and
// billed with it; what a search brought into the prompt is counted apart.
func (m *Model) usage(w whole, r llm.Request) llm.Usage {
	searches := len(w.grounding.Get("webSearchQueries").Array())
	u := w.usage
	if !u.Exists() {
		return llm.Usage{Calls: 1, In: llm.EstimateInput(r), Out: llm.EstimateTokens(w.text), Searches: searches, Estimated: true}
	}
	thinking := int(u.Get("thoughtsTokenCount").Int())
	return llm.Usage{
		Calls: 1, In: int(u.Get("promptTokenCount").Int() + u.Get("toolUsePromptTokenCount").Int()), Cached: int(u.Get("cachedContentTokenCount").Int()),
		Out: int(u.Get("candidatesTokenCount").Int()) + thinking, Thinking: thinking, Searches: searches,
	}
}
