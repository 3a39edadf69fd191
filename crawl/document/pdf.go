package document

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"deepresearch/crawl/document/internal/pdf"
	"deepresearch/crawl/document/internal/pdfium"
	"deepresearch/internal/safe"
	"deepresearch/internal/sandbox"
)

// JobPDF is the name of the job that reads PDF files in a child process.
const JobPDF = "pdf"

// PDF reads PDF files, each in a child process of its own: the reader is large and
// so are the files that attackers write for readers. At most two run at once.
type PDF struct {
	runner  *sandbox.Runner
	running chan struct{}
	warming sync.Mutex
	warm    bool
}

// NewPDF returns a reader whose children are started by a runner. The runner's
// folder keeps the compiled reader, without which each file costs seconds more. The
// binary that it runs has the job that [PDFJob] returns.
func NewPDF(r *sandbox.Runner) *PDF {
	const most = 2 // of 100 to 400 MB each
	return &PDF{runner: r, running: make(chan struct{}, most)}
}

// Limits of one child. A manual of 1,158 pages takes 8 s of one processor and 150
// MB, and compiling the reader for the first time as much again.
const (
	pdfMemory = 768 << 20
	pdfOutput = 96 << 20
	pdfTime   = 2 * time.Minute
	// pdfReading is for the pages; what was read by then is kept.
	pdfReading = 60 * time.Second
)

// PDFJob is what the child does. It loads the reader at once, before the process is
// confined: folder is where it lies compiled, or "".
func PDFJob(folder string) sandbox.Job {
	started := time.Now()
	engine, err := pdfium.Load(context.Background(), folder)
	loading := time.Since(started)
	return func(ctx context.Context, in io.Reader, out io.Writer) error {
		if err != nil {
			return err
		}
		var budget time.Duration
		if _, err := fmt.Fscanln(in, &budget); err != nil {
			return fmt.Errorf("reading what to do: %w", err)
		}
		body, err := io.ReadAll(in)
		if err != nil || len(body) == 0 {
			return err // a file of no bytes only loads the reader
		}
		until := time.Now().Add(max(budget-loading, time.Second))
		doc, err := pdf.Read(ctx, engine, body, pdf.Options{Until: until})
		if err != nil {
			return err
		}
		return json.NewEncoder(out).Encode(doc)
	}
}

// read reads a file in a child.
func (p *PDF) read(ctx context.Context, body []byte) (*pdf.Document, error) {
	select {
	case p.running <- struct{}{}:
		defer func() { <-p.running }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	p.compile(ctx)
	budget := pdfReading
	if end, ok := ctx.Deadline(); ok {
		budget = min(budget, time.Until(end)*3/4)
	}
	out, err := p.run(ctx, body, budget)
	if err != nil {
		return nil, err
	}
	doc := &pdf.Document{}
	if err := json.Unmarshal(out, doc); err != nil {
		return nil, fmt.Errorf("reading what the child wrote: %w", err)
	}
	return doc, nil
}

func (p *PDF) run(ctx context.Context, body []byte, budget time.Duration) ([]byte, error) {
	in := io.MultiReader(strings.NewReader(fmt.Sprintln(int64(budget))), bytes.NewReader(body))
	return p.runner.Run(ctx, JobPDF, in, sandbox.Limits{Memory: pdfMemory, Output: pdfOutput, Time: pdfTime})
}

// compile has the reader compiled once for this machine. The deadline of the first
// file would be too short for that, and every file after it would fail the same
// way; so only the end of the call itself ends it.
func (p *PDF) compile(ctx context.Context) {
	p.warming.Lock()
	defer p.warming.Unlock()
	if p.warm || p.runner.Folder == "" {
		return
	}
	if kept, _ := filepath.Glob(filepath.Join(p.runner.Folder, "*", "*")); len(kept) == 0 {
		patient, cancel := context.WithTimeout(context.WithoutCancel(ctx), pdfTime)
		defer cancel()
		stop := context.AfterFunc(ctx, func() {
			if errors.Is(ctx.Err(), context.Canceled) {
				cancel()
			}
		})
		defer stop()
		if _, err := p.run(patient, nil, 0); err != nil {
			return // the file itself will say what is wrong
		}
	}
	p.warm = true
}

// readPDF reads a PDF file, in a child process.
func readPDF(ctx context.Context, in Input) (*Document, error) {
	if in.PDF == nil {
		return nil, fmt.Errorf("%w: application/pdf", ErrUnsupported)
	}
	file, err := in.PDF.read(ctx, in.Body)
	var failed *sandbox.Failure
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.As(err, &failed) && errors.Is(err, sandbox.ErrJob):
		return nil, fmt.Errorf("%w: application/pdf: %s", ErrUnsupported, failed.Text)
	case errors.As(err, &failed):
		return nil, fmt.Errorf("%w: application/pdf: %w", ErrUnsupported, failed)
	case err != nil:
		return nil, fmt.Errorf("reading a PDF: %w", err)
	}
	return pdfDocument(in, file), nil
}

// pdfDocument makes a document of what the child wrote.
func pdfDocument(in Input, file *pdf.Document) *Document {
	w := pageWriter{}
	for _, b := range file.Blocks {
		w.block(b)
	}
	doc := &Document{Provenance: map[string]string{}}
	doc.Text, doc.Blocks, doc.Images = w.finish(nil)
	doc.PageBreaks = w.breaks(doc.Blocks)
	doc.warnRemoved(w.removed.Hidden(), w.removed.Invalid)
	doc.Warnings = append(doc.Warnings, file.Warnings...)
	if doc.Incomplete = file.Cut; file.Cut != "" {
		doc.warn("%s", file.Cut)
	}
	const from = "file properties"
	fill := filler{doc}
	if titled(file.Title) {
		fill.set("title", &doc.Title, file.Title, from, maxTitle)
	}
	fill.addAuthor(file.Author, from)
	fill.date("published", &doc.Published, file.Created, from)
	fill.date("modified", &doc.Modified, file.Modified, from)
	fill.language("", "")
	if len(doc.Blocks) > 0 && doc.Blocks[0].Kind == KindHeading {
		fill.set("title", &doc.Title, doc.Blocks[0].In(doc.Text), "h1", maxTitle)
	}
	fill.describeFile(in)
	doc.PageType, doc.Provenance["page_type"] = typeOfText(doc), "text"
	return doc
}

// titled reports a title that a person gave: programs write the name of a file.
func titled(s string) bool {
	switch ext := filepath.Ext(s); ext {
	case ".doc", ".docx", ".tex", ".dvi", ".pdf", ".indd", ".ps", ".qxd", ".fm", ".rtf":
		return false
	}
	return len([]rune(s)) > 3
}

// pageWriter writes the blocks of a PDF and remembers where pages begin.
type pageWriter struct {
	draft
	removed safe.Removed
	page    int
	turns   []PageBreak // in buf
}

func (w *pageWriter) block(b pdf.Block) {
	w.turn(b.Page)
	switch b.Kind {
	case pdf.Row:
		for i := range b.Cells {
			b.Cells[i] = w.clean(b.Cells[i])
		}
		w.row(b.Cells, b.Table, false)
	case pdf.Code:
		w.pieces(b, w.verbatim)
		w.flush(Block{Kind: KindCode})
	case pdf.Heading:
		w.pieces(b, w.write)
		w.flush(Block{Kind: KindHeading, Level: min(max(b.Level, 1), 6)})
	case pdf.Entry:
		w.pieces(b, w.write)
		w.flush(Block{Kind: KindItem, Level: 1, Number: b.Number})
	default:
		w.pieces(b, w.write)
		w.flush(Block{Kind: KindParagraph})
	}
}

// pieces writes the text of a block page by page.
func (w *pageWriter) pieces(b pdf.Block, write func(string)) {
	at := 0
	for _, t := range b.Turns {
		if t.At < at || t.At > len(b.Text) {
			break
		}
		write(w.clean(b.Text[at:t.At]))
		at = t.At
		w.turn(t.Page)
	}
	write(w.clean(b.Text[at:]))
}

func (w *pageWriter) turn(page int) {
	if page > w.page {
		w.page = page
		w.turns = append(w.turns, PageBreak{page, len(w.buf)})
	}
}

func (w *pageWriter) clean(s string) string {
	s, r := safe.Text(s)
	w.removed.ZeroWidth += r.Hidden()
	w.removed.Invalid += r.Invalid
	return s
}

// breaks moves the turns of pages from the draft into the text that finish made of
// it: every block of the one is a block of the other.
func (w *pageWriter) breaks(finished []Block) []PageBreak {
	var out []PageBreak
	i := 0
	for _, t := range w.turns {
		for i < len(w.blocks) && w.blocks[i].End <= t.Start {
			i++
		}
		if i == len(w.blocks) {
			break // nothing on that page was kept
		}
		at := max(t.Start-w.blocks[i].Start, 0)
		t.Start = finished[i].Start + at
		if n := len(out); n > 0 && out[n-1].Start == t.Start {
			out[n-1] = t // a page of which nothing was kept
			continue
		}
		out = append(out, t)
	}
	return out
}
