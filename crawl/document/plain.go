package document

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"strings"
	"unicode/utf8"

	"deepresearch/internal/safe"
	"deepresearch/internal/text"
)

// readText reads plain text. Blank lines part paragraphs. Newlines inside a
// paragraph become blanks when its lines look wrapped by a program, and stay
// otherwise (verse, addresses, lists); a paragraph with each line indented by four
// columns is code.
func readText(ctx context.Context, in Input) (*Document, error) {
	var d draft
	body, removed := clean(in.Body)
	for para := range paragraphs(body) {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if indented(para) {
			for _, line := range para {
				d.verbatim(strings.TrimRight(line, " \t") + "\n")
			}
			d.flush(Block{Kind: KindCode})
			continue
		}
		wrapped := hardWrapped(para)
		for _, line := range para {
			d.write(line)
			if wrapped {
				d.space = true
			} else {
				d.newline()
			}
		}
		d.flush(Block{Kind: KindParagraph})
	}
	return d.file(in, removed), nil
}

// clean makes untrusted bytes into text with "\n" for all line ends.
func clean(body []byte) (string, safe.Removed) {
	return safe.Text(strings.TrimPrefix(string(body), "\ufeff"))
}

// paragraphs yields the lines between blank lines.
func paragraphs(s string) func(yield func([]string) bool) {
	return func(yield func([]string) bool) {
		var para []string
		for line := range strings.SplitSeq(s, "\n") {
			if strings.TrimSpace(line) != "" {
				para = append(para, line)
				continue
			}
			if len(para) > 0 && !yield(para) {
				return
			}
			para = nil
		}
		if len(para) > 0 {
			yield(para)
		}
	}
}

func indented(para []string) bool {
	for _, line := range para {
		if !strings.HasPrefix(line, "    ") && !strings.HasPrefix(line, "\t") {
			return false
		}
	}
	return true
}

// hardWrapped reports lines that a program broke at a column: all but the last are
// 45 to 100 characters long and nearly as long as the longest, and none begins like
// a list entry or table row.
func hardWrapped(para []string) bool {
	if len(para) < 2 {
		return false
	}
	longest := 0
	for i, line := range para {
		if strings.ContainsAny(line[:1], "-*+|>#•") || i > 0 && (line[0] == ' ' || line[0] == '\t') {
			return false
		}
		longest = max(longest, utf8.RuneCountInString(line))
	}
	if longest < 45 || longest > 100 {
		return false
	}
	for _, line := range para[:len(para)-1] {
		if utf8.RuneCountInString(line)*4 < longest*3 {
			return false
		}
	}
	return true
}

// readCode reads source code as blocks of code, cut at blank lines before a line
// that is not indented: about one declaration each.
func readCode(_ context.Context, in Input, language string) (*Document, error) {
	var d draft
	body, removed := clean(in.Body)
	blank := false
	for line := range strings.SplitSeq(body, "\n") {
		line = strings.TrimRight(line, " \t")
		if line == "" {
			blank = true
		} else {
			if blank && line[0] != ' ' && line[0] != '\t' && line[0] != '}' && line[0] != ')' {
				d.flush(Block{Kind: KindCode, Language: language})
			}
			blank = false
		}
		d.verbatim(line + "\n")
	}
	d.flush(Block{Kind: KindCode, Language: language})
	return d.file(in, removed), nil
}

// readTable reads CSV or TSV: one row a record, the first one headers.
func readTable(ctx context.Context, in Input, media string) (*Document, error) {
	body, removed := clean(in.Body)
	r := csv.NewReader(strings.NewReader(body))
	r.Comma = comma(body, media)
	r.FieldsPerRecord, r.LazyQuotes, r.ReuseRecord = -1, true, true
	var d draft
	for n := 0; ; n++ {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return d.file(in, removed), nil
		}
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", media, err)
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		d.row(record, 1, n == 0)
	}
}

// comma is the separator: the one most frequent in the first line.
func comma(body, media string) rune {
	if media == "text/tab-separated-values" {
		return '\t'
	}
	line, _, _ := strings.Cut(body, "\n")
	best := ','
	for _, c := range []rune{';', '\t'} {
		if strings.Count(line, string(c)) > strings.Count(line, string(best)) {
			best = c
		}
	}
	return best
}

// row writes one row of the table with a number.
func (d *draft) row(fields []string, table int, header bool) {
	if strings.TrimSpace(strings.Join(fields, "")) == "" {
		return
	}
	b := Block{Kind: KindRow, Table: table, Header: header}
	for i, f := range fields {
		if i > 0 {
			d.space = false
			d.buf = append(d.buf, " | "...)
		}
		start := len(d.buf)
		d.write(f)
		d.space = false
		b.Cells = append(b.Cells, trim(d.buf, text.Span{Start: start, End: len(d.buf)}))
	}
	if d.flush(b) {
		d.blocks[len(d.blocks)-1].fitCells()
	}
}

// readJSON reads JSON: a list of flat objects as rows, anything else as code,
// indented when it came on one line.
func readJSON(ctx context.Context, in Input) (*Document, error) {
	if doc := jsonRows(in); doc != nil {
		return doc, nil
	}
	var out bytes.Buffer
	const shallow = 50 // indentation of deeper JSON would be most of the text
	if bytes.Count(in.Body, []byte("\n")) < 3 && depth(in.Body) <= shallow && json.Indent(&out, in.Body, "", "  ") == nil {
		in.Body = out.Bytes()
	}
	return readCode(ctx, in, "json")
}

// depth is the deepest nesting of brackets, those inside strings counted too.
func depth(b []byte) int {
	deepest, open := 0, 0
	for _, c := range b {
		switch c {
		case '{', '[':
			open++
			deepest = max(deepest, open)
		case '}', ']':
			open--
		}
	}
	return deepest
}

// file makes the document of a file.
func (d *draft) file(in Input, removed safe.Removed) *Document {
	doc := &Document{Provenance: map[string]string{}}
	doc.Text, doc.Blocks, doc.Images = d.finish(nil)
	doc.warnRemoved(removed.Hidden(), removed.Invalid)
	filler{doc}.language("", "")
	filler{doc}.describeFile(in)
	doc.PageType, doc.Provenance["page_type"] = typeOfText(doc), "text"
	return doc
}

// fileName is the name of the file or the last part of the address.
func fileName(in Input) string {
	if in.Name != "" {
		return path.Base(strings.ReplaceAll(in.Name, `\`, "/"))
	}
	u, err := url.Parse(in.URL)
	if err != nil || u.Path == "" || u.Path == "/" {
		return ""
	}
	return path.Base(u.Path)
}
