// Package store is the one SQLite file that everything durable is kept in: runs, archived texts, caches, facts.
//
// [Open] opens or makes it, migrates it, and registers this process as an owner of runs. Sub-packages, one a consumer,
// read through [DB.Reader] and write through [DB.Write], which commits what is waiting together (one fsync for many
// writers). Several processes on one file are the normal case. [DB.Sweep] enforces ages and sizes.
//
// The package knows tables, not meanings, and imports nothing of ours. It keeps no connection to the network.
package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"
	_ "modernc.org/sqlite" // registers the driver "sqlite"
)

// FileName is the store's file in its folder.
const FileName = "deepresearch.db"

// Options of a store.
type Options struct {
	Dir string // made with mode 0700 when it is missing; the file has 0600
	// Normal leaves out the fsync of each commit: a power cut may lose the last commits, a killed process none.
	Normal bool
	// MaxBytes is what the file may grow to before writes fail with ErrFull. 0 is no limit but the disk's.
	MaxBytes int64
	Now      func() time.Time
}

// DB is an open store, safe for use by several goroutines.
type DB struct {
	dir    string
	now    func() time.Time
	reader *sql.DB
	writer *sql.DB
	owner  owner
	queue  chan *write
	closed chan struct{} // closed when the writer has ended
	pack   *zstd.Encoder
	unpack *zstd.Decoder

	mu   sync.RWMutex // held for reading while a write is queued
	open bool
}

// Open opens the store in a folder. Its errors match [ErrCorrupt], [ErrNewer], [ErrForeign], [ErrFull] or
// [ErrUnwritable] where one of them is the cause; then nothing was changed.
func Open(ctx context.Context, o Options) (*DB, error) {
	db := &DB{dir: o.Dir, now: o.Now, queue: make(chan *write, 1024), closed: make(chan struct{}), open: true}
	if db.now == nil {
		db.now = time.Now
	}
	if err := db.start(ctx, o); err != nil {
		return nil, fmt.Errorf("opening the store %s: %w", filepath.Join(o.Dir, FileName), errors.Join(explain(err), db.release()))
	}
	go db.commitLoop()
	return db, nil
}

// start does what can fail; release undoes as much as was done.
func (db *DB) start(ctx context.Context, o Options) error {
	path, err := prepare(o.Dir)
	if err != nil {
		return err
	}
	// One process at a time: switching a new file to WAL does not wait for others by itself.
	guard, err := lockFile(filepath.Join(o.Dir, "open.lock"))
	if err != nil {
		return err
	}
	defer guard.Close()
	// The first look sets no journal mode, which would change a file that is not ours.
	if err := look(ctx, dataSource(path)); err != nil {
		return err
	}
	dsn := dataSource(path) + pragmas(o)
	if db.writer, err = sql.Open("sqlite", dsn); err != nil {
		return err
	}
	db.writer.SetMaxOpenConns(1)
	if err := migrate(ctx, db.writer); err != nil {
		return err
	}
	if db.reader, err = sql.Open("sqlite", dsn+"&_pragma=query_only(1)"); err != nil {
		return err
	}
	db.reader.SetMaxOpenConns(4)
	if db.pack, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true)); err != nil {
		return err
	}
	if db.unpack, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(256<<20)); err != nil {
		return err
	}
	db.owner, err = newOwner(filepath.Join(o.Dir, "owners"), rand.Text())
	return err
}

// prepare makes the folder and an empty file, so that their modes are ours and not the umask's.
func prepare(dir string) (string, error) {
	path, err := filepath.Abs(filepath.Join(dir, FileName))
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Join(filepath.Dir(path), "owners"), 0o700); err != nil {
		return "", err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return "", err
	}
	return path, f.Close()
}

func look(ctx context.Context, dsn string) error {
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return err
	}
	_, err = inspect(ctx, db)
	return errors.Join(err, db.Close())
}

func dataSource(path string) string {
	path = filepath.ToSlash(path)
	if path[0] != '/' {
		path = "/" + path // a drive letter
	}
	return (&url.URL{Scheme: "file", Path: path}).String() + "?_pragma=busy_timeout(10000)"
}

func pragmas(o Options) string {
	sync := "FULL"
	if o.Normal {
		sync = "NORMAL"
	}
	// auto_vacuum only has an effect before the first table, and before WAL.
	// Deleted text must not stay readable in the file: freed pages are overwritten.
	p := "&_pragma=secure_delete(1)&_pragma=auto_vacuum(INCREMENTAL)&_pragma=journal_mode(WAL)&_pragma=foreign_keys(1)&_pragma=synchronous(" + sync + ")"
	if o.MaxBytes > 0 {
		p += fmt.Sprintf("&_pragma=max_page_count(%d)", max(1, o.MaxBytes/4096))
	}
	return p
}

// Reader is for SELECT only. Its connections see every commit that has returned.
func (db *DB) Reader() *sql.DB { return db.reader }

// Now is the store's clock.
func (db *DB) Now() time.Time { return db.now() }

// Close commits what is queued and gives up the ownership of runs.
func (db *DB) Close() error {
	db.mu.Lock()
	was := db.open
	db.open = false
	db.mu.Unlock()
	if !was {
		return nil
	}
	close(db.queue)
	<-db.closed
	return db.release()
}

func (db *DB) release() error {
	var errs []error
	for _, c := range []*sql.DB{db.reader, db.writer} {
		if c != nil {
			errs = append(errs, c.Close())
		}
	}
	if db.unpack != nil {
		db.unpack.Close()
	}
	return errors.Join(append(errs, db.owner.close())...)
}

// Pack compresses with zstd.
func (db *DB) Pack(b []byte) []byte { return db.pack.EncodeAll(b, nil) }

// Unpack undoes Pack.
func (db *DB) Unpack(b []byte) ([]byte, error) {
	out, err := db.unpack.DecodeAll(b, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: unpacking: %w", ErrCorrupt, err)
	}
	return out, nil
}
