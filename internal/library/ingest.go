package library

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"deepresearch/crawl/document"
)

// Addition is what [Add] is to do.
type Addition struct {
	Name        string
	Description string   // "" keeps the one there is
	Paths       []string // added to those the library has; none reads these again
	PDF         *document.PDF
	// Progress is told now and then how many files were looked at; nil is nobody.
	Progress func(files int)
}

// Added is what [Add] did.
type Added struct {
	Entry
	Read      int       `json:"read"` // files that were new or had changed
	Unchanged int       `json:"unchanged"`
	Removed   int       `json:"removed"` // documents whose files are gone
	Skipped   []Skipped `json:"skipped"` // at most 200
	More      int       `json:"skipped_more,omitempty"`
}

// segmentSize is the text of a segment, in bytes, and segmentDocuments how many
// documents it has at most: what one changed file makes Add index again.
const (
	segmentSize      = 8 << 20
	segmentDocuments = 1000
)

// named reports what can be the name of a library: letters of any script, digits,
// and dots, hyphens and underscores after the first.
func named(name string) bool {
	const most = 64 // characters
	plain := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	outside := func(r rune) bool { return !plain(r) && !strings.ContainsRune("._-", r) }
	first, _ := utf8.DecodeRuneInString(name)
	return plain(first) && utf8.RuneCountInString(name) <= most && !strings.ContainsFunc(name, outside)
}

// Add reads files into a named library, which it makes when there is none. What
// was read before and has not changed is not read again; what is gone is removed.
// A named path that does not exist is a *PathError, as is a library in which no
// file can be read.
func Add(ctx context.Context, shelf Shelf, a Addition) (Added, error) {
	if !named(a.Name) {
		return Added{}, &PathError{a.Name, "the name of a library has 1 to 64 letters, digits, dots, hyphens and underscores, and begins with a letter or digit"}
	}
	old, err := shelf.Catalog(ctx, a.Name)
	if errors.Is(err, ErrNoLibrary) {
		old, err = &Catalog{Entry: Entry{Name: a.Name}}, nil
	}
	if err != nil {
		return Added{}, err
	}
	before := old.Entry
	if err := old.extend(a); err != nil {
		return Added{}, err
	}
	in := &ingest{
		shelf: shelf, add: a, old: old, before: before, known: map[string]Record{}, writing: newWriter(),
		met: map[string]bool{}, kept: map[string]bool{}, same: map[string]bool{}, read: map[string]bool{},
	}
	for _, r := range old.Records {
		in.known[r.URL] = r
	}
	return in.run(ctx)
}

// extend adds what is new of description and paths.
func (c *Catalog) extend(a Addition) error {
	if a.Description != "" {
		c.Description = a.Description
	}
	for _, p := range a.Paths {
		abs, err := filepath.Abs(p)
		if err != nil || p == "" {
			return &PathError{p, "it cannot be made absolute"}
		}
		if !slices.Contains(c.Paths, abs) {
			c.Paths = append(slices.Clip(c.Paths), abs)
		}
	}
	if len(c.Paths) == 0 {
		return &PathError{c.Name, "the library is new, so name a file or folder to add"}
	}
	return nil
}

// ingest is one Add. A walker finds files, parsers read them, a collector writes
// segments and saves each when it is full.
type ingest struct {
	shelf  Shelf
	add    Addition
	old    *Catalog
	before Entry             // old's, before paths and description were added
	known  map[string]Record // by URL: of two, which an Add that was killed left, the newer

	met  map[string]bool // URLs, by the walker
	kept map[string]bool // URLs of files with size and time as before, by the walker

	writing *writer
	same    map[string]bool // URLs of files with the bytes they had, by the collector
	read    map[string]bool // URLs of documents that were written, by the collector
	result  Added
}

// parsed is a file that was read.
type parsed struct {
	file
	sum    string
	size   int64
	doc    *document.Document
	pieces []piece
	all    []string
	body   []byte
	same   bool // as it was: there is nothing but the sum
	err    error
}

func (in *ingest) run(ctx context.Context) (Added, error) {
	walk := intake{pdf: in.add.PDF}
	if err := in.readFiles(ctx, &walk); err != nil {
		return Added{}, err
	}
	drop, survivors := in.stale()
	for _, r := range survivors {
		if err := in.again(ctx, r); err != nil {
			return Added{}, err
		}
	}
	in.tally(walk)
	if in.result.Documents == 0 {
		return Added{}, &PathError{in.old.Name, "nothing readable was found" + walk.why()}
	}
	return in.result, in.finish(ctx, drop)
}

// readFiles walks over the paths while as many parsers as there are processors read
// what is new, and one collector takes what they made.
func (in *ingest) readFiles(ctx context.Context, walk *intake) error {
	files, done := make(chan file), make(chan parsed)
	g, ctx := errgroup.WithContext(ctx)
	walk.known, walk.take = in.unchanged, func(f file) error {
		select {
		case files <- f:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	g.Go(func() error {
		defer close(files)
		for _, p := range in.old.Paths {
			if err := walk.path(ctx, p); err != nil && !in.gone(p, err) {
				return err
			}
		}
		return nil
	})
	parsers, parsing := errgroup.WithContext(ctx)
	for range runtime.GOMAXPROCS(0) {
		parsers.Go(func() error {
			for f := range files {
				select {
				case done <- in.parse(parsing, f):
				case <-parsing.Done():
					return context.Cause(parsing)
				}
			}
			return nil
		})
	}
	g.Go(func() error {
		defer close(done)
		return parsers.Wait()
	})
	var unreadable []Skipped
	g.Go(func() error {
		for p := range done {
			if p.err != nil && ctx.Err() == nil {
				unreadable = append(unreadable, Skipped{p.name, reason(p.err)})
			} else if err := in.collect(ctx, p); err != nil {
				return err
			}
		}
		return nil
	})
	err := g.Wait()
	for _, s := range unreadable {
		walk.skip(s.Path, s.Reason)
	}
	return err
}

// gone reports a path of an earlier Add that is no longer there: its documents go.
// One that was named now is a mistake.
func (in *ingest) gone(path string, err error) bool {
	bad := (*PathError)(nil)
	return errors.As(err, &bad) && !slices.ContainsFunc(in.add.Paths, func(p string) bool {
		abs, err := filepath.Abs(p)
		return err == nil && abs == path
	})
}

// unchanged reports a file that has the size and time it had when it was read, or
// that was met below another path. It runs on the goroutine that walks.
func (in *ingest) unchanged(url string, st fs.FileInfo) bool {
	if in.met[url] {
		return true
	}
	in.met[url] = true
	if in.add.Progress != nil && len(in.met)%100 == 0 {
		in.add.Progress(len(in.met))
	}
	r, ok := in.known[url]
	in.kept[url] = ok && r.Size == st.Size() && r.Modified == st.ModTime().UnixNano()
	return in.kept[url]
}

// parse reads one file and prepares it for the index.
func (in *ingest) parse(ctx context.Context, f file) parsed {
	sum := sha256.Sum256(f.body)
	p := parsed{file: f, sum: hex.EncodeToString(sum[:]), size: int64(len(f.body))}
	if r, ok := in.known[f.url]; ok && r.Sum == p.sum {
		p.same = true
		return p
	}
	p.doc, p.err = f.parse(ctx, in.add.PDF)
	p.file.body = nil
	p.prepare()
	return p
}

func (p *parsed) prepare() {
	if p.err == nil {
		p.pieces, p.all = cut(p.doc)
		p.body, p.err = json.Marshal(p.doc)
	}
}

// collect takes what a parser made.
func (in *ingest) collect(ctx context.Context, p parsed) error {
	if p.same {
		in.same[p.url] = true
		return nil
	}
	in.read[p.url] = true
	return in.write(ctx, p)
}

// write puts a document into the segment that is being written, and saves the
// segment when it is full.
func (in *ingest) write(ctx context.Context, p parsed) error {
	f := File{Name: p.name, URL: p.url, Sum: p.sum, Size: p.size, Modified: p.modified}
	in.writing.add(SegmentDocument{File: f, Title: p.doc.Title, Body: p.body}, p.pieces, p.all, len(p.doc.Text))
	if in.writing.size < segmentSize && len(in.writing.documents) < segmentDocuments {
		return nil
	}
	full := in.writing.segment()
	in.writing = newWriter()
	return in.save(ctx, []*Segment{full}, nil)
}

// save changes the library from the version that this one has seen.
func (in *ingest) save(ctx context.Context, add []*Segment, drop []int64) (err error) {
	in.old.Version, err = in.shelf.Save(ctx, in.old.Entry, in.old.Version, add, drop)
	return err
}

// stale lists the segments that hold what has changed or is gone, or so little that
// they are better put together, and the documents of theirs that stay.
func (in *ingest) stale() (drop []int64, survivors []Record) {
	documents, dead := map[int64][]Record{}, map[int64]bool{}
	changed := len(in.read) > 0
	for _, r := range in.old.Records {
		documents[r.Segment] = append(documents[r.Segment], r)
		if !in.stays(r) {
			dead[r.Segment], changed = true, true
		}
	}
	for id, records := range documents {
		if dead[id] || changed && len(records) < segmentDocuments/4 && bytesOf(records) < segmentSize/4 {
			drop = append(drop, id)
		}
	}
	slices.Sort(drop)
	for _, id := range drop {
		for _, r := range documents[id] {
			if in.stays(r) {
				survivors = append(survivors, r)
			}
		}
	}
	return drop, survivors
}

func bytesOf(records []Record) (n int64) {
	for _, r := range records {
		n += r.Size
	}
	return n
}

// stays reports a document that is as it was.
func (in *ingest) stays(r Record) bool {
	return (in.kept[r.URL] || in.same[r.URL]) && in.known[r.URL].ID == r.ID
}

// again writes a document anew that is in the library.
func (in *ingest) again(ctx context.Context, r Record) error {
	body, err := in.shelf.Body(ctx, r.ID)
	if err != nil {
		return err
	}
	p := parsed{file: file{name: r.Name, url: r.URL, modified: r.Modified}, sum: r.Sum, size: r.Size, doc: &document.Document{}}
	if err := json.Unmarshal(body, p.doc); err != nil {
		return fmt.Errorf("reading %s of the library %s: %w", r.Name, in.old.Name, err)
	}
	if p.prepare(); p.err != nil {
		return p.err
	}
	return in.write(ctx, p)
}

// tally counts what came of it.
func (in *ingest) tally(walk intake) {
	in.result.Entry = in.old.Entry
	in.result.Read, in.result.Skipped, in.result.More = len(in.read), walk.skipped, walk.more
	in.result.Documents = len(in.read)
	for url, r := range in.known {
		switch {
		case in.stays(r):
			in.result.Documents++
			in.result.Unchanged++
		case !in.read[url]:
			in.result.Removed++
		}
	}
	in.result.Bytes = walk.total
}

// finish saves the rest, and takes away what was written anew.
func (in *ingest) finish(ctx context.Context, drop []int64) error {
	var add []*Segment
	if len(in.writing.documents) > 0 {
		add = []*Segment{in.writing.segment()}
	}
	same := slices.Equal(in.before.Paths, in.old.Paths) && in.before.Description == in.old.Description
	if len(add)+len(drop)+len(in.read) == 0 && same {
		return nil
	}
	return in.save(ctx, add, drop)
}
