package crawl

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/net/html"

	"deepresearch/internal/safe"
)

// Limits on sitemaps: the protocol (sitemaps.org, version 0.9) allows 50 MB
// unpacked and 50,000 entries a file. An index may name 50,000 files, of which
// we read the first few.
const (
	maxSitemapBytes = 50 << 20
	maxSitemapFiles = 50
	maxSitemapDepth = 3 // indexes of indexes exist, against the protocol
	maxLocs         = 50_000
)

// located is an entry of a sitemap.
type located struct {
	loc      string
	modified string
	index    bool // it is a sitemap itself
}

var errNoSitemap = errors.New("it is no sitemap")

// readSitemap hands the entries of a sitemap or of an index, in XML, as plain
// text or packed with gzip, to take until that wants no more. Entries before
// an error are good: sitemaps are cut off in the wild.
func readSitemap(body []byte, take func(located) bool) error {
	var rd io.Reader = bytes.NewReader(body)
	if bytes.HasPrefix(body, []byte("\x1f\x8b")) {
		z, err := gzip.NewReader(rd)
		if err != nil {
			return fmt.Errorf("unpacking a sitemap: %w", err)
		}
		rd = z
	}
	rd = io.LimitReader(rd, maxSitemapBytes)
	head := make([]byte, 512)
	n, err := io.ReadFull(rd, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return fmt.Errorf("unpacking a sitemap: %w", err)
	}
	head = bytes.TrimLeft(bytes.TrimPrefix(head[:n], []byte("\ufeff")), " \t\r\n")
	rd = io.MultiReader(bytes.NewReader(head), rd)
	if bytes.HasPrefix(head, []byte("http")) {
		return textSitemap(rd, take)
	}
	return xmlSitemap(rd, take)
}

// textSitemap has one address a line.
func textSitemap(rd io.Reader, take func(located) bool) error {
	body, err := io.ReadAll(rd)
	n := 0
	for line := range lines(body) {
		if loc := strings.TrimSpace(string(line)); loc != "" && len(loc) <= safe.MaxURL {
			if n++; n > maxLocs || !take(located{loc: loc}) {
				return nil
			}
		}
	}
	return err
}

// xmlSitemap reads tags as an HTML tokenizer sees them: it forgives what is not
// well-formed and takes a quarter of the time of an XML decoder.
func xmlSitemap(rd io.Reader, take func(located) bool) error {
	z := html.NewTokenizer(rd)
	z.SetMaxBuf(1 << 20)
	z.AllowCDATA(true)
	var entry located
	field, root := "", false
	for n := 0; ; {
		switch z.Next() {
		case html.ErrorToken:
			if err := z.Err(); !root || !errors.Is(err, io.EOF) {
				return errors.Join(errNoSitemap, err)
			}
			return nil
		case html.StartTagToken:
			name, _ := z.TagName()
			if field = string(name); !root && field != "urlset" && field != "sitemapindex" {
				return errNoSitemap
			}
			root = true
			if field == "url" || field == "sitemap" {
				entry = located{index: field == "sitemap"}
			}
		case html.TextToken:
			if field == "loc" || field == "lastmod" {
				entry.set(field, strings.TrimSpace(string(z.Text())))
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			field = ""
			if string(name) == "url" || string(name) == "sitemap" {
				if n++; entry.loc != "" && (n > maxLocs || !take(entry)) {
					return nil
				}
				entry = located{}
			}
		}
	}
}

func (l *located) set(field, text string) {
	switch {
	case text == "" || len(text) > safe.MaxURL:
	case field == "loc" && l.loc == "":
		l.loc = text
	case field == "lastmod":
		l.modified = text
	}
}

// sitemapWalk reads sitemaps and those that they name.
type sitemapWalk struct {
	fetcher *Fetcher
	request Request
	met     map[string]bool
	files   int
	found   int    // sitemaps that could be read
	trouble string // of the last one that could not
	cut     bool   // there were more files than are read
	take    func(located) bool
	enough  bool
}

// read reads one sitemap. A file that is none is passed over.
func (s *sitemapWalk) read(ctx context.Context, address string, depth int) {
	u, err := safe.URL(address)
	if err != nil || s.enough || ctx.Err() != nil || s.met[pageKey(u)] {
		return
	}
	s.met[pageKey(u)] = true
	if s.files++; s.files > maxSitemapFiles || depth > maxSitemapDepth {
		s.cut = true
		return
	}
	req := s.request
	req.URL = u.String()
	got, err := s.fetcher.Fetch(ctx, req)
	if err != nil {
		s.trouble = ofError(err).hint()
		return
	}
	if got.Status != http.StatusOK {
		s.trouble = ofStatus(got.Status).hint()
		return
	}
	var inner []string
	err = readSitemap(got.Body, func(l located) bool {
		if l.index {
			inner = append(inner, l.loc)
			return len(inner) <= maxSitemapFiles
		}
		s.enough = !s.take(l)
		return !s.enough
	})
	if errors.Is(err, errNoSitemap) {
		s.trouble = "the file is no sitemap"
	} else {
		s.found++
	}
	s.cut = s.cut || err != nil || got.Truncated
	for _, address := range inner {
		s.read(ctx, address, depth+1)
	}
}

// sitemapsOf are the addresses at which the sitemaps of u's site may be: u
// itself when it looks like one, else those that robots.txt names, else the
// usual two.
func (f *Fetcher) sitemapsOf(ctx context.Context, u *url.URL) []string {
	if p := strings.ToLower(u.Path); strings.HasSuffix(p, ".xml") || strings.HasSuffix(p, ".xml.gz") || strings.Contains(p, "sitemap") {
		return []string{u.String()}
	}
	if rules, err := f.robotsFor(ctx, u); err == nil && len(rules.sitemaps) > 0 {
		return rules.sitemaps
	}
	at := func(path string) string { return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: path}).String() }
	return []string{at("/sitemap.xml"), at("/sitemap_index.xml")}
}
