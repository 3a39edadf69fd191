package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestHostsThatNameThisServer(t *testing.T) {
	home, settings := t.TempDir(), t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(home, "mcp-server")
	for path, text := range map[string]string{
		filepath.Join(settings, "Claude/claude_desktop_config.json"): `{"mcpServers":{"deepresearch":{"command":"` + filepath.ToSlash(self) + `"},"files":{"command":"/bin/files"}}}`,
		filepath.Join(settings, "Code/User/mcp.json"):                `{"servers":{"DeepResearch":{"command":"/gone/away"}}}`,
		filepath.Join(home, ".cursor/mcp.json"):                      `{"mcpServers":{"research":{"command":"` + filepath.ToSlash(other) + `"}}}`,
		filepath.Join(home, ".gemini/settings.json"):                 `{`,
		other: "#!/bin/sh\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	found := hosts(home, settings, self)
	for host, want := range map[string]string{
		"Claude Desktop": "starts this program", "VS Code": "there is no such program", "Cursor": "starts another program", "Gemini CLI": "cannot be read",
	} {
		if !slices.ContainsFunc(found, func(h hostHealth) bool { return h.Host == host && strings.HasPrefix(h.State, want) }) {
			t.Errorf("%s does not say %q: %+v", host, want, found)
		}
	}
	if len(found) != 4 {
		t.Errorf("%d entries: %+v", len(found), found)
	}
}
