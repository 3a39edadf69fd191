package research

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"deepresearch/citations"
	"deepresearch/internal/text"
)

// Files keeps the HTML of finished reports in a folder, one file a run. The
// zero value keeps nothing.
type Files struct {
	Dir string // made with mode 0700 when it is missing; files have 0600
}

// runID is the form of a run's id; nothing else becomes part of a path.
var runID = text.NewPattern(`^r_[A-Za-z0-9]{10,64}$`)

// path is where the report of a run lies, or empty.
func (f Files) path(id string) string {
	if f.Dir == "" || !runID.MatchString(id) {
		return ""
	}
	return filepath.Join(f.Dir, id+".html")
}

// keep writes the report of a finished run unless it is there, and returns its
// path; empty when none is kept.
func (f Files) keep(id string, s State) (string, error) {
	path := f.path(id)
	if path == "" {
		return "", nil
	}
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	var page bytes.Buffer
	if err := citations.HTML(&page, s.Written.Draft, s.Written.Ledger, citations.RenderOptions{Checked: s.Report.Claims}); err != nil {
		return "", err
	}
	if err := os.MkdirAll(f.Dir, 0o700); err != nil {
		return "", fmt.Errorf("keeping the report of run %s: %w", id, err)
	}
	return path, writeFile(path, page.Bytes())
}

// writeFile writes a file wholly or not at all.
func writeFile(path string, body []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".report-*")
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	_, err = tmp.Write(body)
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, errors.Join(err, os.Remove(tmp.Name())))
	}
	return nil
}

// drop removes the report of a run.
func (f Files) drop(id string) error {
	path := f.path(id)
	if path == "" {
		return nil
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing the report of run %s: %w", id, err)
	}
	return nil
}

// HTML is the report of a finished run as one self-contained page. A run
// without a report is an *InputError.
func (e *Engine) HTML(ctx context.Context, caller, id string) ([]byte, error) {
	_, s, err := e.state(ctx, caller, id)
	if err != nil {
		return nil, err
	}
	if s.Report == nil || s.Report.Markdown == "" {
		return nil, &InputError{"run_id", fmt.Sprintf("run %s has no report yet", id), "wait until its status is done"}
	}
	var page bytes.Buffer
	err = citations.HTML(&page, s.Written.Draft, s.Written.Ledger, citations.RenderOptions{Checked: s.Report.Claims})
	return page.Bytes(), err
}
