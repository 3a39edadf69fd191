package citations

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"path"
	"strconv"
	"strings"

	"deepresearch/internal/text"
)

// Source is a page, or a document of the user, that a report cites or may cite.
// Its JSON form is one entry of the structured result's "sources".
type Source struct {
	N           int      `json:"n"`            // number in the report, 1..k; 0 when not cited
	ID          string   `json:"id"`           // opaque; the same page with the same text has the same id in every run
	URL         string   `json:"url"`          // final address; file:// or empty for documents of the user
	Title       string   `json:"title"`        // as the page gives it, unescaped
	Author      []string `json:"author"`       // full names, "Given Family" or "Family, Given"
	Site        string   `json:"site"`         // publisher or name of the site
	Published   string   `json:"published"`    // ISO 8601 date, as precise as known: 2026, 2026-05, 2026-05-03
	RetrievedAt string   `json:"retrieved_at"` // RFC 3339
	SHA256      string   `json:"sha256"`       // of the archived text, lower-case hexadecimal
	Type        string   `json:"type"`         // paper, standard, government, news, vendor, forum, ...; free
	Private     bool     `json:"private"`      // from the user's own files
	Quotes      []Quote  `json:"quotes"`       // in order of their place in the text

	DOI      string      `json:"doi,omitempty"`
	Language string      `json:"language,omitempty"`    // BCP 47
	Pages    []PageBreak `json:"page_breaks,omitempty"` // where the document has pages
}

// PageBreak says that page Page of a document begins at byte Start of its
// archived text.
type PageBreak struct {
	Page  int `json:"page"`
	Start int `json:"start"`
}

// Quote is a verbatim passage of a source's archived text: Text equals the
// bytes [Start, End) of it.
type Quote struct {
	ID string `json:"id"` // the source's id, a dot and the place in the text
	text.Span
	Text string `json:"text"`
	Link string `json:"link"`           // address that leads to the passage, as exactly as the kind of source allows
	Page int    `json:"page,omitempty"` // where the document has pages: the one on which the passage begins
}

const (
	sourceDigits = 12 // digits in a source id: 1,000 sources collide with probability 5e-7
	startDigits  = 8  // digits of a quote's start
	lengthDigits = 4  // digits of a quote's length

	// MaxQuote is the longest quote in bytes. Longer passages are not quotations
	// but copies.
	MaxQuote = 4000
)

var (
	idForm    = fmt.Sprintf(`S[0-9]{%d}(?:\.q[0-9]{%d})?`, sourceDigits, startDigits+lengthDigits)
	idPattern = text.NewPattern(`^` + idForm + `$`)
)

// sourceID derives the id of a source from what it is: address (or name) and
// text. Equal inputs give equal ids in every run, so branches that work apart
// agree without talking; an invented id hits an existing one by chance only.
func sourceID(identity, sha string) string {
	sum := sha256.Sum256([]byte(identity + "\n" + sha))
	return fmt.Sprintf("S%0*d", sourceDigits, binary.BigEndian.Uint64(sum[:])%1e12)
}

// quoteID names a place in a source's text. Its width is fixed, so no id is a
// prefix of another.
func quoteID(source string, s text.Span) string {
	return fmt.Sprintf("%s.q%0*d%0*d", source, startDigits, s.Start, lengthDigits, s.Len())
}

// splitID takes a quote id apart. A bare source id gives an empty span.
func splitID(id string) (source string, span text.Span, ok bool) {
	if !idPattern.MatchString(id) {
		return "", text.Span{}, false
	}
	source, place, found := strings.Cut(id, ".q")
	if !found {
		return source, text.Span{}, true
	}
	start, _ := strconv.Atoi(place[:startDigits])
	length, _ := strconv.Atoi(place[startDigits:])
	return source, text.Span{Start: start, End: start + length}, true
}

// identity is what makes two sources the same: the address without fragment, or
// the title of a document without address.
func (s Source) identity() string {
	if s.URL == "" {
		return "title:" + s.Title
	}
	address, _, _ := strings.Cut(s.URL, "#")
	return address
}

// Name is what to call the source where the title is missing: the title, the
// file's name, or the address.
func (s Source) Name() string {
	switch {
	case strings.TrimSpace(s.Title) != "":
		return strings.Join(strings.Fields(s.Title), " ")
	case strings.HasPrefix(s.URL, "file:"):
		return path.Base(s.URL)
	default:
		return s.URL
	}
}

// page is the number of the page that holds byte offset, 0 when the document
// has no pages.
func (s Source) page(offset int) int {
	page := 0
	for _, b := range s.Pages {
		if b.Start > offset {
			break
		}
		page = b.Page
	}
	return page
}

// clone copies the source so that no slice is shared.
func (s Source) clone() Source {
	s.Author = append([]string{}, s.Author...)
	s.Quotes = append([]Quote{}, s.Quotes...)
	s.Pages = append([]PageBreak(nil), s.Pages...)
	return s
}

// Hash is the lower-case hexadecimal SHA-256 of an archived text.
func Hash(archived string) string {
	sum := sha256.Sum256([]byte(archived))
	return hex.EncodeToString(sum[:])
}
