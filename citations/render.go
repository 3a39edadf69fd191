package citations

import (
	"fmt"
	"slices"
	"strings"
)

// RenderOptions changes what [Render] writes. The zero value is the rule.
type RenderOptions struct {
	// Checked are verified claims, as [Verify] returned them. A claim of the
	// draft with the same text and cites takes over its verdict.
	Checked []Claim

	// NoLinks writes marks as [1], for hosts that show no Markdown.
	NoLinks bool
}

// Rendered is a report in its final form.
type Rendered struct {
	Markdown string
	Claims   []Claim  // in report order
	Sources  []Source // numbered 1..k by first use, with the quotes used
	Dropped  int      // ids that no quote of the ledger has: forged, misspelt or refused
}

// Render numbers the sources of a draft by first use and writes it as Markdown.
// Every mark leads to a listed source and every listed source has a mark. Text
// is escaped here and nowhere else: brackets, HTML and addresses in sentences
// come out as the letters they are.
func Render(d Draft, l *Ledger, opt RenderOptions) Rendered {
	r := resolve(d, l, opt)
	return Rendered{Markdown: markdown(r, opt), Claims: r.claims, Sources: r.sources, Dropped: r.dropped}
}

// resolved is a draft whose quotes are numbered; what every output form reads.
type resolved struct {
	draft   Draft
	lines   map[*Sentence]line
	claims  []Claim
	sources []Source
	dropped int
}

// line is a sentence taken apart for output.
type line struct {
	parts []part
	claim int // place in claims, -1 when the sentence makes none
}

// part is a stretch of text or a run of marks.
type part struct {
	text  string
	marks []mark
}

// mark leads to source n, at the quotes that carry the sentence.
type mark struct {
	n      int
	quotes []Quote
}

func resolve(d Draft, l *Ledger, opt RenderOptions) resolved {
	r := &resolver{
		resolved: resolved{draft: d.clone(), lines: map[*Sentence]line{}, claims: []Claim{}, sources: []Source{}},
		ledger:   l,
		numbers:  map[string]int{},
		checked:  map[string]Claim{},
	}
	for _, c := range opt.Checked {
		r.checked[claimKey(c)] = c
	}
	r.draft.Title = stripTokens(r.draft.Title)
	for i := range r.draft.Blocks {
		r.block(&r.draft.Blocks[i])
	}
	for i := range r.sources {
		slices.SortFunc(r.sources[i].Quotes, func(a, b Quote) int { return bySpan(a, b.Span) })
	}
	return r.resolved
}

type resolver struct {
	resolved
	ledger  *Ledger
	numbers map[string]int // source id -> n
	checked map[string]Claim
	context string
}

func (r *resolver) block(b *Block) {
	b.Text = tokenPattern.ReplaceAllString(b.Text, "")
	for i := range b.Header {
		b.Header[i] = stripTokens(b.Header[i])
	}
	if b.Kind == Heading || b.Kind == Note {
		r.context = ""
		for i := range b.Sentences {
			ps, dropped := pieces(Sentence{Text: b.Sentences[i].Text}, func(string) bool { return false })
			r.dropped += dropped
			r.lines[&b.Sentences[i]] = line{parts: r.parts(ps), claim: -1}
		}
		return
	}
	for s := range b.sentences() {
		r.sentence(s, b.cellContext(s), b.rowHead(s))
	}
}

// rowHead reports whether s is the first cell of a table row, which names what
// the row is about and claims nothing.
func (b *Block) rowHead(s *Sentence) bool {
	return b.Kind == Table && slices.ContainsFunc(b.Rows, func(row []Sentence) bool { return len(row) > 0 && &row[0] == s })
}

// cellContext names the row and column of a table cell.
func (b *Block) cellContext(s *Sentence) string {
	if b.Kind != Table {
		return ""
	}
	for _, row := range b.Rows {
		for i := 1; i < len(row); i++ {
			if &row[i] != s {
				continue
			}
			heads := []string{stripTokens(row[0].Text)}
			if i < len(b.Header) {
				heads = append(heads, b.Header[i])
			}
			return strings.Join(heads, ", ")
		}
	}
	return ""
}

func stripTokens(s string) string {
	ps, _ := pieces(Sentence{Text: s}, func(string) bool { return false })
	return plainText(ps)
}

func (r *resolver) sentence(s *Sentence, context string, head bool) {
	ps, dropped := pieces(*s, r.isQuote)
	r.dropped += dropped
	out := line{parts: r.parts(ps), claim: -1}
	said := unstyled(plainText(ps))
	cites := idsOf(ps)
	if len(cites) > 0 || !head && worthy(said) {
		c := Claim{Text: said, Marks: marksOf(out.parts), Cites: cites, Context: context}
		if c.Context == "" {
			c.Context = r.context
		}
		out.claim = len(r.claims)
		r.claims = append(r.claims, r.judged(c))
	}
	r.context = said
	r.lines[s] = out
}

func (r *resolver) isQuote(id string) bool {
	_, q, ok := r.ledger.Lookup(id)
	return ok && q.ID != ""
}

// parts numbers the marks of a sentence.
func (r *resolver) parts(ps []piece) []part {
	var out []part
	for _, p := range ps {
		if len(p.ids) == 0 {
			out = append(out, part{text: p.text})
			continue
		}
		var marks []mark
		for _, id := range p.ids {
			source, q, _ := r.ledger.Lookup(id)
			n := r.number(source)
			r.use(n, q)
			at := slices.IndexFunc(marks, func(m mark) bool { return m.n == n })
			if at < 0 {
				at = len(marks)
				marks = append(marks, mark{n: n})
			}
			marks[at].quotes = append(marks[at].quotes, q)
		}
		out = append(out, part{marks: marks})
	}
	return out
}

// number gives source its place in the list, by first use.
func (r *resolver) number(source Source) int {
	n, ok := r.numbers[source.ID]
	if !ok {
		n = len(r.sources) + 1
		r.numbers[source.ID] = n
		listed := source.clone()
		listed.N, listed.Quotes = n, []Quote{}
		r.sources = append(r.sources, listed)
	}
	return n
}

// use enters the quote at its source.
func (r *resolver) use(n int, q Quote) {
	listed := &r.sources[n-1]
	if !slices.ContainsFunc(listed.Quotes, func(o Quote) bool { return o.ID == q.ID }) {
		listed.Quotes = append(listed.Quotes, q)
	}
}

// judged gives the claim its verdict: the one of a verified claim, or what can
// be said without looking further.
func (r *resolver) judged(c Claim) Claim {
	if old, ok := r.checked[claimKey(c)]; ok {
		c.Label, c.Reason, c.Judge = old.Label, old.Reason, old.Judge
		return c
	}
	c.Label, c.Reason = firstLabel(c, r.ledger)
	return c
}

// claimKey is what makes two claims the same for a verdict.
func claimKey(c Claim) string { return c.Text + "\x00" + strings.Join(c.Cites, " ") }

func marksOf(parts []part) []int {
	marks := []int{}
	for _, p := range parts {
		for _, m := range p.marks {
			if !slices.Contains(marks, m.n) {
				marks = append(marks, m.n)
			}
		}
	}
	return marks
}

// SourcesHeading is the heading of the source list in a language.
func SourcesHeading(language string) string {
	if chinese(language) {
		return "来源"
	}
	return "Sources"
}

func chinese(language string) bool {
	tag := strings.ToLower(language)
	return tag == "zh" || strings.HasPrefix(tag, "zh-")
}

// sourceLine is the entry of a source in the list: [n] title — site, date. <url>
func sourceLine(s Source) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[%d] %s", s.N, escape(s.Name()))
	about := make([]string, 0, 2)
	for _, v := range []string{s.Site, s.Published} {
		if v = strings.Join(strings.Fields(v), " "); v != "" {
			about = append(about, escape(v))
		}
	}
	if len(about) > 0 {
		b.WriteString(" — " + strings.Join(about, ", "))
	}
	b.WriteString(".")
	if address := destination(s.URL, inAutolink); address != "" {
		b.WriteString(" <" + address + ">")
	}
	return b.String()
}
