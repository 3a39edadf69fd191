package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"deepresearch/internal/search"
)

// The test binary is the server, too, when this is set: to how it behaves.
const serverMode = "SEARCH_SERVER"

func TestMain(m *testing.M) {
	switch mode := os.Getenv(serverMode); mode {
	case "":
		os.Exit(m.Run())
	case "deaf":
		time.Sleep(time.Minute)
	case "endless":
		for line := strings.Repeat("x", 1<<16); ; {
			if _, err := fmt.Print(line); err != nil {
				return
			}
		}
	case "dying":
		fmt.Fprintln(os.Stderr, "fatal: TIDES_KEY secret-of-the-server is no valid API key")
		os.Exit(1)
	default:
		fmt.Fprintln(os.Stderr, "tides: ready for API key holders")
		if err := server.ServeStdio(tideServer(), server.WithErrorLogger(nil)); err != nil {
			os.Exit(1)
		}
	}
}

// tideServer has tools that answer in every shape we read.
func tideServer() *server.MCPServer {
	s := server.NewMCPServer("tides", "1", server.WithToolCapabilities(false))
	query := mcp.WithString("query", mcp.Required())
	s.AddTool(mcp.NewTool("search", query), func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultStructured(map[string]any{"results": []any{map[string]any{
			"title": "Asked: " + r.GetString("query", ""), "url": "https://example.org/tides", "snippet": "About tides.", "published_date": "2026-01-02",
		}}}, "unread"), nil
	})
	s.AddTool(mcp.NewTool("failing", query), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultError("429 Too Many Requests"), nil
	})
	s.AddTool(mcp.NewTool("slow", query), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	return s
}

// process returns the options of a server as a process.
func processServer(t *testing.T, mode, tool string) Options {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Options{Name: "tides", Command: []string{self}, Env: []string{serverMode + "=" + mode, "TIDES_KEY=secret-of-the-server"}, Tool: tool}
}

// httpServer returns the options of a server over HTTP, and what it was sent.
func httpServer(t *testing.T, tool string, header map[string]string) Options {
	mcpHandler := server.NewStreamableHTTPServer(tideServer())
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer secret-of-the-server" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		mcpHandler.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return Options{Name: "tides", URL: s.URL, Client: s.Client(), Tool: tool, Header: header}
}

var authorised = map[string]string{"Authorization": "Bearer secret-of-the-server"}

func mustNew(t *testing.T, opt Options) *Engine {
	t.Helper()
	e, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

var aboutTides = search.Query{Text: "tidal power", N: 5}

func TestSearch(t *testing.T) {
	for name, opt := range map[string]Options{
		"a process": processServer(t, "good", "search"), "over HTTP": httpServer(t, "search", authorised),
	} {
		got, err := mustNew(t, opt).Search(t.Context(), aboutTides)
		want := []search.Result{{Title: "Asked: tidal power", URL: "https://example.org/tides", Snippet: "About tides.", Published: "2026-01-02"}}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}

func TestFailures(t *testing.T) {
	nobody := httpServer(t, "search", authorised)
	nobody.URL = "http://127.0.0.1:1/mcp"
	missing := processServer(t, "good", "search")
	offline := processServer(t, "good", "search")
	offline.Offline = true
	missing.Command = []string{"no-such-program-of-tides"}
	for name, c := range map[string]struct {
		opt  Options
		kind search.Kind
		says string
	}{
		"a tool that fails":       {processServer(t, "good", "failing"), search.Rate, "429"},
		"a tool that is not":      {processServer(t, "good", "find"), search.LayoutChanged, "Its tools are: failing, search, slow."},
		"no such tool over HTTP":  {httpServer(t, "find", authorised), search.LayoutChanged, "Its tools are: failing, search, slow."},
		"a process that gives up": {processServer(t, "dying", "search"), search.Auth, "*** is no valid API key"},
		"an endless process":      {processServer(t, "endless", "search"), search.LayoutChanged, "more than"},
		"a process offline":       {offline, search.Network, "offline"},
		"no program":              {missing, search.Network, "Install no-such-program-of-tides"},
		"nobody listens":          {nobody, search.Network, "refused"},
		"no key":                  {httpServer(t, "search", nil), search.Auth, "401"},
	} {
		results, err := mustNew(t, c.opt).Search(t.Context(), aboutTides)
		var f *search.Failure
		if !errors.As(err, &f) || f.Kind != c.kind || f.Engine != "tides" || len(results) > 0 || !strings.Contains(f.Message+f.Hint, c.says) {
			t.Errorf("%s: %d results and %+v, want kind %s and %q", name, len(results), err, c.kind, c.says)
		} else if strings.Contains(f.Message+f.Hint, "secret-of") {
			t.Errorf("%s: the key is shown: %s", name, f.Message)
		}
	}
}

func TestSearchEndsWithItsContext(t *testing.T) {
	for name, opt := range map[string]Options{
		"a deaf process": processServer(t, "deaf", "search"), "a slow process": processServer(t, "good", "slow"), "slow over HTTP": httpServer(t, "slow", authorised),
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		_, err := mustNew(t, opt).Search(ctx, aboutTides)
		cancel()
		if f := search.AsFailure("", err); f == nil || f.Kind != search.Timeout || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v, want a timeout", name, err)
		}
	}
}

func TestOptionsAreChecked(t *testing.T) {
	good := Options{Name: "tides", Command: []string{"x"}, Tool: "search"}
	for says, change := range map[string]func(*Options){
		"name": func(o *Options) { o.Name = "Tides of Sea" }, "tool": func(o *Options) { o.Tool = "" }, "command or a URL": func(o *Options) { o.URL = "http://x" },
		"HTTP client": func(o *Options) { o.Command, o.URL = nil, "http://x" }, "topic": func(o *Options) { o.Topics = []string{"sea"} },
	} {
		o := good
		change(&o)
		if _, err := New(o); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want an error about %s", err, says)
		}
	}
}

func TestArgumentsAreFilled(t *testing.T) {
	arguments := map[string]any{"q": "site:example.org {query}", "n": "{number}", "options": map[string]any{"topic": "{query}"}, "depth": 2, "same": "as it is"}
	want := map[string]any{"q": "site:example.org tidal power", "n": 5, "options": map[string]any{"topic": "tidal power"}, "depth": 2, "same": "as it is"}
	if diff := cmp.Diff(want, fill(arguments, aboutTides)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
