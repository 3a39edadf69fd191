package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"deepresearch/research"
)

// tasksExtension lets a server answer a call with a protocol task, which the
// client then asks for its result: SEP-2663, specification 2026-07-28 of
// modelcontextprotocol/ext-tasks. Clients with a fixed limit on calls reach the
// end of long runs that way. The library does not know it.
const tasksExtension = "io.modelcontextprotocol/tasks"

const (
	// taskStart is how long a call waits before it becomes a task: what is done
	// sooner needs none.
	taskStart = time.Second
	// taskLook is how long a look at a task waits: enough to read the progress.
	taskLook = 200 * time.Millisecond
	// taskPoll is how often a client is to ask.
	taskPoll = 5 * time.Second
	// taskKept is how long a task can be asked for; its run is kept longer.
	taskKept = 24 * time.Hour
)

// Task reports whether a message is about protocol tasks, and how to answer it: a
// tasks/* request, or a call of deep_research by a client that declared the
// extension. Everything else is the library's. The context of the answer carries
// the caller.
//
// A task is a run under another name. Nothing is kept but in the store, so tasks
// outlive the process, and a caller sees its own only.
func (s *Server) Task(message []byte) (answer func(context.Context) mcp.JSONRPCMessage, taken bool) {
	var m taskMessage
	if json.Unmarshal(message, &m) != nil || m.ID == nil || !mcp.IsModernProtocol(m.Params.Meta.ProtocolVersion()) {
		return nil, false
	}
	methods := map[string]func(context.Context, taskMessage) (any, error){
		"tasks/get": s.surface.getTask, "tasks/update": s.surface.updateTask, "tasks/cancel": s.surface.cancelTask,
	}
	if m.declared() && m.Params.Name == "deep_research" {
		methods["tools/call"] = s.surface.startTask
	}
	do := methods[m.Method]
	if do == nil {
		return nil, false
	}
	return func(ctx context.Context) mcp.JSONRPCMessage { return m.answer(ctx, do) }, true
}

// taskMessage is a request, as far as tasks need it.
type taskMessage struct {
	ID     any    `json:"id"`
	Method string `json:"method"`
	Params struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		TaskID    string          `json:"taskId"`

		InputResponses mcp.InputResponses `json:"inputResponses"`
		Meta           *mcp.Meta          `json:"_meta"`
	} `json:"params"`
}

func (m taskMessage) declared() bool {
	capabilities := m.Params.Meta.ClientCapabilities()
	if capabilities == nil {
		return false
	}
	_, ok := capabilities.Extensions[tasksExtension]
	return ok
}

// answer is the JSON-RPC answer to a request.
func (m taskMessage) answer(ctx context.Context, do func(context.Context, taskMessage) (any, error)) mcp.JSONRPCMessage {
	if !m.declared() {
		return m.failed(mcp.MISSING_REQUIRED_CLIENT_CAPABILITY, "the client did not declare the extension "+tasksExtension,
			map[string]any{"requiredCapabilities": map[string]any{"extensions": map[string]any{tasksExtension: map[string]any{}}}})
	}
	result, err := do(ctx, m)
	switch {
	case errors.Is(err, research.ErrNoRun):
		return m.failed(mcp.INVALID_PARAMS, "there is no such task: "+clip(m.Params.TaskID, 100), nil)
	case err != nil:
		return m.failed(mcp.INTERNAL_ERROR, clip(err.Error(), 1000), nil)
	}
	return mcp.JSONRPCResponse{JSONRPC: mcp.JSONRPC_VERSION, ID: mcp.NewRequestId(m.ID), Result: result}
}

func (m taskMessage) failed(code int, sentence string, data any) mcp.JSONRPCError {
	return mcp.JSONRPCError{JSONRPC: mcp.JSONRPC_VERSION, ID: mcp.NewRequestId(m.ID), Error: mcp.NewJSONRPCErrorDetails(code, sentence, data)}
}

func (s *surface) callOf(ctx context.Context, m taskMessage) *call {
	c := &call{tool: s.deepResearch(), caller: callerOf(ctx), begun: s.Now(), task: true, answers: m.Params.InputResponses}
	if capabilities := m.Params.Meta.ClientCapabilities(); capabilities != nil {
		c.elicits = capabilities.Elicitation != nil
	}
	if info := m.Params.Meta.ClientInfo(); info != nil {
		c.client = info.Name
	}
	return c
}

// task is the wire form of a protocol task: Task and DetailedTask of the
// specification.
type task struct {
	ResultType     string              `json:"resultType"`
	TaskID         string              `json:"taskId"`
	Status         string              `json:"status"`
	StatusMessage  string              `json:"statusMessage,omitempty"`
	CreatedAt      time.Time           `json:"createdAt"`
	LastUpdatedAt  time.Time           `json:"lastUpdatedAt"`
	TTLMs          int64               `json:"ttlMs"`
	PollIntervalMs int64               `json:"pollIntervalMs"`
	InputRequests  mcp.InputRequests   `json:"inputRequests,omitempty"`
	Result         *mcp.CallToolResult `json:"result,omitempty"`
}

const complete = "complete"

// A task's id is the run's with the second in which the task was made, which is
// nowhere else: tasks that share a run differ in it.
func taskID(run string, made time.Time) string { return fmt.Sprintf("%s.%d", run, made.Unix()) }

// run is the run of the task that is asked for, and when the task was made.
func (m taskMessage) run() (id string, made time.Time, err error) {
	id, second, ok := strings.Cut(m.Params.TaskID, ".")
	n, bad := strconv.ParseInt(second, 10, 64)
	if !ok || bad != nil {
		return "", time.Time{}, research.ErrNoRun
	}
	return id, time.Unix(n, 0).UTC(), nil
}

// startTask calls deep_research. What is done at once, and what failed, is the
// answer of the tool; else it is a task.
func (s *surface) startTask(ctx context.Context, m taskMessage) (any, error) {
	c := s.callOf(ctx, m)
	r, err := s.run(ctx, c, m.Params.Arguments)
	if err != nil {
		return completed(failure(c.tool, err)), nil
	}
	at := standingIn(r)
	if at.Status != research.Running && r.inquiry == nil {
		return completed(r.result()), nil
	}
	now := s.Now().UTC().Truncate(time.Second)
	t := s.working(taskID(at.RunID, now), now, "The research has begun.")
	t.ResultType = "task"
	return t, nil
}

// completed marks a result as final, as the protocol has it since 2026-07-28.
func completed(r *mcp.CallToolResult) *mcp.CallToolResult {
	r.ResultType = complete
	return r
}

// standingIn reads out of a reply which run it shows and where that stands.
func standingIn(r reply) standingOf {
	var at standingOf
	_ = json.Unmarshal(r.structured, &at) // it was written by answer
	return at
}

func (s *surface) working(id string, made time.Time, sentence string) task {
	return task{
		ResultType: complete, TaskID: id, Status: "working", StatusMessage: clip(sentence, progressChars),
		CreatedAt: made, LastUpdatedAt: s.Now().UTC().Truncate(time.Second), TTLMs: taskKept.Milliseconds(), PollIntervalMs: taskPoll.Milliseconds(),
	}
}

// getTask looks at a run, which keeps it working: a run that nobody asks for
// pauses. One that paused is taken up.
func (s *surface) getTask(ctx context.Context, m taskMessage) (any, error) {
	run, made, err := m.run()
	if err != nil {
		return nil, err
	}
	c, rep := s.callOf(ctx, m), newReporter(nil, "")
	defer rep.close()
	r, err := s.follow(ctx, c, run, taskLook, view{}, rep)
	if err != nil {
		return nil, err
	}
	t := s.working(m.Params.TaskID, made, "Researching.")
	if lines := rep.lines(); len(lines) > 0 {
		t.StatusMessage = clip(lines[len(lines)-1].Text, progressChars)
	}
	if r.inquiry != nil {
		t.Status, t.StatusMessage, t.InputRequests = "input_required", clip(r.inquiry.Text, progressChars), asking(run, *r.inquiry).InputRequests
		return t, nil
	}
	switch standingIn(r).Status {
	case research.Running:
	case research.Paused:
		t.StatusMessage = "The research pauses; the next look takes it up."
	case research.Cancelled:
		t.Status, t.StatusMessage = "cancelled", "The research was stopped."
	default:
		t.Status, t.StatusMessage, t.Result = "completed", "", completed(r.result())
	}
	return t, nil
}

// empty is an acknowledgement.
type empty struct {
	ResultType string `json:"resultType"`
}

// updateTask takes answers to what the run of a task asks. Answers to nothing are
// left aside, as the specification has it.
func (s *surface) updateTask(ctx context.Context, m taskMessage) (any, error) {
	run, _, err := m.run()
	if err != nil {
		return nil, err
	}
	c := s.callOf(ctx, m)
	r, err := s.Engine.Result(ctx, c.caller.ID, run)
	if err == nil && r.Ask != nil {
		_, err = s.answered(ctx, c, r)
	}
	return empty{complete}, err
}

func (s *surface) cancelTask(ctx context.Context, m taskMessage) (any, error) {
	run, _, err := m.run()
	if err != nil {
		return nil, err
	}
	_, err = s.runResearchCancel(ctx, s.callOf(ctx, m), researchCancelInput{RunID: run})
	return empty{complete}, err
}
