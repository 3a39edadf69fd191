package gemini

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"deepresearch/internal/llm"
)

// ground reads what the model found on the web. Any part of it may be missing,
// and all of it when the model chose not to search.
func (m *Model) ground(ctx context.Context, w whole) *llm.Grounding {
	if !w.grounding.Exists() || w.grounding.Raw == "{}" {
		return nil
	}
	g := &llm.Grounding{Suggestions: w.grounding.Get("searchEntryPoint.renderedContent").Str}
	for _, q := range w.grounding.Get("webSearchQueries").Array() {
		g.Queries = append(g.Queries, q.Str)
	}
	for _, c := range w.grounding.Get("groundingChunks").Array() {
		g.Sources = append(g.Sources, page(c.Get("web")))
	}
	for _, s := range w.grounding.Get("groundingSupports").Array() {
		if support, ok := w.support(s, len(g.Sources)); ok {
			g.Supports = append(g.Supports, support)
		}
	}
	m.redirects.resolve(ctx, g.Sources)
	return g
}

// page reads a chunk. A page of results of Google itself is nothing to read.
func page(web gjson.Result) llm.WebPage {
	p := llm.WebPage{URL: web.Get("uri").Str, Title: web.Get("title").Str}
	if p.Title == "" {
		p.Title = web.Get("domain").Str
	}
	p.Unresolved = isRedirect(p.URL) || strings.HasPrefix(p.URL, "https://www.google.com/search?") || p.URL == ""
	return p
}

// support places one support in the text. Places are bytes inside one part, and
// they are believed only when the text there is the text they name; otherwise
// that text is looked for. Sources that do not exist are dropped.
func (w *whole) support(s gjson.Result, sources int) (llm.Support, bool) {
	var out llm.Support
	for _, i := range s.Get("groundingChunkIndices").Array() {
		if n := int(i.Int()); n >= 0 && n < sources {
			out.Sources = append(out.Sources, n)
		}
	}
	segment := s.Get("segment")
	said := segment.Get("text").Str
	start, end := w.place(int(segment.Get("partIndex").Int()), int(segment.Get("startIndex").Int()), int(segment.Get("endIndex").Int()))
	if said != "" && (end > len(w.text) || start > end || w.text[start:end] != said) {
		i := strings.Index(w.text, said)
		if i < 0 {
			return out, false
		}
		start, end = i, i+len(said)
	}
	if end > len(w.text) {
		return out, false
	}
	out.Start, out.End = boundary(w.text, start), boundary(w.text, end)
	return out, len(out.Sources) > 0 && out.Start < out.End
}

// place turns a place in a part into one in the text. A part that is no answer,
// or is not there, has no place.
func (w *whole) place(index, start, end int) (from, to int) {
	if index < 0 || index >= len(w.parts) || w.parts[index].thought || start < 0 || end < start {
		return len(w.text), len(w.text) + 1
	}
	return w.parts[index].offset + start, w.parts[index].offset + end
}

// boundary moves a place back to the beginning of its character.
func boundary(s string, at int) int {
	for at > 0 && at < len(s) && !utf8.RuneStart(s[at]) {
		at--
	}
	return min(at, len(s))
}
