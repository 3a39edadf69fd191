package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"unicode"

	"deepresearch/crawl/document"
	"deepresearch/crawl/document/internal/selection"
)

// annotated is a page with the text that an annotator marked as its main content.
type annotated struct {
	ID       string `json:"id"`
	URL      string `json:"url"`
	PageType string `json:"page_type"`
	Content  string `json:"main_content"`

	fold  int
	sheet *selection.Sheet
	words [][]string // of each block
	label []float32  // of each block: share of its words that are main content
	want  map[string]int
	count int // words in want
}

// readPages reads a set of annotated pages: pages.jsonl, with one object a line, and
// html/ID.html.gz.
func readPages(dir string, folds int) ([]*annotated, error) {
	f, err := os.Open(filepath.Join(dir, "pages.jsonl"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var pages []*annotated
	for lines := bufio.NewReaderSize(f, 1<<20); ; {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return pages, survey(dir, pages, folds)
		}
		if err != nil {
			return nil, err
		}
		p := new(annotated)
		if err := json.Unmarshal(line, p); err != nil {
			return nil, fmt.Errorf("reading page %d: %w", len(pages)+1, err)
		}
		pages = append(pages, p)
	}
}

// survey cuts and labels the pages, two at a time.
func survey(dir string, pages []*annotated, folds int) error {
	var wg sync.WaitGroup
	failed := make([]error, len(pages))
	for first := range 2 {
		wg.Go(func() {
			for i := first; i < len(pages); i += 2 {
				failed[i] = pages[i].read(dir, folds)
			}
		})
	}
	wg.Wait()
	return errors.Join(failed...)
}

func (p *annotated) read(dir string, folds int) error {
	body, err := gunzip(filepath.Join(dir, "html", p.ID+".html.gz"))
	if err != nil {
		return fmt.Errorf("reading page %s: %w", p.ID, err)
	}
	page, err := document.Candidates(context.Background(), document.Input{URL: p.URL, Body: body})
	if err != nil {
		return fmt.Errorf("cutting page %s: %w", p.ID, err)
	}
	p.fold = foldOf(p.URL, folds)
	p.sheet = selection.Survey(page)
	p.words = make([][]string, p.sheet.Len())
	for i := range p.words {
		p.words[i] = words(string(page.Blocks[i].Text))
	}
	want := words(p.Content)
	p.want, p.count = bag(want), len(want)
	p.setLabels(want)
	p.Content = ""
	return nil
}

func gunzip(path string) ([]byte, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	const largest = 64 << 20
	return io.ReadAll(io.LimitReader(z, largest))
}

// foldOf keeps the pages of one host together.
func foldOf(page string, folds int) int {
	host := page
	if u, err := url.Parse(page); err == nil {
		host = strings.TrimPrefix(u.Hostname(), "www.")
	}
	h := fnv.New32a()
	h.Write([]byte(host))
	return int(h.Sum32()>>1) % folds
}

// words are what the benchmark counts: runs of letters, digits and underscores.
func words(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '_'
	})
}

func bag(words []string) map[string]int {
	m := make(map[string]int, len(words))
	for _, w := range words {
		m[w]++
	}
	return m
}

// triple is three words in a row.
type triple [3]string

// setLabels labels each block with the share of its words that lie in a triple of
// the wanted text. Where the page says a word more often than the wanted text does,
// each time counts as the part that can be right. A label of one or two words that
// no neighbour confirms is left open when the wanted text has them.
func (p *annotated) setLabels(want []string) {
	const open = .3
	hit := p.hits(want)
	found := map[string]int{}
	k := 0
	for _, block := range p.words {
		for _, w := range block {
			if hit[k] {
				found[w]++
			}
			k++
		}
	}
	p.label = make([]float32, len(p.words))
	k = 0
	for i, block := range p.words {
		sum := 0.0
		for _, w := range block {
			if hit[k] {
				sum += min(1, float64(p.want[w])/float64(found[w]))
			}
			k++
		}
		p.label[i] = float32(sum / float64(max(len(block), 1)))
		if sum == 0 && len(block) > 0 && len(block) <= 2 && p.want[block[0]] > 0 && p.want[block[len(block)-1]] > 0 {
			p.label[i] = open
		}
	}
}

// hits says of each word of the page whether it lies in a triple of want.
func (p *annotated) hits(want []string) []bool {
	set := make(map[triple]bool, len(want))
	for i := range max(0, len(want)-2) {
		set[triple(want[i:i+3])] = true
	}
	var all []string
	for _, block := range p.words {
		all = append(all, block...)
	}
	hit := make([]bool, len(all))
	for i := range max(0, len(all)-2) {
		if set[triple(all[i:i+3])] {
			hit[i], hit[i+1], hit[i+2] = true, true, true
		}
	}
	return hit
}

// score is the word F1 of the kept blocks.
func (p *annotated) score(keep []bool) float64 {
	got := map[string]int{}
	count, hit := 0, 0
	for i, kept := range keep {
		if !kept {
			continue
		}
		for _, w := range p.words[i] {
			count++
			if got[w]++; got[w] <= p.want[w] {
				hit++
			}
		}
	}
	if count+p.count == 0 {
		return 1
	}
	return 2 * float64(hit) / float64(count+p.count)
}
