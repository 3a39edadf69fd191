package document

import (
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
	"golang.org/x/net/html"

	"deepresearch/internal/text"
)

// Bounds of what is taken from a page's structured data into its text.
const (
	maxThings      = 30
	maxStated      = 20_000 // bytes in all
	maxStatedValue = 2_000
	maxStatedList  = 100
)

// thing is an object of the page's JSON-LD that people read pages for.
type thing struct {
	kind string
	v    gjson.Result
}

// statedKinds are the types of schema.org that are read, with the heading under
// which what the page does not show is told.
var statedKinds = map[string]struct {
	heading string
	tell    func(*statement, gjson.Result)
}{
	"Product":     {"Product data", (*statement).product},
	"Recipe":      {"Recipe data", (*statement).recipe},
	"Event":       {"Event data", (*statement).event},
	"FAQPage":     {"Questions and answers", (*statement).questions},
	"Article":     {"Text of the article", (*statement).article},
	"NewsArticle": {"Text of the article", (*statement).article},
	"BlogPosting": {"Text of the article", (*statement).article},
}

// statement adds blocks for what structured data says and the text does not.
// Such blocks come last and under a heading that says where they are from: a
// reader of the page may not find them.
type statement struct {
	*Document
	shown   string // all visible text of the page, normalised
	words   map[string]bool
	numbers []text.Number
	heading string // to be written before the first block
	bytes   int
}

// state adds what the page's data says of the one thing the page is about.
// visible is all text of the page, also what is not part of d.
func (a *about) state(d *Document, visible string) {
	kinds := map[string]int{}
	for _, t := range a.ld.things {
		kinds[t.kind]++
	}
	var s *statement
	for _, t := range a.ld.things {
		if kinds[t.kind] > 1 { // a list of things, which the page shows as one
			continue
		}
		if s == nil {
			s = &statement{Document: d, shown: text.Normalize(visible), numbers: text.Numbers(visible), words: map[string]bool{}}
			for _, w := range text.Words(visible) {
				s.words[w] = true
			}
		}
		kind := statedKinds[t.kind]
		s.heading = kind.heading + " (not shown on the page)"
		kind.tell(s, t.v)
	}
	if s != nil && s.bytes > 0 {
		d.Provenance["stated"] = "json-ld"
	}
}

// add appends a block unless the page shows its value.
func (s *statement) add(b Block, label, value string) {
	value = plainLine(value)
	if value == "" || s.bytes > maxStated || s.shows(value) {
		return
	}
	if s.heading != "" {
		s.append(Block{Kind: KindHeading, Level: 2}, s.heading)
		s.heading = ""
	}
	if label != "" {
		value = label + ": " + value
	}
	s.append(b, value)
}

func (s *statement) append(b Block, value string) {
	if s.Text != "" {
		s.Text += "\n\n"
	}
	b.Span = text.Span{Start: len(s.Text), End: len(s.Text) + len(value)}
	s.Text += value
	s.Blocks = append(s.Blocks, b)
	s.bytes += len(value)
}

// shows reports whether the page's text holds a value; of a number, however it
// is written.
func (s *statement) shows(value string) bool {
	number, _, _ := strings.Cut(value, " ")
	if n, err := strconv.ParseFloat(number, 64); err == nil {
		for _, shown := range s.numbers {
			if shown.Value == n {
				return true
			}
		}
		return false
	}
	if strings.Contains(s.shown, text.Normalize(value)) {
		return true
	}
	words := text.Words(value) // a longer text is shown when nearly all its words are
	known := 0
	for _, w := range words {
		if s.words[w] {
			known++
		}
	}
	const long = 8
	return len(words) >= long && known*10 >= len(words)*9
}

// plainLine is a value without markup, on one line.
func plainLine(value string) string {
	if strings.Contains(value, "<") {
		if root, err := html.Parse(strings.NewReader(value)); err == nil {
			value = nodeText(root)
		}
	}
	value = oneLine(value)
	if len(value) > maxStatedValue {
		value = strings.ToValidUTF8(value[:maxStatedValue], "")
	}
	return value
}

// first is the first of the paths that holds a string or number.
func first(v gjson.Result, paths ...string) string {
	for _, p := range paths {
		if r := v.Get(p); r.Type == gjson.String || r.Type == gjson.Number {
			return r.String()
		}
	}
	return ""
}

var bullet = Block{Kind: KindItem, Level: 1}

// product tells of what is for sale: without an offer, the type is there for
// the stars in search results.
func (s *statement) product(v gjson.Result) {
	if !v.Get("offers").Exists() {
		return
	}
	s.add(bullet, "Brand", first(v, "brand.name", "brand"))
	s.price(v)
	s.add(bullet, "Availability", schemaName(first(v, "offers.availability", "offers.0.availability")))
	s.add(bullet, "Article number", first(v, "sku", "mpn", "gtin13"))
	if rating := first(v, "aggregateRating.ratingValue"); rating != "" {
		s.add(bullet, "Rating", rating+" of "+orFive(first(v, "aggregateRating.bestRating"))+", by "+first(v, "aggregateRating.reviewCount", "aggregateRating.ratingCount")+" readers")
	}
	if len(s.shown) < fewWords {
		s.add(Block{Kind: KindParagraph}, "", first(v, "description"))
	}
}

// fewWords is the text, in bytes, of a page that leaves the description of its
// product to scripts.
const fewWords = 1000

func orFive(best string) string {
	if best == "" {
		return "5" // the default of schema.org
	}
	return best
}

func (s *statement) price(v gjson.Result) {
	price := first(v, "offers.price", "offers.0.price", "offers.lowPrice", "offers.0.lowPrice", "offers.priceSpecification.price", "offers.0.priceSpecification.0.price")
	if price != "" {
		s.add(bullet, "Price", strings.TrimSpace(price+" "+first(v, "offers.priceCurrency", "offers.0.priceCurrency", "offers.priceSpecification.priceCurrency", "offers.0.priceSpecification.0.priceCurrency")))
	}
}

// schemaName is "InStock" of "https://schema.org/InStock".
func schemaName(s string) string { return s[strings.LastIndexByte(s, '/')+1:] }

func (s *statement) recipe(v gjson.Result) {
	s.add(bullet, "Yield", first(v, "recipeYield", "recipeYield.0"))
	s.add(bullet, "Time", duration(first(v, "totalTime", "cookTime")))
	for _, e := range list(v, "recipeIngredient") {
		s.add(bullet, "", e.Str)
	}
	step := 0
	for _, e := range list(v, "recipeInstructions") {
		for _, inner := range append([]gjson.Result{e}, list(e, "itemListElement")...) {
			t := inner.Str
			if inner.IsObject() {
				t = first(inner, "text")
			}
			if t != "" {
				step++
				s.add(Block{Kind: KindItem, Level: 1, Number: step}, "", t)
			}
		}
	}
}

// duration reads "PT1H30M" as "1 h 30 min".
func duration(iso string) string {
	rest, ok := strings.CutPrefix(iso, "PT")
	if !ok {
		return iso
	}
	return strings.TrimSpace(strings.NewReplacer("H", " h ", "M", " min ", "S", " s ").Replace(rest))
}

func (s *statement) event(v gjson.Result) {
	s.add(bullet, "Name", first(v, "name"))
	s.add(bullet, "Begins", first(v, "startDate"))
	s.add(bullet, "Ends", first(v, "endDate"))
	place := []string{first(v, "location.name"), first(v, "location.address.streetAddress", "location.address"), first(v, "location.address.addressLocality")}
	for _, p := range place {
		s.add(bullet, "Place", p)
	}
	s.add(bullet, "Organiser", first(v, "organizer.name", "organizer.0.name"))
	s.price(v)
}

func (s *statement) questions(v gjson.Result) {
	for _, q := range list(v, "mainEntity") {
		answer := first(q, "acceptedAnswer.text", "acceptedAnswer.0.text")
		if line := plainLine(answer); line == "" || s.shows(line) {
			continue
		}
		name := plainLine(first(q, "name"))
		if !s.shows(name) {
			s.add(Block{Kind: KindTerm}, "", name)
		}
		s.add(Block{Kind: KindDefinition}, "", answer)
	}
}

// article adds the body when the page shows less than half of it and does not
// ask for money.
func (s *statement) article(v gjson.Result) {
	body := first(v, "articleBody")
	free := v.Get("isAccessibleForFree")
	if len(body) < 2*len(s.Text) || len(body) < 300 || free.Exists() && !free.Bool() {
		return
	}
	for para := range strings.SplitSeq(strings.ReplaceAll(body, "\r", ""), "\n") {
		s.add(Block{Kind: KindParagraph}, "", para)
	}
}

// list is a value that may be one or several.
func list(v gjson.Result, path string) []gjson.Result {
	all := v.Get(path).Array()
	return all[:min(len(all), maxStatedList)]
}
