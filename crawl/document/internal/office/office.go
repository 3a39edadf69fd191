// Package office reads the office formats that are zip archives of XML: Word
// (docx), PowerPoint (pptx), Excel (xlsx) and EPUB. Begin with [Open], ask
// [Archive.Kind] what it is, then [Read].
//
// Text, headings, lists, tables, links and notes come out as HTML, so that one
// reader of HTML makes the blocks of all formats; worksheets come out as rows. No
// layout, picture, macro, comment or deleted text is read, and nothing outside
// the archive. Sizes, entries and depth are bounded.
package office

import (
	"context"
	"encoding/xml"
	"fmt"
	"strings"
)

// Kind is a format.
type Kind string

// The formats.
const (
	Word   Kind = "docx"
	Slides Kind = "pptx"
	Sheets Kind = "xlsx"
	EPUB   Kind = "epub"
	Other  Kind = "" // a zip archive of something else
)

// Document is an office file as read.
type Document struct {
	Title     string
	Author    []string
	Published string // as the file has it
	Modified  string
	Language  string

	HTML   []byte  // of Word, Slides and EPUB; the element page-N around a slide
	Sheets []Sheet // of a workbook

	Warnings []string
}

// Sheet is a worksheet: its rows from the first to the last that are not empty.
type Sheet struct {
	Name string
	Rows [][]string
}

// Kind says which format the archive holds.
func (a *Archive) Kind() Kind {
	if a.Has("META-INF/container.xml") {
		return EPUB
	}
	switch dir, _, _ := strings.Cut(a.main(), "/"); dir {
	case "word":
		return Word
	case "ppt":
		return Slides
	case "xl":
		return Sheets
	}
	return Other
}

// Read reads the file. Errors match [ErrRefused] or are the cause of ctx.
func Read(ctx context.Context, a *Archive, kind Kind) (*Document, error) {
	doc := &Document{}
	read := map[Kind]func(context.Context, *Archive, *Document) error{Word: readWord, Slides: readSlides, Sheets: readWorkbook, EPUB: readEPUB}[kind]
	if err := read(ctx, a, doc); err != nil {
		return nil, err
	}
	if kind != EPUB {
		if err := doc.properties(a); err != nil {
			return nil, err
		}
	}
	return doc, nil
}

func (d *Document) warn(format string, args ...any) {
	d.Warnings = append(d.Warnings, fmt.Sprintf(format, args...))
}

// properties reads what an Office Open XML file says about itself.
func (d *Document) properties(a *Archive) error {
	p, err := a.parse("docProps/core.xml")
	if err != nil {
		return err
	}
	return whole(p.children(func(xml.StartElement) error {
		return p.children(func(e xml.StartElement) error { return d.property(p, e) })
	}))
}

// property reads one element of the Dublin Core, which EPUB uses too.
func (d *Document) property(p *parser, e xml.StartElement) error {
	s, err := p.text()
	if s = strings.TrimSpace(s); s == "" {
		return err
	}
	first := func(field *string) {
		if *field == "" {
			*field = s
		}
	}
	switch e.Name.Local {
	case "title":
		first(&d.Title)
	case "creator":
		for name := range strings.SplitSeq(s, ";") {
			d.Author = append(d.Author, strings.TrimSpace(name))
		}
	case "created", "date":
		first(&d.Published)
	case "modified":
		first(&d.Modified)
	case "language":
		first(&d.Language)
	}
	return err
}
