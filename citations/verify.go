package citations

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"deepresearch/internal/text"
)

// Thresholds of support, on ExpertQA. Below unrelated a claim is not about its
// source: 10 % of complete claims and 98 % of sources on another topic fall
// there. A better source must be better by betterBy.
const (
	unrelated   = 0.235
	betterBy    = 0.15
	worthCiting = 0.5
	sameMatter  = 0.6 // a sentence that says so much of a claim speaks of the same thing
)

// VerifyOptions tune [Verify]. The zero value checks without a judge.
type VerifyOptions struct {
	Judge     Judge // nil: exact and lexical checks only
	Batch     int   // claims a call; 0 means 8
	MaxJudged int   // claims judged at most; 0 means all
}

func (o VerifyOptions) batch() int {
	if o.Batch > 0 {
		return o.Batch
	}
	return 8
}

// Verification is what [Verify] found.
type Verification struct {
	Claims      []Claim      // as given, with label, reason, judge, and cites grown by the judge's spans
	Ledger      *Ledger      // the given ledger and the quotes that were added
	Suggestions []Suggestion // in order of claims
	JudgeErr    error        // why the judge was asked no more; the labels stand without it
}

// Suggestion is a passage that carries a claim better than what it cites.
type Suggestion struct {
	Claim   int     // place in Claims
	Title   string  // of the source
	Quote   Quote   // in the ledger of the verification
	Support float64 // share of the claim's words that stand there
}

// Verify checks each claim against the archived texts of what it cites: exactly
// (numbers, dates, quotations, polarity), by words, and by a judge where one is
// given. Claims rest on the ids in Cites. Its arguments are left as they are.
// The error is that of ctx; a text that cannot be read shows in the reasons.
func Verify(ctx context.Context, claims []Claim, l *Ledger, a Archive, opt VerifyOptions) (Verification, error) {
	corpus, err := newCorpus(ctx, l, a)
	if err != nil {
		return Verification{}, fmt.Errorf("verifying claims: %w", err)
	}
	return verify(ctx, claims, l, corpus, opt)
}

func verify(ctx context.Context, claims []Claim, l *Ledger, corpus *corpus, opt VerifyOptions) (Verification, error) {
	v := &verifier{opt: opt, corpus: corpus, ledger: Merge(l), claims: slices.Clone(claims)}
	for i := range v.claims {
		if err := context.Cause(ctx); err != nil {
			return Verification{}, fmt.Errorf("verifying claims: %w", err)
		}
		v.claim(i)
	}
	out := Verification{}
	if opt.Judge != nil {
		out.JudgeErr = v.judgeAll(ctx)
	}
	for i := range v.claims {
		v.suggest(i)
	}
	out.Claims, out.Ledger, out.Suggestions = v.claims, v.ledger, v.suggestions
	return out, nil
}

type verifier struct {
	opt         VerifyOptions
	corpus      *corpus
	ledger      *Ledger
	claims      []Claim
	looks       []look
	open        []openCase
	suggestions []Suggestion
}

// openCase is a claim that a judge should see.
type openCase struct {
	Case
	claim int
}

// look is what was found for one claim without a judge.
type look struct {
	terms   []string
	support float64 // of the best cited passage
	best    []match // in the cited sources
	skip    bool    // no suggestion wanted
}

// claim runs the checks that need no judge.
func (v *verifier) claim(i int) {
	c := &v.claims[i]
	c.Judge, c.Missing = "", nil
	k := look{terms: text.Terms(c.Text)}
	defer func() { v.looks = append(v.looks, k) }()
	if len(c.Cites) == 0 {
		c.Label, c.Reason = Unchecked, ReasonUncited
		return
	}
	f := factsOf(c.Text)
	e := evidenceOf(*c, v.ledger)
	if e.quotes(c.Text, f) {
		c.Label, c.Reason, k.skip = Quoted, "", true
		return
	}
	sources, problem := v.cited(*c)
	if problem != "" {
		c.Label, c.Reason, k.skip = Unchecked, problem, true
		return
	}
	for _, s := range sources {
		k.best = append(k.best, v.corpus.inside(k.terms, s)...)
	}
	slices.SortStableFunc(k.best, bySupport)
	if len(k.best) > 0 {
		k.support = k.best[0].support
	}
	if v.quotation(c, f, e, k) {
		k.skip = true
		return
	}
	v.lexical(c, sources, f, e, k)
	v.open = append(v.open, openCase{v.caseOf(*c, k), i})
}

// quotation looks for a passage of the cited sources that the claim quotes and
// enters it as a quote of the claim.
func (v *verifier) quotation(c *Claim, f facts, e evidence, k look) bool {
	for _, m := range k.best[:min(candidates, len(k.best))] {
		w := v.corpus.windows[m.window]
		page := v.corpus.pages[w.source]
		sentence, _ := v.corpus.sentence(k.terms, m.window)
		for _, span := range []text.Span{sentence, w.span} {
			e.passages = []string{visible(span.In(page.text))}
			if !e.quotes(c.Text, f) {
				continue
			}
			if q, err := v.ledger.Quote(w.source, page.text, span); err == nil {
				c.Cites = appendNew(c.Cites, q.ID)
				c.Label, c.Reason = Quoted, ""
				return true
			}
		}
	}
	return false
}

// cited are the ids of a claim's sources whose text can be read.
func (v *verifier) cited(c Claim) (sources []string, problem string) {
	for _, id := range c.Cites {
		source, _, _ := splitID(id)
		page := v.corpus.pages[source]
		switch {
		case page == nil:
			problem = "a cited source is unknown"
		case page.err != nil:
			problem = fmt.Sprintf("the archived text of %q could not be read: %v", page.source.Name(), page.err)
		case !slices.Contains(sources, source):
			sources = append(sources, source)
		}
	}
	if len(sources) > 0 {
		problem = ""
	}
	return sources, problem
}

// lexical labels a claim from numbers, dates, quotations, polarity and words.
func (v *verifier) lexical(c *Claim, sources []string, f facts, e evidence, k look) {
	var grounds []*ground
	if len(e.passages) > 0 {
		g := groundOf(strings.Join(e.passages, "\n"))
		grounds = append(grounds, &g)
	}
	for _, m := range k.best {
		grounds = append(grounds, v.corpus.ground(m.window))
	}
	related := k.support >= unrelated
	foreign := !related && v.foreign(c.Text, sources)
	if !related && !foreign {
		c.Label, c.Reason = Unsupported, "the cited sources do not speak of it"
		return
	}
	c.Missing = missingInAll(f, grounds, (*ground).differing)
	if related {
		c.Missing = append(c.Missing, missingInAll(f, grounds, (*ground).misquoted)...)
	}
	if len(c.Missing) > 0 {
		c.Label, c.Reason = Partial, reasonMissing(c.Missing)
		return
	}
	if foreign {
		c.Label, c.Reason = Unchecked, "the source is in another language"
		return
	}
	c.Label, c.Reason = Unchecked, ReasonMatched
	if said, opposed := v.opposed(f, k); opposed {
		c.Label, c.Reason = Partial, "the passage points the other way: “"+clip(said, 160)+"”"
	}
}

// missingInAll are the parts of a claim that no passage has.
func missingInAll(f facts, grounds []*ground, missing func(*ground, facts) []string) []string {
	if len(grounds) == 0 {
		return missing(&ground{}, f)
	}
	left := missing(grounds[0], f)
	for _, g := range grounds[1:] {
		if len(left) == 0 {
			break
		}
		other := missing(g, f)
		left = slices.DeleteFunc(slices.Clone(left), func(s string) bool { return !slices.Contains(other, s) })
	}
	return left
}

// opposed reports whether the sentence that says most of the claim denies what
// the claim says, or moves the other way.
func (v *verifier) opposed(f facts, k look) (said string, opposed bool) {
	if len(k.best) == 0 {
		return "", false
	}
	at := k.best[0].window
	span, share := v.corpus.sentence(k.terms, at)
	if share < sameMatter {
		return "", false
	}
	said = visible(span.In(v.corpus.pages[v.corpus.windows[at].source].text))
	return said, f.polarity.Opposes(text.PolarityOf(said))
}

// foreign reports whether a claim is written in another language than one of
// its sources, so that the lack of shared words says nothing.
func (v *verifier) foreign(sentence string, sources []string) bool {
	own := text.Language(sentence)
	return own != "und" && slices.ContainsFunc(sources, func(id string) bool {
		page := v.corpus.pages[id].text
		other := text.Language(page[:min(len(page), 4000)])
		return other != "und" && other != own
	})
}

// caseOf is what a judge reads of a claim.
func (v *verifier) caseOf(c Claim, k look) Case {
	out := Case{Claim: c.Text, Context: c.Context}
	if c.Label == Partial {
		out.Doubt = c.Reason
	}
	for _, id := range c.Cites {
		if s, q, ok := v.ledger.Lookup(id); ok && q.ID != "" {
			out.Passages = append(out.Passages, Passage{Source: s.ID, Title: s.Name(), Text: q.Text})
		}
	}
	for _, m := range k.best[:min(candidates, len(k.best))] {
		p := v.corpus.passage(m.window)
		if orders(p) || slices.ContainsFunc(out.Passages, func(o Passage) bool { return o.Text == p }) {
			continue
		}
		source := v.corpus.pages[v.corpus.windows[m.window].source].source
		out.Passages = append(out.Passages, Passage{Source: source.ID, Title: source.Name(), Text: p})
	}
	return out
}

// suggest looks for a passage that carries a weak claim better.
func (v *verifier) suggest(i int) {
	c, k := &v.claims[i], v.looks[i]
	weak := c.Label == Unsupported || c.Label == Partial || len(c.Cites) == 0
	if !weak || k.skip {
		return
	}
	f := factsOf(c.Text)
	for _, m := range v.corpus.anywhere(k.terms) {
		source := v.corpus.windows[m.window].source
		if m.support < max(worthCiting, k.support+betterBy) || c.cites(source) || len(v.corpus.ground(m.window).differing(f)) > 0 {
			continue
		}
		span, _ := v.corpus.sentence(k.terms, m.window)
		page := v.corpus.pages[source]
		q, err := v.ledger.Quote(source, page.text, span)
		if err != nil { // it gives orders, or is no quotable passage
			continue
		}
		v.suggestions = append(v.suggestions, Suggestion{Claim: i, Title: page.source.Name(), Quote: q, Support: m.support})
		c.Reason += fmt.Sprintf("; %q speaks of it", page.source.Name())
		return
	}
}

// cites reports whether the claim rests on the source.
func (c Claim) cites(source string) bool {
	return slices.ContainsFunc(c.Cites, func(id string) bool { return id == source || strings.HasPrefix(id, source+".") })
}

// clip shortens a text for a reason.
func clip(s string, most int) string {
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	return string(runes[:most-1]) + "…"
}
