package citations

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"deepresearch/internal/text"
)

// Action is what a repair did to a sentence.
type Action string

// The repairs, in the order in which they are tried.
const (
	ReCited  Action = "re-cited" // another passage carries it
	Narrowed Action = "narrowed" // the part that does not stand in the sources went
	Hedged   Action = "hedged"   // it is told as what the source says
	Dropped  Action = "dropped"  // nothing carries it
)

// Edit is one entry of the audit: what was changed and why.
type Edit struct {
	Action Action `json:"action"`
	Before string `json:"before"`
	After  string `json:"after"` // empty when dropped
	Reason string `json:"reason"`
}

// Repair mends the sentences of a draft whose claims did not hold and returns a
// new draft with an audit of what was changed. v must be the verification of
// d.Claims over the ledger l. Quotes that a judge relied on are entered at their
// sentences.
//
//	unsupported   re-cite, else drop
//	contradicted  drop
//	partial       re-cite, else narrow, else hedge and attribute
//	no mark       cite, else leave
//
// Nothing is rewritten beyond that; the changed sentences should be verified
// again, once, which [Revise] does.
func Repair(d Draft, l *Ledger, v Verification) (Draft, []Edit) {
	r := resolve(d, l, RenderOptions{})
	better := map[int]Suggestion{}
	for _, s := range v.Suggestions {
		better[s.Claim] = s
	}
	var edits []Edit
	for s := range r.draft.sentences() {
		at := r.lines[s].claim
		if at < 0 || at >= len(v.Claims) || v.Claims[at].Text != r.claims[at].Text {
			continue
		}
		c := v.Claims[at]
		for _, id := range c.Cites {
			if !slices.Contains(r.claims[at].Cites, id) {
				s.Quotes = append(s.Quotes, id)
			}
		}
		suggestion, found := better[at]
		m := mender{sentence: s, claim: c, better: suggestion, found: found, ledger: v.Ledger}
		if action := m.mend(); action != "" {
			edits = append(edits, Edit{action, c.Text, strings.TrimSpace(stripTokens(s.Text)), c.Reason})
		}
	}
	return withoutEmpty(r.draft), edits
}

// mender mends one sentence.
type mender struct {
	sentence *Sentence
	claim    Claim
	better   Suggestion
	found    bool
	ledger   *Ledger
}

func (m mender) mend() Action {
	switch {
	case m.claim.Label == Contradicted:
		return m.drop()
	case m.found && (m.claim.Label == Unsupported || m.claim.Label == Partial || len(m.claim.Cites) == 0):
		return m.recite()
	case m.claim.Label == Unsupported:
		return m.drop()
	case m.claim.Label == Partial:
		if m.narrow() {
			return Narrowed
		}
		return m.hedge()
	}
	return ""
}

func (m mender) drop() Action {
	m.sentence.Text, m.sentence.Quotes = "", nil
	return Dropped
}

func (m mender) recite() Action {
	m.sentence.Text, m.sentence.Quotes = stripTokens(m.sentence.Text), []string{m.better.Quote.ID}
	return ReCited
}

// narrow takes out the clauses that hold a number or name which no passage has.
// The clause that opens the sentence stays: without it there is no subject.
func (m mender) narrow() bool {
	said := stripTokens(m.sentence.Text)
	clauses := clausesOf(said)
	var kept []string
	for i, c := range clauses {
		if i == 0 || !holdsAny(c, m.claim.Missing) {
			kept = append(kept, c)
		}
	}
	body := strings.TrimRight(strings.Join(kept, ""), " ,;，；、")
	if len(kept) == len(clauses) || holdsAny(body, m.claim.Missing) || len(text.Terms(body)) < runTerms {
		return false
	}
	m.sentence.Quotes = m.claim.Cites
	m.sentence.Text = body + finalStop(said, body)
	return true
}

// clausesOf cuts a sentence before its commas and semicolons, but not inside
// numbers.
func clausesOf(s string) []string {
	var out []string
	start := 0
	for i, r := range s {
		if !strings.ContainsRune(",;，；", r) || i == 0 {
			continue
		}
		if next := i + utf8.RuneLen(r); r == ',' && next < len(s) && s[next] != ' ' {
			continue
		}
		out = append(out, s[start:i])
		start = i
	}
	return append(out, s[start:])
}

func holdsAny(s string, parts []string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { return p != "" && strings.Contains(s, p) })
}

// finalStop is the stop of the sentence when the shortened one lost it.
func finalStop(whole, short string) string {
	last, _ := utf8.DecodeLastRuneInString(whole)
	if strings.ContainsRune(stops, last) && !strings.HasSuffix(short, string(last)) {
		return string(last)
	}
	return ""
}

// hedge tells the sentence as what its source says.
func (m mender) hedge() Action {
	source, _, ok := m.ledger.Lookup(m.claim.Cites[0])
	if !ok {
		return ""
	}
	name := source.Site
	if name == "" {
		name = source.Name()
	}
	said := m.sentence.Text
	if strings.Contains(said, name) {
		return ""
	}
	if strings.ContainsFunc(said, wide) {
		m.sentence.Text = "据" + name + "，" + said
	} else {
		m.sentence.Text = "According to " + name + ", " + lowerFirst(said)
	}
	return Hedged
}

// lowerFirst makes the first letter small unless a name begins the sentence.
func lowerFirst(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	for _, n := range text.Names(s) {
		if n.Start == 0 {
			return s
		}
	}
	if second, _ := utf8.DecodeRuneInString(s[size:]); !unicode.IsLower(second) && second != ' ' || strings.HasPrefix(s, "I ") {
		return s
	}
	return string(unicode.ToLower(first)) + s[size:]
}

// withoutEmpty removes what a drop left behind: sentences, list entries and
// blocks without text. Table cells keep their place.
func withoutEmpty(d Draft) Draft {
	empty := func(s Sentence) bool { return strings.TrimSpace(s.Text) == "" && len(s.Quotes) == 0 }
	blocks := d.Blocks[:0]
	for _, b := range d.Blocks {
		b.Sentences = slices.DeleteFunc(b.Sentences, empty)
		switch b.Kind {
		case List:
			b.Rows = slices.DeleteFunc(b.Rows, func(row []Sentence) bool {
				return !slices.ContainsFunc(row, func(s Sentence) bool { return !empty(s) })
			})
			if len(b.Rows) == 0 {
				continue
			}
		case Table:
			for _, row := range b.Rows {
				for i := range row {
					if empty(row[i]) {
						row[i].Text = "—"
					}
				}
			}
		case Paragraph, Heading, Note, Figure:
			if len(b.Sentences) == 0 {
				continue
			}
		}
		blocks = append(blocks, b)
	}
	d.Blocks = withoutBareHeadings(blocks)
	return d
}

// withoutBareHeadings removes headings under which nothing stands any more.
func withoutBareHeadings(blocks []Block) []Block {
	var out []Block
	for i, b := range blocks {
		if b.Kind == Heading && (i+1 == len(blocks) || blocks[i+1].Kind == Heading && headingLevel(blocks[i+1].Level) <= headingLevel(b.Level)) {
			continue
		}
		out = append(out, b)
	}
	return out
}

// Revision is a draft that was verified, repaired once, and verified again where
// it was changed.
type Revision struct {
	Draft    Draft
	Ledger   *Ledger
	Claims   []Claim // of the revised draft: pass them to Render as Checked
	Edits    []Edit
	JudgeErr error // why the judge was asked no more
}

// Revise verifies a draft, repairs it once and verifies the changed sentences.
func Revise(ctx context.Context, d Draft, l *Ledger, a Archive, opt VerifyOptions) (Revision, error) {
	corpus, err := newCorpus(ctx, l, a)
	if err != nil {
		return Revision{}, fmt.Errorf("revising the draft: %w", err)
	}
	first, err := verify(ctx, d.Claims(l), l, corpus, opt)
	if err != nil {
		return Revision{}, err
	}
	mended, edits := Repair(d, l, first)
	out := Revision{Draft: mended, Edits: edits, JudgeErr: first.JudgeErr}

	known := map[string]bool{}
	for _, c := range first.Claims {
		known[claimKey(c)] = true
	}
	changed := slices.DeleteFunc(mended.Claims(first.Ledger), func(c Claim) bool { return known[claimKey(c)] })
	if first.JudgeErr != nil {
		opt.Judge = nil
	}
	second, err := verify(ctx, changed, first.Ledger, corpus, opt)
	if err != nil {
		return Revision{}, err
	}
	out.JudgeErr = cmp.Or(out.JudgeErr, second.JudgeErr)
	out.Draft, out.Ledger = withJudgesQuotes(mended, first.Ledger, second), second.Ledger
	checked := append(first.Claims, second.Claims...)
	out.Claims = resolve(out.Draft, out.Ledger, RenderOptions{Checked: checked}).claims
	return out, nil
}

// withJudgesQuotes enters the quotes that a judge added in the second round at
// their sentences, without any other repair.
func withJudgesQuotes(d Draft, l *Ledger, v Verification) Draft {
	grown := map[string]Claim{}
	for _, c := range v.Claims {
		grown[c.Text] = c
	}
	r := resolve(d, l, RenderOptions{})
	for s := range r.draft.sentences() {
		at := r.lines[s].claim
		if at < 0 {
			continue
		}
		for _, id := range grown[r.claims[at].Text].Cites {
			if !slices.Contains(r.claims[at].Cites, id) {
				s.Quotes = append(s.Quotes, id)
			}
		}
	}
	return r.draft
}
