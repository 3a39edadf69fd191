package library

import (
	"context"
	"errors"
	"time"
)

// ErrChanged is in errors about a library that somebody else changes at the same
// time.
var ErrChanged = errors.New("another process changes this library at the same time; try again when it is done")

// ErrNoLibrary is in errors about a name that no library has.
var ErrNoLibrary = errors.New("there is no such library")

// Source gives what the search in a named library reads.
type Source interface {
	// Version changes with every change of a library. Its error matches
	// [ErrNoLibrary] where there is none.
	Version(ctx context.Context, name string) (int64, error)
	// Catalog is all of a library but texts and index. Errors as of Version.
	Catalog(ctx context.Context, name string) (*Catalog, error)
	// Buckets reads a bucket of the index of several segments, in their order.
	Buckets(ctx context.Context, segments []int64, bucket int) ([][]byte, error)
	// Body is the body of a document, as it was saved.
	Body(ctx context.Context, document int64) ([]byte, error)
}

// Shelf keeps named libraries for good.
type Shelf interface {
	Source
	List(ctx context.Context) ([]Entry, error)
	// Save makes or changes a library, all of it or nothing, and returns its new
	// version. Documents go with their segments. version is the one that the change
	// was made from, 0 for none: when the library has another one by now, the error
	// matches [ErrChanged].
	Save(ctx context.Context, e Entry, version int64, add []*Segment, drop []int64) (int64, error)
	// Remove removes a library with all that it holds. Errors as of Version.
	Remove(ctx context.Context, name string) error
}

// Entry is a library in a list of them.
type Entry struct {
	Name        string    `json:"name"`
	Description string    `json:"description"`
	Paths       []string  `json:"paths"` // absolute: files, and folders with all below them
	Documents   int       `json:"documents"`
	Bytes       int64     `json:"bytes"` // of the files
	Updated     time.Time `json:"updated"`
}

// Catalog is a library without its texts.
type Catalog struct {
	Entry
	Version  int64
	Records  []Record // by rising ID
	Segments []SegmentTable
}

// Record is a document of a named library.
type Record struct {
	ID      int64
	Segment int64 // that holds it
	File
	Title string
}

// File is a file as it was when it was read.
type File struct {
	Name, URL string // as of [Document]
	Sum       string // SHA-256 of its bytes, lower-case hex
	Size      int64
	Modified  int64 // Unix time in nanoseconds
}

// SegmentTable is what must be known of a segment before its index is read.
type SegmentTable struct {
	ID    int64
	Table []byte
}
