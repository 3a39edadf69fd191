// Package mcpserver asks the search tool of any MCP server, as a process on
// this machine or over HTTP. Start with [New]. A connection lasts for one
// search, a process with it: nothing stays behind between searches.
//
// What a server sends is read leniently, because no standard says how search
// results look: as structured content, as JSON in a text, as links to
// resources, or as text with addresses in it. See [Results].
package mcpserver

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"deepresearch/internal/search"
	"deepresearch/internal/search/wire"
)

// Options describe one server. Name, Tool, and either Command or URL are
// needed.
type Options struct {
	// Name of the engine: lower case, without spaces.
	Name string
	// Command is the program of the server and its arguments.
	Command []string
	// Env is the whole environment of the process, each NAME=VALUE: it sees no
	// key that is not its own. Most programs want PATH and HOME.
	Env []string
	// Offline keeps the process from being started: what it reaches nobody can
	// tell. The client of a URL has rules of its own.
	Offline bool
	// URL is the address of a server with Streamable HTTP.
	URL string
	// Client reaches the URL, and nothing else.
	Client *http.Client
	// Header goes with each request to the URL; keys belong here.
	Header map[string]string
	// Tool is the name of the server's search tool.
	Tool string
	// Arguments of the tool. {query} in a text stands for the query, {number}
	// as a whole text for the number of results. Nil means {"query": "{query}"}.
	Arguments map[string]any
	// Topics are those the server is meant for; none means the whole web.
	Topics []string
	// Cost of a search in US dollars.
	Cost float64
}

// Engine is a search tool of an MCP server.
type Engine struct {
	opt     Options
	secrets *strings.Replacer
}

var name = onceRegexp(`^[a-z][a-z0-9-]{0,39}$`)

// New checks the options and returns the engine. It starts and sends nothing.
func New(opt Options) (*Engine, error) {
	switch {
	case !name().MatchString(opt.Name):
		return nil, fmt.Errorf("name %q of an MCP server: use up to 40 lower-case letters, digits and hyphens", opt.Name)
	case opt.Tool == "":
		return nil, fmt.Errorf("MCP server %s: name its search tool", opt.Name)
	case (len(opt.Command) > 0) == (opt.URL != ""):
		return nil, fmt.Errorf("MCP server %s: give a command or a URL", opt.Name)
	case opt.URL != "" && opt.Client == nil:
		return nil, fmt.Errorf("MCP server %s: no HTTP client for its URL", opt.Name)
	}
	for _, t := range opt.Topics {
		if !search.KnownTopic(t) {
			return nil, fmt.Errorf("MCP server %s: topic %q is unknown: use %s", opt.Name, t, strings.Join(search.Topics, ", "))
		}
	}
	if opt.Arguments == nil {
		opt.Arguments = map[string]any{"query": "{query}"}
	}
	return &Engine{opt, strings.NewReplacer(opt.secrets()...)}, nil
}

// shortestSecret keeps words such as true out of what is masked.
const shortestSecret = 8

// keyFlag is a flag whose value is a key.
var keyFlag = onceRegexp(`(?i)^--?[a-z_-]*(?:key|token|secret|password)[a-z_-]*$`)

// secrets are values that no message may show, each with its mask.
func (o Options) secrets() []string {
	var pairs []string
	mask := func(value string) {
		if _, token, ok := strings.Cut(value, " "); ok { // Bearer TOKEN
			value = token
		}
		if len(value) >= shortestSecret {
			pairs = append(pairs, value, "***")
		}
	}
	for _, value := range o.Header {
		mask(value)
	}
	if u, err := url.Parse(o.URL); err == nil { // hosted servers take keys there
		for _, values := range u.Query() {
			for _, value := range values {
				mask(value)
				mask(url.QueryEscape(value))
			}
		}
	}
	for i, arg := range o.Command {
		flag, value, joined := strings.Cut(arg, "=")
		if !joined && i+1 < len(o.Command) {
			value = o.Command[i+1]
		}
		if keyFlag().MatchString(flag) {
			mask(value)
		}
	}
	for _, pair := range o.Env {
		if key, value, ok := strings.Cut(pair, "="); ok && !strings.HasPrefix(value, "/") && key != "LANG" {
			mask(value)
		}
	}
	return pairs
}

// Name returns the name of the options.
func (e *Engine) Name() string { return e.opt.Name }

// Capabilities are few: what a tool honours beside the query nobody knows.
func (e *Engine) Capabilities() search.Capabilities {
	return search.Capabilities{
		Operators: true, MaxQuery: 400, MaxResults: mostResults, Topics: e.opt.Topics, Cost: e.opt.Cost,
		Loopback: e.opt.URL != "" && wire.IsLoopback(e.opt.URL), Pace: search.Pace{Parallel: 2},
	}
}

// Search connects, calls the tool once, and closes the connection.
func (e *Engine) Search(ctx context.Context, q search.Query) ([]search.Result, error) {
	results, err := e.search(ctx, q)
	if err == nil {
		return results[:min(len(results), max(q.N, 1))], nil
	}
	failure := *search.AsFailure(e.opt.Name, err)
	failure.Engine = e.opt.Name
	failure.Message = clip(e.secrets.Replace(failure.Message))
	if failure.Kind == search.Auth && failure.Hint == "" {
		failure.Hint = "Check the key in the configuration of the MCP server " + e.opt.Name + "."
	}
	return nil, &failure
}

func (e *Engine) search(ctx context.Context, q search.Query) ([]search.Result, error) {
	line, err := e.opt.connect(ctx)
	if err != nil {
		return nil, err
	}
	reply, err := talk(ctx, line, e.opt.Tool, fill(e.opt.Arguments, q))
	switch {
	case err == nil:
		return Results(reply)
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	}
	if failure := line.failure(err); failure != nil {
		return nil, failure
	}
	return nil, err
}

// talk calls the tool and closes the line.
func talk(ctx context.Context, over line, tool string, arguments map[string]any) (*mcp.CallToolResult, error) {
	c := client.NewClient(over.transport(), client.WithDiscoverTimeout(discovery))
	defer func() { // first the protocol, then what carries it
		_ = c.Close() // the answer is here, or the failure is
		over.close()
	}()
	return call(ctx, c, tool, arguments)
}

// discovery bounds the wait for a server that is silent about the newest
// protocol; most say at once that they do not know it.
const discovery = 2 * time.Second

// call greets the server and calls the tool.
func call(ctx context.Context, c *client.Client, tool string, arguments map[string]any) (*mcp.CallToolResult, error) {
	if err := c.Start(ctx); err != nil {
		return nil, unreached("starting", err)
	}
	var greeting mcp.InitializeRequest
	greeting.Params.ClientInfo = mcp.Implementation{Name: "deepresearch", Version: "1.0"}
	if _, err := c.Initialize(ctx, greeting); err != nil {
		return nil, unreached("greeting", err)
	}
	var request mcp.CallToolRequest
	request.Params.Name, request.Params.Arguments = tool, arguments
	reply, err := c.CallTool(ctx, request)
	if err == nil {
		return reply, nil
	}
	return nil, refused(ctx, c, tool, err)
}

func unreached(doing string, err error) error {
	return &search.Failure{Kind: search.Network, Message: doing + " the MCP server: " + err.Error(), Cause: err}
}

// lost reports whether the connection broke.
func lost(err error) bool {
	var broken *transport.Error
	return errors.As(err, &broken)
}

// refused is the failure of a call that the server did not take. When it has no
// such tool, the hint names those it has.
func refused(ctx context.Context, c *client.Client, tool string, err error) error {
	if lost(err) {
		return unreached("asking", err)
	}
	list, listErr := c.ListTools(ctx, mcp.ListToolsRequest{})
	if listErr != nil {
		return unreached("asking", err)
	}
	var tools []string
	for _, t := range list.Tools {
		if t.Name == tool {
			return &search.Failure{Kind: search.BadQuery, Message: err.Error(), Cause: err}
		}
		tools = append(tools, t.Name)
	}
	return &search.Failure{
		Kind: search.LayoutChanged, Message: fmt.Sprintf("the MCP server has no tool %q", tool), Cause: err,
		Hint: "Its tools are: " + cmp.Or(clip(strings.Join(tools, ", ")), "none") + ".",
	}
}

// fill returns the arguments with the query in its place.
func fill(arguments map[string]any, q search.Query) map[string]any {
	filled := make(map[string]any, len(arguments))
	for key, value := range arguments {
		switch v := value.(type) {
		case string:
			if filled[key] = strings.ReplaceAll(v, "{query}", q.Text); v == "{number}" {
				filled[key] = q.N
			}
		case map[string]any:
			filled[key] = fill(v, q)
		default:
			filled[key] = v
		}
	}
	return filled
}

// longestSaid bounds the words of a server in a message, in bytes.
const longestSaid = 300

func clip(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= longestSaid {
		return s
	}
	return strings.ToValidUTF8(s[:longestSaid], "") + "..."
}

// raw returns the structured content as it came.
func raw(reply *mcp.CallToolResult) []byte {
	if len(reply.RawStructuredContent) > 0 || reply.StructuredContent == nil {
		return reply.RawStructuredContent
	}
	b, err := json.Marshal(reply.StructuredContent)
	if err != nil { // it was read from JSON
		return nil
	}
	return b
}
