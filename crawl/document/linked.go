package document

import (
	"strings"

	"github.com/tidwall/gjson"
)

// Bounds of the JSON-LD of one page.
const (
	maxLinkedBytes = 1 << 20
	maxLinkedDepth = 8
	maxLinkedNodes = 2000
)

// linked is what the page's JSON-LD says of the page (schema.org).
type linked struct {
	types     map[string]bool
	headline  string
	authors   []string
	published string
	modified  string
	publisher string
	prose     strings.Builder // bodies, descriptions, headlines, reviews; a line each
	things    []thing
	nodes     int
	bytes     int
}

// add reads one script element.
func (l *linked) add(script string) {
	script = strings.TrimSpace(script)
	if l.bytes += len(script); l.bytes > maxLinkedBytes || !gjson.Valid(script) {
		return
	}
	l.walk(gjson.Parse(script), 0)
}

// proseFields hold text that the page most likely shows.
var proseFields = []string{"headline", "description", "articleBody", "text", "review.#.reviewBody", "acceptedAnswer.text", "suggestedAnswer.#.text", "comment.#.text"}

func (l *linked) walk(v gjson.Result, depth int) {
	if l.nodes++; depth > maxLinkedDepth || l.nodes > maxLinkedNodes {
		return
	}
	switch {
	case v.IsArray():
		v.ForEach(func(_, e gjson.Result) bool {
			l.walk(e, depth+1)
			return l.nodes <= maxLinkedNodes
		})
	case v.IsObject():
		l.object(v, depth)
	}
}

// object reads an object with a type, and those that describe the page inside it.
func (l *linked) object(v gjson.Result, depth int) {
	kind := ""
	v.Get("@type").ForEach(func(_, t gjson.Result) bool { // one string or a list
		if kind == "" || creative(t.Str) {
			kind = t.Str
		}
		if l.types == nil {
			l.types = map[string]bool{}
		}
		l.types[t.Str] = true
		if _, told := statedKinds[t.Str]; told && len(l.things) < maxThings {
			l.things = append(l.things, thing{t.Str, v})
		}
		return true
	})
	if creative(kind) {
		l.work(v)
	} else if kind == "WebSite" && l.publisher == "" {
		l.publisher = v.Get("name").Str
	}
	for _, field := range proseFields {
		v.Get(field).ForEach(func(_, t gjson.Result) bool { // one string or a list
			l.prose.WriteString(t.Str)
			l.prose.WriteByte('\n')
			return true
		})
	}
	for _, inner := range []string{"@graph", "mainEntity", "mainEntityOfPage"} {
		if e := v.Get(inner); e.Exists() {
			l.walk(e, depth+1)
		}
	}
}

// creative reports types whose dates and authors are the page's.
func creative(kind string) bool {
	return strings.HasSuffix(kind, "Article") || strings.HasSuffix(kind, "Posting") || strings.HasSuffix(kind, "Page") ||
		kind == "Report" || kind == "Recipe" || kind == "Review" || kind == "Question" || kind == "HowTo" || kind == "Dataset" || kind == "Book" || kind == "CreativeWork"
}

func (l *linked) work(v gjson.Result) {
	first := func(dst *string, paths ...string) {
		for _, path := range paths {
			if s := v.Get(path).Str; *dst == "" && s != "" {
				*dst = s
			}
		}
	}
	first(&l.headline, "headline")
	first(&l.published, "datePublished", "dateCreated", "uploadDate")
	first(&l.modified, "dateModified")
	first(&l.publisher, "publisher.name", "publisher.0.name")
	if len(l.authors) == 0 {
		l.author(v.Get("author"))
	}
}

// author reads a name, an object with a name, or a list of these.
func (l *linked) author(v gjson.Result) {
	const most = 50
	switch {
	case len(l.authors) >= most:
	case v.Type == gjson.String:
		l.authors = append(l.authors, v.Str)
	case v.IsArray():
		v.ForEach(func(_, e gjson.Result) bool {
			if !e.IsArray() {
				l.author(e)
			}
			return true
		})
	case v.IsObject():
		if name := v.Get("name"); name.Type == gjson.String {
			l.authors = append(l.authors, name.Str)
		} else if name.IsArray() {
			l.author(name)
		}
	}
}
