package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"deepresearch/internal/search"
	"deepresearch/research"
	"deepresearch/tools"
)

// asker asks a surface about protocol tasks, as a client of the protocol's newer
// era does.
type asker struct {
	t *testing.T
	*tools.Server
	caller tools.Caller
}

func newAsker(t *testing.T, e tools.Engine) asker {
	t.Helper()
	s := tools.New(tools.Options{Engine: e, Searcher: offline{}, Reader: offline{}, Defaults: research.Question{Effort: research.Quick}})
	t.Cleanup(s.Close)
	return asker{t, s, remote}
}

// declares are the capabilities of a client that knows protocol tasks.
const declares = `{"extensions":{"io.modelcontextprotocol/tasks":{}}}`

func (a asker) message(method, capabilities string, params object) []byte {
	a.t.Helper()
	params["_meta"] = object{
		"io.modelcontextprotocol/protocolVersion":    "2026-07-28",
		"io.modelcontextprotocol/clientInfo":         object{"name": "test", "version": "1"},
		"io.modelcontextprotocol/clientCapabilities": json.RawMessage(capabilities),
	}
	raw, err := json.Marshal(object{"jsonrpc": "2.0", "id": "x", "method": method, "params": params})
	if err != nil {
		a.t.Fatal(err)
	}
	return raw
}

// answered is an answer, as far as these tests look.
type answered struct {
	ID     string
	Result struct {
		ResultType, TaskID, Status, StatusMessage string
		CreatedAt, LastUpdatedAt                  time.Time
		TTLMs, PollIntervalMs                     int64
		IsError                                   bool
		InputRequests                             map[string]json.RawMessage
		Content                                   []struct{ Text string }
		Result                                    *struct {
			ResultType        string
			Content           []struct{ Text string }
			StructuredContent struct{ Status string }
		}
	}
	Error struct {
		Code    int
		Message string
		Data    json.RawMessage
	}
}

func (a asker) ask(method, capabilities string, params object) (out answered) {
	a.t.Helper()
	answer, taken := a.Task(a.message(method, capabilities, params))
	if !taken {
		a.t.Fatalf("%s is not taken", method)
	}
	raw, err := json.Marshal(answer(as(a.caller)))
	if err != nil {
		a.t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &out); err != nil || out.ID != "x" {
		a.t.Fatalf("%v in %s", err, raw)
	}
	return out
}

func research1(question string) object {
	return object{"name": "deep_research", "arguments": object{"question": question, "effort": "quick"}}
}

// held is a network whose searches wait until they are released.
type held struct {
	offline
	release chan struct{}
}

func (h held) Search(ctx context.Context, q search.Query, engines []string) (search.Answer, error) {
	select {
	case <-h.release:
	case <-ctx.Done():
		return search.Answer{}, ctx.Err()
	}
	return h.offline.Search(ctx, q, engines)
}

// A run that takes long becomes a task: its own caller asks until it is done, and
// nobody else sees or stops it.
func TestTask(t *testing.T) {
	slow := held{release: make(chan struct{})}
	a := newAsker(t, engineOver(t, slow, offline{}))
	began := time.Now().Add(-time.Second)
	start := a.ask("tools/call", declares, research1("How tall is the tower?"))
	task := start.Result
	if task.ResultType != "task" || task.Status != "working" || task.PollIntervalMs != 5000 || task.TTLMs == 0 || task.CreatedAt.Before(began.Truncate(time.Second)) {
		t.Fatalf("%+v", start)
	}
	get := func() answered { return a.ask("tasks/get", declares, object{"taskId": task.TaskID}) }
	if got := get(); got.Result.Status != "working" || got.Result.ResultType != "complete" || got.Result.StatusMessage == "" ||
		!got.Result.CreatedAt.Equal(task.CreatedAt) || got.Result.Result != nil {
		t.Errorf("%+v", got)
	}
	if got := a.ask("tasks/update", declares, object{"taskId": task.TaskID, "inputResponses": object{"q": object{"action": "accept"}}}); got.Result.ResultType != "complete" || got.Error.Code != 0 {
		t.Errorf("an update: %+v", got)
	}
	foreign := a
	foreign.caller = local
	for _, method := range []string{"tasks/get", "tasks/update", "tasks/cancel"} {
		for who, got := range map[string]answered{
			"another caller":   foreign.ask(method, declares, object{"taskId": task.TaskID}),
			"a guess":          a.ask(method, declares, object{"taskId": "r_0000000000000000.1"}),
			"nothing":          a.ask(method, declares, object{}),
			"a run's bare id":  a.ask(method, declares, object{"taskId": strings.Split(task.TaskID, ".")[0]}),
			"no second at all": a.ask(method, declares, object{"taskId": task.TaskID + "x"}),
		} {
			if got.Error.Code != mcp.INVALID_PARAMS || !strings.Contains(got.Error.Message, "no such task") {
				t.Errorf("%s by %s: %+v", method, who, got)
			}
		}
		if got := a.ask(method, `{}`, object{"taskId": task.TaskID}); got.Error.Code != mcp.MISSING_REQUIRED_CLIENT_CAPABILITY || !strings.Contains(string(got.Error.Data), "io.modelcontextprotocol/tasks") {
			t.Errorf("%s without the capability: %+v", method, got)
		}
	}
	close(slow.release)
	for range 100 {
		got := get()
		if got.Result.Status == "working" {
			continue
		}
		if got.Result.Status != "completed" || got.Result.Result == nil || got.Result.Result.ResultType != "complete" ||
			got.Result.Result.StructuredContent.Status != "no_evidence" || !strings.Contains(got.Result.Result.Content[0].Text, "no_evidence") {
			t.Errorf("%+v", got)
		}
		return
	}
	t.Error("the task does not end")
}

func TestTaskIsCancelled(t *testing.T) {
	slow := held{release: make(chan struct{})}
	a := newAsker(t, engineOver(t, slow, offline{}))
	id := a.ask("tools/call", declares, research1("How tall is the tower?")).Result.TaskID
	if got := a.ask("tasks/cancel", declares, object{"taskId": id}); got.Result.ResultType != "complete" || got.Error.Code != 0 {
		t.Errorf("%+v", got)
	}
	if got := a.ask("tasks/get", declares, object{"taskId": id}); got.Result.Status != "cancelled" {
		t.Errorf("%+v", got)
	}
}

// What is done at once needs no task, and a mistake in the arguments is told as
// one.
func TestNoTaskIsNeeded(t *testing.T) {
	done := &fake{result: research.Result{RunID: "r_done", Status: research.Done, Report: "# Report\n"}}
	a := newAsker(t, done)
	if got := a.ask("tools/call", declares, research1("q")); got.Result.ResultType != "complete" || !strings.Contains(got.Result.Content[0].Text, "# Report") {
		t.Errorf("%+v", got)
	}
	if got := a.ask("tools/call", declares, research1("")); !got.Result.IsError || got.Result.ResultType != "complete" || !strings.Contains(got.Result.Content[0].Text, "question") {
		t.Errorf("%+v", got)
	}
	for name, message := range map[string][]byte{
		"no capability":  a.message("tools/call", `{}`, research1("q")),
		"another tool":   a.message("tools/call", declares, object{"name": "plan"}),
		"another method": a.message("tools/list", declares, object{}),
		"the older era":  fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"t","_meta":{"io.modelcontextprotocol/clientCapabilities":%s}}}`, declares),
		"a notification": []byte(strings.Replace(string(a.message("tasks/get", declares, object{})), `"id":"x",`, "", 1)),
		"no JSON":        []byte("{"),
	} {
		if _, taken := a.Task(message); taken {
			t.Errorf("%s is taken", name)
		}
	}
}

// The end of a run that no call waits for is announced, and so is every step of
// one that a session subscribed to; another caller hears nothing of it.
func TestChangesAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &stepping{fake: fake{result: research.Result{RunID: "r_1", Status: research.Running}}}
		s := tools.New(tools.Options{Engine: e, Searcher: offline{}, Reader: offline{}})
		defer s.Close()
		mine, other := newEar("mine"), newEar("other")
		for ear, caller := range map[*ear]tools.Caller{mine: remote, other: local} {
			if err := s.RegisterSession(t.Context(), ear); err != nil {
				t.Fatal(err)
			}
			s.HandleMessage(s.WithContext(as(caller), ear), []byte(`{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"research://runs/r_1/report.md"}}`))
		}
		s.HandleMessage(s.WithContext(as(remote), mine), []byte(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"deep_research","arguments":{"question":"q","wait_seconds":0}}}`))
		time.Sleep(10 * time.Second)
		if got := mine.heard(); got != "" {
			t.Errorf("heard %s of a run that stands still", got)
		}
		e.set(func(r *research.Result) { r.Usage.Pages = 3 })
		time.Sleep(4 * time.Second)
		if got := mine.heard(); got != "updated research://runs/r_1/report.md\n" {
			t.Errorf("heard %q after a step", got)
		}
		e.set(func(r *research.Result) { r.Status = research.Done })
		time.Sleep(4 * time.Second)
		if got := mine.heard(); got != "updated research://runs/r_1/report.md\nlist_changed\n" {
			t.Errorf("heard %q after the end", got)
		}
		if got := other.heard(); got != "list_changed\n" {
			t.Errorf("another caller heard %q", got)
		}
		e.set(func(r *research.Result) { r.Usage.Pages = 9 })
		time.Sleep(time.Minute)
		if got := mine.heard(); got != "" {
			t.Errorf("heard %q of a run that is over", got)
		}
	})
}

// Since 2026-07-28 a client subscribes for as long as a request lasts.
func TestListening(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &stepping{fake: fake{result: research.Result{RunID: "r_1", Status: research.Running}}}
		s := tools.New(tools.Options{Engine: e, Searcher: offline{}, Reader: offline{}})
		defer s.Close()
		ear := newEar("")
		ctx, hangUp := context.WithCancel(as(remote))
		listen := asker{t, s, remote}.message("subscriptions/listen", `{}`, object{"notifications": object{"resourceSubscriptions": []string{"research://runs/r_1/report.md"}}})
		go s.HandleMessage(s.WithContext(ctx, ear), listen)
		time.Sleep(4 * time.Second)
		if got := ear.heard(); got != "acknowledged\n" {
			t.Errorf("heard %q", got)
		}
		e.set(func(r *research.Result) { r.Usage.Pages = 3 })
		time.Sleep(4 * time.Second)
		if got := ear.heard(); got != "updated research://runs/r_1/report.md\n" {
			t.Errorf("heard %q after a step", got)
		}
		hangUp()
		e.set(func(r *research.Result) { r.Usage.Pages = 4 })
		time.Sleep(4 * time.Second)
		if got := ear.heard(); got != "" {
			t.Errorf("heard %q after hanging up", got)
		}
	})
}
