package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"deepresearch/internal/rank"
	"deepresearch/internal/text"
)

// Bounds of one page, in bytes: what is read of it, and what is kept to take
// snippets from.
const (
	longestPage = 4 << 20
	longestText = 40 << 10
)

// index finds pages by their titles or by all their words.
type index struct {
	pages         []page
	titles, words *rank.Index
}

type page struct {
	title, url, text string
}

// hit is a page as an answer lists it.
type hit struct {
	Title   string `json:"title"`
	URL     string `json:"url"`
	Snippet string `json:"snippet"`
}

func newIndex() *index {
	return &index{titles: rank.NewIndex(rank.Options{}), words: rank.NewIndex(rank.Options{})}
}

// addFolder adds the HTML files below a folder, which a server shows under the
// address.
func (x *index) addFolder(address, folder string) error {
	folder, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return fmt.Errorf("reading a site: %w", err)
	}
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || filepath.Ext(path) != ".html" {
			return err
		}
		info, err := entry.Info()
		if err != nil || info.Size() > longestPage {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		below, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		x.add(address+(&url.URL{Path: "/" + filepath.ToSlash(below)}).EscapedPath(), b)
		return nil
	})
	if err != nil {
		return fmt.Errorf("reading a site: %w", err)
	}
	return nil
}

func (x *index) add(address string, document []byte) {
	title, body := readable(document)
	if title == "" {
		title = address
	}
	x.pages = append(x.pages, page{title, address, body})
	x.titles.Add(text.Words(title))
	x.words.Add(text.Words(title + "\n" + body))
}

// find returns the best pages.
func (x *index) find(query string, byTitle bool, most int) []hit {
	ranked, terms := x.words, text.Terms(query)
	if byTitle {
		ranked = x.titles
	}
	hits := []hit{}
	for _, h := range ranked.Search(terms, most) {
		p := x.pages[h.Doc]
		hits = append(hits, hit{p.title, p.url, p.snippet(terms)})
	}
	return hits
}

// snippetSentences is the length of a snippet.
const snippetSentences = 2

// snippet returns the stretch of the page that holds most terms of a query.
func (p page) snippet(terms []string) string {
	sentences := text.Sentences(p.text)
	index := rank.NewIndex(rank.Options{})
	for _, s := range sentences {
		index.Add(text.Words(s.In(p.text)))
	}
	first := 0
	if best := index.Search(terms, 1); len(best) > 0 {
		first = best[0].Doc
	}
	var parts []string
	for _, s := range sentences[first:min(len(sentences), first+snippetSentences)] {
		parts = append(parts, s.In(p.text))
	}
	return strings.Join(strings.Fields(strings.Join(parts, " ")), " ")
}

// readable returns the title of an HTML document and the words that a reader
// sees, up to longestText bytes.
func readable(document []byte) (title, body string) {
	var seen strings.Builder
	z := html.NewTokenizer(bytes.NewReader(document))
	var hidden atom.Atom // the element whose text is not shown, 0 outside
	for seen.Len() < longestText {
		switch z.Next() {
		case html.ErrorToken:
			return title, seen.String()
		case html.TextToken:
			switch words := strings.Join(strings.Fields(string(z.Text())), " "); {
			case words == "":
			case hidden == atom.Title && title == "":
				title = words
			case hidden == 0:
				seen.WriteString(words + " ")
			}
		case html.StartTagToken:
			if tag := tagOf(z); hidden == 0 && (tag == atom.Script || tag == atom.Style || tag == atom.Title || tag == atom.Nav) {
				hidden = tag
			}
		case html.EndTagToken:
			if tagOf(z) == hidden {
				hidden = 0
			}
		}
	}
	return title, seen.String()
}

func tagOf(z *html.Tokenizer) atom.Atom {
	name, _ := z.TagName()
	return atom.Lookup(name)
}
