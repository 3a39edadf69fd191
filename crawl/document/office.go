package document

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"deepresearch/crawl/document/internal/office"
	"deepresearch/internal/safe"
)

const zipSignature = "PK\x03\x04"

// readOffice reads a zip archive that is a Word, PowerPoint, Excel or EPUB file.
func readOffice(ctx context.Context, in Input) (*Document, error) {
	a, err := office.Open(in.Body)
	if err != nil {
		return nil, fmt.Errorf("%w: application/zip: %w", ErrUnsupported, err)
	}
	kind := a.Kind()
	if kind == office.Other {
		return nil, fmt.Errorf("%w: application/zip", ErrUnsupported)
	}
	file, err := office.Read(ctx, a, kind)
	switch {
	case errors.Is(err, office.ErrRefused):
		return nil, fmt.Errorf("%w: %s: %w", ErrUnsupported, kind, err)
	case err != nil:
		return nil, fmt.Errorf("reading %s: %w", kind, err)
	}
	doc, err := officeBlocks(ctx, in, file)
	if err != nil {
		return nil, err
	}
	doc.Warnings = append(doc.Warnings, file.Warnings...)
	if kind == office.Slides {
		doc.breakAtAnchors()
	}
	describeOffice(doc, in, file)
	return doc, nil
}

func officeBlocks(ctx context.Context, in Input, file *office.Document) (*Document, error) {
	if file.Sheets != nil {
		return sheetBlocks(ctx, in, file.Sheets)
	}
	root, err := parseHTML(ctx, file.HTML)
	if err != nil {
		return nil, fmt.Errorf("reading what the office file holds: %w", err)
	}
	t, err := readTree(ctx, root, nil)
	if err != nil {
		return nil, err
	}
	return t.document(nil, in), nil
}

// sheetBlocks writes each sheet as a heading and a table.
func sheetBlocks(ctx context.Context, in Input, sheets []office.Sheet) (*Document, error) {
	var d draft
	var removed safe.Removed
	clean := func(s string) string {
		s, r := safe.Text(s)
		removed.ZeroWidth += r.Hidden()
		removed.Invalid += r.Invalid
		return s
	}
	for i, s := range sheets {
		if len(s.Rows) == 0 {
			continue
		}
		d.write(clean(s.Name))
		d.flush(Block{Kind: KindHeading, Level: 2})
		for n, row := range s.Rows {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			for k := range row {
				row[k] = clean(row[k])
			}
			d.row(row, i+1, n == 0 && len(s.Rows) > 1 && worded(row))
		}
	}
	return d.file(in, removed), nil
}

// worded reports a row of names: column headings are no numbers.
func worded(row []string) bool {
	for _, s := range row {
		if strings.Trim(s, "0123456789.,-+% ") == "" && s != "" {
			return false
		}
	}
	return len(row) > 1
}

// describeOffice sets what the file says about itself. A title such as the name of
// a template is worse than the first heading, but nothing tells them apart.
func describeOffice(d *Document, in Input, file *office.Document) {
	const from = "file properties"
	fill := filler{d}
	d.Title = "" // a workbook was named by its file already
	fill.set("title", &d.Title, file.Title, from, maxTitle)
	for _, name := range file.Author {
		fill.addAuthor(name, from)
	}
	fill.date("published", &d.Published, file.Published, from)
	fill.date("modified", &d.Modified, file.Modified, from)
	fill.language(tag(file.Language), from)
	fill.describeFile(in)
	d.PageType, d.Provenance["page_type"] = typeOfText(d), "text"
}

// isZip reports the start of a zip archive.
func isZip(head []byte) bool { return bytes.HasPrefix(head, []byte(zipSignature)) }
