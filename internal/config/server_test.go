package config_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"deepresearch/internal/config"
)

func TestServers(t *testing.T) {
	const key = "key-of-the-tides"
	s := sources(t, `engines = ["tides", "wikipedia"]
[mcp_servers.tides]
command = "tide-server"
args = ["--key", "`+key+`"]
env = { TIDES_KEY = "`+key+`" }
tool = "find"
argument = "q"
arguments = { count = "{number}", deep = true }
topics = ["academic"]
[mcp-servers.sea]
url = "https://sea.example/mcp?key=`+key+`"
headers = { Authorization = "Bearer `+key+`" }
tool = "search"
`, nil, nil)
	got, err := config.Load(s)
	if err != nil {
		t.Fatal(err)
	}
	secret := config.NewSecret
	want := map[string]config.MCPServer{
		"tides": {
			Command: "tide-server", Args: []config.Secret{secret("--key"), secret(key)}, Env: map[string]config.Secret{"TIDES_KEY": secret(key)},
			Tool: "find", Argument: "q", Arguments: map[string]any{"count": "{number}", "deep": true}, Topics: []string{"academic"},
		},
		"sea": {URL: secret("https://sea.example/mcp?key=" + key), Headers: map[string]config.Secret{"Authorization": secret("Bearer " + key)}, Tool: "search"},
	}
	if diff := cmp.Diff(want, got.Search.Servers, cmp.AllowUnexported(config.Secret{})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	asJSON, err := json.Marshal(got.Config)
	if err != nil {
		t.Fatal(err)
	}
	effective := fmt.Sprint(got.Effective())
	if !strings.Contains(effective, "sea=search of https://sea.example/mcp,tides=find of tide-server") {
		t.Errorf("the servers are not shown in %s", effective)
	}
	for _, text := range []string{string(asJSON), effective, fmt.Sprintf("%v %+v %#v", got.Search, got.Search, got.Search)} {
		if strings.Contains(text, key) {
			t.Errorf("the key is printed in %s", text)
		}
	}
}

func TestMistakesInServers(t *testing.T) {
	for name, test := range map[string]struct{ table, want string }{
		"neither":      {`tool = "x"`, "mcp-servers.tides in %s: it has neither command nor url: say how to reach the server"},
		"both":         {`tool = "x"` + "\ncommand = \"c\"\nurl = \"http://127.0.0.1:1\"", "url of mcp-servers.tides in %s: there is a command as well: leave one of the two out"},
		"no tool":      {`command = "c"`, "tool of mcp-servers.tides in %s: it is missing: name the server's search tool"},
		"unknown key":  {"tool = \"x\"\ncomand = \"c\"\ncommand = \"c\"", "comand of mcp-servers.tides in %s: there is no such key: did you mean command?"},
		"no URL":       {"tool = \"x\"\nurl = \"sea.example/mcp\"", "url of mcp-servers.tides in %s: it is not a URL: write it like https://mcp.example/mcp"},
		"list":         {"tool = \"x\"\ncommand = [\"c\"]", "command of mcp-servers.tides in %s: it is not a text of one line: put it in quotes"},
		"args":         {"tool = \"x\"\ncommand = \"c\"\nargs = \"-y x\"", "args of mcp-servers.tides in %s: it is not a list of texts: write it like [\"one\", \"two\"]"},
		"env":          {"tool = \"x\"\ncommand = \"c\"\nenv = { A = 1 }", "env of mcp-servers.tides in %s: it is not a table of texts of one line: write it like { NAME = \"value\" }"},
		"headers":      {"tool = \"x\"\ncommand = \"c\"\nheaders = { A = \"b\" }", "headers of mcp-servers.tides in %s: it belongs to url: leave it out"},
		"header":       {"tool = \"x\"\nurl = \"http://127.0.0.1:1\"\nheaders = { \"a b\" = \"b\" }", "headers of mcp-servers.tides in %s: \"a b\" is not the name of a header: use letters, digits and hyphens"},
		"variable":     {"tool = \"x\"\ncommand = \"c\"\nenv = { \"A=B\" = \"b\" }", "env of mcp-servers.tides in %s: \"A=B\" is not the name of a variable: use letters, digits and underscores"},
		"arguments":    {"tool = \"x\"\ncommand = \"c\"\narguments = 3", "arguments of mcp-servers.tides in %s: it is not a table: write it like { count = \"{number}\" }"},
		"query twice":  {"tool = \"x\"\ncommand = \"c\"\narguments = { query = \"x\" }", "arguments of mcp-servers.tides in %s: the argument of the query is among them: leave it out there"},
		"topic":        {"tool = \"x\"\ncommand = \"c\"\ntopics = [\"cod\"]", "topics of mcp-servers.tides in %s: there is no topic \"cod\": use general, academic, medical, code, news, finance, law, encyclopedia, data, travel; did you mean code?"},
		"broken words": {"tool = \"x\\ny\"\ncommand = \"c\"", "tool of mcp-servers.tides in %s: it is not a text of one line: put it in quotes"},
	} {
		t.Run(name, func(t *testing.T) {
			s := sources(t, "[mcp-servers.tides]\n"+test.table, nil, nil)
			_, err := config.Load(s)
			if err == nil {
				t.Fatal("no error")
			}
			home := strings.TrimPrefix(s.Env[len(s.Env)-1], "HOME=")
			want := fmt.Sprintf(test.want, home+"/.config/deepresearch/config.toml")
			if first, _, _ := strings.Cut(err.Error(), "\n"); first != want && !strings.Contains(err.Error(), "\n  "+want) {
				t.Errorf("got  %s\nwant %s", err, want)
			}
		})
	}
	for file, want := range map[string]string{
		"[mcp-servers.wikipedia]\ncommand = \"c\"\ntool = \"x\"": "there is an engine of this name: choose another",
		"[mcp-servers.Sea]\ncommand = \"c\"\ntool = \"x\"":       `"Sea" cannot be the name of an engine: use up to 40 lower-case letters, digits and hyphens`,
		"mcp-servers = 3":          "it is not a table: write [mcp-servers] and its entries below",
		"[mcp-servers]\ntides = 3": "mcp-servers.tides in ",
		"engines = [\"tides\"]":    `there is no engine "tides"`,
	} {
		if _, err := config.Load(sources(t, file, nil, nil)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", file, err, want)
		}
	}
}
