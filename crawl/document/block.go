package document

import "deepresearch/internal/text"

// Kind is what a block is.
type Kind string

// The kinds of block.
const (
	KindParagraph  Kind = "paragraph"
	KindHeading    Kind = "heading"
	KindItem       Kind = "item"       // one list entry, without the lists inside it
	KindTerm       Kind = "term"       // dt
	KindDefinition Kind = "definition" // dd
	KindQuote      Kind = "quote"      // a paragraph of a block quotation
	KindCode       Kind = "code"       // newlines and indentation kept
	KindRow        Kind = "row"        // one table row, cells joined by " | "
	KindCaption    Kind = "caption"    // of a figure or table
)

// Block is one paragraph, heading, list entry, table row and so on.
type Block struct {
	Kind Kind `json:"kind"`
	text.Span

	// Level is 1-6 for a heading and the depth of nesting, from 1, for a list entry
	// or quotation.
	Level int `json:"level,omitempty"`
	// Number is the number in front of an entry of an ordered list, 0 for a bullet.
	Number int `json:"number,omitempty"`
	// Language is the name a code block gives for its language.
	Language string `json:"language,omitempty"`

	// Table numbers the tables of the document from 1; rows of one table share it.
	Table int `json:"table,omitempty"`
	// Header marks a row of column headings.
	Header bool `json:"header,omitempty"`
	// Cells has one span a column. A cell over several columns stands once in Text
	// and in Cells for each of them; a cell over several rows stands in the first
	// row, and the rows below point up to it. An empty cell is an empty span.
	Cells []text.Span `json:"cells,omitempty"`

	// Anchor is the id nearest before or around the block: URL#Anchor leads there.
	Anchor string `json:"anchor,omitempty"`
	// Inline lists links, code and emphasis by start; inner after outer ones.
	Inline []Inline `json:"inline,omitempty"`
}

// InlineKind is what a stretch of a block is.
type InlineKind string

// The kinds of inline mark-up that are kept.
const (
	InlineLink     InlineKind = "link"
	InlineCode     InlineKind = "code"
	InlineEmphasis InlineKind = "emphasis"
	InlineStrong   InlineKind = "strong"
	InlineMath     InlineKind = "math" // TeX
)

// Inline is a marked stretch of a block.
type Inline struct {
	text.Span
	Kind InlineKind `json:"kind"`
	URL  string     `json:"url,omitempty"` // of a link; absolute, http or https
}

// fitCells keeps the cells within their row: trimming a row takes blanks off its
// ends, where empty cells have their place.
func (b *Block) fitCells() {
	for i, c := range b.Cells {
		if c.Start < b.Start && c.Len() > 0 {
			continue // of an earlier row
		}
		c.Start = min(max(c.Start, b.Start), b.End)
		c.End = max(min(c.End, b.End), c.Start)
		b.Cells[i] = c
	}
}
