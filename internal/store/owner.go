package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// owner is this process (or this opening of the store) as an owner of runs: a file that it keeps locked. The operating
// system drops the lock when the process dies, however it dies, so that others see at once that its runs are free.
type owner struct {
	dir, id string
	file    *os.File
}

const ownerSuffix = ".lock"

func newOwner(dir, id string) (owner, error) {
	f, err := lockFile(filepath.Join(dir, id+ownerSuffix))
	return owner{dir, id, f}, err
}

func (o owner) close() error {
	if o.file == nil {
		return nil
	}
	return errors.Join(o.file.Close(), os.Remove(o.file.Name()))
}

// Owner is this process's name in run rows.
func (db *DB) Owner() string { return db.owner.id }

// Alive reports whether an owner's process lives. An owner that cannot be looked at counts as alive.
func (db *DB) Alive(id string) bool {
	if id == db.owner.id {
		return true
	}
	if id == "" || filepath.Base(id) != id {
		return false
	}
	return locked(filepath.Join(db.owner.dir, id+ownerSuffix))
}

// locked reports whether somebody holds the lock of a file.
func locked(path string) bool {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	defer f.Close()
	free, err := tryLock(f)
	return err != nil || !free
}

// lockFile opens and locks a file, waiting for whoever has it. Closing it gives the lock back.
func lockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lock(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// sweepOwners removes lock files that dead processes left. A young file may belong to a process that is just starting.
func (db *DB) sweepOwners() error {
	entries, err := os.ReadDir(db.owner.dir)
	var errs []error
	for _, e := range entries {
		path := filepath.Join(db.owner.dir, e.Name())
		info, err := e.Info()
		if err != nil || e.Name() == db.owner.id+ownerSuffix || time.Since(info.ModTime()) < 24*time.Hour || locked(path) {
			continue
		}
		errs = append(errs, os.Remove(path))
	}
	return errors.Join(append(errs, err)...)
}
