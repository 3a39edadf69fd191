package citations

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"deepresearch/internal/text"
)

// Parsed is a report that was written elsewhere.
type Parsed struct {
	Title    string
	Language string
	Claims   []Claim  // sentences with marks, and those that should have some
	Sources  []Source // by number: N, URL and Title as the report lists them
	Dangling []int    // marks that lead to no entry of the list
}

// maxReport is the longest report that is read, in bytes.
const maxReport = 4 << 20

// ParseReport reads a Markdown report with its marks and its list of sources.
// Marks may be [1], [1][2], [1, 2], [1-3], 【1†source】, [^1], [[1]](url),
// [1](url), Markdown links and bare addresses; the list may stand under a
// heading or at the end, one entry a line, as [n] url - title, [n] title url,
// n. title, [^n]: text or [n]: url. Addresses in sentences that the list does
// not hold get the next numbers.
func ParseReport(md string) (Parsed, error) {
	switch {
	case strings.TrimSpace(md) == "":
		return Parsed{}, errors.New("reading the report: it is empty")
	case len(md) > maxReport:
		return Parsed{}, errors.New("reading the report: it is longer than 4 MiB")
	}
	md = strings.ReplaceAll(md, "\r\n", "\n")
	body, entries := cutList(md)
	p := reportParser{byURL: map[string]int{}, list: map[int]Source{}}
	for _, s := range entries {
		p.enter(s)
	}
	p.read(body)
	return p.finish(body), nil
}

// Cited returns the claims with their marks turned into the ids of sources that
// were added to a ledger. ids maps numbers to ids; marks without an id stay
// marks only.
func (p Parsed) Cited(ids map[int]string) []Claim {
	claims := slices.Clone(p.Claims)
	for i := range claims {
		claims[i].Cites = nil
		for _, n := range claims[i].Marks {
			if id, ok := ids[n]; ok {
				claims[i].Cites = append(claims[i].Cites, id)
			}
		}
	}
	return claims
}

type reportParser struct {
	list    map[int]Source
	byURL   map[string]int
	next    int // number for an address that is not listed
	title   string
	claims  []Claim
	context string
}

// enter puts a listed source in; the first entry of a number counts.
func (p *reportParser) enter(s Source) {
	if _, ok := p.list[s.N]; ok || s.N < 1 {
		return
	}
	p.list[s.N] = s
	if s.URL != "" && p.byURL[s.URL] == 0 {
		p.byURL[s.URL] = s.N
	}
	p.next = max(p.next, s.N)
}

var (
	headingLine = text.NewPattern(`^ {0,3}#{1,6}[ \t]+(.*?)[ \t#]*$`)
	fenceLine   = text.NewPattern("^ {0,3}(```|~~~)")
	rowLine     = text.NewPattern(`^ {0,3}\|`)
	ruleLine    = text.NewPattern(`^[\s|:*_-]*$`)
)

// read walks over the lines of the body: headings and code claim nothing, a
// table row claims by its cells, the rest by sentences.
func (p *reportParser) read(body string) {
	var paragraph []string
	flush := func() {
		p.paragraph(strings.Join(paragraph, "\n"))
		paragraph = paragraph[:0]
	}
	fenced := ""
	for line := range strings.SplitSeq(body, "\n") {
		if fence := fenceLine.FindStringSubmatch(line); fence != nil && (fenced == "" || fenced == fence[1]) {
			flush()
			if fenced == "" {
				fenced = fence[1]
			} else {
				fenced = ""
			}
			continue
		}
		heading := headingLine.FindStringSubmatch(line)
		switch {
		case fenced != "":
		case heading != nil:
			flush()
			if p.title == "" {
				p.title = visible(heading[1])
			}
			p.context = ""
		case ruleLine.MatchString(line):
			flush()
		case rowLine.MatchString(line):
			flush()
			p.row(line)
		default:
			paragraph = append(paragraph, line)
		}
	}
	flush()
}

func (p *reportParser) row(line string) {
	for cell := range cells(line) {
		p.sentence(strings.TrimSpace(cell), true)
	}
}

func (p *reportParser) paragraph(s string) {
	for _, span := range text.Sentences(s) {
		p.sentence(span.In(s), false)
	}
}

// sentence takes the marks off a sentence and enters it as a claim when it has
// marks or should have.
func (p *reportParser) sentence(s string, cell bool) {
	said, marks := p.takeMarks(s)
	said = strings.Join(strings.Fields(visible(said)), " ")
	said = strings.TrimSpace(spaceBeforeStop.ReplaceAllString(said, "$1"))
	if said == "" || !strings.ContainsFunc(said, wordRune) {
		if n := len(p.claims); len(marks) > 0 && n > 0 { // marks on a line of their own
			p.claims[n-1].Marks = union(p.claims[n-1].Marks, marks)
		}
		return
	}
	if len(marks) > 0 || !cell && worthy(said) {
		p.claims = append(p.claims, Claim{Text: said, Marks: marks, Label: Unchecked, Context: p.context})
	}
	p.context = said
}

var spaceBeforeStop = text.NewPattern(`\s+([.,;:!?。，；：！？])`)

func union(a, b []int) []int {
	for _, n := range b {
		if !slices.Contains(a, n) {
			a = append(a, n)
		}
	}
	return a
}

// finish sorts the list and finds marks that lead nowhere.
func (p *reportParser) finish(body string) Parsed {
	out := Parsed{Title: p.title, Language: text.Language(body), Claims: p.claims}
	if out.Claims == nil {
		out.Claims = []Claim{}
	}
	for _, c := range out.Claims {
		for _, n := range c.Marks {
			if _, ok := p.list[n]; !ok && !slices.Contains(out.Dangling, n) {
				out.Dangling = append(out.Dangling, n)
			}
		}
	}
	slices.Sort(out.Dangling)
	out.Sources = make([]Source, 0, len(p.list))
	for _, s := range p.list {
		out.Sources = append(out.Sources, s.clone())
	}
	slices.SortFunc(out.Sources, func(a, b Source) int { return cmp.Compare(a.N, b.N) })
	return out
}

// number reads a mark's number, 0 when it is none that a list could hold.
func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > 9999 {
		return 0
	}
	return n
}
