package crawl

import (
	"fmt"
	"net/url"
	"path"
	"time"

	"deepresearch/internal/rank"
	"deepresearch/internal/text"
)

// Found is a page that a walk knows of.
type Found struct {
	URL      string `json:"url"`
	Title    string `json:"title"` // its own when it was fetched, else that of a link to it
	Depth    int    `json:"depth"` // links from a start page
	Source   string `json:"source"`
	Modified string `json:"modified,omitempty"` // as its sitemap says
	Trouble  string `json:"outcome,omitempty"`  // when it was fetched and cannot be read
}

// Survey says how far a walk has come and what it has left out.
type Survey struct {
	Read     int           // pages fetched
	Bytes    int64         // of these pages
	Unread   int           // found, within scope and depth, and not fetched
	Deeper   int           // links that lead further away than Depth
	Beside   int           // links to the same host outside the scope
	Outside  int           // pages that redirect out of the scope
	Copies   int           // pages with the text of an earlier one
	Unlisted int           // pages that ask not to be listed
	Denied   int           // pages that robots.txt denies
	Trapped  int           // addresses passed over because too many are like them
	Sitemaps int           // files read
	Delay    time.Duration // between pages, as robots.txt asks for
	LLMs     []string      // llms.txt files noticed
	Found    []Found       // pages that a map lists; llms.txt first

	sitemapCut bool
	trouble    []string
}

// Survey returns the state of the walk.
func (w *Walk) Survey() Survey {
	s := w.survey
	s.Unread += w.frontier.queue.Len() + w.frontier.full
	s.Trapped = w.frontier.trapped
	return s
}

// Done reports whether there is nothing left to read: all pages are read, or a
// budget is spent.
func (w *Walk) Done() bool {
	return w.prepared && (w.frontier.queue.Len() == 0 || w.sent >= w.site.MaxPages || w.survey.Bytes >= w.site.MaxBytes)
}

// Warnings say in sentences what is missing, and how to get it.
func (w *Walk) Warnings() []string {
	s := w.Survey()
	out := append([]string{}, s.trouble...)
	say := func(n int, format string, args ...any) {
		if n > 0 {
			out = append(out, fmt.Sprintf(format, append([]any{n}, args...)...))
		}
	}
	switch {
	case w.sent >= w.site.MaxPages:
		say(s.Unread, "%d pages that were found are not read: max_pages is %d", w.site.MaxPages)
	case s.Bytes >= w.site.MaxBytes:
		say(s.Unread, "%d pages that were found are not read: %d MB were fetched, which is the limit", s.Bytes>>20)
	default:
		say(s.Unread, "%d pages that were found are not read yet")
	}
	if s.Delay > time.Second && s.Unread > 0 {
		out = append(out, fmt.Sprintf("the site asks for %v between pages, so few fit into a call", s.Delay))
	}
	say(s.Denied, "%d pages were left out: robots.txt denies them")
	say(s.Unlisted, "%d pages were left out: they ask not to be listed (noindex)")
	say(s.Copies, "%d pages were left out: their text is that of another page")
	say(s.Trapped, "%d addresses were passed over: too many are like them, as calendars and filters make them")
	if s.Read <= 1 && s.Unread == 0 { // else they are no news
		say(s.Beside, "%d links lead to other parts of the site: start at its first page, or name these parts in include")
		say(s.Deeper, "%d links lead further: raise depth to follow them")
	}
	if s.sitemapCut {
		out = append(out, "the sitemaps list more pages than were looked at")
	}
	for _, address := range s.LLMs {
		out = append(out, "the site keeps a list of its pages for language models: "+address)
	}
	return out
}

func extension(u *url.URL) string { return path.Ext(u.Path) }

// fingerprint tells texts apart. The zero value is no text.
type fingerprint struct {
	exact, near uint64
}

const (
	printedBytes = 64 << 10
	printedTerms = 50 // shorter texts must be the same to count as copies
	nearBits     = 3  // Manku, Jain & Das Sarma, WWW 2007
)

func fingerprintOf(s string) fingerprint {
	terms := text.Words(s[:min(len(s), printedBytes)])
	p := fingerprint{exact: rank.Simhash([]string{s}) | 1}
	if len(terms) >= printedTerms {
		p.near = rank.Simhash(terms) | 1
	}
	return p
}

// twins are the texts that a walk has seen.
type twins struct {
	exact map[uint64]bool
	near  []uint64
}

// twin reports whether a text was seen before, and remembers it.
func (t *twins) twin(p fingerprint) bool {
	if p == (fingerprint{}) {
		return false
	}
	if t.exact[p.exact] {
		return true
	}
	if p.near != 0 {
		for _, n := range t.near {
			if rank.Distance(n, p.near) <= nearBits {
				return true
			}
		}
		t.near = append(t.near, p.near)
	}
	if t.exact == nil {
		t.exact = map[uint64]bool{}
	}
	t.exact[p.exact] = true
	return false
}
