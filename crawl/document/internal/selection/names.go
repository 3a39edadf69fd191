package selection

import (
	"strings"
	"sync"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// roles are what elements are for, told by their names (class, id, role, microdata)
// and tags: the feature is how many levels up the nearest element with the role is.
// A word may stand for several.
var roles = []string{
	"content contents maincontent pagecontent",
	"article articlebody story storybody news newsarticle blogposting",
	"post posts blog blogpost postcontent postbody",
	"entry hentry",
	"body text richtext copy prose markdown wysiwyg rte paragraph",
	"main primary",
	"product products pdp prod sku",
	"description desc summary excerpt intro lead abstract overview details detail",
	"comment comments disqus respond discussion",
	"reply replies thread topic message messages msg forum question answer answers cooked bbcode",
	"review reviews testimonial testimonials rating ratings stars aggregaterating",
	"sidebar side rail aside secondary complementary widget widgets",
	"footer foot bottom contentinfo colophon",
	"nav navigation navbar menu menus submenu megamenu dropdown sitenav menubar menuitem",
	"header head masthead topbar top banner toolbar",
	"share sharing social facebook twitter follow socials",
	"related recommend recommended recommendations recommendation more similar suggested trending popular recent latest also upsell crosssell readnext",
	"ad ads advert advertisement sponsored promo promotion promoted sponsor dfp gpt outbrain taboola",
	"cookie cookies consent gdpr privacy onetrust cmp",
	"newsletter subscribe subscription signup mailchimp optin email",
	"modal popup overlay dialog lightbox drawer offcanvas toast alert tooltip alertdialog",
	"breadcrumb breadcrumbs crumb crumbs breadcrumblist",
	"tag tags category categories label labels badge chip keywords taxonomy",
	"meta info byline author bio avatar profile user username credit person",
	"date time published timestamp posted datepublished",
	"card cards tile tiles teaser",
	"item items row rows result results listitem",
	"grid list listing collection feed gallery catalog listview itemlist",
	"hero jumbotron splash headline title heading",
	"cta button btn buttons action actions controls tools",
	"faq faqs accordion collapse expand toggle tab tabs tabpanel panel",
	"spec specs specification specifications attributes features feature options option variant variants",
	"price prices pricing cart buy checkout stock shipping quantity wishlist compare offer offers",
	"pagination pager paging pages next prev previous",
	"search filter filters facet facets sort refine",
	"login signin account register auth password",
	"slider carousel slick swiper slide slides",
	"toc tableofcontents outline",
	"code highlight syntax example api method function doc docs documentation docstring",
	"caption figcaption figure image img photo media video imageobject",
	"section block module container wrapper component region",
	"skip sr screen reader visually hidden sronly offscreen print noprint",
	"map location address contact phone store hours",
	"service services team about benefits why process steps step",
	"loader loading spinner placeholder skeleton error noscript warning",
	"quote blockquote note notice signature sig",
	"wp elementor wpb vc et shopify woocommerce magento",
}

// Roles of tags follow those of names.
var tagRoles = map[atom.Atom]int{
	atom.Article: 47, atom.Main: 48, atom.Section: 49, atom.Nav: 50, atom.Header: 51, atom.Footer: 52, atom.Aside: 53,
	atom.Form: 54, atom.Ul: 55, atom.Ol: 55, atom.Table: 56, atom.Dl: 57, atom.Details: 58, atom.Blockquote: 59,
	atom.Figure: 60, atom.Pre: 61, atom.Li: roleEntry, atom.P: 63,
}

// asideRoles hold what is never the content of a page: navigation, footers, asides,
// notices and dialogs.
var asideRoles = []int{11, 12, 13, 18, 20, tagRoles[atom.Nav], tagRoles[atom.Footer], tagRoles[atom.Aside]}

const (
	roleComment  = 8
	roleReply    = 9
	roleReview   = 10
	rolePrice    = 32
	roleCard     = 25
	roleEntry    = 62
	roleCount    = 64
	roleNowhere  = 30 // levels up that stand for "no element above has it"
	longestToken = 24 // bytes; longer parts of names are generated
)

// roleSet has a bit for each role.
type roleSet uint64

var roleWords = sync.OnceValue(func() map[string]roleSet {
	m := map[string]roleSet{}
	for role, list := range roles {
		for w := range strings.FieldsSeq(list) {
			m[w] |= 1 << role
		}
	}
	return m
})

// namer reads names, each spelling once.
type namer struct {
	known map[string]roleSet
	words map[string]roleSet
	lower []byte
}

func newNamer() namer { return namer{known: map[string]roleSet{}, words: roleWords()} }

// roles of an element by its own tag and names.
func (m *namer) roles(n *html.Node) roleSet {
	var set roleSet
	if role, ok := tagRoles[n.DataAtom]; ok {
		set = 1 << role
	}
	if n.DataAtom == atom.Body || n.DataAtom == atom.Html {
		return set // templates name the page there, not its parts
	}
	for i := range n.Attr {
		switch a := &n.Attr[i]; a.Key {
		case "class", "id", "role", "itemprop", "itemtype", "data-testid", "data-component", "data-hook":
			set |= m.name(a.Val)
		}
	}
	return set
}

// name reads the words of one attribute: they end at a sign, a digit or a capital
// behind a small letter.
func (m *namer) name(s string) roleSet {
	if set, ok := m.known[s]; ok {
		return set
	}
	var set roleSet
	start := 0
	for i := range len(s) + 1 {
		switch {
		case i == len(s) || !letter(s[i]):
			set |= m.token(s[start:i])
			start = i + 1
		case i > start && s[i] < 'a' && s[i-1] >= 'a':
			set |= m.token(s[start:i])
			start = i
		}
	}
	m.known[s] = set
	return set
}

func letter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

func (m *namer) token(s string) roleSet {
	if len(s) < 2 || len(s) > longestToken {
		return 0
	}
	m.lower = m.lower[:0]
	for i := range len(s) {
		m.lower = append(m.lower, s[i]|0x20)
	}
	return m.words[string(m.lower)]
}
