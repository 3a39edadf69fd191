package citations

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"deepresearch/internal/text"
)

// Judge reads claims against passages, usually a language model or a small
// entailment model. It returns one verdict a case, in order. A call that fails
// leaves the claims of its cases as the lexical checks found them; after it the
// judge is asked no more.
type Judge interface {
	Judge(ctx context.Context, cases []Case) ([]Verdict, error)
}

// Case is one claim with everything its judge may read.
type Case struct {
	Claim    string
	Context  string    // the sentence before, for pronouns; no part of the claim
	Doubt    string    // what the exact checks found: a number or direction that differs
	Passages []Passage // cited quotes first, then the best passages of the cited sources
}

// Passage is a stretch of archived text, verbatim.
type Passage struct {
	Source string // id
	Title  string
	Text   string
}

// Verdict is what a judge says of a case.
type Verdict struct {
	Label  Label  // Supported, Partial, Unsupported or Contradicted
	Span   string // the shortest verbatim stretch of a passage that the label rests on
	Reason string // a short sentence for the reader
	Judge  string // name of the model
}

// judgeAll asks about the open claims, some at a time.
func (v *verifier) judgeAll(ctx context.Context) error {
	open := v.open
	if v.opt.MaxJudged > 0 {
		open = open[:min(len(open), v.opt.MaxJudged)]
	}
	for len(open) > 0 {
		batch := open[:min(v.opt.batch(), len(open))]
		open = open[len(batch):]
		cases := make([]Case, len(batch))
		for i, o := range batch {
			cases[i] = o.Case
		}
		verdicts, err := v.opt.Judge.Judge(ctx, cases)
		if err == nil && len(verdicts) != len(cases) {
			err = fmt.Errorf("the judge gave %d verdicts for %d claims", len(verdicts), len(cases))
		}
		if err != nil {
			return fmt.Errorf("judging claims: %w", err)
		}
		for i, o := range batch {
			v.settle(o, verdicts[i])
		}
	}
	return nil
}

// settle enters a verdict. Its span must be found in an archived text of the
// case, where it becomes a quote; a label that needs one and has none falls
// back.
func (v *verifier) settle(o openCase, said Verdict) {
	c := &v.claims[o.claim]
	quote, found := v.spanOf(o, said.Span)
	switch said.Label {
	case Supported, Contradicted:
		if !found {
			c.Label, c.Reason = Unchecked, "the judge's passage does not stand in the sources"
			return
		}
	case Partial, Unsupported:
	default:
		return
	}
	c.Label, c.Reason, c.Judge = said.Label, strings.TrimSpace(said.Reason), said.Judge
	if !found {
		return
	}
	if said.Label != Unsupported {
		c.Cites = appendNew(c.Cites, quote.ID)
	}
	if said.Label == Supported {
		if missing := v.missingFromQuotes(*c); len(missing) > 0 {
			c.Label, c.Reason, c.Missing = Partial, reasonMissing(missing), missing
		}
	}
}

// spanOf finds what the judge relied on and enters it as a quote. A single word
// is found anywhere and proves nothing.
func (v *verifier) spanOf(o openCase, span string) (Quote, bool) {
	if len(text.Tokens(span)) < 2 {
		return Quote{}, false
	}
	for _, p := range o.Passages {
		page := v.corpus.pages[p.Source]
		if page == nil || page.err != nil {
			continue
		}
		at, ok := text.Find(page.text, span)
		if !ok {
			continue
		}
		if q, err := v.ledger.Quote(p.Source, page.text, at); err == nil {
			return q, true
		}
	}
	return Quote{}, false
}

// missingFromQuotes are numbers of a claim that none of its quotes holds.
func (v *verifier) missingFromQuotes(c Claim) []string {
	e := evidenceOf(c, v.ledger)
	return groundOf(strings.Join(e.passages, "\n")).differing(factsOf(c.Text))
}

func appendNew(ids []string, id string) []string {
	if slices.Contains(ids, id) {
		return ids
	}
	return append(slices.Clone(ids), id)
}
