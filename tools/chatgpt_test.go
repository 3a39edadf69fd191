package tools_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"

	"deepresearch/crawl"
	"deepresearch/internal/search"
	"deepresearch/tools"
)

// The shapes are the host's: names, keys and one JSON text each, which is the
// structured result too.
func TestChatGPT(t *testing.T) {
	w := &web{
		answer: search.Answer{Results: []search.Result{{Rank: 1, Title: "A  mill", URL: "https://mill.example/", Snippet: "s"}}},
		pages:  map[string]crawl.Page{"https://mill.example/": {FinalURL: "https://mill.example/en", Outcome: crawl.OK, Title: "A mill", Markdown: "The roof is green.", Language: "en"}},
	}
	h := newHost(t, tools.Options{Toolsets: []string{tools.ToolsetChatGPT}, Searcher: w, Reader: w})
	for name, c := range map[string]struct{ arguments, want object }{
		"search": {object{"query": "mill"}, object{"results": []any{object{"id": "https://mill.example/", "title": "A mill", "url": "https://mill.example/"}}}},
		"fetch": {object{"id": "https://mill.example/"}, object{"id": "https://mill.example/", "title": "A mill", "text": "The roof is green.",
			"url": "https://mill.example/en", "metadata": object{"language": "en"}}},
	} {
		got := h.call(t.Context(), name, c.arguments)
		var text object
		if err := json.Unmarshal([]byte(got.text), &text); err != nil || got.failed || len(got.content) != 1 {
			t.Fatalf("%s: %v %s", name, err, got.text)
		}
		if diff := cmp.Diff(c.want, text); diff != "" {
			t.Errorf("%s: the text (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(c.want, got.fields); diff != "" {
			t.Errorf("%s: the structured result (-want +got):\n%s", name, diff)
		}
	}
}

func TestChatGPTSaysWhatFailed(t *testing.T) {
	h := newHost(t, tools.Options{Toolsets: []string{tools.ToolsetChatGPT}})
	for name, c := range map[string]struct {
		arguments object
		want      string
	}{
		"search": {object{"query": "mill"}, "no route to host"},
		"fetch":  {object{"id": "file:///etc/passwd"}, "only http and https"},
	} {
		if got := h.call(t.Context(), name, c.arguments); !got.failed {
			t.Errorf("%s does not fail: %s", name, got.text)
		} else {
			contains(t, name, got.text, c.want)
		}
	}
	list, err := newHost(t, tools.Options{}).ListTools(t.Context(), mcp.ListToolsRequest{})
	if err != nil || len(list.Tools) != 7 {
		t.Errorf("%v: %d tools without the toolset", err, len(list.Tools))
	}
}
