package document

import (
	"net/url"
	"slices"
	"strings"
)

// typeRule claims a page for a type when one of its signs is there. The rules are
// asked in order and the first wins.
type typeRule struct {
	page  string
	types []string // JSON-LD types
	og    []string // og:type
	made  []string // parts of meta generator, lower case
	host  []string // parts of the host, with dots
	path  []string // parts of the path
}

var typeRules = []typeRule{
	{page: PageForum, types: []string{"DiscussionForumPosting", "QAPage"}, made: []string{"discourse", "phpbb", "vbulletin", "xenforo", "flarum", "mybb", "nodebb"},
		host: []string{"forum.", "forums.", "community.", "discuss.", "stackoverflow.", "stackexchange.", "reddit."}, path: []string{"/forum/", "/forums/", "/viewtopic", "/showthread", "/threads/", "/questions/"}},
	{page: PageProduct, types: []string{"Product", "ProductGroup"}, og: []string{"product", "og:product", "product.item"}, path: []string{"/product/", "/products/", "/dp/", "/p/", "/itm/"}},
	{page: PageDocumentation, types: []string{"TechArticle", "APIReference"}, made: []string{"sphinx", "mkdocs", "docusaurus", "gitbook", "vitepress", "hugo-docs", "mintlify", "antora", "mdbook", "starlight", "readme.io"},
		host: []string{"docs.", "doc.", "developer.", "developers.", "devdocs.", "readthedocs.", "wiki.", "learn.", "man7."}, path: []string{"/docs/", "/doc/", "/documentation/", "/manual/", "/api/", "/reference/", "/guide/", "/ref/", "/man/"}},
	{page: PageArticle, types: []string{"Article", "NewsArticle", "BlogPosting", "ScholarlyArticle", "Report", "Recipe", "Review", "LiveBlogPosting"}, path: []string{"/wiki/"}},
	{page: PageCollection, og: []string{"product.group"}, path: []string{"/collections/", "/shop/", "/category/", "/categories/", "/c/", "/departments/"}},
	{page: PageService, types: []string{"Service", "LocalBusiness", "ProfessionalService", "SoftwareApplication"}, path: []string{"/services/", "/service/", "/solutions/", "/pricing", "/features"}},
	{page: PageListing, types: []string{"ItemList", "SearchResultsPage"}, path: []string{"/tag/", "/tags/", "/topics/", "/search", "/archive", "/events"}},
	{page: PageArticle, og: []string{"article"}},
}

// pageType applies the rules, then looks at the text.
func (a *about) pageType(d *Document, page string) (kind, from string) {
	u, err := url.Parse(page)
	if err != nil {
		u = &url.URL{}
	}
	og, made := "", ""
	if v := a.metas["og:type"]; len(v) > 0 {
		og = strings.ToLower(v[0])
	}
	if v := a.metas["generator"]; len(v) > 0 {
		made = strings.ToLower(v[0])
	}
	for _, r := range typeRules {
		if from := r.claims(a.ld.types, og, made, u); from != "" {
			return r.page, from
		}
	}
	return typeOfText(d), "text"
}

// claims names the sign that was found, "" without one.
func (r typeRule) claims(types map[string]bool, og, made string, u *url.URL) string {
	for _, t := range r.types {
		if types[t] {
			return "json-ld"
		}
	}
	if slices.Contains(r.og, og) {
		return "meta og:type"
	}
	for _, m := range r.made {
		if strings.Contains(made, m) {
			return "meta generator"
		}
	}
	for _, h := range r.host {
		if strings.HasPrefix(u.Host, h) || strings.Contains(u.Host, "."+h) {
			return "address"
		}
	}
	for _, p := range r.path {
		if strings.Contains(u.Path+"/", p) {
			return "address"
		}
	}
	return ""
}

// typeOfText judges by the blocks: mostly rows or code is reference, mostly links
// is a listing.
func typeOfText(d *Document) string {
	rows, linked := 0, 0
	for _, b := range d.Blocks {
		if b.Kind == KindRow || b.Kind == KindCode {
			rows += b.Len()
		}
		for _, in := range b.Inline {
			if in.Kind == InlineLink {
				linked += in.Len()
			}
		}
	}
	switch {
	case rows*2 > len(d.Text):
		return PageReference
	case linked*2 > len(d.Text):
		return PageListing
	}
	return PageArticle
}
