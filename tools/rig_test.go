package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"deepresearch/citations"
	"deepresearch/crawl"
	"deepresearch/internal/graph/mem"
	"deepresearch/internal/library"
	"deepresearch/internal/search"
	"deepresearch/research"
	"deepresearch/research/extract"
	"deepresearch/tools"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares got with a file below testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", filepath.FromSlash(name))
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (run the test with -update to write it)", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", name, diff)
	}
}

// engine is a real research engine without a network: runs and texts in memory.
func engine(t *testing.T) *research.Engine {
	t.Helper()
	return engineOver(t, offline{}, offline{})
}

// engineOver is one whose network is what a test says.
func engineOver(t *testing.T, searcher research.Searcher, reader research.Reader) *research.Engine {
	t.Helper()
	texts, libraries := &archive{texts: map[string]string{}}, &library.Cache{}
	e, err := research.New(research.Ports{
		Method: extract.New(texts, libraries), Searcher: searcher, Reader: reader, Archive: texts, Libraries: libraries,
	}, mem.New())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close(context.Background()) })
	return e
}

type archive struct {
	mu    sync.Mutex
	texts map[string]string
}

func (a *archive) Put(_ context.Context, _, text string) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	sha := citations.Hash(text)
	a.texts[sha] = text
	return sha, nil
}

func (a *archive) Text(_ context.Context, sha string) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if t, ok := a.texts[sha]; ok {
		return t, nil
	}
	return "", fmt.Errorf("no text %s", sha)
}

// offline is a network that is not there.
type offline struct{}

func (offline) Search(_ context.Context, q search.Query, _ []string) (search.Answer, error) {
	return search.Answer{Query: q.Text, Failures: []search.Failure{{Engine: "wikipedia", Kind: search.Network, Message: "no route to host", Hint: "check the network"}}}, nil
}

func (offline) Read(_ context.Context, r crawl.Request) crawl.Page {
	return crawl.Page{URL: r.URL, Outcome: crawl.Failed, Hint: "no route to host"}
}

func (offline) Walk(crawl.Site) (*crawl.Walk, error) {
	return nil, errors.New("urls: no route to host")
}

// folder is a temporary folder with documents that answer a question.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"tides.md": "# Tides\n\nTides are caused by the gravity of the Moon and the Sun. The Moon raises the larger tide, because it is nearer.\n\nSpring tides occur at new moon and at full moon. Neap tides occur at the quarters.\n",
		"bay.md":   "# The Bay of Fundy\n\nThe Bay of Fundy has the largest tides in the world. The range at Burntcoat Head reaches 16 metres. The bay resonates with the tide of the Moon.\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const tides = "How large are the largest tides, in metres?"

var (
	local  = tools.Caller{ID: "user:test", Local: true}
	remote = tools.Caller{ID: "token:test"}
)

// host is a client in this process.
type host struct {
	t *testing.T
	*client.Client
	mu       sync.Mutex
	progress []mcp.JSONRPCNotification
}

func newHost(t *testing.T, opt tools.Options, options ...client.ClientOption) *host {
	t.Helper()
	if opt.Searcher == nil {
		opt.Searcher = offline{}
	}
	if opt.Reader == nil {
		opt.Reader = offline{}
	}
	if opt.Engine == nil {
		opt.Engine = engine(t)
	}
	opt.Version = "test"
	surface := tools.New(opt)
	t.Cleanup(surface.Close)
	c, err := client.NewInProcessClientWithOptions(surface.MCPServer, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	h := &host{t: t, Client: c}
	c.OnNotification(func(n mcp.JSONRPCNotification) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.progress = append(h.progress, n)
	})
	var start mcp.InitializeRequest
	start.Params.ProtocolVersion = "2025-11-25"
	start.Params.ClientInfo = mcp.Implementation{Name: "test", Version: "1"}
	if _, err := c.Initialize(t.Context(), start); err != nil {
		t.Fatal(err)
	}
	return h
}

// result is the answer of a tool.
type result struct {
	text    string
	failed  bool
	bytes   int
	content []mcp.Content
	fields  map[string]any
}

func (h *host) call(ctx context.Context, name string, arguments any) result {
	h.t.Helper()
	var req mcp.CallToolRequest
	req.Params.Name, req.Params.Arguments = name, arguments
	req.Params.Meta = &mcp.Meta{ProgressToken: "p"}
	res, err := h.CallTool(ctx, req)
	if err != nil {
		h.t.Fatalf("%s: a protocol error: %v", name, err)
	}
	out := result{failed: res.IsError, content: res.Content}
	text, ok := res.Content[0].(mcp.TextContent)
	if !ok {
		h.t.Fatalf("%s: the first content is %T", name, res.Content[0])
	}
	out.text = text.Text
	if res.StructuredContent != nil {
		raw, err := json.Marshal(res.StructuredContent)
		if err != nil {
			h.t.Fatal(err)
		}
		out.bytes = len(raw)
		if err := json.Unmarshal(raw, &out.fields); err != nil {
			h.t.Fatal(err)
		}
	}
	return out
}

func as(c tools.Caller) context.Context { return tools.WithCaller(context.Background(), c) }

type object = map[string]any

// fake is an engine whose runs are what a test says.
type fake struct {
	tools.Engine
	result research.Result
	asked  research.Question
	follow func(ctx context.Context, wait time.Duration, tell func(research.Progress)) (research.Result, error)
	waits  []time.Duration
}

func (f *fake) Start(_ context.Context, _ string, q research.Question, _ bool) (string, error) {
	f.asked = q
	_, err := q.Normalize()
	return f.result.RunID, err
}

func (f *fake) Follow(ctx context.Context, _, id string, wait time.Duration, tell func(research.Progress)) (research.Result, error) {
	f.waits = append(f.waits, wait)
	if id != f.result.RunID {
		return research.Result{}, fmt.Errorf("%w: %q", research.ErrNoRun, id)
	}
	if f.follow != nil {
		return f.follow(ctx, wait, tell)
	}
	return f.result, nil
}

func (f *fake) Result(_ context.Context, _, id string) (research.Result, error) {
	if id != f.result.RunID {
		return research.Result{}, fmt.Errorf("%w: %q", research.ErrNoRun, id)
	}
	return f.result, nil
}

func (f *fake) List(context.Context, string, int) ([]research.Summary, error) {
	return nil, errors.New("the store is gone")
}

func logTo(w io.Writer) *slog.Logger { return slog.New(slog.NewTextHandler(w, nil)) }

func contains(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%s: %q is missing in:\n%s", what, p, text)
		}
	}
}
