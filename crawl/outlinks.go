package crawl

import (
	"bytes"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"deepresearch/internal/safe"
)

// Bounds on what one page may add to a walk.
const (
	maxOutlinks   = 5000
	maxAnchorText = 200 // bytes
)

// outlinks is where a page leads, menus and footers included: the main content,
// which [Page.Links] is about, leaves out what a walk needs.
type outlinks struct {
	title     string
	canonical string
	links     []Link // http and https, absolute, without fragments
	noIndex   bool   // the page does not want to be listed
	noFollow  bool   // its links are not to be followed
}

// linksOf reads an answer whose body is decoded. It looks at tags alone and
// builds no tree.
func linksOf(got Fetched) outlinks {
	var o outlinks
	o.obeyHeader(got.Header)
	base, err := url.Parse(got.FinalURL)
	if err != nil || !strings.Contains(got.ContentType, "html") && !bytes.Contains(got.Body[:min(len(got.Body), 1024)], []byte("<html")) {
		return o
	}
	s := linkScan{outlinks: &o, base: base, z: html.NewTokenizer(bytes.NewReader(got.Body))}
	for s.next() {
	}
	return o
}

var markdownLink = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[([^\]\n]{1,200})\]\(([^()\s]+)\)`) })

// linksOfMarkdown reads a list of pages in Markdown that is sent as plain text,
// as llms.txt is.
func linksOfMarkdown(got Fetched) []Link {
	base, err := url.Parse(got.FinalURL)
	if err != nil {
		return nil
	}
	s := linkScan{outlinks: &outlinks{}, base: base}
	for _, m := range markdownLink().FindAllSubmatch(got.Body, maxOutlinks) {
		s.open, s.text = s.absolute(string(m[2])), append(s.text, m[1]...)
		s.end()
	}
	return s.links
}

// linkScan reads the tags of a page in order.
type linkScan struct {
	*outlinks
	base  *url.URL
	based bool // a base element was seen
	z     *html.Tokenizer

	open    string // address of the link whose text is being read
	text    []byte
	inTitle bool
}

func (s *linkScan) next() bool {
	switch s.z.Next() {
	case html.ErrorToken:
		s.end()
		return false
	case html.TextToken:
		if t := s.z.Text(); s.inTitle && s.title == "" {
			s.title = safeLine(t, maxAnchorText)
		} else if s.open != "" && len(s.text) < maxAnchorText {
			s.text = append(append(s.text, t[:min(len(t), maxAnchorText)]...), ' ')
		}
		s.inTitle = false
	case html.StartTagToken, html.SelfClosingTagToken:
		name, more := s.z.TagName()
		s.tag(atom.Lookup(name), more)
	case html.EndTagToken:
		if name, _ := s.z.TagName(); atom.Lookup(name) == atom.A {
			s.end()
		}
	}
	return len(s.links) < maxOutlinks
}

func (s *linkScan) tag(name atom.Atom, more bool) {
	switch name {
	case atom.Title:
		s.inTitle = true
		return
	case atom.A, atom.Area, atom.Base, atom.Link, atom.Meta, atom.Frame:
	default:
		return
	}
	var at tagAttributes
	for more {
		var key, value []byte
		key, value, more = s.z.TagAttr()
		at.set(string(key), value)
	}
	switch name {
	case atom.A, atom.Area, atom.Frame:
		s.end()
		s.begin(at)
		if name != atom.A {
			s.end()
		}
	case atom.Base:
		if to, err := s.base.Parse(at.href); err == nil && !s.based && at.href != "" {
			s.base, s.based = to, true
		}
	case atom.Link:
		if slices.Contains(strings.Fields(strings.ToLower(at.rel)), "canonical") && s.canonical == "" {
			s.canonical = s.absolute(at.href)
		}
	case atom.Meta:
		if n := strings.ToLower(at.name); n == "robots" || n == ProductToken {
			s.obey(at.content)
		}
	}
}

// tagAttributes are the attributes that say where a page leads.
type tagAttributes struct{ href, rel, name, content string }

func (t *tagAttributes) set(key string, value []byte) {
	switch key {
	case "href", "src":
		t.href = string(value)
	case "rel":
		t.rel = string(value)
	case "name":
		t.name = string(value)
	case "content":
		t.content = string(value)
	}
}

func (s *linkScan) begin(at tagAttributes) {
	if slices.Contains(strings.Fields(strings.ToLower(at.rel)), "nofollow") {
		return
	}
	s.open = s.absolute(at.href)
}

func (s *linkScan) end() {
	if s.open != "" {
		s.links = append(s.links, Link{URL: s.open, Text: safeLine(s.text, maxAnchorText)})
	}
	s.open, s.text = "", s.text[:0]
}

// absolute is the address of a page that href leads to, or "".
func (s *linkScan) absolute(href string) string {
	href = strings.TrimSpace(href)
	if href == "" || href[0] == '#' {
		return ""
	}
	to, err := s.base.Parse(href)
	if err != nil || to.Scheme != "http" && to.Scheme != "https" {
		return ""
	}
	to.Fragment, to.RawFragment = "", ""
	if to, err = safe.URL(to.String()); err != nil || noPage[strings.ToLower(path.Ext(to.Path))] {
		return ""
	}
	return to.String()
}

// noPage are the names of files in which there is no text for us.
var noPage = func() map[string]bool {
	m := map[string]bool{}
	for ext := range strings.FieldsSeq(`7z aac apk avi avif bin bmp bz2 css deb dmg eot exe flac gif gz ico iso jar jpeg jpg js m4a m4v mjs mkv mov mp3 mp4
		mpeg msi ogg ogv otf png rar rpm svg tar tgz tif tiff ttf wasm wav webm webmanifest webp wmv woff woff2 xz zip zst`) {
		m["."+ext] = true
	}
	return m
}()

// obey takes the directives of a robots meta element.
func (o *outlinks) obey(content string) {
	for d := range strings.SplitSeq(strings.ToLower(content), ",") {
		switch strings.TrimSpace(d) {
		case "noindex":
			o.noIndex = true
		case "nofollow":
			o.noFollow = true
		case "none":
			o.noIndex, o.noFollow = true, true
		}
	}
}

// obeyHeader takes those of X-Robots-Tag, which may be for one robot only:
// "googlebot: noindex".
func (o *outlinks) obeyHeader(h http.Header) {
	for _, v := range h.Values("X-Robots-Tag") {
		name, rest, named := strings.Cut(v, ":")
		switch name = strings.ToLower(strings.TrimSpace(name)); {
		case named && name == ProductToken:
			o.obey(rest)
		case !named || strings.ContainsAny(name, ", ") || name == "unavailable_after" || strings.HasPrefix(name, "max-"):
			o.obey(v)
		}
	}
}

// safeLine makes untrusted text one clean line of at most so many bytes.
func safeLine(b []byte, most int) string {
	s, _ := safe.Text(string(b[:min(len(b), 4*most)]))
	s = strings.Join(strings.Fields(s), " ")
	return strings.ToValidUTF8(s[:min(len(s), most)], "")
}
