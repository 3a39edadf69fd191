package mcpserver

import (
	"regexp"
	"strings"
	"sync"

	"deepresearch/internal/search"
	"deepresearch/internal/search/wire"
)

// onceRegexp compiles a pattern when it is first needed.
func onceRegexp(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

var (
	// address matches a link in Markdown, with its words, or a bare address.
	address = onceRegexp(`\[([^\[\]]*)\]\((https?://[^\s<>")]+)[^)]*\)|(https?://[^\s<>"'\[\]{}|` + "`" + `]+)`)
	// label matches the name of a field at the beginning of a line.
	label = onceRegexp(`^(?i)(title|name|url|link|source|href|snippet|description|summary|content|text|highlights|published|published date|date|author)\s*[:：]\s*`)
	// bullet matches what stands before an entry of a list.
	bullet = onceRegexp(`^(?:[-*+•>#\s]+|\(?[0-9]{1,3}[.):\]]\s+|\[[0-9]{1,3}\]\s+)+`)
)

// inText reads results from text for people: an entry begins with a title or an
// address, and what follows up to an empty line describes it. A text that a
// field of its name begins goes on to the next title or address.
func inText(said string) []search.Result {
	r := textReader{seen: map[string]bool{}}
	for line := range strings.Lines(said) {
		if len(r.results) > mostResults {
			break
		}
		r.line(strings.TrimSpace(line))
	}
	return r.done()
}

// textReader reads one line after the other.
type textReader struct {
	results []search.Result
	seen    map[string]bool
	open    bool   // lines without a label belong to the last result
	whole   bool   // so do those after an empty line
	title   string // of the result to come
}

// line reads one line.
func (r *textReader) line(s string) {
	s = bullet().ReplaceAllString(s, "")
	if s == "" {
		r.open = r.whole
		return
	}
	field := ""
	if m := label().FindStringSubmatchIndex(plain(s)); m != nil {
		s = plain(s)
		field, s = strings.ToLower(s[m[2]:m[3]]), s[m[1]:]
	}
	switch field {
	case "title", "name":
		r.title, r.open, r.whole = plain(s), false, false
		return
	case "published", "published date", "date":
		r.date(s)
		return
	case "author":
		return
	case "snippet", "description", "summary", "content", "text", "highlights":
		r.open, r.whole = true, true
		r.describe(s)
		return
	}
	if m := address().FindStringSubmatch(s); m != nil {
		r.begin(s, m)
		return
	}
	if r.open {
		r.describe(s)
		return
	}
	r.title = plain(s)
}

// begin opens a result at a line that holds an address.
func (r *textReader) begin(s string, m []string) {
	before, after, _ := strings.Cut(s, m[0])
	words, url := strings.TrimSpace(m[1]), m[2]
	if url == "" {
		url = strings.TrimRight(m[3], ".,;:!?)*_")
	}
	if r.seen[url] || r.open && r.whole && len(strings.TrimSpace(before)) > 0 { // a link inside a text
		r.describe(s)
		return
	}
	if words == "" {
		words = strings.Trim(plain(before), " :：-–—|(")
	}
	if words == "" {
		words = r.title
	}
	r.seen[url] = true
	r.results = append(r.results, search.Result{Title: words, URL: url})
	r.title, r.open, r.whole = "", true, false
	r.describe(strings.Trim(plain(after), " :：-–—|)"))
}

// describe adds words to the last result.
func (r *textReader) describe(s string) {
	if n := len(r.results); n > 0 && s != "" {
		last := &r.results[n-1]
		last.Raw += plain(s) + "\n"
	}
}

func (r *textReader) date(s string) {
	if n := len(r.results); n > 0 && r.results[n-1].Published == "" {
		r.results[n-1].Published = wire.Date(s)
	}
}

// done returns the results, with the beginning of what was said of each as its
// snippet.
func (r *textReader) done() []search.Result {
	for i := range r.results {
		one := &r.results[i]
		one.Snippet, one.Raw = strings.Join(strings.Fields(one.Raw), " "), ""
		*one = wire.Shortened(*one)
	}
	return webPages(r.results)
}

// plain takes out the marks of Markdown around words.
func plain(s string) string {
	return strings.TrimSpace(strings.NewReplacer("**", "", "__", "", "`", "").Replace(s))
}
