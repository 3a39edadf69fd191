package mcpserver

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"

	"deepresearch/internal/search"
)

func text(s string) *mcp.CallToolResult { return mcp.NewToolResultText(s) }

var tides = []search.Result{
	{Title: "Tides", URL: "https://example.org/tides", Snippet: "How tides work."},
	{Title: "Currents", URL: "https://example.net/currents", Snippet: "How currents flow."},
}

func TestShapes(t *testing.T) {
	for name, reply := range map[string]*mcp.CallToolResult{
		"structured": mcp.NewToolResultStructured(map[string]any{"results": []any{
			map[string]any{"title": "Tides", "url": "https://example.org/tides", "snippet": "How tides work."}, map[string]any{"title": "no page"},
			map[string]any{"name": "Currents", "link": "https://example.net/currents", "description": "How currents\nflow."}}}, "x"),
		"JSON in a text": text(`{"data": {"webPages": {"value": [
			{"name": "Tides", "url": "https://example.org/tides", "summary": "How tides work."}, {"name": "Currents", "url": "https://example.net/currents", "summary": "How currents flow."}]}}}`),
		"a bare list":             text(` [{"title": "Tides", "href": "https://example.org/tides", "body": "How tides work."}, {"title": "Currents", "href": "https://example.net/currents", "body": "How currents flow."}]`),
		"a list in an object":     text(`{"result": [{"title": "Tides", "href": "https://example.org/tides", "body": "How tides work."}, {"title": "Currents", "href": "https://example.net/currents", "body": "How currents flow."}]}`),
		"a list in a text in one": text(`{"result": "{\"results\": [{\"title\": \"Tides\", \"url\": \"https://example.org/tides\", \"text\": \"How tides work.\"}, {\"title\": \"Currents\", \"url\": \"https://example.net/currents\", \"text\": \"How currents flow.\"}]}"}`),
		"links to resources": {Content: []mcp.Content{
			mcp.ResourceLink{URI: "https://example.org/tides", Name: "tides", Title: "Tides", Description: "How tides work."}, mcp.ResourceLink{URI: "file:///etc/passwd", Name: "x"},
			mcp.ResourceLink{URI: "https://example.net/currents", Name: "Currents", Description: "How currents flow."}}},
		"labelled":          text("Found 2 search results:\n\n1. Title: Tides\n   URL: https://example.org/tides\n   Summary: How tides work.\n\n2. Title: Currents\n   URL: https://example.net/currents\n   Summary: How currents\n\n   flow.\n"),
		"links in Markdown": text("# Results\n\n1. [Tides](https://example.org/tides) - How tides work.\n2. **[Currents](https://example.net/currents)**: How currents flow.\n"),
		"titles above":      text("Tides\nhttps://example.org/tides\nHow tides work.\n\nCurrents\nhttps://example.net/currents\nHow currents flow.\n"),
		"titles before":     text("- Tides: https://example.org/tides\n  How tides work.\n- Currents (https://example.net/currents)\n  How currents flow."),
		"twice":             text("[Tides](https://example.org/tides)\nHow tides work.\n\n[Currents](https://example.net/currents)\nHow currents flow.\n\nSee https://example.org/tides\n"),
	} {
		got, err := Results(reply)
		if name == "twice" { // the second link says no more
			got[1].Snippet = strings.TrimSuffix(got[1].Snippet, " See https://example.org/tides")
		}
		if diff := cmp.Diff(tides, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}

func TestDatesAndLongTexts(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("Tides come and go, says https://inner.example/ and others. ", 50))
	got, err := Results(text("Title: Tides\nURL: https://example.org/tides\nPublished: 2026-01-02T03:04:05.000Z\nAuthor: X\nText: " + long + "\n\nIt goes on.\n"))
	if err != nil || len(got) != 1 || got[0].Published != "2026-01-02T03:04:05Z" || len(got[0].Snippet) > 1300 || !strings.HasSuffix(got[0].Raw, "It goes on.") {
		t.Errorf("%v and %+v", err, got)
	}
}

func TestNothingToRead(t *testing.T) {
	for kind, replies := range map[search.Kind][]*mcp.CallToolResult{
		search.Empty:         {text("No results found for tides."), text(""), text(`{"results": []}`), text("[]"), mcp.NewToolResultStructured(map[string]any{"results": []any{}}, "see https://example.org"), text("没有找到相关结果")},
		search.LayoutChanged: {text("Tides are caused by the moon."), text(`{"answer": "the moon", "see": "https://example.org"}`), text(`{"results": [{"id": 7}]}`)},
		search.Auth:          {mcp.NewToolResultError("Invalid API key")},
		search.Network:       {mcp.NewToolResultError("something broke")},
		search.Quota:         {mcp.NewToolResultError("you have no credits left")},
	} {
		for _, reply := range replies {
			results, err := Results(reply)
			var f *search.Failure
			if !errors.As(err, &f) || f.Kind != kind || len(results) > 0 {
				t.Errorf("%+v: %d results and %v, want %s", reply.Content, len(results), err, kind)
			}
		}
	}
}

func FuzzResults(f *testing.F) {
	f.Add("Title: A\nURL: https://a.example/\nText: b")
	f.Add("[a](https://a.example/) (b)\n\n* **c** https://b.example/.")
	f.Add(`{"results": [{"title": "A", "url": "https://a.example/"}]}`)
	f.Fuzz(func(t *testing.T, said string) {
		results, err := Results(text(said))
		if (len(results) == 0) == (err == nil) || len(results) > mostResults+1 {
			t.Errorf("%d results and %v", len(results), err)
		}
		for _, r := range results {
			if !strings.HasPrefix(r.URL, "http") || r.Title == "" {
				t.Errorf("%+v", r)
			}
		}
	})
}
