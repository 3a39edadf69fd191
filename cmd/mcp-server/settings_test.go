package main

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"deepresearch/internal/config"
)

// tideServer is an MCP server over stdio with a search tool, for transcripts. It
// refuses callers without its key, and says when it sees a key of ours.
func tideServer() {
	s := server.NewMCPServer("tides", "1", server.WithToolCapabilities(false))
	tool := mcp.NewTool("find", mcp.WithString("q", mcp.Required()), mcp.WithNumber("count"))
	s.AddTool(tool, func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if os.Getenv("TIDES_KEY") != "key-of-the-tides" || len(os.Args) != 2 || os.Args[1] != "--quiet" {
			return mcp.NewToolResultError("401 unauthorized: no key"), nil
		}
		if os.Getenv("TAVILY_API_KEY") != "" {
			return mcp.NewToolResultError("the server sees keys that are not its own"), nil
		}
		return mcp.NewToolResultStructured(map[string]any{"results": []any{
			map[string]any{"title": "Asked for " + r.GetString("q", ""), "url": "https://tides.example/power", "snippet": "Tidal power, page one."},
			map[string]any{"title": "Tidal power stations", "url": "https://farm.example/power", "snippet": "Tidal power, page two."},
			map[string]any{"title": "The power of tides", "url": "https://docs.sea.example/power", "snippet": "Tidal power, page three."},
		}}, ""), nil
	})
	if err := server.ServeStdio(s, server.WithErrorLogger(nil)); err != nil {
		os.Exit(1)
	}
}

func TestLogsShowNeitherKeysNorPrivateData(t *testing.T) {
	c := config.Config{Search: config.Search{
		BraveKey: config.NewSecret("the-key-of-brave"), PrivateWords: []config.Phrase{{Secret: config.NewSecret("Project Heron")}},
		Servers: map[string]config.MCPServer{"tides": {Env: map[string]config.Secret{"K": config.NewSecret("key-of-the-tides")}}},
	}}
	var out bytes.Buffer
	log := slog.New(masked(c, slog.NewTextHandler(&out, nil)))
	log.Warn("asking for project heron", "query", "mail of ann@mail.example", "url", "http://x/?k=the-key-of-brave", "env", "K=key-of-the-tides")
	for _, hidden := range []string{"heron", "ann@", "the-key-of-brave", "key-of-the-tides"} {
		if strings.Contains(out.String(), hidden) {
			t.Errorf("%s is logged: %s", hidden, out.String())
		}
	}
	if !strings.Contains(out.String(), "asking for") {
		t.Errorf("too much is masked: %s", out.String())
	}
}
