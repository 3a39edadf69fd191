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
)

// cached is how many libraries a Cache keeps. A run uses one; a server rarely
// has more than a few in use at once.
const cached = 4

// Cache opens libraries and keeps the last few, for as long as no file below
// their paths was added, removed or changed. The zero value is ready. It is safe
// for concurrent use; the same library is read once, others wait for it.
type Cache struct {
	mu   sync.Mutex
	kept []entry // most recently used first
}

type entry struct {
	sign string
	lib  *Library
}

// Open is [Open], or what it returned for the same paths, documents and file
// states before. No paths and no documents give nil.
func (c *Cache) Open(ctx context.Context, paths []string, handed []Handed) (*Library, error) {
	if len(paths)+len(handed) == 0 {
		return nil, nil
	}
	sign := signature(ctx, paths, handed)
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := slices.IndexFunc(c.kept, func(e entry) bool { return e.sign == sign }); i >= 0 {
		e := c.kept[i]
		c.kept = slices.Insert(slices.Delete(c.kept, i, i+1), 0, e)
		return e.lib, nil
	}
	lib, err := Open(ctx, paths, handed)
	if err != nil {
		return nil, err
	}
	c.kept = slices.Insert(c.kept, 0, entry{sign, lib})
	c.kept = c.kept[:min(len(c.kept), cached)]
	return lib, nil
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
