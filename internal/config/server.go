package config

import (
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// MCPServer is an MCP server with a search tool: a table [mcp-servers.NAME] of
// the configuration file, whose keys are the names of these fields in lower
// case. NAME is the engine's.
type MCPServer struct {
	Command string            // the program, for a server that is a process
	Args    []Secret          // its arguments, which may hold keys
	Env     map[string]Secret // what its environment has beside PATH, HOME and the like
	URL     Secret            // for a server over Streamable HTTP; its query may hold a key
	Headers map[string]Secret // sent with each request to the URL
	Tool    string            // the name of its search tool
	// Argument is the argument that takes the query; empty means "query".
	Argument string
	// Arguments are sent beside it; the text "{number}" stands for the number
	// of results wanted.
	Arguments map[string]any
	Topics    []string // what the server is meant for; none means everything
}

// String says what is asked of whom. Secrets are masked.
func (s MCPServer) String() string {
	if s.Command != "" {
		return s.Tool + " of " + s.Command
	}
	u, err := url.Parse(s.URL.Reveal())
	if err != nil {
		return s.Tool
	}
	return s.Tool + " of " + (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

const serversSetting = "mcp-servers"

var (
	serverName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,39}$`)
	headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$") // a token of RFC 9110
)

// servers reads the tables of MCP servers. Their names are engines from here on.
func (l *loader) servers(at place, tables map[string]any) {
	own := l.Engines
	for _, name := range sortedKeys(tables) {
		here := place{origin: FromFile, where: strings.Replace(at.where, serversSetting, serversSetting+"."+name, 1)}
		table, ok := tables[name].(map[string]any)
		switch {
		case !ok:
			l.problem(here, "it is not a table: write [%s.%s] and its keys below", serversSetting, name)
			continue
		case !serverName.MatchString(name):
			l.problem(here, "%q cannot be the name of an engine: use up to 40 lower-case letters, digits and hyphens", name)
		case slices.Contains(own, name):
			l.problem(here, "there is an engine of this name: choose another")
		}
		r := serverReader{table: table, fail: func(key, reason string) {
			l.problem(place{origin: FromFile, where: strings.TrimPrefix(key+" of ", " of ") + here.where}, "%s", reason)
		}}
		if l.settings.Search.Servers == nil {
			l.settings.Search.Servers = map[string]MCPServer{}
		}
		l.settings.Search.Servers[name] = r.read()
		l.settings.from[serversSetting] = at
		if len(own) > 0 { // else names are not checked
			l.Engines = append(slices.Clone(l.Engines), name)
		}
	}
}

// serverReader reads one table; fail takes each mistake, with the key it is in,
// empty for the table as a whole.
type serverReader struct {
	table map[string]any
	fail  func(key, reason string)
}

var serverKeys = []string{"command", "args", "env", "url", "headers", "tool", "argument", "arguments", "topics"}

func (r serverReader) read() MCPServer {
	for _, key := range sortedKeys(r.table) {
		if !slices.Contains(serverKeys, key) {
			r.fail(key, "there is no such key"+didYouMean(key, serverKeys))
		}
	}
	s := MCPServer{
		Command: r.text("command"), URL: NewSecret(r.text("url")), Tool: r.text("tool"), Argument: r.text("argument"),
		Env: r.secrets("env"), Headers: r.secrets("headers"), Topics: r.texts("topics"),
	}
	for _, arg := range r.texts("args") {
		s.Args = append(s.Args, NewSecret(arg))
	}
	if value, ok := r.table["arguments"]; ok {
		if s.Arguments, ok = value.(map[string]any); !ok {
			r.fail("arguments", "it is not a table: write it like { count = \"{number}\" }")
		}
	}
	r.check(s)
	return s
}

// check holds the rules between keys.
func (r serverReader) check(s MCPServer) {
	_, command := r.table["command"]
	_, address := r.table["url"]
	switch {
	case !command && !address:
		r.fail("", "it has neither command nor url: say how to reach the server")
	case command && address:
		r.fail("url", "there is a command as well: leave one of the two out")
	case command && s.Command == "":
		r.fail("command", "it is not the name of a program: write it like \"npx\"")
	case address && !validAddress(s.URL.Reveal()):
		r.fail("url", "it is not a URL: write it like https://mcp.example/mcp")
	}
	for _, key := range []struct {
		name  string
		fits  bool
		needs string
	}{{"args", command, "command"}, {"env", command, "command"}, {"headers", address, "url"}} {
		if _, ok := r.table[key.name]; ok && !key.fits && command != address {
			r.fail(key.name, "it belongs to "+key.needs+": leave it out")
		}
	}
	if s.Tool == "" {
		r.fail("tool", "it is missing: name the server's search tool")
	}
	if _, twice := s.Arguments[orElse(s.Argument, "query")]; twice {
		r.fail("arguments", "the argument of the query is among them: leave it out there")
	}
	topics := topicNames()
	for _, topic := range s.Topics {
		if !slices.Contains(topics, topic) {
			r.fail("topics", fmt.Sprintf("there is no topic %q: use %s", topic, oneOf(topic, topics)))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Headers)) {
		if !headerName.MatchString(name) {
			r.fail("headers", fmt.Sprintf("%q is not the name of a header: use letters, digits and hyphens", name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		if name == "" || strings.ContainsAny(name, "= ") {
			r.fail("env", fmt.Sprintf("%q is not the name of a variable: use letters, digits and underscores", name))
		}
	}
}

func validAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && validHost(u.Hostname()) && u.Fragment == ""
}

func topicNames() []string {
	i := slices.IndexFunc(allFields(), func(f Field) bool { return f.Name == "topic" })
	return allFields()[i].OneOf
}

// text returns the text under a key, empty when there is none.
func (r serverReader) text(key string) string {
	value, ok := r.table[key]
	if !ok {
		return ""
	}
	text, ok := value.(string)
	if text = strings.TrimSpace(text); !ok || strings.ContainsFunc(text, isControl) {
		r.fail(key, "it is not a text of one line: put it in quotes")
		return ""
	}
	return text
}

func (r serverReader) texts(key string) []string {
	value, ok := r.table[key]
	if !ok {
		return nil
	}
	list, ok := value.([]any)
	texts := make([]string, len(list))
	for i, entry := range list {
		text, isText := entry.(string)
		ok = ok && isText && !strings.ContainsRune(text, 0)
		texts[i] = text
	}
	if !ok {
		r.fail(key, "it is not a list of texts: write it like [\"one\", \"two\"]")
		return nil
	}
	return texts
}

// secrets returns a table of texts of one line.
func (r serverReader) secrets(key string) map[string]Secret {
	value, ok := r.table[key]
	if !ok {
		return nil
	}
	table, ok := value.(map[string]any)
	secrets := map[string]Secret{}
	for name, entry := range table {
		text, isText := entry.(string)
		ok = ok && isText && !strings.ContainsFunc(text, isControl)
		secrets[name] = NewSecret(text)
	}
	if !ok {
		r.fail(key, "it is not a table of texts of one line: write it like { NAME = \"value\" }")
		return nil
	}
	return secrets
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }
