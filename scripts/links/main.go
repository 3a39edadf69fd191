// Command links serves the HTML pages of some folders on loopback and prints, for
// passages of them, the links that a report would give: a JSON array of address,
// quotation and link. It serves until its standard input ends. scripts/links.sh
// has a browser open them.
//
//	links COUNT FOLDER...
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"deepresearch/citations"
	"deepresearch/crawl/document"
	"deepresearch/internal/text"
)

// passage is a quotation and the link to it.
type passage struct {
	URL   string `json:"url"`
	Quote string `json:"quote"`
	Link  string `json:"link"`
	Kind  string `json:"kind"` // of the block: paragraph, row, code ...
}

const (
	perPage  = 3
	smallest = 4 << 10 // bytes of a page that is worth quoting
	largest  = 2 << 20
)

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "links:", err)
		os.Exit(1)
	}
}

func run(args []string, in io.Reader, out io.Writer) error {
	if len(args) < 2 {
		return errors.New("usage: links COUNT FOLDER [FOLDER]")
	}
	count, err := strconv.Atoi(args[0])
	if err != nil {
		return fmt.Errorf("the count: %w", err)
	}
	var listening net.ListenConfig
	listener, err := listening.Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	folders := args[1:]
	mux := http.NewServeMux()
	for i, folder := range folders {
		root := fmt.Sprintf("/%d/", i)
		mux.Handle(root, http.StripPrefix(root, http.FileServer(http.Dir(folder))))
	}
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()

	passages, err := choose("http://"+listener.Addr().String(), folders, count)
	if err == nil {
		err = json.NewEncoder(out).Encode(passages)
	}
	if err == nil {
		_, err = io.Copy(io.Discard, in)
	}
	return errors.Join(err, server.Close(), ignoreClosed(<-ended))
}

func ignoreClosed(err error) error {
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// choose takes an equal share of passages from each folder, a few from each of
// some pages that lie evenly over it.
func choose(base string, folders []string, count int) ([]passage, error) {
	var all []passage
	for i, folder := range folders {
		share := (count - len(all)) / (len(folders) - i)
		pages, err := htmlFiles(folder)
		if err != nil {
			return nil, err
		}
		need := min((share+perPage-1)/perPage, len(pages))
		end := len(all) + share
		for k := range need {
			name := pages[k*len(pages)/need]
			found, err := fromPage(fmt.Sprintf("%s/%d/%s", base, i, filepath.ToSlash(name)), filepath.Join(folder, name), k)
			if err != nil {
				return nil, err
			}
			all = append(all, found...)
		}
		all = all[:min(len(all), end)]
	}
	return all, nil
}

func htmlFiles(folder string) ([]string, error) {
	var names []string
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".html" {
			return err
		}
		about, err := os.Stat(path) // through links
		if err != nil || about.Size() < smallest || about.Size() > largest || strings.Contains(path, "index") {
			return nil //nolint:nilerr // a dangling link is no page
		}
		name, err := filepath.Rel(folder, path)
		names = append(names, name)
		return err
	})
	return names, err
}

// fromPage quotes a few passages of a page, of one to three sentences, that lie
// evenly over it and whose words stand in it once.
func fromPage(address, file string, turn int) ([]passage, error) {
	body, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading a page: %w", err)
	}
	d, err := document.Parse(context.Background(), document.Input{URL: address, ContentType: "text/html", Body: body})
	if err != nil {
		return nil, nil //nolint:nilerr // a page without readable text has no passages
	}
	ledger := citations.NewLedger()
	source, err := ledger.AddSource(citations.Source{URL: address, Title: d.Title, Language: d.Language}, d.Text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", address, err)
	}
	passages := once(d, d.Passages(document.PassageOptions{Sentences: 1 + turn%3}))
	var found []passage
	for k := range min(perPage, len(passages)) {
		p := passages[(2*k+1)*len(passages)/(2*min(perPage, len(passages)))]
		q, err := ledger.Quote(source, d.Text, p.Span)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", address, err)
		}
		found = append(found, passage{URL: address, Quote: q.Text, Link: q.Link, Kind: string(d.Blocks[p.Block].Kind)})
	}
	return found, nil
}

// once keeps the passages of three words or more whose text occurs once.
func once(d *document.Document, passages []document.Passage) []document.Passage {
	var kept []document.Passage
	for _, p := range passages {
		if len(text.Terms(p.In(d.Text))) >= 3 && strings.Count(d.Text, p.In(d.Text)) == 1 {
			kept = append(kept, p)
		}
	}
	return kept
}
