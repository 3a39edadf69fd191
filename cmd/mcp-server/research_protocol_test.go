package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// answer of a tool, as far as these tests look.
type toolAnswer struct {
	Result struct {
		IsError           bool
		Content           []struct{ Text string }
		StructuredContent struct {
			Status string
			RunID  string `json:"run_id"`
			Report string
			Runs   []struct {
				RunID string `json:"run_id"`
			}
		}
	}
}

func callTool(t *testing.T, s speaker, name string, arguments any) toolAnswer {
	t.Helper()
	message, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": map[string]any{
		"name": name, "arguments": arguments, "_meta": map[string]any{"progressToken": "p"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	var out toolAnswer
	raw := s.say(t, message)
	if err := json.Unmarshal(raw, &out); err != nil || len(out.Result.Content) == 0 {
		t.Fatalf("%v in %s", err, raw)
	}
	return out
}

func shake(t *testing.T, s speaker) {
	t.Helper()
	s.say(t, []byte(handshake))
	s.say(t, []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
}

func mill(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	text := "# The mill\n\nThe roof of the mill is green. The mill was built in 1804 by the town.\n"
	if err := os.WriteFile(filepath.Join(dir, "mill.md"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

const aboutTheMill = "When was the mill built?"

// A whole run over each transport, offline and without a model.
func TestResearchOverStdio(t *testing.T) {
	dir := mill(t)
	s, ok := startStdio(t, "--files-root", dir).(stdioSpeaker)
	if !ok {
		t.Fatal("no stdio")
	}
	shake(t, s)
	for i := range 20 {
		got := callTool(t, s, "deep_research", map[string]any{"question": fmt.Sprintf("%s %d", aboutTheMill, i), "effort": "quick", "files": []string{dir}})
		if got.Result.IsError || got.Result.StructuredContent.Status != "done" || !strings.Contains(got.Result.StructuredContent.Report, "1804") {
			t.Fatalf("%+v", got)
		}
		// A notification that comes after the answer would break the next handshake
		// of a strict client.
		if s.out.Buffered() > 0 {
			t.Error("something follows the answer")
		}
	}
}

func TestResearchOverHTTP(t *testing.T) {
	s, ok := startHTTP(t, "--files", mill(t)).(*httpSpeaker)
	if !ok {
		t.Fatal("no HTTP")
	}
	shake(t, s)
	for i := range 20 {
		message := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"deep_research","arguments":{"question":"%s %d","effort":"quick"},"_meta":{"progressToken":"p"}}}`, aboutTheMill, i)
		res := s.post(t, message, nil)
		var body bytes.Buffer
		_, err := body.ReadFrom(res.Body)
		res.Body.Close()
		if err != nil || !strings.Contains(body.String(), "1804") {
			t.Fatalf("%v %s", err, body.String())
		}
		events := strings.Split(strings.TrimSpace(body.String()), "\n\n")
		if n := strings.Count(body.String(), "notifications/progress"); n == 0 || strings.Contains(events[len(events)-1], "notifications/progress") {
			t.Errorf("%d notifications of progress, or one at the end", n)
		}
	}
	got := callTool(t, s, "research_status", nil)
	if len(got.Result.StructuredContent.Runs) != 20 {
		t.Errorf("%d runs", len(got.Result.StructuredContent.Runs))
	}
	other := &httpSpeaker{url: s.url} // tokenless clients of one server are one caller
	shake(t, other)
	if again := callTool(t, other, "research_status", nil); len(again.Result.StructuredContent.Runs) != 20 {
		t.Errorf("another session sees %d runs", len(again.Result.StructuredContent.Runs))
	}
}

// A run belongs to its token: the other one neither sees nor stops it.
func TestTokensAreCallers(t *testing.T) {
	first, ok := startHTTP(t, "--files", mill(t), "DEEPRESEARCH_HTTP_TOKEN=one, two").(*httpSpeaker)
	if !ok {
		t.Fatal("no HTTP")
	}
	second := &httpSpeaker{url: first.url, token: "two"}
	first.token = "one"
	shake(t, first)
	shake(t, second)
	run := callTool(t, first, "deep_research", map[string]any{"question": aboutTheMill, "effort": "quick"}).Result.StructuredContent.RunID
	if run == "" {
		t.Fatal("no run")
	}
	if got := callTool(t, second, "research_cancel", map[string]any{"run_id": run}); !got.Result.IsError {
		t.Error("another caller stopped the run")
	}
	if got := callTool(t, second, "research_status", nil); len(got.Result.StructuredContent.Runs) != 0 {
		t.Error("another caller sees the run")
	}
	if got := callTool(t, first, "research_status", nil); len(got.Result.StructuredContent.Runs) != 1 {
		t.Error("the caller does not see its own run")
	}
}
