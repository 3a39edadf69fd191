// Package library holds the user's own documents so that they can be searched.
//
// Start with [Open], which reads files, folders and handed-in texts, and then
// [Library.Search]. That lives in memory for one run or one command. [Add] keeps a
// library under a name in a [Shelf] instead, and [Cache.Open] opens both kinds as
// one; the ranking is the same. The package knows no network and never changes a
// document. What a document says is data: nothing here interprets it.
package library

import (
	"cmp"
	"context"
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
	Skipped []Skipped
	parts   []collection
	more    int // files left out beyond those in Skipped
}

// build indexes documents in the order given.
func build(docs []Document, skipped []Skipped) *Library {
	return &Library{Skipped: skipped, parts: []collection{inMemory(docs)}}
}

// Len is the number of documents.
func (l *Library) Len() int {
	n := 0
	for _, p := range l.parts {
		n += p.len()
	}
	return n
}

// Documents lists all documents: of each part in the order of their names. A named
// library can hold more text than fits in memory, so it is only for what is small.
func (l *Library) Documents(ctx context.Context) ([]Document, error) {
	var all []Document
	for _, p := range l.parts {
		for i := range p.len() {
			d, err := p.document(ctx, i)
			if err != nil {
				return nil, err
			}
			all = append(all, d)
		}
	}
	return all, nil
}

// Fingerprint changes when any document is added, removed or changed: 64 hex
// digits.
func (l *Library) Fingerprint() string {
	if len(l.parts) == 1 {
		if m, ok := l.parts[0].(*memory); ok {
			return m.sum
		}
	}
	sum := sha256.New()
	for _, p := range l.parts {
		sum.Write([]byte(p.fingerprint() + "\n"))
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// Hit is a document found for a query.
type Hit struct {
	Document
	Score    float64     // BM25 of its best passage and of the whole; comparable within one answer only
	Passages []text.Span // spans of Text that match, best first, at most 3
}

// Search ranks documents for a query: the BM25 score of a document's best
// passage, joined with that of the whole document. At most k documents come
// back, best first; none when no word of the query occurs. The error is that of
// reading a named library, or of ctx.
func (l *Library) Search(ctx context.Context, query string, k int) ([]Hit, error) {
	terms := text.Terms(query)
	if len(terms) == 0 || k <= 0 {
		return nil, nil
	}
	ranked := make([][]found, len(l.parts))
	for i, p := range l.parts {
		var err error
		if ranked[i], err = rankDocuments(ctx, p, terms, k); err != nil {
			return nil, err
		}
	}
	hits := []Hit{}
	seen := map[string]bool{}
	for _, f := range fused(ranked) {
		d, err := f.in.document(ctx, f.document)
		if err != nil {
			return nil, err
		}
		if seen[d.URL] {
			continue
		}
		seen[d.URL] = true
		if hits = append(hits, Hit{Document: d, Score: f.score, Passages: f.passages}); len(hits) == k {
			break
		}
	}
	return hits, nil
}

// found is a document that was found in a collection.
type found struct {
	in       collection
	document int
	score    float64
	passages []text.Span
}

// rankDocuments finds the best k documents of one collection.
func rankDocuments(ctx context.Context, c collection, terms []string, k int) ([]found, error) {
	matches, whole, err := c.search(ctx, terms, k*8)
	if err != nil {
		return nil, err
	}
	var out []found
	at := map[int]int{}
	for _, m := range matches {
		i, known := at[m.document]
		if !known {
			i = len(out)
			at[m.document] = i
			out = append(out, found{in: c, document: m.document, score: m.score + wholeWeight*whole[m.document]})
		}
		if len(out[i].passages) < 3 {
			out[i].passages = append(out[i].passages, m.span)
		}
	}
	slices.SortFunc(out, func(a, b found) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.document, b.document))
	})
	return out[:min(k, len(out))], nil
}

// fused puts the rankings of collections into one, by rank: scores of different
// collections cannot be compared.
func fused(ranked [][]found) []found {
	if len(ranked) == 1 {
		return ranked[0]
	}
	lists, byKey := make([][]string, len(ranked)), map[string]found{}
	for i, list := range ranked {
		for _, f := range list {
			key := fmt.Sprint(i, " ", f.document)
			lists[i], byKey[key] = append(lists[i], key), f
		}
	}
	var out []found
	for _, f := range rank.Fuse(lists, nil, 0) {
		one := byKey[f.Key]
		one.score = f.Score
		out = append(out, one)
	}
	return out
}

// wholeWeight is how much the whole document counts beside its best passage.
const wholeWeight = 0.3

// Linked returns the documents whose titles stand in the text, in order of
// first occurrence, at most k. Following such mentions from the best documents
// lifts recall on questions that need two documents from .79 to .91 (HotpotQA,
// recall at 5).
// Errors as of Search.
func (l *Library) Linked(ctx context.Context, s string, k int) ([]Document, error) {
	var linked []Document
	seen := map[string]bool{}
	words := fields(s)
	for i := range words {
		for n := min(maxTitleWords, len(words)-i); n >= 1; n-- {
			key := strings.Join(words[i:i+n], " ")
			if seen[key] || n == 1 && text.IsStop(words[i]) {
				continue
			}
			p, number, ok := l.titled(key)
			if !ok {
				continue
			}
			seen[key] = true
			d, err := p.document(ctx, number)
			if err != nil {
				return nil, err
			}
			if linked = append(linked, d); len(linked) == k {
				return linked, nil
			}
			break
		}
	}
	return linked, nil
}

// titled finds a document by its title, in the first collection that has it.
func (l *Library) titled(key string) (collection, int, bool) {
	for _, p := range l.parts {
		if number, ok := p.byTitle(key); ok {
			return p, number, true
		}
	}
	return nil, 0, false
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

// Document returns the document of a URL, and whether there is one. Errors as of
// Search.
func (l *Library) Document(ctx context.Context, url string) (Document, bool, error) {
	for _, p := range l.parts {
		if number, ok := p.byURL(url); ok {
			d, err := p.document(ctx, number)
			return d, err == nil, err
		}
	}
	return Document{}, false, nil
}
