package document

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
)

// readMarkdown reads a Markdown file. It goes by way of HTML, so that raw HTML in
// the file, hidden text too, is treated as on a page; nothing is selected.
func readMarkdown(ctx context.Context, in Input) (*Document, error) {
	if costly(in.Body) {
		doc, err := readText(ctx, in)
		if err == nil {
			doc.warn("the Markdown nests too deeply and was read as plain text")
		}
		return doc, err
	}
	front, body := frontMatter(in.Body)
	var page bytes.Buffer
	if err := markdown().Convert(body, &page); err != nil {
		return nil, fmt.Errorf("reading Markdown: %w", err)
	}
	root, err := parseHTML(ctx, page.Bytes())
	if err != nil {
		return nil, fmt.Errorf("reading Markdown: %w", err)
	}
	t, err := readTree(ctx, root, baseURL(root, in.URL))
	if err != nil {
		return nil, err
	}
	doc := t.document(nil, in)
	front.describe(doc, in)
	return doc, nil
}

// What no author writes in one file, and what takes a Markdown parser time that
// grows with the square: 64 markers of quotations and lists at the start of a line,
// and paragraphs full of opening brackets. Brackets squared and summed over the
// paragraphs, 50 million take the parser about a second.
const (
	maxMarkers      = 64
	maxBracketsCost = 50_000_000
	// A table has a cell for each of its widest row's columns in every line below,
	// written or not; escaped bars are searched for anew in each cell.
	maxTableCells = 200_000
	maxBars       = 2_000 // in one line
	maxIndent     = 400   // of a list entry, in bytes
)

// costly reports a file built to keep a Markdown parser busy.
func costly(body []byte) bool {
	brackets, cost, columns, cells := 0, 0, 0, 0
	for line := range bytes.Lines(body) {
		if len(bytes.TrimSpace(line)) == 0 {
			brackets, columns, cells = 0, 0, 0 // the paragraph or table ends
			continue
		}
		bars := bytes.Count(line, []byte("|"))
		columns = max(columns, bars)
		if cells += columns; bars > maxBars || cells > maxTableCells || entryIndent(line) > maxIndent {
			return true
		}
		n := bytes.Count(line, []byte("["))
		cost += (brackets+n)*(brackets+n) - brackets*brackets
		if brackets += n; cost > maxBracketsCost || leadingMarkers(line) > maxMarkers {
			return true
		}
	}
	return false
}

// entryIndent is the white space before a list marker, 0 before anything else.
func entryIndent(line []byte) int {
	text := bytes.TrimLeft(line, " \t")
	if len(text) == 0 || bytes.IndexByte([]byte("-*+"), text[0]) < 0 {
		return 0
	}
	return len(line) - len(text)
}

// leadingMarkers counts the markers before a line's text; a line of only dashes or
// stars is a rule.
func leadingMarkers(line []byte) int {
	text := bytes.TrimLeft(line, " \t>-*+.)0123456789\r\n")
	lead := line[:len(line)-len(text)]
	if len(text) == 0 && !bytes.ContainsAny(lead, ">.)") {
		return 0
	}
	n := 0
	for _, c := range lead {
		if bytes.IndexByte([]byte(">-*+.)"), c) >= 0 {
			n++
		}
	}
	return n
}

// markdown is GitHub's flavour with footnotes and definition lists. A converter
// keeps state while it parses headings, so each file has its own.
func markdown() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.Linkify, extension.TaskList, extension.DefinitionList,
			extension.NewFootnote(extension.WithFootnoteBacklinkHTML(""))),
		goldmark.WithParserOptions(parser.WithAutoHeadingID(), parser.WithAttribute()),
		goldmark.WithRendererOptions(html.WithUnsafe()), // the reader drops what is not text
	)
}

// preamble is the front matter of a file: its "key: value" lines.
type preamble map[string][]string

// frontMatter splits off a block between two lines of "---" (or "+++") at the very
// start. Only plain keys with one value, [a, b] or "- a" lines below are read.
func frontMatter(b []byte) (preamble, []byte) {
	rest := bytes.TrimPrefix(b, []byte("\ufeff"))
	line, rest, found := bytes.Cut(rest, []byte("\n"))
	fence := string(bytes.TrimRight(line, " \r"))
	if !found || fence != "---" && fence != "+++" {
		return nil, b
	}
	front, key := preamble{}, ""
	for len(rest) > 0 {
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		s := strings.TrimRight(string(line), " \r")
		if s == fence || s == "..." {
			return front, rest
		}
		key = front.line(s, key)
	}
	return nil, b // never closed: a thematic break, not front matter
}

// line reads one line and returns the key that "- value" lines below belong to.
func (f preamble) line(s, key string) string {
	if entry, ok := strings.CutPrefix(strings.TrimSpace(s), "- "); ok && key != "" {
		f[key] = append(f[key], unquote(entry))
		return key
	}
	if s == "" || s[0] == ' ' || s[0] == '#' {
		return key
	}
	i := strings.IndexAny(s, ":=")
	if i <= 0 {
		return key
	}
	key = strings.ToLower(strings.TrimSpace(s[:i]))
	value := strings.TrimSpace(s[i+1:])
	if list, ok := strings.CutPrefix(value, "["); ok {
		for v := range strings.SplitSeq(strings.TrimSuffix(list, "]"), ",") {
			f[key] = append(f[key], unquote(v))
		}
	} else if value != "" {
		f[key] = append(f[key], unquote(value))
	}
	return key
}

func unquote(s string) string { return strings.Trim(strings.TrimSpace(s), `"'`) }

// describe sets what the front matter says, then what the file itself shows.
func (f preamble) describe(d *Document, in Input) {
	fill := filler{d}
	one := func(field string, dst *string, limit int, keys ...string) {
		for _, k := range keys {
			if v := f[k]; len(v) > 0 {
				fill.set(field, dst, v[0], "front matter", limit)
			}
		}
	}
	one("title", &d.Title, maxTitle, "title")
	for _, key := range []string{"author", "authors"} {
		for _, name := range f[key] {
			fill.addAuthor(name, "front matter")
		}
	}
	for _, key := range []string{"date", "published", "created"} {
		for _, v := range f[key] {
			fill.date("published", &d.Published, v, "front matter")
		}
	}
	for _, key := range []string{"lastmod", "updated", "modified"} {
		for _, v := range f[key] {
			fill.date("modified", &d.Modified, v, "front matter")
		}
	}
	declared := ""
	for _, key := range []string{"language", "lang", "locale"} {
		if v := f[key]; len(v) > 0 && declared == "" {
			declared = tag(v[0])
		}
	}
	fill.language(declared, "front matter")
	fill.describeFile(in)
	d.PageType, d.Provenance["page_type"] = typeOfText(d), "text"
}

// describeFile names a file by its first heading of level 1, else by its name.
func (f filler) describeFile(in Input) {
	for _, b := range f.Blocks {
		if b.Kind == KindHeading && b.Level == 1 {
			f.set("title", &f.Title, b.In(f.Text), "h1", maxTitle)
			break
		}
	}
	f.set("title", &f.Title, fileName(in), "file name", maxTitle)
}
