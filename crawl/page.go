package crawl

import (
	"time"

	"deepresearch/crawl/document"
)

// Outcome says how reading a page went.
type Outcome string

// The outcomes of reading a page. Any but OK carries a hint.
const (
	OK             Outcome = "ok"
	Partial        Outcome = "partial"       // the body was cut
	Blocked        Outcome = "blocked"       // 401, 403, 429 and challenge pages
	Paywall        Outcome = "paywall"       // 402 and recognised paywalls
	JSRequired     Outcome = "js_required"   // a script shell without text
	DeniedByRobots Outcome = "robots_denied" // robots.txt asks us to stay away
	Refused        Outcome = "refused"       // by our own guard
	TooLarge       Outcome = "too_large"
	Unsupported    Outcome = "unsupported" // bytes that we cannot read
	NotFound       Outcome = "not_found"   // 404 and 410
	Timeout        Outcome = "timeout"
	Failed         Outcome = "error" // 5xx, redirect loops, resets, empty successes
)

// Page is a page that was read, or what became of it. Its JSON form is one
// entry of the crawl tool's "pages".
type Page struct {
	URL         string             `json:"url"` // as it was asked for
	FinalURL    string             `json:"final_url"`
	Canonical   string             `json:"canonical"`
	Status      int                `json:"status"` // HTTP; 0 when there was no answer
	Outcome     Outcome            `json:"outcome"`
	Hint        string             `json:"hint"`
	Title       string             `json:"title"`
	Author      []string           `json:"author"`
	Published   string             `json:"published"`
	Modified    string             `json:"modified"`
	Language    string             `json:"language"`
	Site        string             `json:"site"`
	PageType    string             `json:"page_type"`
	Markdown    string             `json:"markdown"`
	TotalTokens int                `json:"total_tokens"`
	NextCursor  string             `json:"next_cursor"`
	Outline     []document.Heading `json:"outline"`
	Links       []document.Link    `json:"links"`
	SHA256      string             `json:"sha256"` // of the archived text
	FetchedAt   time.Time          `json:"fetched_at"`
	FromCache   bool               `json:"from_cache"`
	Warnings    []string           `json:"warnings"`

	Document *document.Document `json:"-"` // nil unless the outcome is ok or partial
}
