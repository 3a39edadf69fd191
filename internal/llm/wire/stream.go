package wire

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/tidwall/gjson"

	"deepresearch/internal/llm"
)

// longestEvent is the longest line of a stream, in bytes: grounding metadata
// comes in one.
const longestEvent = 8 << 20

// Stream sends body and hands every event to each, until the stream ends: the
// lines of an answer in NDJSON, or the data of server-sent events. An error of
// each gives up. Whether the last event was the last one that was to come is for
// the caller to see; [Server.BrokeOff] is the error when it was not.
func (s *Server) Stream(ctx context.Context, path string, body any, each func(gjson.Result) error) (http.Header, error) {
	response, err := s.send(ctx, http.MethodPost, path, body)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(io.LimitReader(response.Body, MaxAnswer))
	lines.Buffer(make([]byte, 0, 16<<10), longestEvent)
	for lines.Scan() {
		event, ok := eventIn(lines.Bytes())
		if !ok {
			continue
		}
		if !gjson.ValidBytes(event) {
			return nil, s.Fail(llm.Network, "the answer is "+whatInstead(event))
		}
		doc := gjson.ParseBytes(bytes.Clone(event))
		if err := s.inside(doc, response.Header); err != nil {
			return nil, err
		}
		if err := each(doc); err != nil {
			return nil, err
		}
	}
	if err := lines.Err(); err != nil {
		return nil, s.Unreached(ctx, fmt.Errorf("reading the answer: %w", err))
	}
	return response.Header, nil
}

// BrokeOff is the error of an answer that ended before it was whole.
func (s *Server) BrokeOff() *llm.Error { return s.Fail(llm.Network, "the answer broke off") }

// eventIn returns the JSON of a line, if the line has any: names of events,
// comments and OpenAI's closing word have none.
func eventIn(line []byte) ([]byte, bool) {
	line = bytes.TrimSpace(line)
	if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
		line = bytes.TrimSpace(data)
	} else if bytes.HasPrefix(line, []byte("event:")) || bytes.HasPrefix(line, []byte("id:")) ||
		bytes.HasPrefix(line, []byte("retry:")) || bytes.HasPrefix(line, []byte(":")) {
		return nil, false
	}
	if len(line) == 0 || bytes.Equal(line, []byte("[DONE]")) {
		return nil, false
	}
	return line, true
}
