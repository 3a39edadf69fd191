package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"deepresearch/internal/config"
	"deepresearch/internal/store/archive"
	"deepresearch/research"
)

// TestDeletedRunLeavesNothing holds that a run over private files is gone with
// its texts and its page once it is deleted, and that until then every quote is
// what the archive says.
func TestDeletedRunLeavesNothing(t *testing.T) {
	notes := t.TempDir()
	if err := os.WriteFile(filepath.Join(notes, "reno.md"), []byte("# Reno\n\nTCP Reno halves its congestion window when three duplicate acknowledgements arrive.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var c config.Config
	c.General.DataDir = t.TempDir()
	p, err := open(t.Context(), c, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.close(t.Context()) }()
	id, err := p.engine.Start(t.Context(), "me", research.Question{Text: "What does TCP Reno do?", Files: []string{notes}, Offline: true}, false)
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.engine.Follow(t.Context(), "me", id, 0, nil)
	if err != nil || len(got.Sources) != 1 {
		t.Fatalf("%d sources, %v", len(got.Sources), err)
	}
	text, err := p.engine.Source(t.Context(), "me", id, 1)
	if err != nil {
		t.Fatal(err)
	}
	source := got.Sources[0]
	if sum := sha256.Sum256([]byte(text)); hex.EncodeToString(sum[:]) != source.SHA256 {
		t.Errorf("the archived text has sum %x, the source says %s", sum, source.SHA256)
	}
	for _, q := range source.Quotes {
		if q.In(text) != q.Text {
			t.Errorf("quote %q is %q in the archive", q.Text, q.In(text))
		}
	}
	if err := p.engine.Delete(t.Context(), "me", id); err != nil {
		t.Fatal(err)
	}
	if _, err := archive.New(p.db).Get(t.Context(), source.SHA256); !errors.Is(err, archive.ErrNotFound) {
		t.Errorf("the text of a deleted run: error %v, want ErrNotFound", err)
	}
	if _, err := os.Stat(got.ReportFile); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the page of a deleted run: error %v, want that it is gone", err)
	}
}
