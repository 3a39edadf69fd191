package main

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"

	"deepresearch/internal/config"
	"deepresearch/tools"
)

// stdioCommand serves a host that started this process.
type stdioCommand struct{ settingFlags }

func (stdioCommand) Help() string { return example("stdio --files-root ~/Documents") }

// Run speaks MCP over stdin and stdout until the host closes stdin.
func (c *stdioCommand) Run(p *process) error {
	settings, err := p.load(c.settingFlags)
	if err != nil {
		return err
	}
	if p.terminalIn {
		if err := p.introduce(); err != nil {
			return err
		}
	}
	return p.with(settings, func(made *product) error {
		m := p.tools(settings, made)
		defer m.Close()
		return serveStdio(p.ctx, m, osUser(), p.in, p.out, p.err)
	})
}

// introduce tells a person at a terminal what this is: a host talks to it.
func (p *process) introduce() error {
	path, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding the path of this program: %w", err)
	}
	block, err := json.MarshalIndent(map[string]any{"mcpServers": map[string]any{"deepresearch": map[string]string{"command": path}}}, "", "  ")
	if err != nil {
		return fmt.Errorf("writing a host block: %w", err)
	}
	p.say("This is an MCP server: a host such as Claude Desktop starts it and talks to it over stdin and stdout. Give the host this block:\n\n" +
		string(block) + "\n\nFor people there is mcp-server demo, and mcp-server --help. Now serving; Ctrl-C ends it.")
	return nil
}

// httpCommand serves hosts over the network.
type httpCommand struct{ settingFlags }

func (httpCommand) Help() string { return example("http --listen 127.0.0.1:8080") }

// Run speaks MCP over Streamable HTTP until it is interrupted.
func (c *httpCommand) Run(p *process) error {
	settings, err := p.load(c.settingFlags)
	if err != nil {
		return err
	}
	opt := httpOptions{Listen: string(settings.Server.Listen), Hosts: settings.Server.Hosts, Origins: settings.Server.Origins}
	for _, token := range settings.Server.Tokens {
		opt.Tokens = append(opt.Tokens, token.Reveal())
	}
	return p.with(settings, func(made *product) error {
		m := p.tools(settings, made)
		defer m.Close()
		opt.Tasks = m.Task
		return serveHTTP(p.ctx, m.MCPServer, opt, p.err)
	})
}

// tools returns the MCP surface over the product.
func (p *process) tools(settings *config.Settings, made *product) *tools.Server {
	for _, root := range settings.Server.FilesRoots {
		if st, err := os.Stat(root); err != nil || !st.IsDir() {
			p.warn(fmt.Sprintf("--files-root: %s is no folder that can be read, so calls may name no files under it", root))
		}
	}
	return tools.New(tools.Options{
		Engine: made.engine, Searcher: made.searcher, Reader: made.reader, Version: version,
		Defaults: question(settings.Config, ""), FilesRoots: settings.Server.FilesRoots, MaxWait: settings.Server.MaxWait, Toolsets: settings.Server.Toolsets,
		Upgrade: upgrade(made, settings.Config),
		Logger:  slog.New(masked(settings.Config, slog.NewTextHandler(p.err, &slog.HandlerOptions{Level: slog.LevelWarn}))),
	})
}

// searchKeys are engines of general web search that need a key.
var searchKeys = []string{"TAVILY_API_KEY", "BRAVE_API_KEY", "PERPLEXITY_API_KEY", "EXA_API_KEY", "SERPER_API_KEY", "SERPAPI_API_KEY"}

// upgrade names the one thing that would help most here: a model, then a search
// engine with a key; empty when both are there.
func upgrade(made *product, c config.Config) string {
	if made.models.Models == nil {
		return "A language model would write the report instead of quoting: set GEMINI_API_KEY, or start Ollama with a model, and restart the server."
	}
	if c.Ask.Offline || c.Search.SearXNG != "" {
		return ""
	}
	for _, name := range searchKeys {
		if key, ok := c.Key(name); ok && key.IsSet() {
			return ""
		}
	}
	return "A search engine with a key would find more: set TAVILY_API_KEY, or SEARXNG_URL to a SearXNG of your own."
}
