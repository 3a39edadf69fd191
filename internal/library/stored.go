package library

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"deepresearch/crawl/document"
)

// stored is a collection in a shelf. Its catalog is in memory, its texts and its
// index are read as they are needed.
type stored struct {
	from     Source
	catalog  *Catalog
	segments []int64
	records  []Record        // in the order of segments, which is that of their numbers
	words    []int           // of each document
	passages []storedPassage // of all segments; document counts over all of them
	norms    []float64       // of passages
	first    []int           // the first passage of each segment
	base     []int           // the first document of each segment
	total    int             // terms of all passages
	all      int             // terms of all documents
	titles   map[string]int
	urls     map[string]int
}

func openStored(ctx context.Context, from Source, name string) (*stored, error) {
	c, err := from.Catalog(ctx, name)
	if err != nil {
		return nil, err
	}
	s := &stored{from: from, catalog: c, titles: map[string]int{}, urls: map[string]int{}}
	bySegment := map[int64][]Record{}
	for _, r := range c.Records {
		bySegment[r.Segment] = append(bySegment[r.Segment], r)
	}
	for _, seg := range c.Segments {
		table, err := readTable(seg.Table)
		if err != nil || len(table.documents) != len(bySegment[seg.ID]) {
			return nil, fmt.Errorf("opening the library %s: %w", name, errBroken)
		}
		s.segments = append(s.segments, seg.ID)
		s.first, s.base = append(s.first, len(s.passages)), append(s.base, len(s.records))
		for _, p := range table.passages {
			p.document += len(s.records)
			s.passages = append(s.passages, p)
			s.total += p.terms
		}
		for _, n := range table.documents {
			s.words = append(s.words, n)
			s.all += n
		}
		s.records = append(s.records, bySegment[seg.ID]...)
	}
	s.norms = make([]float64, len(s.passages))
	for i, p := range s.passages {
		s.norms[i] = norm(p.terms, float64(s.total)/float64(len(s.passages)))
	}
	for i, r := range s.records {
		entitle(s.titles, r.Title, i)
		s.urls[r.URL] = i // of two with one address the newer
	}
	return s, nil
}

// The parameters of BM25, those that package rank has by default: a library ranks
// in the same way wherever it lies.
const (
	bm25K = 1.2
	bm25B = 0.75
)

// saturation is the term-frequency part of BM25, given the norm of a text.
func saturation(count int, norm float64) float64 {
	tf := float64(count)
	return tf * (bm25K + 1) / (tf + norm)
}

// norm is what the length of a text adds below the line.
func norm(length int, average float64) float64 {
	return bm25K * (1 - bm25B + bm25B*float64(length)/average)
}

func idf(holding, of int) float64 {
	return math.Log1p((float64(of-holding) + 0.5) / (float64(holding) + 0.5))
}

// occurrence is the lists of one term, by segment.
type occurrence struct{ passages, documents [][]byte }

func (s *stored) search(ctx context.Context, terms []string, k int) ([]match, map[int]float64, error) {
	if len(s.passages) == 0 {
		return nil, nil, nil
	}
	occurrences := make([]occurrence, len(terms))
	for i, t := range terms {
		if err := s.occurrence(ctx, t, &occurrences[i]); err != nil {
			return nil, nil, err
		}
	}
	scores := make([]float64, len(s.passages))
	pairs := make([]pair, 0, most(occurrences)) // one buffer for all terms
	var err error
	for _, o := range occurrences {
		if pairs, err = appendAll(pairs[:0], o.passages, s.first, len(s.passages)); err != nil {
			return nil, nil, err
		}
		weight := idf(len(pairs), len(s.passages))
		for _, p := range pairs {
			scores[p.number] += weight * saturation(int(p.count), s.norms[p.number])
		}
	}
	found := s.best(scores, k)
	whole := map[int]float64{}
	for _, m := range found {
		whole[m.document] = 0
	}
	average := float64(s.all) / float64(len(s.records))
	for _, o := range occurrences {
		if pairs, err = appendAll(pairs[:0], o.documents, s.base, len(s.records)); err != nil {
			return nil, nil, err
		}
		weight := idf(len(pairs), len(s.records))
		for _, p := range pairs {
			if d := int(p.number); hasKey(whole, d) {
				whole[d] += weight * saturation(int(p.count), norm(s.words[d], average))
			}
		}
	}
	return found, whole, nil
}

func hasKey(m map[int]float64, key int) bool {
	_, ok := m[key]
	return ok
}

// most is how many pairs one term can have: each takes two bytes or more.
func most(occurrences []occurrence) int {
	longest := 0
	for _, o := range occurrences {
		n := 0
		for _, l := range o.passages {
			n += len(l) / 2
		}
		longest = max(longest, n)
	}
	return longest
}

// appendAll reads the lists of all segments, whose numbers begin at first and end
// before of.
func appendAll(to []pair, lists [][]byte, first []int, of int) ([]pair, error) {
	var err error
	for i, l := range lists {
		if to, err = appendPairs(to, l, first[i]); err != nil {
			return to, err
		}
		if n := len(to); n > 0 && int(to[n-1].number) >= of {
			return to, errBroken
		}
	}
	return to, nil
}

// occurrence reads the lists of a term.
func (s *stored) occurrence(ctx context.Context, term string, o *occurrence) error {
	bodies, err := s.from.Buckets(ctx, s.segments, bucket(term))
	if err != nil {
		return err
	}
	o.passages, o.documents = make([][]byte, len(bodies)), make([][]byte, len(bodies))
	for i, b := range bodies {
		if o.passages[i], o.documents[i], err = lookUp(b, term); err != nil {
			return err
		}
	}
	return nil
}

// best are the k best passages, equal ones in their order.
func (s *stored) best(scores []float64, k int) []match {
	found := make([]match, 0, k+1)
	for i, f := range scores {
		if f == 0 || len(found) == k && f <= found[k-1].score {
			continue
		}
		at, _ := slices.BinarySearchFunc(found, f, func(m match, f float64) int {
			if m.score >= f {
				return -1
			}
			return 1
		})
		found = slices.Insert(found, at, match{s.passages[i].document, s.passages[i].span, f})
		found = found[:min(len(found), k)]
	}
	return found
}

func (s *stored) document(ctx context.Context, number int) (Document, error) {
	r := s.records[number]
	body, err := s.from.Body(ctx, r.ID)
	if err != nil {
		return Document{}, err
	}
	d := &document.Document{}
	if err := json.Unmarshal(body, d); err != nil {
		return Document{}, fmt.Errorf("reading %s of the library %s: %w", r.Name, s.catalog.Name, err)
	}
	return Document{Document: d, Name: r.Name, URL: r.URL}, nil
}

func (s *stored) byURL(url string) (int, bool) {
	i, ok := s.urls[url]
	return i, ok
}

func (s *stored) byTitle(key string) (int, bool) {
	i, ok := s.titles[key]
	return i, ok
}

func (s *stored) fingerprint() string { return fmt.Sprintf("%s %d", s.catalog.Name, s.catalog.Version) }

func (s *stored) len() int { return len(s.records) }
