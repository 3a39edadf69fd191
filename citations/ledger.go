package citations

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"deepresearch/internal/text"
)

// Errors of the ledger. Each is wrapped with the source and the place.
var (
	// ErrOrders: the passage speaks to a reading model ("ignore previous
	// instructions", our own id form) and is never evidence.
	ErrOrders = errors.New("the passage gives orders to a reader, it is not evidence")
	// ErrNotVerbatim: the text does not occur in the source's archived text.
	ErrNotVerbatim = errors.New("the passage does not occur in the archived text")
	// ErrUnknown: no such source or quote in the ledger.
	ErrUnknown = errors.New("unknown id")
)

// Archive gives back what was archived. Text returns the text whose SHA-256 is
// sha256, in lower-case hexadecimal, or an error when it is not there.
type Archive interface {
	Text(ctx context.Context, sha256 string) (string, error)
}

// Ledger is the evidence of a run: sources and the verbatim quotes taken from
// them. It holds no page texts. The zero value is an empty ledger. A Ledger is
// not safe for concurrent use: parallel branches fill their own and [Merge]
// joins them.
type Ledger struct {
	sources []Source   // sorted by ID
	last    *shownPage // the page quoted last: passages of one page come together
	lastSHA string
}

// NewLedger returns an empty ledger.
func NewLedger() *Ledger { return &Ledger{} }

// AddSource enters a source whose archived text is page and returns its id.
// SHA256, ID and N are set here; quotes of meta are dropped. Adding the same
// page again completes fields that were empty.
func (l *Ledger) AddSource(meta Source, page string) (string, error) {
	if meta.identity() == "title:" {
		return "", errors.New("adding a source: it has neither url nor title")
	}
	if strings.TrimSpace(page) == "" {
		return "", fmt.Errorf("adding source %q: its text is empty", meta.identity())
	}
	sha := Hash(page)
	if meta.SHA256 != "" && meta.SHA256 != sha {
		return "", fmt.Errorf("adding source %q: sha256 of the text is %s, not %s", meta.identity(), sha, meta.SHA256)
	}
	meta = meta.clone()
	meta.SHA256, meta.N, meta.Quotes = sha, 0, []Quote{}
	meta.ID = sourceID(meta.identity(), sha)
	l.put(meta)
	return meta.ID, nil
}

// Quote enters the passage span of page, which must be the archived text of the
// source, and returns it with its id and link. White space at both ends is left
// out. Entering a passage twice returns the first entry. It fails with
// [ErrUnknown], [ErrNotVerbatim] (span outside the text, or another text) or
// [ErrOrders].
func (l *Ledger) Quote(sourceID, page string, span text.Span) (Quote, error) {
	at, ok := l.find(sourceID)
	if !ok {
		return Quote{}, fmt.Errorf("quoting from source %q: %w", sourceID, ErrUnknown)
	}
	source := &l.sources[at]
	if l.last == nil || l.last.text != page {
		l.last, l.lastSHA = showPage(page), Hash(page)
	}
	if l.lastSHA != source.SHA256 {
		return Quote{}, fmt.Errorf("quoting from source %s: not its archived text: %w", sourceID, ErrNotVerbatim)
	}
	span, err := trimmed(page, span)
	if err != nil {
		return Quote{}, fmt.Errorf("quoting bytes %d to %d of source %s: %w", span.Start, span.End, sourceID, err)
	}
	id := quoteID(sourceID, span)
	place, found := slices.BinarySearchFunc(source.Quotes, span, bySpan)
	if found {
		return source.Quotes[place], nil
	}
	q := Quote{ID: id, Span: span, Text: span.In(page), Link: link(*source, l.last, span), Page: source.page(span.Start)}
	source.Quotes = slices.Insert(source.Quotes, place, q)
	return q, nil
}

// QuoteText enters the passage of page that reads as passage does, the way a
// model copies it: blanks, case, quotation marks and dashes may differ, words may
// not. What is stored is the archived text, never the copy. Errors are those of
// [Ledger.Quote].
func (l *Ledger) QuoteText(sourceID, page, passage string) (Quote, error) {
	span, ok := text.Find(page, passage)
	if !ok {
		return Quote{}, fmt.Errorf("quoting %q from source %s: %w", clip(passage, 80), sourceID, ErrNotVerbatim)
	}
	return l.Quote(sourceID, page, span)
}

// trimmed checks that span is a passage of page that may be quoted and leaves
// out white space at its ends.
func trimmed(page string, span text.Span) (text.Span, error) {
	if span.Start < 0 || span.End > len(page) || span.Start >= span.End ||
		!boundary(page, span.Start) || !boundary(page, span.End) {
		return span, ErrNotVerbatim
	}
	passage := span.In(page)
	span.Start += len(passage) - len(strings.TrimLeft(passage, " \t\r\n"))
	span.End -= len(passage) - len(strings.TrimRight(passage, " \t\r\n"))
	switch {
	case span.Len() <= 0:
		return span, ErrNotVerbatim
	case span.Len() > MaxQuote:
		return span, fmt.Errorf("the passage has %d bytes, a quote at most %d", span.Len(), MaxQuote)
	case orders(span.In(page)):
		return span, ErrOrders
	}
	return span, nil
}

func boundary(s string, at int) bool { return at == len(s) || utf8.RuneStart(s[at]) }

// Source returns the source with the id, its quotes included.
func (l *Ledger) Source(id string) (Source, bool) {
	at, ok := l.find(id)
	if !ok {
		return Source{}, false
	}
	return l.sources[at].clone(), true
}

// Lookup returns the quote with the id and its source. A bare source id gives
// the source and an empty quote.
func (l *Ledger) Lookup(id string) (Source, Quote, bool) {
	sourceID, span, ok := splitID(id)
	if !ok {
		return Source{}, Quote{}, false
	}
	at, ok := l.find(sourceID)
	if !ok {
		return Source{}, Quote{}, false
	}
	source := l.sources[at]
	if id == sourceID {
		return source, Quote{}, true
	}
	place, ok := slices.BinarySearchFunc(source.Quotes, span, bySpan)
	if !ok {
		return Source{}, Quote{}, false
	}
	return source, source.Quotes[place], true
}

// Sources returns all sources in order of their ids, whatever the order they
// came in.
func (l *Ledger) Sources() []Source {
	all := make([]Source, len(l.sources))
	for i, s := range l.sources {
		all[i] = s.clone()
	}
	return all
}

// Merge joins ledgers into a new one and leaves them as they are. The order of
// its arguments matters only where two of them describe the same page
// differently: the first one that fills a field is kept.
func Merge(ledgers ...*Ledger) *Ledger {
	merged := NewLedger()
	for _, l := range ledgers {
		if l == nil {
			continue
		}
		for _, s := range l.sources {
			merged.put(s.clone())
		}
	}
	return merged
}

// put inserts s or completes the entry with its id. Two pages that share an id
// by chance stay apart: the later one is left out, and ids of its quotes are
// unknown.
func (l *Ledger) put(s Source) {
	at, found := l.find(s.ID)
	if !found {
		l.sources = slices.Insert(l.sources, at, s)
		return
	}
	old := &l.sources[at]
	if old.SHA256 != s.SHA256 || old.identity() != s.identity() {
		return
	}
	old.complete(s)
	for _, q := range s.Quotes {
		if place, found := slices.BinarySearchFunc(old.Quotes, q.Span, bySpan); !found {
			old.Quotes = slices.Insert(old.Quotes, place, q)
		}
	}
}

// complete fills fields of s that are empty from o. A source is private as soon
// as one entry says so.
func (s *Source) complete(o Source) {
	s.Title, s.Site = cmp.Or(s.Title, o.Title), cmp.Or(s.Site, o.Site)
	s.Published, s.RetrievedAt = cmp.Or(s.Published, o.Published), cmp.Or(s.RetrievedAt, o.RetrievedAt)
	s.Type, s.DOI, s.Language = cmp.Or(s.Type, o.Type), cmp.Or(s.DOI, o.DOI), cmp.Or(s.Language, o.Language)
	s.Private = s.Private || o.Private
	if len(s.Author) == 0 {
		s.Author = o.Author
	}
	if len(s.Pages) == 0 {
		s.Pages = o.Pages
	}
}

// find is the place of the source with the id, or where it belongs.
func (l *Ledger) find(id string) (int, bool) {
	return slices.BinarySearchFunc(l.sources, id, func(s Source, id string) int { return strings.Compare(s.ID, id) })
}

func bySpan(q Quote, s text.Span) int {
	return cmp.Or(cmp.Compare(q.Start, s.Start), cmp.Compare(q.End, s.End))
}

// MarshalJSON writes {"sources":[...]} in order of ids, so equal ledgers give
// equal bytes.
func (l *Ledger) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Sources []Source `json:"sources"`
	}{l.Sources()})
}

// UnmarshalJSON reads what MarshalJSON wrote. Entries whose ids do not fit what
// they name are refused.
func (l *Ledger) UnmarshalJSON(b []byte) error {
	var stored struct {
		Sources []Source `json:"sources"`
	}
	if err := json.Unmarshal(b, &stored); err != nil {
		return fmt.Errorf("reading a ledger: %w", err)
	}
	read := NewLedger()
	for _, s := range stored.Sources {
		if s.ID != sourceID(s.identity(), s.SHA256) {
			return fmt.Errorf("reading a ledger: source id %q does not belong to %q", s.ID, s.identity())
		}
		for _, q := range s.Quotes {
			if q.ID != quoteID(s.ID, q.Span) || q.Len() != len(q.Text) {
				return fmt.Errorf("reading a ledger: quote id %q does not fit its place and text", q.ID)
			}
		}
		s = s.clone()
		slices.SortFunc(s.Quotes, func(a, b Quote) int { return bySpan(a, b.Span) })
		read.put(s)
	}
	*l = *read
	return nil
}
