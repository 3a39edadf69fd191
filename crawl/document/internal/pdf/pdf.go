// Package pdf makes blocks of text from the pages of a PDF: paragraphs put together
// from lines, headings, entries of lists, rows of tables, each with its page.
//
// Begin with [Read]. A PDF says where characters stand and next to nothing of what
// they are, so all of this is judged from places, sizes and fonts, and from the
// outline that many files carry. Lines that repeat on many pages (running heads,
// page numbers) are left out. Pictures are not read.
package pdf

import (
	"context"
	"errors"
	"fmt"
	"time"

	"deepresearch/crawl/document/internal/pdfium"
)

// ErrPictures is the error of a file in which no page has text.
var ErrPictures = errors.New("its pages are pictures without text (a scan?); it needs text recognition (OCR) first")

// MaxPages is how much of one file is read.
const MaxPages = 5000

// Document is a PDF as read. It is what the child process writes, as JSON.
type Document struct {
	Title    string
	Author   string
	Created  string // RFC 3339, or a prefix of it
	Modified string
	Blocks   []Block
	Pages    int // of the file
	Cut      string
	Warnings []string
	Margins  []string `json:",omitempty"` // lines left out because they repeat, where asked for
}

// Kind is what a block is.
type Kind string

// The kinds of block.
const (
	Paragraph Kind = "p"
	Heading   Kind = "h"
	Entry     Kind = "li"
	Row       Kind = "tr"
	Code      Kind = "pre"
)

// Block is one paragraph, heading and so on.
type Block struct {
	Kind   Kind
	Level  int      `json:",omitempty"` // of a heading, 1 to 6
	Number int      `json:",omitempty"` // of an entry
	Text   string   `json:",omitempty"` // of all but a row
	Cells  []string `json:",omitempty"`
	Table  int      `json:",omitempty"` // counts from 1; rows of one table share it
	Page   int      // on which it begins, from 1
	Turns  []Turn   `json:",omitempty"`
}

// Turn is where in the text of a block another page begins.
type Turn struct{ Page, At int }

// Options of a reading.
type Options struct {
	Until   time.Time // pages after that are left out; zero means no end
	Margins bool      // list what was left out because it repeats
}

// Read reads a file. Errors are those of pdfium or [ErrPictures], or the cause of
// ctx.
func Read(ctx context.Context, e *pdfium.Engine, body []byte, o Options) (*Document, error) {
	f, err := e.Open(body)
	if err != nil {
		return nil, err
	}
	doc := &Document{Title: f.Meta("Title"), Author: f.Meta("Author"), Created: date(f.Meta("CreationDate")), Modified: date(f.Meta("ModDate")), Pages: f.Pages}
	pages, err := doc.read(ctx, f, o)
	if err != nil {
		return nil, err
	}
	dropped := dropMargins(pages)
	if o.Margins {
		doc.Margins = dropped
	}
	doc.Blocks = compose(pages, f.Outline())
	return doc, nil
}

// read reads the lines of all pages.
func (d *Document) read(ctx context.Context, f *pdfium.File, o Options) ([]page, error) {
	var pages []page
	empty, failed := 0, 0
	for i := range f.Pages {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if i >= MaxPages || !o.Until.IsZero() && time.Now().After(o.Until) {
			d.Cut = fmt.Sprintf("only the first %d of %d pages were read", i, f.Pages)
			break
		}
		p, err := f.Page(i)
		if err != nil {
			failed++
			continue
		}
		lines := linesOf(p)
		if len(lines) == 0 {
			empty++
		}
		pages = append(pages, page{number: i + 1, lines: lines})
	}
	switch {
	case failed > 0 && failed == f.Pages-empty:
		return nil, pdfium.ErrDamaged
	case empty == len(pages):
		return nil, ErrPictures
	}
	if failed > 0 {
		d.Warnings = append(d.Warnings, fmt.Sprintf("pages that are damaged and could not be read: %d of %d", failed, f.Pages))
	}
	if empty*5 > len(pages) {
		d.Warnings = append(d.Warnings, fmt.Sprintf("pages without text, perhaps pictures of it: %d of %d", empty, f.Pages))
	}
	return pages, nil
}

// date reads a date as PDF writes it, D:YYYYMMDDHHmmSS and a zone (ISO 32000-1,
// 7.9.4).
func date(s string) string {
	if len(s) < 6 || s[:2] != "D:" {
		return ""
	}
	s = s[2:]
	for _, layout := range []string{"20060102", "200601", "2006"} {
		if len(s) < len(layout) {
			continue
		}
		if t, err := time.Parse(layout, s[:len(layout)]); err == nil {
			return t.Format(map[string]string{"20060102": "2006-01-02", "200601": "2006-01", "2006": "2006"}[layout])
		}
	}
	return ""
}
