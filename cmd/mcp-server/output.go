package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/mattn/go-isatty"

	"deepresearch/internal/config"
)

// isTerminal reports whether a person is at the other end of f.
func isTerminal(f *os.File) bool { return isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd()) }

// write sends a result to stdout, or to the file of --out once it is complete.
func (p *process) write(settings *config.Settings, result func(io.Writer) error) error {
	path := settings.Output.Out
	if path == "" {
		return result(p.out)
	}
	var b bytes.Buffer
	if err := result(&b); err != nil {
		return err
	}
	return replaceFile(path, b.Bytes())
}

// replaceFile writes a file so that no reader ever sees half of it. What is no
// regular file, such as a device, a pipe or a link, is written into and stays.
func replaceFile(path string, text []byte) (err error) {
	if st, err := os.Lstat(path); err == nil && !st.Mode().IsRegular() {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			return usageError(fmt.Sprintf("writing %s: %v", path, err))
		}
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".mcp-server-")
	if err != nil {
		return usageError(fmt.Sprintf("writing %s: %v", path, err))
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("writing %s: %w", path, err), f.Close(), os.Remove(f.Name()))
		}
	}()
	if _, err := f.Write(text); err != nil {
		return err
	}
	if err := f.Chmod(0o644); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// printJSON writes a structured result as it stands in the contract: one value,
// indented, without escapes for < and > in Markdown.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("printing the result: %w", err)
	}
	return nil
}
