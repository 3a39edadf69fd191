package wire

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/tidwall/gjson"

	"deepresearch/internal/llm"
)

// longestEvent is the longest line of a stream, in bytes: grounding metadata
// comes in one.
const longestEvent = 8 << 20

// Done is what the function of [Server.Stream] returns at the last event.
var Done = errors.New("the stream is complete")

// Stream sends body and hands every event to each: the lines of an answer in
// NDJSON, or the data of server-sent events. each returns Done when the answer
// is whole, and any other error to give up. A stream that ends before that
// broke off, which is an error.
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
		switch err := each(doc); {
		case errors.Is(err, Done):
			return response.Header, nil
		case err != nil:
			return nil, err
		}
	}
	if err := lines.Err(); err != nil {
		return nil, s.Unreached(ctx, fmt.Errorf("reading the answer: %w", err))
	}
	return nil, s.Unreached(ctx, io.ErrUnexpectedEOF)
}

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
