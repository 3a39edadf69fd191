package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/mattn/go-isatty"

	"deepresearch/internal/config"
	"deepresearch/internal/safe"
)

// isTerminal reports whether a person is at the other end of f.
func isTerminal(f *os.File) bool { return isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd()) }

// output gathers a result. People read it, so characters that hide text or steer
// a terminal are taken out in the end, unless it is for programs: see [exact].
type output struct {
	bytes.Buffer
	exact bool
}

// exact is w for a result of which not a byte may change.
func exact(w io.Writer) io.Writer {
	if o, ok := w.(*output); ok {
		o.exact = true
	}
	return w
}

func (o *output) text() []byte {
	if o.exact {
		return o.Bytes()
	}
	clean, _ := safe.Text(o.String())
	return []byte(clean)
}

// write sends a result to stdout, or to the file of --out, once it is complete.
func (p *process) write(settings *config.Settings, result func(io.Writer) error) error {
	var o output
	if err := result(&o); err != nil {
		return err
	}
	if path := settings.Output.Out; path != "" {
		return replaceFile(path, o.text())
	}
	_, err := p.out.Write(o.text())
	return err
}

// place refuses a file of --out that cannot be written, before anything is spent.
func place(path string) error {
	if path == "" {
		return nil
	}
	if st, err := os.Stat(path); err == nil && st.IsDir() {
		return usageError(fmt.Sprintf("--out: %s is a folder: name a file in it", path))
	}
	if st, err := os.Stat(filepath.Dir(path)); err != nil || !st.IsDir() {
		return usageError(fmt.Sprintf("--out: there is no folder %s: make it, or name a file elsewhere", filepath.Dir(path)))
	}
	return nil
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
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("printing the result: %w", err)
	}
	_, err := exact(w).Write(visible(b.Bytes()))
	return err
}

// visible writes what steers a terminal or shows nothing, which JSON has in
// strings only, as escapes: programs read the same.
func visible(text []byte) []byte {
	hidden := func(r rune) bool { return r != '\n' && unicode.In(r, unicode.Cc, unicode.Cf) }
	if bytes.IndexFunc(text, hidden) < 0 {
		return text
	}
	var out []byte
	for _, r := range string(text) {
		switch {
		case !hidden(r):
			out = utf8.AppendRune(out, r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}
