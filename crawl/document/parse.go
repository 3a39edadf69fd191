package document

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Parse reads a document. What the bytes are decides about the format, then the
// name, then the content type. Errors wrap [ErrUnsupported], [ErrEmpty] or the
// cause of ctx.
func Parse(ctx context.Context, in Input) (*Document, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	doc, err := read(ctx, in, sniff(in))
	if err != nil {
		return nil, err
	}
	if doc.Text == "" {
		return nil, ErrEmpty
	}
	if err := doc.countOrders(ctx); err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(doc.Text))
	doc.SHA256 = hex.EncodeToString(sum[:])
	return doc, nil
}

func read(ctx context.Context, in Input, as sniffed) (*Document, error) {
	switch as.format {
	case formatHTML:
		return readHTML(ctx, in)
	case formatMarkdown:
		return readMarkdown(ctx, in)
	case formatText:
		return readText(ctx, in)
	case formatTable:
		return readTable(ctx, in, as.name)
	case formatJSON:
		return readJSON(ctx, in)
	case formatFeed:
		return readFeed(ctx, in)
	case formatCode:
		return readCode(ctx, in, as.name)
	case formatOffice:
		return readOffice(ctx, in)
	case formatPDF:
		return readPDF(ctx, in)
	}
	return nil, fmt.Errorf("%w: %s", ErrUnsupported, as.name)
}
