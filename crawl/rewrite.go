package crawl

import (
	"net/url"
	"regexp"
	"sync"
)

// rewrite leads from the address of a page about a text to the text itself.
type rewrite struct {
	from *regexp.Regexp // of a whole address without its query and fragment
	to   string         // as Regexp.Expand takes it
}

// rewrites are of sites that people name most and whose pages hold little of
// the text, or write it with scripts. Each form is documented by its site.
var rewrites = sync.OnceValue(func() []rewrite {
	var out []rewrite
	for _, r := range [][2]string{
		{`https?://(?:www\.)?arxiv\.org/abs/([^?]+)`, "https://arxiv.org/html/$1"},
		{`https?://(?:www\.)?github\.com/([^/]+/[^/]+)/blob/([^?]+)`, "https://raw.githubusercontent.com/$1/$2"},
		{`https?://gist\.github\.com/([^/]+/[0-9a-f]{20,40})/?`, "https://gist.githubusercontent.com/$1/raw"},
		{`https?://([^/]*gitlab[^/]*)/(.+)/-/blob/([^?]+)`, "https://$1/$2/-/raw/$3"},
		{`https?://bitbucket\.org/([^/]+/[^/]+)/src/([^/]+/[^?]*[^/?])`, "https://bitbucket.org/$1/raw/$2"},
		{`https?://docs\.google\.com/document/d/([\w-]{20,})(?:/edit|/view|/preview)?/?`, "https://docs.google.com/document/d/$1/export?format=html"},
		{`https?://([a-z-]+)\.m\.wikipedia\.org/(.+)`, "https://$1.wikipedia.org/$2"},
	} {
		out = append(out, rewrite{regexp.MustCompile(`^` + r[0] + `$`), r[1]})
	}
	return out
})

// textAt is the address of the text that a page is about, or "" when the page
// itself is the text as far as we know.
func textAt(table []rewrite, address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	u.RawQuery, u.Fragment, u.RawFragment = "", "", ""
	plain := u.String()
	for _, r := range table {
		if m := r.from.FindStringSubmatchIndex(plain); m != nil {
			return string(r.from.ExpandString(nil, r.to, plain, m))
		}
	}
	return ""
}
