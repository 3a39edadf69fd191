package tools

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"deepresearch/research"
)

// How much Markdown one answer carries. Hosts warn at about 10,000 tokens and
// cut at 25,000; 20,000 characters are 5,000 tokens of English and at most
// 20,000 of Chinese. The bytes leave room for the lists in the structured result.
const (
	pageChars = 20_000
	pageBytes = 24_000
)

// page is a part of a text.
type page struct {
	text   string
	start  int    // byte offset in the text
	cursor string // of the rest; empty when there is none
	total  int    // bytes of the text
}

// pageFrom cuts the page at cursor out of a text, at a border between blocks
// where there is one. limit is at most pageBytes.
func pageFrom(full, cursor string, limit int) (page, error) {
	full = strings.ToValidUTF8(full, "\uFFFD")
	start := 0
	if cursor != "" {
		n, err := strconv.Atoi(cursor)
		if err != nil || n < 0 || n >= max(len(full), 1) || !utf8.RuneStart((full + " ")[n]) {
			return page{}, &research.InputError{Field: "cursor", Reason: "it leads nowhere in this text", Fix: "use next_cursor of the answer before, or leave it out to begin anew"}
		}
		start = n
	}
	rest := full[start:]
	p := page{text: rest, start: start, total: len(full)}
	end := fitting(rest, limit)
	if end < len(rest) {
		end = border(rest, end)
	}
	if end < len(rest) {
		p.text, p.cursor = rest[:end], strconv.Itoa(start+end)
	}
	return p, nil
}

// fitting is how many bytes of s keep all limits, on a rune boundary. As a JSON
// string, where marks of HTML take six bytes each, it may be an eighth longer.
func fitting(s string, limit int) int {
	chars, encoded, longest := 0, 2, limit+limit/8
	for i, r := range s {
		size := utf8.RuneLen(r)
		chars++
		encoded += encodedSize(r, size)
		if chars > pageChars || i+size > limit || encoded > longest {
			return i
		}
	}
	return len(s)
}

// encodedSize is how many bytes encoding/json writes for a rune in a string.
func encodedSize(r rune, size int) int {
	switch {
	case r == '\n' || r == '\t' || r == '\r' || r == '"' || r == '\\':
		return 2
	case r < ' ' || r == '<' || r == '>' || r == '&' || r == '\u2028' || r == '\u2029' || r == utf8.RuneError:
		return 6
	}
	return size
}

// border is the best place to cut s at or before end: before a block that is not
// inside a code fence, else after a line, else after a space. A border in the
// first half is too early to be worth it.
func border(s string, end int) int {
	block := 0
	fenced := false
	for at := 0; at < end; {
		line, _, found := strings.Cut(s[at:], "\n")
		if at > 0 && !fenced && line == "" {
			block = min(at+1, end)
		}
		if strings.HasPrefix(strings.TrimLeft(line, " "), "```") {
			fenced = !fenced
		}
		if !found {
			break
		}
		at += len(line) + 1
	}
	if block > end/2 {
		return block
	}
	for _, sep := range []string{"\n", " "} {
		if i := strings.LastIndex(s[:end], sep); i > end/2 {
			return i + 1
		}
	}
	return max(end, firstRune(s))
}

// firstRune is the length of the first rune: a page is never empty.
func firstRune(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	return n
}

// section is a part of a report under a heading.
type section struct {
	title string
	text  string // with its heading
}

// sections cuts a report at its second-level headings. What stands before the
// first one belongs to none.
func sections(report string) []section {
	var out []section
	fenced := false
	for line := range strings.Lines(report) {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if title, ok := strings.CutPrefix(line, "## "); ok && !fenced {
			out = append(out, section{title: strings.TrimSpace(title)})
		}
		if len(out) > 0 {
			out[len(out)-1].text += line
		}
	}
	return out
}

// quote writes a value for a sentence.
func quote(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}
