package library

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"deepresearch/crawl/document"
	"deepresearch/internal/rank"
	"deepresearch/internal/text"
)

// collection is documents with an index of their own: those of one run in memory,
// or those of a named library. Documents have numbers from 0.
type collection interface {
	// search returns the best k passages, best first, and for each of their
	// documents its score as a whole.
	search(ctx context.Context, terms []string, k int) ([]match, map[int]float64, error)
	document(ctx context.Context, number int) (Document, error)
	byURL(url string) (number int, ok bool)
	byTitle(key string) (number int, ok bool)
	fingerprint() string
	len() int
}

// match is a passage that was found.
type match struct {
	document int
	span     text.Span
	score    float64
}

// piece is a passage before it is indexed: a run of blocks under one heading, the
// unit of retrieval.
type piece struct {
	span  text.Span
	terms []string
}

// passageTerms is the length at which a passage is closed. Retrieval of
// paragraphs of this size is where BM25's length normalisation was measured to
// work; whole manuals as one unit drown in it.
const passageTerms = 160

// cut parts a document into passages, each with the terms of title and heading,
// and gives the terms of the whole.
func cut(d *document.Document) (pieces []piece, all []string) {
	title := text.Words(d.Title)
	all = slices.Clone(title)
	var (
		open    text.Span
		terms   []string
		heading []string
	)
	flush := func() {
		if len(terms) > 0 {
			pieces = append(pieces, piece{open, slices.Concat(title, heading, terms)})
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
	return pieces, all
}

// memory is a collection for one run or one command.
type memory struct {
	docs     []Document
	passages []match     // without scores
	index    *rank.Index // of passages
	whole    *rank.Index // of documents
	titles   map[string]int
	sum      string
}

// inMemory indexes documents in the order given.
func inMemory(docs []Document) *memory {
	m := &memory{docs: docs, index: rank.NewIndex(rank.Options{}), whole: rank.NewIndex(rank.Options{}), titles: map[string]int{}}
	sum := sha256.New()
	for i, d := range docs {
		sum.Write([]byte(d.URL + "\x00" + d.SHA256 + "\n"))
		entitle(m.titles, d.Title, i)
		pieces, all := cut(d.Document)
		for _, p := range pieces {
			m.index.Add(p.terms)
			m.passages = append(m.passages, match{document: i, span: p.span})
		}
		m.whole.Add(all)
	}
	m.sum = hex.EncodeToString(sum.Sum(nil))
	return m
}

// entitle remembers the first document of a title.
func entitle(titles map[string]int, title string, number int) {
	if t := titleKey(title); t != "" {
		if _, taken := titles[t]; !taken {
			titles[t] = number
		}
	}
}

func (m *memory) search(_ context.Context, terms []string, k int) ([]match, map[int]float64, error) {
	var found []match
	whole := map[int]float64{}
	for _, h := range m.index.Search(terms, k) {
		p := m.passages[h.Doc]
		p.score = h.Score
		found = append(found, p)
		if _, known := whole[p.document]; !known {
			whole[p.document] = m.whole.Score(terms, p.document)
		}
	}
	return found, whole, nil
}

func (m *memory) document(_ context.Context, number int) (Document, error) {
	return m.docs[number], nil
}

func (m *memory) byURL(url string) (int, bool) {
	i := slices.IndexFunc(m.docs, func(d Document) bool { return d.URL == url })
	return i, i >= 0
}

func (m *memory) byTitle(key string) (int, bool) {
	i, ok := m.titles[key]
	return i, ok
}

func (m *memory) fingerprint() string { return m.sum }

func (m *memory) len() int { return len(m.docs) }
