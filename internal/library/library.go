// Package library holds the user's own documents so that they can be searched.
//
// Start with [Open], which reads files, folders and handed-in texts, and then
// [Library.Search]. It lives in memory for one run or one command, knows no
// network, and never changes a document. What a document says is data: nothing
// here interprets it.
package library

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"deepresearch/crawl/document"
	"deepresearch/internal/rank"
	"deepresearch/internal/text"
)

// Document is one text of the library.
type Document struct {
	*document.Document
	Name string // path below the folder that was named, or the name it was handed in with
	URL  string // file:// with the absolute path; document: with the name when it was handed in
}

// Skipped is a file that was found and left out.
type Skipped struct {
	Path   string
	Reason string // why, in words for the user
}

// maxShown bounds the names that [Library.LeftOut] gives for one reason.
const maxShown = 3

// LeftOut says in one sentence how many files were left out and why, with a few
// names for each reason; it is empty when none was.
func (l *Library) LeftOut() string {
	if len(l.Skipped) == 0 {
		return ""
	}
	var reasons []string
	names := map[string][]string{}
	for _, s := range l.Skipped {
		why, _, _ := strings.Cut(s.Reason, ": ")
		if names[why] == nil {
			reasons = append(reasons, why)
		}
		names[why] = append(names[why], s.Path)
	}
	slices.SortStableFunc(reasons, func(a, b string) int { return len(names[b]) - len(names[a]) })
	var parts []string
	for _, why := range reasons {
		shown := names[why]
		part := strings.Join(shown[:min(maxShown, len(shown))], ", ")
		if n := len(shown) - maxShown; n > 0 {
			part += fmt.Sprintf(" and %d more", n)
		}
		parts = append(parts, part+": "+why)
	}
	if l.more > 0 {
		parts = append(parts, fmt.Sprintf("%d further ones", l.more))
	}
	noun := "files were"
	if len(l.Skipped)+l.more == 1 {
		noun = "file was"
	}
	return fmt.Sprintf("%d %s not read (%s)", len(l.Skipped)+l.more, noun, strings.Join(parts, "; "))
}

// Library is an immutable set of documents with an index over their passages.
// It is safe for concurrent use.
type Library struct {
	Skipped     []Skipped // the first of them
	more        int       // skipped beyond those
	docs        []Document
	passages    []passage
	index       *rank.Index
	whole       *rank.Index // one entry a document
	titles      map[string]int
	fingerprint string
}

// passage is a run of blocks under one heading, the unit of retrieval.
type passage struct {
	doc  int
	span text.Span
}

// passageTerms is the length at which a passage is closed. Retrieval of
// paragraphs of this size is where BM25's length normalisation was measured to
// work; whole manuals as one unit drown in it.
const passageTerms = 160

// build indexes documents in the order given.
func build(docs []Document, skipped []Skipped) *Library {
	l := &Library{Skipped: skipped, docs: docs, index: rank.NewIndex(rank.Options{}), whole: rank.NewIndex(rank.Options{}), titles: map[string]int{}}
	sum := sha256.New()
	for i, d := range docs {
		sum.Write([]byte(d.URL + "\x00" + d.SHA256 + "\n"))
		if t := titleKey(d.Title); t != "" {
			if _, taken := l.titles[t]; !taken {
				l.titles[t] = i
			}
		}
		l.add(i, d)
	}
	l.fingerprint = hex.EncodeToString(sum.Sum(nil))
	return l
}

// add indexes one document: its passages, and itself as a whole.
func (l *Library) add(doc int, d Document) {
	title := text.Words(d.Title)
	var (
		open    text.Span
		terms   []string
		heading []string
		all     = slices.Clone(title)
	)
	flush := func() {
		if len(terms) > 0 {
			l.index.Add(slices.Concat(title, heading, terms))
			l.passages = append(l.passages, passage{doc, open})
		}
		terms = nil
	}
	for _, b := range d.Blocks {
		t := text.Words(b.In(d.Text))
		all = append(all, t...)
		if b.Kind == document.KindHeading {
			flush()
			heading = t
			continue
		}
		if len(terms) == 0 {
			open = b.Span
		}
		open.End = b.End
		if terms = append(terms, t...); len(terms) >= passageTerms {
			flush()
		}
	}
	flush()
	l.whole.Add(all)
}

// Len is the number of documents.
func (l *Library) Len() int { return len(l.docs) }

// Documents lists all documents, in the order of their names.
func (l *Library) Documents() []Document { return l.docs }

// Fingerprint changes when any document is added, removed or changed: 64 hex
// digits over every name and text.
func (l *Library) Fingerprint() string { return l.fingerprint }

// Hit is a document found for a query.
type Hit struct {
	Document
	Score    float64     // BM25 of its best passage; comparable within one answer only
	Passages []text.Span // spans of Text that match, best first, at most 3
}

// Search ranks documents for a query: the BM25 score of a document's best
// passage, joined with that of the whole document. At most k documents come
// back, best first; none when no word of the query occurs.
func (l *Library) Search(query string, k int) []Hit {
	terms := text.Terms(query)
	if len(terms) == 0 || k <= 0 {
		return nil
	}
	best := map[int]*Hit{}
	for _, h := range l.index.Search(terms, k*8) {
		p := l.passages[h.Doc]
		hit := best[p.doc]
		if hit == nil {
			hit = &Hit{Document: l.docs[p.doc], Score: h.Score}
			best[p.doc] = hit
		}
		if len(hit.Passages) < 3 {
			hit.Passages = append(hit.Passages, p.span)
		}
	}
	order := make([]int, 0, len(best))
	for doc, hit := range best {
		hit.Score += wholeWeight * l.whole.Score(terms, doc)
		order = append(order, doc)
	}
	slices.SortFunc(order, func(a, b int) int {
		if d := best[b].Score - best[a].Score; d != 0 {
			return sign(d)
		}
		return a - b
	})
	hits := make([]Hit, 0, min(k, len(order)))
	for _, doc := range order[:min(k, len(order))] {
		hits = append(hits, *best[doc])
	}
	return hits
}

// wholeWeight is how much the whole document counts beside its best passage.
const wholeWeight = 0.3

func sign(f float64) int {
	if f < 0 {
		return -1
	}
	return 1
}

// Linked returns the documents whose titles stand in the text, in order of
// first occurrence, at most k. Following such mentions from the best documents
// lifts recall on questions that need two documents from .79 to .91 (HotpotQA,
// recall at 5).
func (l *Library) Linked(s string, k int) []Document {
	var found []Document
	seen := map[int]bool{}
	words := fields(s)
	for i := range words {
		for n := min(maxTitleWords, len(words)-i); n >= 1; n-- {
			doc, ok := l.titles[strings.Join(words[i:i+n], " ")]
			if !ok || seen[doc] || n == 1 && text.IsStop(words[i]) {
				continue
			}
			seen[doc] = true
			if found = append(found, l.docs[doc]); len(found) == k {
				return found
			}
			break
		}
	}
	return found
}

// maxTitleWords bounds how long a title can be to be followed.
const maxTitleWords = 8

// titleKey is the form in which titles and text meet: lower-case words, without
// a parenthesis that only tells namesakes apart ("Ed Wood (film)").
func titleKey(title string) string {
	if i := strings.IndexAny(title, "(（"); i > 0 {
		title = title[:i]
	}
	w := fields(title)
	if len(w) > maxTitleWords {
		return ""
	}
	return strings.Join(w, " ")
}

// fileURL is the file:// URL of an absolute path.
func fileURL(path string) string {
	p := filepath.ToSlash(path)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p
	}
	return (&url.URL{Scheme: "file", Path: p}).String()
}

// Document returns the document of a URL.
func (l *Library) Document(url string) (Document, bool) {
	for _, d := range l.docs {
		if d.URL == url {
			return d, true
		}
	}
	return Document{}, false
}
