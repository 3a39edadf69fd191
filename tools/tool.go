package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"runtime/debug"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"deepresearch/research"
)

// tool is one tool as hosts see it, and what it does.
type tool struct {
	name, title, about string
	hints              hints
	input              []field
	output             string // JSON Schema of the structured result
	large              bool   // its results may be longer than a host expects
	run                func(ctx context.Context, c *call, arguments json.RawMessage) (reply, error)
}

// define makes a tool out of a function over a typed input. The struct tags of
// T are its schema, see [field].
func define[T any](t tool, run func(ctx context.Context, c *call, in T) (reply, error)) tool {
	t.input = fieldsOf(reflect.TypeFor[T]())
	t.run = func(ctx context.Context, c *call, arguments json.RawMessage) (reply, error) {
		var in T
		if err := decode(arguments, c.tool.input, reflect.ValueOf(&in).Elem()); err != nil {
			return reply{}, err
		}
		return run(ctx, c, in)
	}
	return t
}

// bound sets the largest and the default value of a number among the inputs.
func (t tool) bound(name string, most float64) tool {
	for i := range t.input {
		if t.input[i].name == name {
			t.input[i].max, t.input[i].byDefault = most, fmt.Sprint(most)
		}
	}
	return t
}

// resultChars is how long a result Claude Code may take whole, instead of
// writing it to a file.
const resultChars = 200_000

func (t tool) describe() mcp.Tool {
	out := mcp.Tool{
		Name: t.name, Title: t.title, Description: t.about, Annotations: t.hints.annotation(),
		RawInputSchema: inputSchema(t.input), RawOutputSchema: json.RawMessage(t.output),
	}
	if t.large {
		out.Meta = mcp.NewMetaFromMap(map[string]any{"anthropic/maxResultSizeChars": resultChars})
	}
	return out
}

// call is one call of a tool.
type call struct {
	tool   tool
	caller Caller
	client string
	token  mcp.ProgressToken // nil: the client wants no progress
	begun  time.Time
	server *server.MCPServer
	task   bool // the answer "still running" becomes a protocol task

	elicits bool               // the client puts questions to its user
	answers mcp.InputResponses // to what was asked through the client
	state   string             // what an answer of ours had the client keep: the run that asked
}

// reply is what a tool gives back. Text and structured each suffice alone.
type reply struct {
	text       string
	structured json.RawMessage
	links      []mcp.ResourceLink
	failed     bool
	inquiry    *research.Inquiry // to put to the user, instead of all that
	run        string            // that asks
}

// serve is the one way from a request to a tool: whatever goes wrong becomes a
// result that a model can read, never a protocol error.
func (s *surface) serve(t tool) server.ToolHandlerFunc {
	return func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		c := &call{tool: t, caller: callerOf(ctx), client: clientOf(ctx), server: server.ServerFromContext(ctx), begun: s.Now()}
		c.elicits, c.answers, c.state = elicits(ctx), req.Params.InputResponses, req.Params.RequestState
		if req.Params.Meta != nil {
			c.token = req.Params.Meta.ProgressToken
		}
		arguments, err := rawArguments(req)
		if err != nil {
			return failure(t, err), nil
		}
		r, err := s.run(ctx, c, arguments)
		if err != nil {
			return failure(t, err), nil
		}
		return r.result(), nil
	}
}

// run runs the tool of a call. What panics is an error.
func (s *surface) run(ctx context.Context, c *call, arguments json.RawMessage) (_ reply, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.Logger.Error("a tool broke", "tool", c.tool.name, "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("a mistake in the server: %v", p)
		}
	}()
	return c.tool.run(ctx, c, arguments)
}

// rawArguments are the arguments as they were sent.
func rawArguments(req mcp.CallToolRequest) (json.RawMessage, error) {
	if len(req.Params.RawArguments) > 0 {
		return req.Params.RawArguments, nil
	}
	return json.Marshal(req.Params.Arguments)
}

func (r reply) result() *mcp.CallToolResult {
	if r.inquiry != nil {
		return asking(r.run, *r.inquiry)
	}
	out := &mcp.CallToolResult{
		Content: []mcp.Content{mcp.NewTextContent(r.text)}, IsError: r.failed,
	}
	if r.structured != nil {
		out.StructuredContent = r.structured
	}
	for _, l := range r.links {
		out.Content = append(out.Content, l)
	}
	return out
}
