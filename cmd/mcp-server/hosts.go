package main

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// hostFiles are where hosts keep the servers that they start: below the folder
// for configuration of the system, or below the home folder (with a tilde).
var hostFiles = []struct{ host, path string }{
	{"Claude Desktop", "Claude/claude_desktop_config.json"}, {"VS Code", "Code/User/mcp.json"},
	{"Claude Code", "~/.claude.json"}, {"Cursor", "~/.cursor/mcp.json"}, {"Windsurf", "~/.codeium/windsurf/mcp_config.json"},
	{"Gemini CLI", "~/.gemini/settings.json"},
}

// maxHostFile bounds what is read of such a file, in bytes: that of Claude Code
// also holds its history.
const maxHostFile = 32 << 20

// hostHealth is a host that is to start this server.
type hostHealth struct {
	Host    string `json:"host"`
	File    string `json:"file"`
	Server  string `json:"server,omitempty"` // its name there
	Command string `json:"command,omitempty"`
	State   string `json:"state"`
}

// hosts looks into the files of known hosts for entries that start this program.
func hosts(home, settings, self string) []hostHealth {
	out := []hostHealth{}
	for _, known := range hostFiles {
		file := filepath.Join(settings, known.path)
		if below, ok := strings.CutPrefix(known.path, "~/"); ok {
			file = filepath.Join(home, below)
		}
		servers, err := hostServers(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			out = append(out, hostHealth{Host: known.host, File: file, State: "cannot be read: " + err.Error()})
		}
		for _, name := range slices.Sorted(maps.Keys(servers)) {
			command := servers[name]
			if strings.Contains(strings.ToLower(name+command), "deepresearch") || filepath.Base(command) == "mcp-server" {
				out = append(out, hostHealth{known.host, file, name, command, startState(command, self)})
			}
		}
	}
	return out
}

// hostServers are the commands of the servers in a file, by their names.
func hostServers(file string) (commands map[string]string, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	type entries map[string]struct {
		Command string `json:"command"`
	}
	var found struct {
		MCPServers entries `json:"mcpServers"`
		Servers    entries `json:"servers"`
	}
	if err := json.NewDecoder(io.LimitReader(f, maxHostFile)).Decode(&found); err != nil {
		return nil, err
	}
	commands = map[string]string{}
	for _, list := range []entries{found.MCPServers, found.Servers} {
		for name, server := range list {
			if server.Command != "" {
				commands[name] = server.Command
			}
		}
	}
	return commands, nil
}

// startState says what a host will start that runs command.
func startState(command, self string) string {
	path, err := exec.LookPath(command)
	if err != nil && !errors.Is(err, exec.ErrDot) {
		return "there is no such program: write the path of this one, " + self
	}
	if theirs, err := os.Stat(path); err == nil {
		if own, err := os.Stat(self); err == nil && os.SameFile(theirs, own) {
			return "starts this program"
		}
	}
	return "starts another program than this one, " + self
}
