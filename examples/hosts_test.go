package examples_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"
)

// TestHostConfigurations: each file parses, starts the server where `make
// install` puts it, and stands in the README as it is.
func TestHostConfigurations(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	type server struct {
		Command string   `json:"command" toml:"command"`
		Args    []string `json:"args" toml:"args"`
	}
	want := server{"/home/you/.local/bin/mcp-server", []string{"--files-root", "/home/you/notes"}}
	for name, host := range map[string]struct {
		servers string
		parse   func([]byte, any) error
	}{
		"claude_desktop_config.json": {"mcpServers", json.Unmarshal},
		"mcp.json":                   {"servers", json.Unmarshal},
		"config.toml":                {"mcp_servers", toml.Unmarshal},
	} {
		body, err := os.ReadFile(filepath.Join("hosts", name))
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]map[string]server
		if err := host.parse(body, &got); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(map[string]map[string]server{host.servers: {"deepresearch": want}}, got); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
		if !strings.Contains(string(readme), strings.TrimSpace(string(body))) {
			t.Errorf("%s is not what the README shows", name)
		}
	}
}
