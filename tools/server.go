package tools

import (
	"crypto/rand"
	_ "embed"
	"io"
	"log/slog"
	"slices"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"deepresearch/research"
)

// DefaultWait is how long a call waits for its run before it answers with the
// next step: 45 s, below the 60 s after which many hosts give up.
const DefaultWait = 45 * time.Second

// Options configure the surface. Engine, Searcher and Reader are needed; the
// zero value of everything else is useful.
type Options struct {
	Engine   Engine
	Searcher Searcher
	Reader   Reader

	Version    string            // of the server, as hosts show it
	Defaults   research.Question // what calls leave out; its files are searched in every run that names none
	FilesRoots []string          // folders that calls may name files under
	Toolsets   []string          // further tools to offer: ToolsetChatGPT
	MaxWait    time.Duration     // zero means DefaultWait
	Upgrade    string            // one sentence: the key or local model that would help most; may be empty

	Now    func() time.Time // nil means time.Now
	Rand   io.Reader        // of fences around page text; nil means crypto/rand
	Logger *slog.Logger     // for what went wrong in here; nil means none
}

//go:embed instructions.md
var instructions string

// surface is what all tools, resources and prompts share.
type surface struct {
	Options
	watch   *watch
	changes *changes
	walks   walks
}

// Server is the whole surface, to be handed to a transport. Close it.
type Server struct {
	*server.MCPServer
	surface *surface
}

// Close ends what the server does by itself. It does not end calls: that is the
// transport's.
func (s *Server) Close() { s.surface.changes.close() }

// New returns an MCP server with all tools, resources and prompts. It does no
// work: listing them needs neither a network nor a key.
func New(opt Options) *Server {
	if opt.MaxWait <= 0 {
		opt.MaxWait = DefaultWait
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Rand == nil {
		opt.Rand = rand.Reader
	}
	if opt.Logger == nil {
		opt.Logger = slog.New(slog.DiscardHandler)
	}
	s := &surface{Options: opt, watch: newWatch(opt.Now), changes: newChanges(opt.Engine)}
	hooks := s.changes.hooks()
	hooks.AddAfterListResources(s.listReports)
	m := server.NewMCPServer("deepresearch", opt.Version,
		server.WithTitle("Deep research"),
		server.WithInstructions(instructions),
		server.WithToolCapabilities(false),
		server.WithResourceCapabilities(true, true),
		server.WithResourceRecovery(),
		server.WithPromptCapabilities(false),
		server.WithCompletions(),
		server.WithPromptCompletionProvider(completions{s}),
		server.WithResourceCompletionProvider(completions{s}),
		server.WithRoots(),
		server.WithExtensions(map[string]any{tasksExtension: map[string]any{}}),
		server.WithHooks(hooks),
	)
	s.changes.server = m
	for _, t := range s.table() {
		m.AddTool(t.describe(), s.serve(t))
	}
	s.addResources(m)
	addPrompts(m)
	return &Server{MCPServer: m, surface: s}
}

// table is every tool in the order in which hosts list them.
func (s *surface) table() []tool {
	all := []tool{
		s.deepResearch(), s.researchResult(), s.researchStatus(), s.researchCancel(),
		s.plan(), s.webSearch(), s.crawl(),
	}
	if slices.Contains(s.Toolsets, ToolsetChatGPT) {
		all = append(all, s.chatGPT()...)
	}
	return all
}

// hints are a tool's annotations. All four are always sent: what is left out,
// hosts fill in with the most dangerous value.
type hints struct{ writes, destroys, repeatable, openWorld bool }

func (h hints) annotation() mcp.ToolAnnotation {
	readOnly := !h.writes
	return mcp.ToolAnnotation{ReadOnlyHint: &readOnly, DestructiveHint: &h.destroys, IdempotentHint: &h.repeatable, OpenWorldHint: &h.openWorld}
}
