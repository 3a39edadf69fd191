package library

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"

	"deepresearch/crawl/document"
)

// cached is how many libraries of each kind a Cache keeps. A run uses one or two; a
// server rarely has more than a few in use at once.
const cached = 4

// Request is the documents that a question brings.
type Request struct {
	Paths  []string // files, and folders with all below them
	Handed []Handed
	Names  []string // of libraries on the shelf
}

// Cache opens libraries and keeps the last few: those over paths for as long as no
// file below them was added, removed or changed. The zero value is ready. It is
// safe for concurrent use; the same library is read once, others wait for it.
type Cache struct {
	PDF   *document.PDF // reads PDF files; nil: they are left out
	Shelf Source        // named libraries; nil: there are none

	mu    sync.Mutex
	kept  []entry   // most recently used first
	named []*stored // as kept
}

type entry struct {
	sign string
	lib  *Library
}

// Open is [Open], or what it returned for the same paths, documents and file
// states before, joined with the named libraries. Nothing asked for gives nil. An
// unknown name is an error that matches [ErrNoLibrary].
func (c *Cache) Open(ctx context.Context, r Request) (*Library, error) {
	if len(r.Paths)+len(r.Handed)+len(r.Names) == 0 {
		return nil, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	lib := &Library{}
	if len(r.Paths)+len(r.Handed) > 0 {
		own, err := c.files(ctx, r.Paths, r.Handed)
		if err != nil || len(r.Names) == 0 {
			return own, err
		}
		*lib = *own
		lib.parts = slices.Clone(own.parts)
	}
	for i, name := range r.Names {
		if slices.Contains(r.Names[:i], name) {
			continue
		}
		s, err := c.onShelf(ctx, name)
		if err != nil {
			return nil, err
		}
		lib.parts = append(lib.parts, s)
	}
	return lib, nil
}

// files opens what lies in files and was handed in.
func (c *Cache) files(ctx context.Context, paths []string, handed []Handed) (*Library, error) {
	sign := signature(ctx, paths, handed)
	if i := slices.IndexFunc(c.kept, func(e entry) bool { return e.sign == sign }); i >= 0 {
		e := c.kept[i]
		c.kept = slices.Insert(slices.Delete(c.kept, i, i+1), 0, e)
		return e.lib, nil
	}
	lib, err := open(ctx, c.PDF, paths, handed)
	if err != nil {
		return nil, err
	}
	c.kept = slices.Insert(c.kept, 0, entry{sign, lib})
	c.kept = c.kept[:min(len(c.kept), cached)]
	return lib, nil
}

// onShelf opens a named library as it is now.
func (c *Cache) onShelf(ctx context.Context, name string) (*stored, error) {
	if c.Shelf == nil {
		return nil, fmt.Errorf("%w: %q", ErrNoLibrary, name)
	}
	version, err := c.Shelf.Version(ctx, name)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(c.named, func(s *stored) bool { return s.catalog.Name == name })
	if i >= 0 && c.named[i].catalog.Version == version {
		s := c.named[i]
		c.named = slices.Insert(slices.Delete(c.named, i, i+1), 0, s)
		return s, nil
	}
	s, err := openStored(ctx, c.Shelf, name)
	if err != nil {
		return nil, err
	}
	if i >= 0 {
		c.named = slices.Delete(c.named, i, i+1)
	}
	c.named = slices.Insert(c.named, 0, s)
	c.named = c.named[:min(len(c.named), cached)]
	return s, nil
}

// signature tells states of files apart by name, size and time of change. What
// cannot be looked at is part of it as such.
func signature(ctx context.Context, paths []string, handed []Handed) string {
	sum := sha256.New()
	for _, p := range paths {
		fmt.Fprintf(sum, "path %q\n", p)
		_ = filepath.WalkDir(p, func(path string, e fs.DirEntry, err error) error {
			if err != nil || ctx.Err() != nil {
				fmt.Fprintf(sum, "error %q\n", path)
				return skipDir(e)
			}
			if in, err := e.Info(); err == nil && !e.IsDir() {
				fmt.Fprintf(sum, "%q %d %d\n", path, in.Size(), in.ModTime().UnixNano())
			}
			return nil
		})
	}
	for _, h := range handed {
		fmt.Fprintf(sum, "document %q %d\n", h.Name, len(h.Text))
		_, _ = io.WriteString(sum, h.Text) // a hash never fails
	}
	return string(sum.Sum(nil))
}
