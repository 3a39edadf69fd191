// Package document turns the bytes of a page or file into a [Document]: sanitised
// plain text that never changes afterwards, cut into blocks that know their place
// in it. Begin with [Parse]; read on with [Document.Passages], [Document.Markdown]
// and [Document.Outline].
//
// HTML, Markdown, plain text, CSV, JSON, source code, Word, PowerPoint, Excel and
// EPUB files are read, and PDF files where [Input] says how. The package does not
// fetch, follow links, run scripts or decode character sets: bodies of text formats
// arrive as UTF-8.
//
// Text is what a reader of the page sees: mark-up is dropped, entities are decoded,
// white space inside a block collapses except in code, a line break stays a line
// break, hidden text is left out. A sentence of it is therefore found again in a
// browser by a text fragment.
package document

import (
	"errors"

	"deepresearch/internal/text"
)

// ErrUnsupported is returned for bytes that are in no format this package reads.
// The error around it names the format that the bytes look like.
var ErrUnsupported = errors.New("unsupported format")

// ErrEmpty is returned for a document without readable text, such as a page whose
// text would be written by its scripts.
var ErrEmpty = errors.New("no readable text")

// Input is one fetched page or one file.
type Input struct {
	URL         string // where it was read; base of relative links, may be empty
	Name        string // file name, for documents without a URL
	ContentType string // as the server gave it; only a hint, the bytes decide
	Body        []byte // UTF-8 where the format is text; not modified, not kept; the caller bounds its size
	PDF         *PDF   // reads PDF files; nil: they are unsupported
}

// Document is a page or file as read. All spans are byte ranges of Text.
type Document struct {
	Title     string   `json:"title"`
	Author    []string `json:"author,omitempty"`
	Published string   `json:"published,omitempty"` // RFC 3339 date or time, or a shorter prefix of one (2024-05)
	Modified  string   `json:"modified,omitempty"`  // as Published
	Site      string   `json:"site,omitempty"`
	Canonical string   `json:"canonical,omitempty"` // absolute URL the page gives for itself
	Language  string   `json:"language,omitempty"`  // BCP 47, from the page or guessed from Text
	PageType  string   `json:"page_type"`           // one of the Page constants

	Text   string  `json:"text"`             // archived text; blocks are separated by one blank line
	SHA256 string  `json:"sha256"`           // of Text, lower-case hex
	Blocks []Block `json:"blocks"`           // in order, without overlap; all of Text but the separators
	Links  []Link  `json:"links,omitempty"`  // of the blocks, to other pages: http and https, absolute, in order, each URL once
	Images []Image `json:"images,omitempty"` // in order; never part of Text

	// PageBreaks says where each page begins of a document that has pages, or each
	// slide, in order. A page without text has none.
	PageBreaks []PageBreak `json:"page_breaks,omitempty"`

	// Incomplete says why the rest of a document that is too long was not read.
	Incomplete string `json:"incomplete,omitempty"`

	Warnings []string `json:"warnings,omitempty"`
	// Provenance says where each field above came from, such as
	// "title": "meta og:title". A field without a value has no entry.
	Provenance map[string]string `json:"provenance,omitempty"`
}

// The page types, as far as cheap rules can tell. A page that no rule claims is an
// article.
const (
	PageArticle       = "article"
	PageDocumentation = "documentation"
	PageForum         = "forum"
	PageListing       = "listing"    // entries that lead to other pages
	PageProduct       = "product"    // one thing for sale
	PageCollection    = "collection" // many things for sale
	PageService       = "service"    // what an organisation offers
	PageReference     = "reference"  // tables, data, source code
)

// Link is a link of the main content.
type Link struct {
	URL   string `json:"url"`
	Text  string `json:"text"`
	Block int    `json:"block"` // index of the block in which it occurs first
}

// Image is a picture of the main content. It is kept beside the text because what
// it says (its alternative text) is not on the page as text.
type Image struct {
	URL   string `json:"url"` // absolute, http or https
	Alt   string `json:"alt"`
	Block int    `json:"block"` // index of the block that follows; len(Blocks) after the last
}

// Heading is an entry of [Document.Outline].
type Heading struct {
	text.Span
	Level  int    `json:"level"` // 1 to 6
	Text   string `json:"text"`
	Anchor string `json:"anchor,omitempty"`
	Block  int    `json:"block"`
}

// Outline returns the headings in order.
func (d *Document) Outline() []Heading {
	var out []Heading
	for i, b := range d.Blocks {
		if b.Kind == KindHeading {
			out = append(out, Heading{Span: b.Span, Level: b.Level, Text: b.In(d.Text), Anchor: b.Anchor, Block: i})
		}
	}
	return out
}
