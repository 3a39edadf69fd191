package tools_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"deepresearch/research"
	"deepresearch/tools"
)

func approving(dir string) object {
	return object{"question": tides, "files": []string{dir}, "effort": "deep", "approve_plan": true}
}

// A host without elicitation is told what to put to its user, and brings the
// answer with the next call.
func TestApprovalByAnswer(t *testing.T) {
	dir := folder(t)
	h := newHost(t, tools.Options{FilesRoots: []string{dir}, Defaults: research.Question{Offline: true}})
	ctx := as(local)
	r := h.call(ctx, "deep_research", approving(dir))
	ask, _ := r.fields["ask"].(map[string]any)
	next, _ := r.fields["next"].(map[string]any)
	if r.failed || r.fields["status"] != "waiting" || ask["kind"] != "approve_plan" || ask["plan"] == nil || next["tool"] != "research_result" {
		t.Fatalf("%s\n%v", r.text, r.fields)
	}
	contains(t, "text", r.text, "Shall the research follow this plan?", "query: ", "Next call: research_result", `"answer"`)
	id := r.fields["run_id"]
	if bad := h.call(as(remote), "research_result", object{"run_id": id, "answer": "approve"}); !bad.failed {
		t.Error("another caller's answer was taken")
	}
	got := h.call(ctx, "research_result", object{"run_id": id, "answer": "approve"})
	if got.failed || got.fields["status"] != "done" || got.fields["plan"] == nil {
		t.Fatalf("%s\n%v", got.text, got.fields)
	}
	contains(t, "report", got.text, "16 metres")
	if late := h.call(ctx, "research_result", object{"run_id": id, "answer": "approve"}); !late.failed {
		t.Error("an answer to nothing was taken")
	}
}

// person answers what a client shows.
type person func(mcp.ElicitationParams) *mcp.ElicitationResult

func (p person) Elicit(_ context.Context, r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	return p(r.Params), nil
}

func accepted(answer string) *mcp.ElicitationResult {
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{"answer": answer}}}
}

func TestApprovalByElicitation(t *testing.T) {
	dir := folder(t)
	shown := ""
	h := newHost(t, tools.Options{FilesRoots: []string{dir}, Defaults: research.Question{Offline: true}}, client.WithElicitationHandler(person(func(p mcp.ElicitationParams) *mcp.ElicitationResult {
		shown = p.Message
		return accepted("approve")
	})))
	r := h.call(as(local), "deep_research", approving(dir))
	if r.failed || r.fields["status"] != "done" {
		t.Fatalf("%s\n%v", r.text, r.fields)
	}
	contains(t, "what was shown", shown, "Shall the research follow this plan?", "query: ")
}

// Who declines is not asked again in that call, and nothing is approved.
func TestDeclinedApproval(t *testing.T) {
	dir := folder(t)
	asked := 0
	h := newHost(t, tools.Options{FilesRoots: []string{dir}, Defaults: research.Question{Offline: true}}, client.WithElicitationHandler(person(func(mcp.ElicitationParams) *mcp.ElicitationResult {
		asked++
		return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionDecline}}
	})))
	r := h.call(as(local), "deep_research", approving(dir))
	if r.failed || r.fields["status"] != "waiting" || asked != 1 {
		t.Errorf("asked %d times, then %s", asked, r.text)
	}
}

// A client of the newer era gets the question as a result and makes the call
// again with the answer; fresh does not start another run then.
func TestApprovalInTheNewerEra(t *testing.T) {
	dir := folder(t)
	a := newAsker(t, engine(t))
	a.caller = local
	arguments := object{"question": tides, "documents": []object{{"name": "bay.md", "text": read(t, dir, "bay.md")}}, "effort": "quick", "approve_plan": true, "fresh": true}
	const declares = `{"elicitation":{"form":{}}}`
	send := func(params object) map[string]any {
		t.Helper()
		raw, err := json.Marshal(a.HandleMessage(as(local), a.message("tools/call", declares, params)))
		if err != nil {
			t.Fatal(err)
		}
		var out struct{ Result map[string]any }
		if err := json.Unmarshal(raw, &out); err != nil || out.Result == nil {
			t.Fatalf("%v in %s", err, raw)
		}
		return out.Result
	}
	first := send(object{"name": "deep_research", "arguments": arguments})
	requests, _ := first["inputRequests"].(map[string]any)
	if first["resultType"] != "input_required" || len(requests) != 1 || first["requestState"] == "" {
		t.Fatalf("%v", first)
	}
	responses := object{}
	for id := range requests {
		responses[id] = object{"action": "accept", "content": object{"answer": "approve"}}
	}
	second := send(object{"name": "deep_research", "arguments": arguments, "inputResponses": responses, "requestState": first["requestState"]})
	structured, _ := second["structuredContent"].(map[string]any)
	if structured["status"] != "done" || structured["run_id"] != first["requestState"] {
		t.Errorf("%v", second)
	}
}

// A task that waits says so, and goes on when the answer comes.
func TestTaskThatAsks(t *testing.T) {
	dir := folder(t)
	a := newAsker(t, engine(t))
	const declares = `{"extensions":{"io.modelcontextprotocol/tasks":{}},"elicitation":{"form":{}}}`
	start := a.ask("tools/call", declares, object{"name": "deep_research", "arguments": object{
		"question": tides, "documents": []object{{"name": "bay.md", "text": read(t, dir, "bay.md")}}, "effort": "quick", "approve_plan": true,
	}})
	id := object{"taskId": start.Result.TaskID}
	got := a.ask("tasks/get", declares, object{"taskId": start.Result.TaskID})
	if got.Result.Status != "input_required" || len(got.Result.InputRequests) != 1 {
		t.Fatalf("%+v", got)
	}
	responses := object{}
	for k := range got.Result.InputRequests {
		responses[k] = object{"action": "accept", "content": object{"answer": "approve"}}
	}
	a.ask("tasks/update", declares, object{"taskId": start.Result.TaskID, "inputResponses": responses})
	for range 100 {
		if got = a.ask("tasks/get", declares, id); got.Result.Status != "working" {
			break
		}
		delete(id, "_meta")
	}
	if got.Result.Status != "completed" || got.Result.Result.StructuredContent.Status != "done" {
		t.Errorf("%+v", got)
	}
}

func TestClarificationIsShown(t *testing.T) {
	f := &fake{result: research.Result{RunID: "r_1", Status: research.Waiting, Ask: &research.Inquiry{ID: "0.0.0", Kind: research.AskClarify, Text: "Which bay?", Options: []string{"Fundy", "Ungava"}}}}
	r := newHost(t, tools.Options{Engine: f}).call(as(local), "deep_research", object{"question": tides})
	contains(t, "text", r.text, "Which bay?", "Fundy · Ungava", "research_result")
	if !f.asked.MayAsk {
		t.Error("a run over MCP may not ask")
	}
}

// A plan that is not one names what is wrong with it.
func TestPlanArgument(t *testing.T) {
	h := newHost(t, tools.Options{})
	for plan, want := range map[string]string{"{": "not the JSON object", `{"tasks":[]}`: "no tasks"} {
		if r := h.call(as(local), "deep_research", object{"question": tides, "plan": plan}); !r.failed {
			t.Errorf("%s was taken", plan)
		} else {
			contains(t, plan, r.text, "plan", want)
		}
	}
	if r := h.call(as(local), "deep_research", object{"question": tides, "plan_id": "p_none"}); !r.failed {
		t.Error("a plan that nobody made was followed")
	}
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	body, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
