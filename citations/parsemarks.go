package citations

import (
	"slices"
	"strings"

	"deepresearch/internal/text"
)

// The forms of a mark. A Markdown link around or behind a number carries the
// address of its source.
var markForms = text.NewPattern(strings.Join([]string{
	`\[\[(?P<wrapped>[0-9]{1,4})\]\]\((?P<wrappedURL>[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)\)`,
	`\[\^(?P<note>[0-9]{1,4})\]`,
	`【(?P<lens>[0-9]{1,4})(?:†[^】\n]{0,200})?】`,
	`\[\\\[(?P<escaped>[0-9]{1,4})\\\]\]\((?P<escapedURL>[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)\)`,
	`\[\[(?P<double>[0-9]{1,4})\]\]`,
	`\[(?P<list>[0-9]{1,4}(?:\s?[,，、;–—~-]\s?[0-9]{1,4})*)\](?:\((?P<listURL>[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)\))?`,
	`!\[[^\]\n]*\]\([^()\s]*\)`,
	`\[(?P<text>[^\[\]\n]{1,400})\]\(<?(?P<linkURL>https?://[^()\s<>]*(?:\([^()\s]*\)[^()\s]*)*)>?(?:\s+"[^"\n]*")?\)`,
	`<?(?P<bare>https?://[^\s<>()\[\]"“”，。；、】》]+(?:\([^()\s]*\))?[^\s<>()\[\]"“”，。；、】》]*)>?`,
}, "|"))

// takeMarks removes the marks of a sentence and returns their numbers in order.
// The words of a Markdown link stay; a bare address goes.
func (p *reportParser) takeMarks(s string) (said string, marks []int) {
	marks = []int{}
	add := func(n int) {
		if n > 0 && !slices.Contains(marks, n) {
			marks = append(marks, n)
		}
	}
	var b strings.Builder
	at := 0
	for _, m := range markForms.FindAllStringSubmatchIndex(s, -1) {
		group := func(name string) string {
			i := markForms.SubexpIndex(name)
			if m[2*i] < 0 {
				return ""
			}
			return s[m[2*i]:m[2*i+1]]
		}
		kept := ""
		switch {
		case group("wrapped") != "":
			add(p.linked(number(group("wrapped")), group("wrappedURL")))
		case group("escaped") != "":
			add(p.linked(number(group("escaped")), group("escapedURL")))
		case group("note")+group("lens")+group("double") != "":
			add(number(group("note") + group("lens") + group("double")))
		case group("list") != "" && p.isYear(group("list")):
			kept = s[m[0]:m[1]]
		case group("list") != "":
			for _, n := range numberList(group("list")) {
				add(p.linked(n, group("listURL")))
			}
		case group("text") != "":
			kept = group("text")
			add(p.address(group("linkURL"), kept))
		case group("bare") != "":
			add(p.address(strings.TrimRight(group("bare"), ".,;:!?*_"), ""))
		}
		b.WriteString(s[at:m[0]] + kept)
		at = m[1]
	}
	b.WriteString(s[at:])
	return b.String(), marks
}

// isYear reports whether the brackets hold a year or the like, which no list has.
func (p *reportParser) isYear(s string) bool {
	n := numberList(s)
	return len(n) > 0 && n[0] >= 1000 && p.list[n[0]].N == 0
}

// numberList reads "1, 2" and "1-3". A range of more than 50 is read as its two
// ends.
func numberList(s string) []int {
	var out []int
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune(",，、;", r) }) {
		ends := strings.FieldsFunc(part, func(r rune) bool { return strings.ContainsRune("-–—~ ", r) })
		if len(ends) == 0 {
			continue
		}
		from, to := number(ends[0]), number(ends[len(ends)-1])
		if from > 0 && to > from && to-from <= 50 {
			for n := from; n <= to; n++ {
				out = append(out, n)
			}
			continue
		}
		for _, e := range ends {
			if n := number(e); n > 0 {
				out = append(out, n)
			}
		}
	}
	return out
}

// linked is a number whose mark carries an address: it enters the list when the
// report has no entry for it.
func (p *reportParser) linked(n int, address string) int {
	if n > 0 && webAddress(address) {
		p.enter(Source{N: n, URL: withoutDirective(address)})
	}
	return n
}

// address is the number of an address that stands in a sentence.
func (p *reportParser) address(address, title string) int {
	if !webAddress(address) {
		return 0
	}
	address = withoutDirective(address)
	if n := p.byURL[address]; n > 0 {
		return n
	}
	p.enter(Source{N: p.next + 1, URL: address, Title: visible(title)})
	return p.next
}

// withoutDirective cuts a text fragment off an address.
func withoutDirective(address string) string {
	address, _, _ = strings.Cut(address, ":~:")
	return strings.TrimSuffix(address, "#")
}
