package document

import (
	"net/url"
	"strings"

	"deepresearch/internal/safe"
	"deepresearch/internal/text"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Bounds of what a page says about itself, in bytes. Longer values are no titles
// and no names.
const (
	maxTitle = 500
	maxName  = 120
	maxMetas = 500
)

// about is what a page says about itself, unjudged.
type about struct {
	metas     map[string][]string // content by name, property or itemprop, lower case
	ld        linked
	title     string // title element
	h1        []string
	canonical string
	lang      string
	dates     []stamp
	authors   []string // rel=author, itemprop=author, byline
}

// stamp is a time element.
type stamp struct {
	value    string
	property string // itemprop or class, lower case
}

// readAbout collects in one pass over the page.
func readAbout(doc *html.Node) *about {
	a := &about{metas: map[string][]string{}}
	count := 0
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode || n.Namespace != "" {
			continue
		}
		if count++; count > maxNodes {
			break
		}
		a.element(n)
	}
	return a
}

func (a *about) element(n *html.Node) {
	switch n.DataAtom {
	case atom.Html:
		a.lang = attr(n, "lang")
	case atom.Title:
		if a.title == "" {
			a.title = nodeText(n)
		}
	case atom.Meta:
		a.meta(n)
	case atom.Link:
		if attr(n, "rel") == "canonical" && a.canonical == "" {
			a.canonical = attr(n, "href")
		}
	case atom.Script:
		if n.FirstChild != nil && strings.HasPrefix(attr(n, "type"), "application/ld+json") {
			a.ld.add(n.FirstChild.Data)
		}
	case atom.H1:
		if len(a.h1) < 3 && !look(n).hidden && !look(n).mute {
			a.h1 = append(a.h1, nodeText(n))
		}
	case atom.Time:
		if v := attr(n, "datetime"); v != "" && len(a.dates) < 50 {
			a.dates = append(a.dates, stamp{v, strings.ToLower(attr(n, "itemprop") + " " + attr(n, "class"))})
		}
	default:
		a.byline(n)
	}
}

func (a *about) meta(n *html.Node) {
	content := attr(n, "content")
	if content == "" || len(a.metas) > maxMetas {
		return
	}
	for _, key := range []string{"name", "property", "itemprop", "http-equiv"} {
		if name := strings.ToLower(attr(n, key)); name != "" {
			a.metas[name] = append(a.metas[name], content)
			return
		}
	}
}

// byline reads the elements that name an author.
func (a *about) byline(n *html.Node) {
	if len(a.authors) >= 10 || len(n.Attr) == 0 {
		return
	}
	named := strings.Contains(attr(n, "rel"), "author") || attr(n, "itemprop") == "author"
	for c := range strings.FieldsSeq(attr(n, "class")) {
		switch strings.ToLower(c) {
		case "byline", "author", "author-name", "byline-name", "post-author", "entry-author", "article-author", "p-author", "byline__name", "author__name":
			named = true
		}
	}
	if !named {
		return
	}
	name := strings.TrimSpace(nodeText(n))
	for _, by := range []string{"Written by ", "By ", "by ", "By: ", "Von ", "Par ", "Por "} {
		name = strings.TrimPrefix(name, by)
	}
	if len(strings.Fields(name)) <= 6 {
		a.authors = append(a.authors, name)
	}
}

// describe fills in the document's fields, each from its first source that has a
// value: structured data, scholarly meta tags, social meta tags, the page's text,
// the address. (The order is that of the study in which dates of all sources were
// compared: what is written for machines first.)
func (a *about) describe(d *Document, in Input) {
	f := filler{Document: d}
	a.describeTitle(f, in)
	a.describeAuthors(f)
	a.describeDates(f, in.URL)
	a.describePlace(f, in.URL)
	a.describeLanguage(f)
	d.PageType, d.Provenance["page_type"] = a.pageType(d, in.URL)
}

// filler sets fields that are still empty.
type filler struct{ *Document }

// set sets the field at dst unless it has a value; it reports whether it has one.
func (f filler) set(field string, dst *string, value, from string, limit int) bool {
	if *dst != "" {
		return true
	}
	if value = oneLine(value); value == "" || len(value) > limit {
		return false
	}
	if safe.Orders(value) {
		f.warn("the %s of the page (%s) gives orders to a model and was not used", field, from)
		return false
	}
	*dst = value
	f.Provenance[field] = from
	return true
}

// oneLine cleans a value for a field.
func oneLine(s string) string {
	if strings.ContainsRune(s, '&') {
		s = html.UnescapeString(s)
	}
	s, _ = safe.Text(s)
	return strings.Join(strings.Fields(s), " ")
}

// fromMetas sets a field from the first of the named meta tags that has a value.
func (a *about) fromMetas(f filler, field string, dst *string, limit int, names ...string) bool {
	for _, name := range names {
		if v := a.metas[name]; len(v) > 0 && f.set(field, dst, v[0], "meta "+name, limit) {
			return true
		}
	}
	return *dst != ""
}

func (a *about) describeTitle(f filler, in Input) {
	if a.fromMetas(f, "title", &f.Title, maxTitle, "citation_title", "dc.title") {
		return
	}
	title := oneLine(a.title)
	if len(a.h1) == 1 && inTitle(title, oneLine(a.h1[0])) && f.set("title", &f.Title, a.h1[0], "h1", maxTitle) {
		return
	}
	if f.set("title", &f.Title, a.ld.headline, "json-ld", maxTitle) {
		return
	}
	if v := a.metas["og:title"]; len(v) > 0 && f.set("title", &f.Title, a.withoutSite(v[0]), "meta og:title", maxTitle) {
		return
	}
	if f.set("title", &f.Title, a.withoutSite(title), "title element", maxTitle) {
		return
	}
	f.describeFile(Input{Name: in.Name}) // the last part of an address is no title
}

// inTitle reports a heading that the title element repeats, beside the site's name.
func inTitle(title, heading string) bool {
	title, heading = strings.ToLower(title), strings.ToLower(heading)
	return heading != "" && (title == heading || strings.HasPrefix(title, heading+" ") || len(heading) > 3 && strings.Contains(title, heading))
}

// withoutSite cuts the site's name off a title: behind or in front of a separator.
func (a *about) withoutSite(title string) string {
	title = oneLine(title)
	site := ""
	if v := a.metas["og:site_name"]; len(v) > 0 {
		site = oneLine(v[0])
	}
	for _, sep := range []string{" | ", " - ", " – ", " — ", " · ", " :: ", " » ", " • "} {
		i := strings.LastIndex(title, sep)
		if i <= 0 {
			continue
		}
		head, tail := title[:i], title[i+len(sep):]
		if strings.EqualFold(tail, site) || sep == " | " && len(strings.Fields(tail)) <= 4 && len(head) > len(tail) {
			return head
		}
		if first, rest, ok := strings.Cut(title, sep); ok && strings.EqualFold(first, site) {
			return rest
		}
	}
	return title
}

func (a *about) describeAuthors(f filler) {
	for _, s := range []struct {
		from   string
		values []string
	}{
		{"meta citation_author", a.metas["citation_author"]},
		{"json-ld", a.ld.authors},
		{"meta dc.creator", a.metas["dc.creator"]},
		{"meta author", splitNames(a.metas["author"])},
		{"meta article:author", a.metas["article:author"]},
		{"meta parsely-author", a.metas["parsely-author"]},
		{"byline", a.authors},
	} {
		for _, name := range s.values {
			f.addAuthor(name, s.from)
		}
		if len(f.Author) > 0 {
			return
		}
	}
}

// addAuthor adds a name that can be one.
func (f filler) addAuthor(name, from string) {
	const most = 50
	name = oneLine(name)
	if name == "" || len(name) > maxName || len(f.Author) >= most || strings.Contains(name, "://") || strings.HasPrefix(name, "@") || strings.HasPrefix(name, "www.") {
		return
	}
	switch strings.ToLower(name) {
	case "admin", "administrator", "unknown", "null", "none", "staff", "editor", "guest":
		return
	}
	if safe.Orders(name) {
		f.warn("an author of the page (%s) gives orders to a model and was not used", from)
		return
	}
	for _, known := range f.Author {
		if strings.EqualFold(known, name) {
			return
		}
	}
	f.Author = append(f.Author, name)
	f.Provenance["author"] = from
}

// splitNames takes "A. Jones, B. Smith and C. Wu" apart.
func splitNames(values []string) []string {
	var out []string
	for _, v := range values {
		v = strings.ReplaceAll(strings.ReplaceAll(v, " and ", ", "), " & ", ", ")
		for name := range strings.SplitSeq(v, ",") {
			out = append(out, name)
		}
	}
	return out
}

func (a *about) describePlace(f filler, page string) {
	base, err := url.Parse(page)
	if err != nil {
		base = &url.URL{}
	}
	if u := absolute(base, a.canonical); u != "" {
		f.set("canonical", &f.Canonical, u, "link canonical", 4096)
	} else if v := a.metas["og:url"]; len(v) > 0 {
		f.set("canonical", &f.Canonical, absolute(base, v[0]), "meta og:url", 4096)
	}
	if a.fromMetas(f, "site", &f.Site, maxName, "citation_journal_title", "og:site_name", "application-name") {
		return
	}
	if !f.set("site", &f.Site, a.ld.publisher, "json-ld", maxName) {
		f.set("site", &f.Site, strings.TrimPrefix(base.Hostname(), "www."), "address", maxName)
	}
}

func (a *about) describeLanguage(f filler) {
	declared, from := tag(a.lang), "html lang"
	if declared == "" && len(a.metas["content-language"]) > 0 {
		declared, from = tag(a.metas["content-language"][0]), "meta content-language"
	}
	if declared == "" && len(a.metas["og:locale"]) > 0 {
		declared, from = tag(a.metas["og:locale"][0]), "meta og:locale"
	}
	f.language(declared, from)
}

// language sets the declared language, unless the text speaks another one of those
// that are told apart well: templates say "en" on pages of every language.
func (f filler) language(declared, from string) {
	guess := text.Language(f.Text)
	base, _, _ := strings.Cut(declared, "-")
	const enough = 300 // bytes of text to overrule the page
	known := "en de fr es it pt nl zh ja ko ru uk ar he el hi th"
	overruled := guess != "und" && guess != base && len(f.Text) >= enough && strings.Contains(known, base)
	switch {
	case declared != "" && !overruled:
		f.Language, f.Provenance["language"] = declared, from
	case guess != "und":
		f.Language, f.Provenance["language"] = guess, "text"
	}
}

// tag brings a language tag to its usual spelling: en_us and EN-us become en-US,
// zh-cn zh-CN, zh-hans zh-Hans; "" for what is no tag.
func tag(s string) string {
	parts := strings.FieldsFunc(strings.TrimSpace(s), func(r rune) bool { return r == '-' || r == '_' })
	if len(parts) == 0 || len(parts) > 4 || len(parts[0]) < 2 || len(parts[0]) > 3 {
		return ""
	}
	for i, p := range parts {
		for _, r := range p {
			if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9') {
				return ""
			}
		}
		p = strings.ToLower(p)
		switch {
		case i > 0 && len(p) == 2:
			p = strings.ToUpper(p)
		case i > 0 && len(p) == 4:
			p = strings.ToUpper(p[:1]) + p[1:]
		}
		parts[i] = p
	}
	return strings.Join(parts, "-")
}
