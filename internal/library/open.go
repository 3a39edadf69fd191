package library

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"unicode"

	"golang.org/x/sync/errgroup"

	"deepresearch/crawl/charset"
	"deepresearch/crawl/document"
)

// Limits of what one library takes in.
const (
	MaxFiles    = 20_000
	MaxFile     = 20 << 20  // bytes of one file
	MaxTotal    = 512 << 20 // bytes of all files
	maxReported = 200       // skipped files that are listed one by one
)

// Handed is a document that came as text instead of as a file.
type Handed struct{ Name, Text string }

// PathError says that a path which the caller named gives nothing to read.
type PathError struct {
	Path   string
	Reason string // in words for the user
}

func (e *PathError) Error() string { return fmt.Sprintf("%s: %s", e.Path, e.Reason) }

// Open reads every document at the paths (files, or folders with all below
// them) and every handed-in one. A file that cannot be read among others is
// left out and listed in Library.Skipped; a named path that gives nothing at
// all is a *PathError. Hidden files, keys and devices are never read, and no
// symbolic link leads out of a folder. PDF files are left out: a [Cache] can read
// them.
func Open(ctx context.Context, paths []string, handed []Handed) (*Library, error) {
	return open(ctx, nil, paths, handed)
}

func open(ctx context.Context, pdf *document.PDF, paths []string, handed []Handed) (*Library, error) {
	in := intake{pdf: pdf}
	in.known = func(string, fs.FileInfo) bool { return false }
	in.take = func(f file) error {
		in.files = append(in.files, f)
		return nil
	}
	for _, p := range paths {
		if err := in.path(ctx, p); err != nil {
			return nil, err
		}
	}
	in.handed(handed)
	docs, err := in.parse(ctx)
	if err != nil {
		return nil, err
	}
	if len(docs) == 0 {
		return nil, &PathError{Path: strings.Join(paths, ", "), Reason: "nothing readable was found" + in.why()}
	}
	l := build(docs, in.skipped)
	l.more = in.more
	return l, nil
}

// file is one input before it is parsed.
type file struct {
	name, url string
	modified  int64 // Unix time in nanoseconds
	body      []byte
}

// intake gathers files and the reasons for those left out.
type intake struct {
	pdf     *document.PDF
	known   func(url string, st fs.FileInfo) bool // nothing to read: counted and no more
	take    func(file) error
	files   []file // those that take keeps here
	count   int
	total   int64
	skipped []Skipped
	more    int // skipped beyond those
}

func (in *intake) skip(path, reason string) {
	if len(in.skipped) == maxReported {
		in.more++
		return
	}
	in.skipped = append(in.skipped, Skipped{path, reason})
}

// handed takes in texts under the last part of their names, which may be paths of
// any system, numbered where several have the same.
func (in *intake) handed(texts []Handed) {
	taken := map[string]int{}
	for _, h := range texts {
		url := "document:" + path.Base(strings.ReplaceAll(h.Name, `\`, "/"))
		if taken[url]++; taken[url] > 1 {
			url += fmt.Sprintf("#%d", taken[url])
		}
		in.files = append(in.files, file{name: h.Name, url: url, body: []byte(h.Text)})
	}
}

// why sums up the first reasons for an error message.
func (in *intake) why() string {
	if len(in.skipped) == 0 {
		return " (the folder is empty)"
	}
	s := in.skipped[0]
	rest := ""
	if n := len(in.skipped) + in.more - 1; n > 0 {
		rest = fmt.Sprintf(" and %d more", n)
	}
	return fmt.Sprintf(" (%s: %s%s)", s.Path, s.Reason, rest)
}

// path takes in one path that the caller named.
func (in *intake) path(ctx context.Context, p string) error {
	if strings.TrimSpace(p) == "" {
		return &PathError{`""`, "the path is empty"}
	}
	abs, err := filepath.Abs(p)
	if err != nil {
		return &PathError{p, "it cannot be made absolute"}
	}
	st, err := os.Stat(abs)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &PathError{p, "there is no such file or folder"}
	case errors.Is(err, fs.ErrPermission):
		return &PathError{p, "it may not be read (permission denied)"}
	case err != nil:
		return &PathError{p, "it cannot be read"}
	case st.IsDir():
		return in.folder(ctx, p, abs)
	case !st.Mode().IsRegular():
		return &PathError{p, "it is neither a file nor a folder"}
	case Secret(filepath.Base(abs)):
		return &PathError{p, "files that hold keys are never read"}
	}
	root, err := os.OpenRoot(filepath.Dir(abs))
	if err != nil {
		return &PathError{p, "its folder cannot be opened"}
	}
	defer root.Close()
	if real, err := filepath.EvalSymlinks(abs); err == nil && real != abs {
		return in.path(ctx, real) // the caller named the link itself, so its target is meant
	}
	return in.read(root, filepath.Base(abs), filepath.Base(abs), abs)
}

// folder takes in every readable file below a folder, in the order of names.
func (in *intake) folder(ctx context.Context, named, abs string) error {
	root, err := os.OpenRoot(abs)
	if err != nil {
		return &PathError{named, "the folder cannot be opened"}
	}
	defer root.Close()
	err = fs.WalkDir(root.FS(), ".", func(rel string, e fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			in.skip(rel, "it cannot be read")
			return skipDir(e)
		}
		if rel == "." {
			return nil
		}
		if strings.HasPrefix(e.Name(), ".") || e.IsDir() && e.Name() == "node_modules" {
			return skipDir(e)
		}
		if e.IsDir() {
			return nil
		}
		if in.count >= MaxFiles {
			in.skip(rel, fmt.Sprintf("the library is full (%d files)", MaxFiles))
			return fs.SkipAll
		}
		return in.read(root, rel, rel, filepath.Join(abs, filepath.FromSlash(rel)))
	})
	if err != nil {
		return fmt.Errorf("reading %s: %w", named, err)
	}
	return nil
}

func skipDir(e fs.DirEntry) error {
	if e != nil && e.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// read takes in one file below root, or notes why not. os.Root refuses links
// that lead out of the folder, also when they change while we look. The error is
// that of take.
func (in *intake) read(root *os.Root, rel, name, abs string) error {
	st, err := root.Stat(rel)
	if why := in.unfit(st, err, abs); why != "" {
		in.skip(name, why)
		return nil
	}
	f := file{name: filepath.ToSlash(name), url: fileURL(abs), modified: st.ModTime().UnixNano()}
	if in.known(f.url, st) {
		in.count, in.total = in.count+1, in.total+st.Size()
		return nil
	}
	opened, err := root.Open(rel)
	if err != nil {
		in.skip(name, "it may not be read")
		return nil
	}
	defer opened.Close()
	if f.body, err = io.ReadAll(io.LimitReader(opened, MaxFile)); err != nil {
		in.skip(name, "reading it failed")
		return nil
	}
	in.count, in.total = in.count+1, in.total+int64(len(f.body))
	return in.take(f)
}

// unfit says why a file is not to be read; "" when it is.
func (in *intake) unfit(st fs.FileInfo, err error, abs string) string {
	switch {
	case Secret(filepath.Base(abs)):
		return "files that hold keys are never read"
	case err != nil:
		return "it cannot be read, or is a link that leads out of the folder"
	case st.IsDir():
		return "links to folders are not followed"
	case !st.Mode().IsRegular():
		return "it is not a regular file"
	case st.Size() > MaxFile:
		return fmt.Sprintf("it is larger than %d MB", MaxFile>>20)
	case in.total+st.Size() > MaxTotal:
		return fmt.Sprintf("the library is full (%d MB)", MaxTotal>>20)
	}
	return ""
}

// parse turns the files into documents, several at a time, in their order.
func (in *intake) parse(whole context.Context) ([]Document, error) {
	parsed := make([]*document.Document, len(in.files))
	reasons := make([]error, len(in.files))
	g, ctx := errgroup.WithContext(whole)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, f := range in.files {
		g.Go(func() error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			parsed[i], reasons[i] = f.parse(ctx, in.pdf)
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	if whole.Err() != nil { // parsers that were stopped found nothing readable
		return nil, context.Cause(whole)
	}
	docs := make([]Document, 0, len(parsed))
	for i, p := range parsed {
		if reasons[i] != nil {
			in.skip(in.files[i].name, reason(reasons[i]))
			continue
		}
		docs = append(docs, Document{Document: p, Name: in.files[i].name, URL: in.files[i].url})
	}
	return docs, nil
}

// parse reads one file.
func (f file) parse(ctx context.Context, pdf *document.PDF) (*document.Document, error) {
	if !charset.Binary(f.body) {
		f.body, _ = charset.Text(f.body, "")
	}
	return document.Parse(ctx, document.Input{Name: f.name, Body: f.body, PDF: pdf})
}

// reason says in words why a file gave no document.
func reason(err error) string {
	switch {
	case errors.Is(err, document.ErrEmpty):
		return "it has no readable text"
	case errors.Is(err, document.ErrUnsupported):
		return "it is not a text format that can be read: " + err.Error()
	}
	return err.Error()
}

// fields splits a text into lower-case words without punctuation.
func fields(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
