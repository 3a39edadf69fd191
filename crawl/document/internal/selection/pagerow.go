package selection

import (
	"net/url"
	"strings"

	"golang.org/x/net/html/atom"
)

// typeWords are JSON-LD types by the kind of page they stand on.
var typeWords = [...][]string{
	{"Article", "BlogPosting", "NewsArticle", "TechArticle", "ScholarlyArticle"},
	{"Product", "ProductGroup", "Offer"},
	{"DiscussionForumPosting", "QAPage", "Question"},
	{"ItemList", "CollectionPage", "ProductCollection", "OfferCatalog"},
	{"Service", "LocalBusiness", "ProfessionalService"},
	{"Organization", "Corporation"},
	{"BreadcrumbList"},
	{"FAQPage"},
	{"Recipe", "HowTo"},
}

// addressWords are parts of host and path by the kind of page they lead to.
var addressWords = [...][]string{
	{"forum", "thread", "topic", "/t/", "community", "discuss", "answers", "question", "viewtopic", "showthread"},
	{"/product", "/p/", "/dp/", "/item", "/pd/"},
	{"/collection", "/category", "/categories", "/c/", "/cat/", "/shop", "/tag/", "/browse"},
	{"docs", "/doc/", "/api", "reference", "manual", "wiki", "guide", "readthedocs"},
	{"blog", "news", "/post", "/article", "/20"},
	{"service", "solution", "about", "location", "/our-"},
}

// writePage: what the page is, in every row alike.
func (s *Sheet) writePage(w *writer) {
	root, prose := &s.elems[0], &s.elems[s.prose]
	w.put("page words", s.total)
	w.put("page blocks", float64(len(s.blocks)))
	w.put("page link share", root.linkWords/s.total)
	w.put("page sentences", root.sentenceWords/s.total)
	w.put("page sentence words", root.sentenceWords)
	w.put("prose share", prose.words/s.total)
	w.put("prose share of sentences", prose.sentenceWords/(root.sentenceWords+1))
	w.put("prose link share", prose.linkWords/(prose.words+1))
	s.writeMix(w)
	s.writeCounts(w)
	s.writeClaims(w)
	s.writeAddress(w)
}

// writeMix: how the words of the page are spread over kinds of block.
func (s *Sheet) writeMix(w *writer) {
	var paragraphs, entries, headings, rows, code, alike float64
	for i, b := range s.blocks {
		e := &s.elems[b.Elem]
		words := s.weight(i)
		switch {
		case e.tag == atom.P:
			paragraphs += words
		case e.roles[roleEntry] < 5:
			entries += words
		case e.tag == atom.Td || b.Kind == "row":
			rows += words
		case s.level(b) > 0:
			headings += words
		case b.Kind == "code":
			code += words
		}
		if e.alike > 3 && e.tag != atom.P {
			alike += words
		}
	}
	w.put("page paragraphs", paragraphs/s.total)
	w.put("page entries", entries/s.total)
	w.put("page headings", headings/s.total)
	w.put("page rows", rows/s.total)
	w.put("page code", code/s.total)
	w.put("page alike", alike/s.total)
}

// writeCounts: elements that tell what a page is.
func (s *Sheet) writeCounts(w *writer) {
	var articles, sections, h2, h3, forms, comments, reviews, prices, cards float64
	for i := range s.elems {
		e := &s.elems[i]
		switch e.tag {
		case atom.Article:
			articles++
		case atom.Section:
			sections++
		case atom.H2:
			h2++
		case atom.H3:
			h3++
		case atom.Form:
			forms++
		}
		if e.roles[roleComment] == 0 || e.roles[roleReply] == 0 {
			comments++
		}
		if e.roles[roleReview] == 0 {
			reviews++
		}
		if e.roles[rolePrice] == 0 {
			prices++
		}
		if e.roles[roleCard] == 0 {
			cards++
		}
	}
	w.put("articles", articles)
	w.put("sections", sections)
	w.put("second headings", h2)
	w.put("third headings", h3)
	w.put("forms", forms)
	w.put("comments", comments)
	w.put("reviews", reviews)
	w.put("prices", prices)
	w.put("cards", cards)
}

// writeClaims: what the page says that it is.
func (s *Sheet) writeClaims(w *writer) {
	w.flag("og article", strings.Contains(s.page.OpenGraph, "article"))
	w.flag("og product", strings.Contains(s.page.OpenGraph, "product"))
	w.flag("og website", s.page.OpenGraph == "website")
	for _, types := range typeWords {
		claimed := false
		for _, t := range types {
			claimed = claimed || s.page.Types[t]
		}
		w.flag("json-ld "+types[0], claimed)
	}
	w.put("structured bytes", float64(len(s.page.Structured)))
	w.put("title bytes", float64(len(s.page.Title)))
	w.put("description bytes", float64(len(s.page.Description)))
}

// writeAddress: its URL.
func (s *Sheet) writeAddress(w *writer) {
	u, err := url.Parse(s.page.URL)
	if err != nil {
		u = &url.URL{}
	}
	path := strings.ToLower(u.Path)
	parts := strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
	last := ""
	if len(parts) > 0 {
		last = parts[len(parts)-1]
	}
	w.put("address parts", float64(len(parts)))
	w.put("address last part", float64(len(last)))
	w.put("address dashes", float64(strings.Count(last, "-")))
	w.put("address query", float64(len(u.RawQuery)))
	where := strings.ToLower(u.Host) + path
	for _, words := range addressWords {
		found := false
		for _, part := range words {
			found = found || strings.Contains(where, part)
		}
		w.flag("address "+words[0], found)
	}
}
