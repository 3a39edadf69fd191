package config

import (
	"fmt"
	"os"
	"path/filepath"
)

// configFolder returns the folder for configuration files of the user, or ""
// when the environment names none. Sources: the XDG Base Directory
// Specification, Apple's File System Programming Guide, Microsoft's known
// folders.
func configFolder(system string, getenv func(string) string) string {
	switch system {
	case "windows":
		return getenv("AppData")
	case "darwin":
		return below(getenv("HOME"), "Library/Application Support")
	default:
		return xdg(getenv, "XDG_CONFIG_HOME", ".config")
	}
}

// stateFolder returns our folder for what outlives a process, or "" when the
// environment names none. Sources as for configFolder.
func stateFolder(system string, getenv func(string) string) string {
	parent := ""
	switch system {
	case "windows":
		parent = getenv("LocalAppData")
	case "darwin":
		parent = below(getenv("HOME"), "Library/Application Support")
	default:
		parent = xdg(getenv, "XDG_STATE_HOME", ".local/state")
	}
	return below(parent, "deepresearch")
}

// xdg returns the folder that the variable names; a relative one is invalid by
// the specification and must be ignored.
func xdg(getenv func(string) string, variable, fallback string) string {
	if folder := getenv(variable); filepath.IsAbs(folder) {
		return folder
	}
	return below(getenv("HOME"), fallback)
}

func below(parent, name string) string {
	if parent == "" {
		return ""
	}
	return filepath.Join(parent, filepath.FromSlash(name))
}

// Folder is where data is kept.
type Folder struct {
	Path string
	// Warning says why Path is a temporary folder; empty means that it is the
	// one that was asked for.
	Warning string
}

// OpenFolder makes the folder want, private to the user, and proves that it can
// be written to. When it cannot, a temporary folder stands in with a warning:
// work goes on, and what it costs is said. An error means that not even that
// could be made.
func OpenFolder(want string) (Folder, error) {
	reason := writable(want)
	if reason == nil {
		return Folder{Path: want}, nil
	}
	path, err := os.MkdirTemp("", "deepresearch-")
	if err != nil {
		return Folder{}, fmt.Errorf("making a data folder: %w; and a temporary one: %w; name a writable folder with --data-dir", reason, err)
	}
	return Folder{Path: path, Warning: fmt.Sprintf(
		"the data folder cannot be used (%v), so this run is kept in %s, which the system may delete; name a writable folder with --data-dir", reason, path)}, nil
}

func writable(folder string) error {
	if folder == "" {
		return fmt.Errorf("neither HOME nor a state folder is set")
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	probe, err := os.CreateTemp(folder, ".probe-")
	if err != nil {
		return err
	}
	if err := probe.Close(); err != nil {
		return err
	}
	return os.Remove(probe.Name())
}
