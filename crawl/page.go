package crawl

import (
	"strings"
	"time"

	"deepresearch/crawl/document"
)

// Page is a page that was read, or what became of it. Its JSON form is one
// entry of the crawl tool's "pages", where every field is present.
type Page struct {
	URL       string  `json:"url"` // as it was asked for
	FinalURL  string  `json:"final_url"`
	Canonical string  `json:"canonical"` // what the page calls its own address
	Status    int     `json:"status"`    // HTTP; 0 when there was no answer
	Outcome   Outcome `json:"outcome"`
	Hint      string  `json:"hint"` // one sentence, empty only for ok

	Title     string   `json:"title"`
	Author    []string `json:"author"`
	Published string   `json:"published"`
	Modified  string   `json:"modified"`
	Language  string   `json:"language"`
	Site      string   `json:"site"`
	PageType  string   `json:"page_type"`

	Markdown    string    `json:"markdown"`
	TotalTokens int       `json:"total_tokens"` // of the whole Markdown, estimated
	NextCursor  string    `json:"next_cursor"`  // set by who cuts Markdown into windows
	Outline     []Heading `json:"outline"`
	Links       []Link    `json:"links"`
	SHA256      string    `json:"sha256"` // of Document.Text, lower-case hex

	// PageBreaks says where each page of a document that has pages begins.
	PageBreaks []document.PageBreak `json:"page_breaks,omitempty"`

	FetchedAt time.Time `json:"fetched_at"`
	FromCache bool      `json:"from_cache"`
	Warnings  []string  `json:"warnings"`

	// Document is nil when there is no text that is the page's own. It is set
	// for ok and partial, and for a paywall that shows a beginning.
	Document *document.Document `json:"-"`
	Err      error              `json:"-"` // what stopped the fetch or the reading
}

// Heading is an entry of a page's outline.
type Heading struct {
	Level  int    `json:"level"` // 1 to 6
	Text   string `json:"text"`
	Start  int    `json:"start"`  // byte offset in Document.Text
	Tokens int    `json:"tokens"` // of the section below it, its own sections included, estimated
	At     int    `json:"-"`      // byte offset in Markdown
}

// Link is a link of a page's main content.
type Link struct {
	URL  string `json:"url"` // absolute
	Text string `json:"text"`
}

// newPage has empty lists, which JSON clients tell from missing ones.
func newPage(url string, now time.Time) Page {
	return Page{URL: WithoutLogin(url), FetchedAt: now, Author: []string{}, Outline: []Heading{}, Links: []Link{}, Warnings: []string{}}
}

// WithoutLogin is an address, however it is written, without the user name and
// password in it: what may be shown of it.
func WithoutLogin(address string) string {
	scheme, rest, found := strings.Cut(address, "//")
	if !found {
		scheme, rest = "", address
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	at := strings.LastIndexByte(rest[:end], '@')
	if _, port, ok := strings.Cut(rest[:end], ":"); at < 0 && ok && strings.Trim(port, "0123456789") != "" && rest[0] != '[' {
		at = strings.LastIndexByte(rest, '@') // no port: a password with a slash in it
	}
	if at < 0 {
		return address
	}
	if found {
		scheme += "//"
	}
	return scheme + rest[at+1:]
}
