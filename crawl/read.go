package crawl

import (
	"context"
	"fmt"
	"time"

	"deepresearch/crawl/charset"
	"deepresearch/crawl/document"
	"deepresearch/internal/guard"
)

// Reader reads pages: it fetches, decodes and parses. It is safe for
// concurrent use.
type Reader struct {
	PDF *document.PDF // reads PDF files; nil: they are unsupported. Set before the first Read.

	fetcher  *Fetcher
	rewrites []rewrite
}

// NewReader returns a Reader over f.
func NewReader(f *Fetcher) *Reader { return &Reader{fetcher: f, rewrites: rewrites()} }

// Read reads one page. It always returns a Page whose Outcome is true: one
// without text is never OK. A panic in the reading of hostile bytes becomes
// the outcome error.
func (r *Reader) Read(ctx context.Context, req Request) Page {
	page, _ := r.read(ctx, req)
	return page
}

// read reads one page and returns the answer it was read from, its body in
// UTF-8 where it is text. Of a page about a text, such as the entry of a paper,
// the text is read where it can be.
func (r *Reader) read(ctx context.Context, req Request) (Page, Fetched) {
	if text := textAt(r.rewrites, req.URL); text != "" {
		better := req
		better.URL = text
		if page, got := r.readAt(ctx, better); page.Outcome == OK || page.Outcome == Partial {
			page.URL = req.URL
			return page, got
		}
	}
	return r.readAt(ctx, req)
}

// readAt reads the page at one address.
func (r *Reader) readAt(ctx context.Context, req Request) (page Page, got Fetched) {
	page = newPage(req.URL, r.fetcher.opt.Now().UTC())
	defer func() {
		if p := recover(); p != nil {
			page = page.failed(fmt.Errorf("%w: %v", errPanicked, p))
		}
	}()
	if page.URL != req.URL {
		return page.failed(errLogin), got
	}
	for range maxRefreshes + 1 {
		var err error
		got, err = r.fetcher.Fetch(ctx, req)
		page.FinalURL = got.FinalURL
		if err != nil {
			return page.failed(err), got
		}
		got.Body = decoded(got)
		read, moved := r.parse(ctx, page, got, req.Focus)
		if moved == "" {
			return read, got
		}
		req.URL = moved
	}
	return page.failed(fmt.Errorf("%w: pages that only lead to one another", guard.ErrRedirects)), got
}

// decoded is the body in UTF-8 where it is text.
func decoded(got Fetched) []byte {
	if charset.Binary(got.Body) || !textual(got.ContentType) {
		return got.Body
	}
	body, _ := charset.Text(got.Body, got.ContentType)
	return body
}

func (p Page) failed(err error) Page {
	v := ofError(err)
	p.Outcome, p.Hint, p.Err = v.outcome, v.hint(), err
	return p
}

// parseWithin bounds the reading of one page's bytes. The worst of 1,497 pages
// takes a tenth of a second.
const parseWithin = 20 * time.Second

// parse reads a decoded answer and judges it. moved is the address that a page
// without much text leads to, if it does.
func (r *Reader) parse(ctx context.Context, page Page, got Fetched, focus string) (_ Page, moved string) {
	page.Status, page.FetchedAt, page.FromCache = got.Status, got.FetchedAt, got.FromCache
	page.Warnings = append(page.Warnings, got.Warnings...)
	body := got.Body
	ctx, cancel := context.WithTimeoutCause(ctx, parseWithin, errSlow)
	defer cancel()
	doc, err := document.ParseFocus(ctx, document.Input{URL: got.FinalURL, ContentType: got.ContentType, Body: body, PDF: r.PDF}, focus)
	v := judge(got, body, doc, err)
	if v.outcome == OK || v.outcome == JSRequired || v.outcome == Failed {
		if to := refreshOf(body, got.FinalURL, textLength(doc)); to != "" && got.Status < 300 {
			return page, to
		}
	}
	page.Outcome, page.Hint, page.Err = v.outcome, v.hint(), err
	if doc != nil && keepsText(v.outcome) {
		page = page.with(doc)
	}
	if got.Truncated {
		page.Warnings = append(page.Warnings, "cut: "+got.Cut)
	}
	return page, ""
}

func textLength(d *document.Document) int {
	if d == nil {
		return 0
	}
	return len(d.Text)
}

// keepsText reports whether the text of a page is the page's own, if not all
// of it, and no error message or challenge.
func keepsText(o Outcome) bool { return o == OK || o == Partial || o == Paywall }

// with fills in what the document says.
func (p Page) with(d *document.Document) Page {
	p.Document = d
	p.Title, p.Published, p.Modified = d.Title, d.Published, d.Modified
	p.Author = append(p.Author, d.Author...)
	p.Language, p.Site, p.PageType, p.Canonical = d.Language, d.Site, d.PageType, d.Canonical
	p.SHA256 = d.SHA256
	markdown, starts := d.Render()
	p.Markdown = markdown
	p.TotalTokens = estimateTokens(p.Markdown)
	p.Outline = outline(d, markdown, starts)
	p.PageBreaks = d.PageBreaks
	for _, l := range d.Links {
		p.Links = append(p.Links, Link{l.URL, l.Text})
	}
	p.Warnings = append(p.Warnings, d.Warnings...)
	return p
}

// outline lists the headings with the size of their sections.
func outline(d *document.Document, markdown string, starts []int) []Heading {
	headings := d.Outline()
	out := make([]Heading, len(headings))
	sizes := make([]int, len(headings)) // up to the next heading of any level
	for i, h := range headings {
		end := len(markdown)
		if i+1 < len(headings) {
			end = starts[headings[i+1].Block]
		}
		sizes[i] = estimateTokens(markdown[starts[h.Block]:end])
		out[i] = Heading{Level: h.Level, Text: h.Text, Start: h.Start, At: starts[h.Block]}
	}
	var open []int // headings whose section goes on
	for i := range out {
		for n := len(open); n > 0 && out[open[n-1]].Level >= out[i].Level; n-- {
			open = open[:n-1]
		}
		open = append(open, i)
		for _, above := range open {
			out[above].Tokens += sizes[i]
		}
	}
	return out
}

// estimateTokens guesses how many tokens a model counts in s: four bytes of
// ASCII, or one East Asian character, or two of another script.
func estimateTokens(s string) int {
	ascii, wide, other := 0, 0, 0
	for _, r := range s {
		switch {
		case r < 0x80:
			ascii++
		case r >= 0x2e80:
			wide++
		default:
			other++
		}
	}
	return (ascii+3)/4 + wide + (other+1)/2
}
