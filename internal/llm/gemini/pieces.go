package gemini

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/tidwall/gjson"

	"deepresearch/internal/llm"
	"deepresearch/internal/llm/wire"
)

// plain is a document with nothing in it but the texts of the answer, which is
// all that the library is let see: it fails on parts it does not know, takes
// thoughts for answers, and forgets names of reasons that are newer than itself.
func plain(doc gjson.Result) string {
	raw, err := json.Marshal(map[string]any{"candidates": []any{map[string]any{"content": map[string]any{"role": "model", "parts": texts(doc)}}}})
	if err != nil {
		return "{}"
	}
	return string(raw)
}

// texts are the parts that answer.
func texts(doc gjson.Result) []map[string]string {
	parts := []map[string]string{}
	for _, p := range doc.Get("candidates.0.content.parts").Array() {
		if t := p.Get("text").Str; t != "" && !p.Get("thought").Bool() {
			parts = append(parts, map[string]string{"text": strings.ToValidUTF8(t, "\ufffd")})
		}
	}
	return parts
}

// pieces reads a stream as it comes, keeps every document of it, and gives the
// library the plain ones as the JSON list that it expects. Gemini sends such a
// list; proxies also send server-sent events.
type pieces struct {
	ctx    context.Context
	server *wire.Server
	call   *call
	body   io.ReadCloser
	in     *bufio.Reader
	list   *json.Decoder // nil for events
	out    bytes.Buffer
	begun  bool
	done   error
}

func newPieces(ctx context.Context, s *wire.Server, body io.ReadCloser, c *call) *pieces {
	return &pieces{ctx: ctx, server: s, call: c, body: body, in: bufio.NewReader(io.LimitReader(body, wire.MaxAnswer))}
}

func (p *pieces) Close() error { return p.body.Close() }

func (p *pieces) Read(to []byte) (int, error) {
	for p.out.Len() == 0 {
		if p.done != nil {
			return 0, p.done
		}
		p.fill()
	}
	return p.out.Read(to)
}

// fill puts the next document, or the end, into out.
func (p *pieces) fill() {
	doc, err := p.next()
	switch {
	case errors.Is(err, errEnd):
		p.done = io.EOF
		if !p.begun {
			p.out.WriteByte('[')
		}
		p.out.WriteByte(']')
		return
	case err != nil:
		p.done = p.server.Unreached(p.ctx, err)
		return
	}
	if e := doc.Get("error"); e.IsObject() {
		p.done = p.server.Failure(max(int(e.Get("code").Int()), http.StatusBadRequest), nil, []byte(doc.Raw))
		return
	}
	p.call.keep(doc)
	p.out.WriteString(map[bool]string{false: "[", true: ","}[p.begun] + plain(doc))
	p.begun = true
}

// errEnd is the end of a stream that is whole.
var errEnd = errors.New("the stream is whole")

func (p *pieces) next() (gjson.Result, error) {
	if p.list == nil && !p.begun {
		first, err := p.first()
		if err != nil {
			return gjson.Result{}, err
		}
		if first == '[' {
			p.list = json.NewDecoder(p.in)
			if _, err := p.list.Token(); err != nil {
				return gjson.Result{}, err
			}
		}
	}
	if p.list == nil {
		return p.nextEvent()
	}
	if !p.list.More() {
		if _, err := p.list.Token(); err != nil { // the closing bracket
			return gjson.Result{}, io.ErrUnexpectedEOF
		}
		return gjson.Result{}, errEnd
	}
	var raw json.RawMessage
	if err := p.list.Decode(&raw); err != nil {
		return gjson.Result{}, err
	}
	return gjson.ParseBytes(raw), nil
}

// first is the first byte that is no white space, which stays unread.
func (p *pieces) first() (byte, error) {
	for {
		b, err := p.in.ReadByte()
		if err != nil {
			return 0, io.ErrUnexpectedEOF
		}
		if b != ' ' && b != '\n' && b != '\r' && b != '\t' {
			return b, p.in.UnreadByte()
		}
	}
}

// nextEvent reads the data of the next server-sent event. A stream of events is
// whole when one of them said why the model stopped.
func (p *pieces) nextEvent() (gjson.Result, error) {
	for {
		line, err := p.in.ReadString('\n')
		if data, ok := strings.CutPrefix(strings.TrimSpace(line), "data:"); ok && err == nil {
			if !gjson.Valid(data) {
				return gjson.Result{}, p.server.Fail(llm.Network, "the answer is no JSON")
			}
			return gjson.Parse(data), nil
		}
		if errors.Is(err, io.EOF) {
			if p.call.finished() {
				return gjson.Result{}, errEnd
			}
			return gjson.Result{}, io.ErrUnexpectedEOF
		}
		if err != nil {
			return gjson.Result{}, err
		}
	}
}

// finished reports whether the answer said why it ended.
func (c *call) finished() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, doc := range c.chunks {
		if doc.Get("candidates.0.finishReason").Exists() || doc.Get("promptFeedback.blockReason").Exists() {
			return true
		}
	}
	return false
}
